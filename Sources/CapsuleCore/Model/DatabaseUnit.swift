/// How SQLite and Core Data name the files that are one with a database.
public enum DatabaseUnit {
    /// What a database file begins with (SQLite file format, section 1.3.1).
    public static let magic = Array("SQLite format 3\0".utf8)

    /// The companions that hold content; they are read before the database, since a checkpoint moves from them into it.
    public static let logSuffixes = [Array("-journal".utf8), Array("-wal".utf8)]

    /// Whether a file is one through which processes share a log's index: it is written in memory, and its times tell nothing.
    public static func isSharedMemory(_ path: RelativePath) -> Bool { path.bytes.suffix(4).elementsEqual("-shm".utf8) }

    /// What write-ahead logs begin with, by the byte order of their checksums, and journals (SQLite file format, sections 4.1 and 3).
    private static let logMagics: [[UInt8]] = [
        [0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83], [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7],
    ]

    /// Whether a file that begins so is a log, of a database that may be encrypted.
    public static func isLog(startingWith start: [UInt8]) -> Bool { logMagics.contains { start.starts(with: $0) } }

    /// The path of the database that `path` would be a log of; nil for other names.
    public static func database(ofLog path: RelativePath) -> RelativePath? {
        // Asked of every file: nearly none ends as both suffixes do.
        guard path.bytes.last == UInt8(ascii: "l") else { return nil }
        for suffix in logSuffixes where path.name.count > suffix.count && path.name.suffix(suffix.count).elementsEqual(suffix) {
            return RelativePath(unchecked: Array(path.bytes.dropLast(suffix.count)))
        }
        return nil
    }
}

extension DatabaseUnit {
    /// What stands before and behind a database's name, without its extension, in the name of the directory that holds its
    /// external blobs (Core Data).
    private static let supportMarks = (before: UInt8(ascii: "."), behind: Array("_SUPPORT".utf8))
    /// The companion through which processes share a log's index.
    public static let sharedMemorySuffix = Array("-shm".utf8)

    /// A place at which a database may be.
    public struct Candidate: Hashable, Sendable {
        /// The database's path, or the beginning of it.
        public let path: RelativePath
        /// Whether an extension of any kind may follow.
        public let isStem: Bool
    }

    /// Where the database would be that a file or directory belongs to; none for a name that is like no part of a unit.
    public static func databases(ofMember path: RelativePath) -> [Candidate] {
        for suffix in logSuffixes + [sharedMemorySuffix]
        where path.name.count > suffix.count && path.name.suffix(suffix.count).elementsEqual(suffix) {
            return [Candidate(path: RelativePath(unchecked: Array(path.bytes.dropLast(suffix.count))), isStem: false)]
        }
        var candidates: [Candidate] = []
        var directory: RelativePath? = path
        while let place = directory, !place.isRoot {
            let name = place.name
            if name.first == supportMarks.before, name.count > supportMarks.behind.count + 1,
                name.suffix(supportMarks.behind.count).elementsEqual(supportMarks.behind), let parent = place.parent
            {
                let stem = name.dropFirst().dropLast(supportMarks.behind.count)
                let bytes = parent.isRoot ? Array(stem) : parent.bytes + [UInt8(ascii: "/")] + stem
                candidates.append(Candidate(path: RelativePath(unchecked: bytes), isStem: true))
            }
            directory = place.parent
        }
        return candidates
    }

    /// The directory of a database's external blobs, `.STEM_SUPPORT` beside it.
    public static func support(of database: RelativePath) -> RelativePath? {
        let name = database.name
        let stem = name.lastIndex(of: UInt8(ascii: ".")).map { $0 > name.startIndex ? name[..<$0] : name } ?? name
        return try? (database.parent ?? .root).appending([supportMarks.before] + stem + supportMarks.behind)
    }

    /// What Core Data calls the directory of blobs in ``support(of:)``.
    private static let externalName = Array("_EXTERNAL_DATA".utf8)

    /// The directory in which a database's rows name files, `.STEM_SUPPORT/_EXTERNAL_DATA` beside it.
    public static func externalData(of database: RelativePath) -> RelativePath? {
        support(of: database).flatMap { try? $0.appending(externalName) }
    }

    /// The names of the files beside a database that are one with it.
    public static let companionSuffixes = logSuffixes + [sharedMemorySuffix]
}

/// Names in a container that mean something (docs/format.md, sections 5 and 7).
package enum ContainerNames {
    /// The directory in which a bundle has the app's data.
    package static let appData = Array("AppData".utf8)
    /// The directory in which a bundle has app groups, each in a directory named by its identifier.
    package static let appGroups = Array("AppGroups".utf8)
    /// The container manager's metadata plist, at the top of a container or of a group.
    package static let identity = Array(".com.apple.mobile_container_manager.metadata.plist".utf8)
    /// At the top of a container, of a group or of a directory: where a transaction keeps what it is about to do. Never part
    /// of a tree.
    package static let transaction = Array(".capsule-transaction".utf8)

    /// The path or pattern in a container, of one that begins with the wrapper's `AppData/`; nil for any other, and for one that
    /// would name nothing.
    package static func insideAppData(_ path: [UInt8]) -> String? {
        let wrapper = appData + [RelativePath.slash]
        guard path.starts(with: wrapper), path.count > wrapper.count else { return nil }
        return String(validating: path[wrapper.count...], as: UTF8.self)
    }

    /// What to say of a pattern that begins with the wrapper's `AppData/`.
    package static func hint(forPathInside path: String) -> String { "paths begin inside AppData: write '\(path)'" }
}
