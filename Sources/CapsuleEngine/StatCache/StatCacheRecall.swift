import CapsuleCore
import CapsuleFileSystem

/// Takes over what a stat cache has of a directory's files, right after it was listed. Any thread may use it.
struct StatCacheRecall: Sendable {
    private let cache: StatCacheSession
    private let root: RootDirectory

    init(_ cache: StatCacheSession, in root: RootDirectory) {
        self.cache = cache
        self.root = root
    }

    /// What the lister is to ask of each file.
    var mark: @Sendable (FileStatus) -> UInt32 {
        { [cache] in cache.mark(of: $0) }
    }

    /// Gives files that are known their digests and attributes.
    func complete(_ listing: inout TreeScanner.Listing) {
        cache.found(listing.marks)
        for (number, mark) in listing.marks.enumerated() where mark != 0 {
            if DatabaseUnit.isSharedMemory(listing.entries[number].path) { continue }
            let record = cache.record(at: mark)
            if record.hasAttributes {
                // Attributes that a capsule can't hold are found, and recorded, when the file is read.
                guard let reading = attributes(of: listing.entries[number].path), reading.tooLong.isEmpty else { continue }
                listing.entries[number].attributes = reading.attributes
            }
            listing.entries[number].digest = record.digest
        }
        Self.forgetPartsOfUnits(&listing.entries)
    }

    private func attributes(of path: RelativePath) -> ExtendedAttributes.Reading? {
        guard let file = try? root.openFile(path) else { return nil }
        return try? ExtendedAttributes.read(file.raw, path: root.hostPath(of: path))
    }

    /// A database and its logs, which are in one directory, are one state: unless all are known, none is.
    private static func forgetPartsOfUnits(_ entries: inout [TreeEntry]) {
        var units: [RelativePath: [Int]] = [:]
        for number in entries.indices where entries[number].kind == .file {
            guard let database = DatabaseUnit.database(ofLog: entries[number].path) else { continue }
            units[database, default: []].append(number)
        }
        for (database, logs) in units {
            var numbers = logs
            if let place = entries.place(of: database, in: .tree), entries[place].kind == .file { numbers.append(place) }
            if numbers.contains(where: { entries[$0].digest == .zero }) {
                for number in numbers { entries[number].digest = .zero }
            }
        }
    }
}
