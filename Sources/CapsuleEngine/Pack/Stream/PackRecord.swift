import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleSystem

/// Records the results for the entries while they are packed. If an entry is packed again, its result is replaced.
final class PackRecord {
    private let entries: EntryTable
    private let isArchive: Bool
    private let cache: StatCacheSession?
    private var ranges: [Range<UInt32>]
    private var extents: [Extent] = []
    /// The members that ``extents`` refer to, numbered from 1.
    private var members: [MemberReference] = []
    /// The numbers of members of earlier versions.
    private var stored: [MemberReference: UInt32] = [:]
    /// The file of this version that stored each content.
    private var owners: [ContentDigest: Int] = [:]
    private(set) var omissions: [Int: String] = [:]
    private var changing: Set<Int> = []
    private var longAttributes: [Int: [[UInt8]]] = [:]
    var report = ProgressReport()

    init(_ plan: PackPlan, cache: StatCacheSession?) {
        entries = plan.entries
        isArchive = plan.isArchive
        self.cache = cache
        ranges = Array(repeating: 0..<0, count: entries.count)
        extents.reserveCapacity(entries.count)
        for number in plan.order where entries[Int(number)].kind.hasContent {
            report.totalFiles += 1
            report.totalBytes += entries[Int(number)].size
        }
    }

    /// Notes a file that is kept although it changed while it was read.
    func accept(changing entry: Int) {
        changing.insert(entry)
    }

    /// Returns the digest of a duplicate whose original changed before it was packed; nil if there is none.
    func lostDuplicateSource(in stretch: PackResult) -> ContentDigest? {
        var own: Set<ContentDigest> = []
        for file in stretch.files {
            guard let digest = file.outcome.digest else { continue }
            if !file.isDuplicate {
                own.insert(digest)
            } else if !own.contains(digest), owners[digest].map({ entries[$0].digest == digest }) != true {
                return digest
            }
        }
        return nil
    }

    /// Notes the extents of an entry whose content is in the capsule, so that it need not be read.
    func place(_ number: Int, at found: [StoredExtent]) {
        let start = UInt32(extents.count)
        for extent in found {
            extents.append(
                Extent(member: extent.member.map { self.number(of: $0) } ?? 0, inner: extent.inner, length: extent.length))
        }
        ranges[number] = start..<UInt32(extents.count)
    }

    private func number(of member: MemberReference) -> UInt32 {
        if let known = stored[member] { return known }
        members.append(member)
        let number = UInt32(members.count)
        stored[member] = number
        return number
    }

    /// Records the results for the files of a stretch.
    /// - Parameter written: the stretch's own members, with their places in the capsule.
    func add(_ stretch: PackResult, members written: ArraySlice<MemberReference>) {
        let base = UInt32(members.count)
        members += written
        let numbers = stretch.stored.map { number(of: $0) }
        var rest = stretch.extents[...]
        for file in stretch.files {
            let own = rest.prefix(file.extents)
            rest = rest.dropFirst(file.extents)
            let start = UInt32(extents.count)
            for extent in own {
                var placed = extent
                if !extent.isZeros {
                    let isOwn = Int(extent.member) <= written.count
                    placed.member = isOwn ? base + extent.member : numbers[Int(extent.member) - written.count - 1]
                }
                extents.append(placed)
            }
            let end = UInt32(extents.count)
            if case .slice(_, let number) = stretch.job, number > 0 {
                // The slices of one file follow one another.
                ranges[file.entry] = ranges[file.entry].lowerBound..<end
            } else {
                ranges[file.entry] = start..<end
            }
            report.bytes += own.reduce(0) { $0 + $1.length }
            add(file)
            if !isArchive { recordOwner(file) }
        }
    }

    private func recordOwner(_ file: PackedFile) {
        guard let digest = file.outcome.digest else { return }
        if !file.isDuplicate {
            owners[digest] = file.entry
        } else if let owner = owners[digest] {
            ranges[file.entry] = ranges[owner]
            report.bytes += entries[file.entry].size
        }
    }

    private func add(_ file: PackedFile) {
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
            // The results of earlier attempts no longer count.
            let long = file.attributes?.tooLong ?? []
            longAttributes[number] = long.isEmpty ? nil : long
            omissions[number] = nil
            if case .stored = file.outcome {
                changing.remove(number)
                cache?.record(status, digest, file.attributes, at: entries[number].path)
            }
            report.files += 1
        case .omitted(let reason):
            longAttributes[number] = nil
            omissions[number] = reason
        case .grown, .partial:
            break
        }
    }

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
        result.members = members
        return result
    }
}

/// The result of packing a container's entries.
struct PackedContainer {
    /// The entries in the order of the index, with their sizes, times, digests and attributes as they were read. Omitted entries
    /// are not included.
    var entries: [TreeEntry] = []
    /// For each entry, the range of its extents in ``extents``.
    var extentRanges: [Range<UInt32>] = []
    /// The extents, whose members are numbers in ``members`` from 1.
    var extents: [Extent] = []
    var members: [MemberReference] = []
    var omitted: [Omission] = []
    var dropped: Set<Int> = []

    func storedExtents(of number: Int) -> [StoredExtent] {
        extents[Int(extentRanges[number].lowerBound)..<Int(extentRanges[number].upperBound)].map { extent in
            StoredExtent(
                member: extent.isZeros ? nil : members[Int(extent.member) - 1], inner: extent.inner, length: extent.length)
        }
    }
}

/// The result of a job.
struct PackResult: Sendable {
    let job: PackJob
    var members: [EncodedMember] = []
    let buffer: ByteBuffer
    var files: [PackedFile] = []
    /// The data members that the capsule already has. In the extents, their numbers follow those of ``members``.
    private(set) var stored: [MemberReference] = []
    /// The extents of the files, concatenated. Their members are numbers in ``members`` and ``stored``, from 1.
    private(set) var extents: [Extent] = []

    /// Converts pieces to extents. Some pieces are in the stream that ``members`` contain. A piece that spans several members
    /// becomes several extents. Before the call the files count their pieces, and afterwards their extents.
    mutating func locate(_ pieces: [StreamPiece]) {
        var counts: [Int] = []
        var cursor = MemberCursor()
        for piece in pieces {
            let before = extents.count
            switch piece {
            case .stream(let place, let length):
                cursor.locate(place, length, in: members) { extents.append($0) }
            case .stored(let extent):
                guard let member = extent.member else {
                    extents.append(Extent(member: 0, inner: 0, length: extent.length))
                    break
                }
                if stored.last != member { stored.append(member) }
                extents.append(Extent(member: UInt32(members.count + stored.count), inner: extent.inner, length: extent.length))
            }
            counts.append(extents.count - before)
        }
        var next = counts[...]
        for number in files.indices {
            let own = next.prefix(files[number].extents)
            next = next.dropFirst(files[number].extents)
            files[number].extents = own.reduce(0, +)
        }
    }
}

/// A cursor that finds the members of a stretch that contain places in its stream.
private struct MemberCursor {
    private var member = 0
    private var start = 0

    /// Cuts a piece at the ends of members. The piece must be after the previous ones.
    mutating func locate(_ place: Int, _ length: UInt64, in members: [EncodedMember], _ found: (Extent) -> Void) {
        var place = place
        var rest = Int(length)
        while rest > 0 {
            while place >= start + Int(members[member].raw) {
                start += Int(members[member].raw)
                member += 1
            }
            let inner = place - start
            let own = min(rest, Int(members[member].raw) - inner)
            found(Extent(member: UInt32(member + 1), inner: UInt32(inner), length: UInt64(own)))
            place += own
            rest -= own
        }
    }
}

/// The result for one file.
struct PackedFile: Sendable {
    enum Outcome: Sendable {
        case stored(ContentStatus, ContentDigest)
        /// The file was read completely, but changed during every attempt.
        case changing(ContentStatus, ContentDigest)
        case omitted(reason: String)
        /// The file has grown too much since the listing for its place in the stream. The value is its size.
        case grown(UInt64)
        /// A part of a large file that is not the last one.
        case partial

        /// The digest and size of a file that was read completely; nil for any other outcome.
        var content: (digest: ContentDigest, size: UInt64)? {
            switch self {
            case .stored(let status, let digest), .changing(let status, let digest): (digest, status.size)
            case .omitted, .grown, .partial: nil
            }
        }

        var digest: ContentDigest? { content?.digest }
    }

    let entry: Int
    let outcome: Outcome
    var extents: Int
    var attributes: ExtendedAttributes.Reading?
    /// True if an earlier file of the same version has the same content, whose extents are used.
    var isDuplicate = false
}
