/// How SQLite and Core Data name the files that are one with a database.
public enum DatabaseUnit {
    /// What a database file begins with (SQLite file format, section 1.3.1).
    public static let magic = Array("SQLite format 3\0".utf8)

    /// The companions that hold content; they are read before the database, since a checkpoint moves from them into it.
    public static let logSuffixes = [Array("-journal".utf8), Array("-wal".utf8)]

    /// Whether a file is one through which processes share a log's index: it is written in memory, and its times tell nothing.
    public static func isSharedMemory(_ path: RelativePath) -> Bool { path.bytes.suffix(4).elementsEqual("-shm".utf8) }

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
