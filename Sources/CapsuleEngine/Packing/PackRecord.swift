import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// Keeps what becomes of the entries while they are packed; what is packed again overwrites what was.
final class PackRecord {
    private let entries: EntryTable
    private let cache: StatCacheSession?
    private var ranges: [Range<UInt32>]
    private var extents: [Extent] = []
    private(set) var omissions: [Int: String] = [:]
    private var changing: Set<Int> = []
    private var longAttributes: [Int: [[UInt8]]] = [:]
    var report = ProgressReport()

    init(_ entries: EntryTable, cache: StatCacheSession?) {
        self.entries = entries
        self.cache = cache
        ranges = Array(repeating: 0..<0, count: entries.count)
        extents.reserveCapacity(entries.count)
        for entry in entries where entry.kind.hasContent {
            report.totalFiles += 1
            report.totalBytes += entry.size
        }
    }

    /// Notes a file that is taken though it changed while it was read.
    func accept(changing entry: Int) {
        changing.insert(entry)
    }

    /// Takes over what became of the files of a stretch.
    func note(_ stretch: PackedStretch, members base: UInt32) {
        var rest = stretch.extents[...]
        for file in stretch.files {
            let own = rest.prefix(file.extents)
            rest = rest.dropFirst(file.extents)
            let start = UInt32(extents.count)
            extents.append(
                contentsOf: own.lazy.map {
                    $0.isZeros ? $0 : Extent(member: $0.member + base, inner: $0.inner, length: $0.length)
                })
            let end = UInt32(extents.count)
            if case .slice(_, let number) = stretch.job, number > 0 {
                // Slices of one file come one behind the other.
                ranges[file.entry] = ranges[file.entry].lowerBound..<end
            } else {
                ranges[file.entry] = start..<end
            }
            report.bytes += own.reduce(0) { $0 + $1.length }
            note(file)
        }
    }

    private func note(_ file: PackedFile) {
        let number = file.entry
        switch file.outcome {
        case .stored(let status, let digest), .changing(let status, let digest):
            entries.update(number) { entry in
                entry.size = status.size
                entry.mode = status.mode
                entry.modified = status.modified
                entry.digest = digest
                if let found = file.attributes { entry.attributes = found.attributes }
            }
            // What an earlier reading came to counts no more.
            let long = file.attributes?.tooLong ?? []
            longAttributes[number] = long.isEmpty ? nil : long
            omissions[number] = nil
            if case .stored = file.outcome {
                changing.remove(number)
                cache?.note(status, digest, file.attributes, at: entries[number].path)
            }
            report.files += 1
        case .omitted(let reason):
            longAttributes[number] = nil
            omissions[number] = reason
        case .grown, .partial:
            break
        }
    }

    /// - Parameter unreadable: more files that were left out, and why.
    func result(unreadable: [Int: String]) -> PackedContainer {
        var result = PackedContainer()
        let left = omissions.merging(unreadable) { first, _ in first }
        for (number, reason) in left { result.omitted.append(Omission(path: entries[number].path.bytes, reason: reason)) }
        for (number, names) in longAttributes where left[number] == nil {
            for name in names {
                result.omitted.append(.longAttribute(name, of: entries[number].path.bytes))
            }
        }
        for number in changing where left[number] == nil {
            result.omitted.append(Omission(path: entries[number].path.bytes, reason: "changed while it was read"))
        }
        result.extentRanges = ranges
        result.dropped = Set(left.keys)
        result.extents = extents
        return result
    }
}
