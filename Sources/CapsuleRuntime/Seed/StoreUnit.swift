/// The files that are one with a SQLite database: a log beside a database that it does not belong to ruins that.
struct StoreUnit {
    /// The database.
    let store: EntryName
    /// What the seed has of the rest: Core Data's external blobs, then the logs.
    let companions: [EntryName]

    static let magic = Array("SQLite format 3\0".utf8)
    static let logSuffixes = ["-wal", "-shm", "-journal"]

    /// - Parameter isThere: whether the seed has an entry of that name beside the database.
    init(_ store: EntryName, _ isThere: (EntryName) -> Bool) {
        self.store = store
        companions = ([Self.support(of: store)] + Self.logs(of: store)).filter(isThere)
    }

    static func logs(of store: EntryName) -> [EntryName] { logSuffixes.map { store.appending($0) } }

    /// The directory of external blobs, which stores of one stem share.
    static func support(of store: EntryName) -> EntryName {
        EntryName(bytes: Array(".".utf8) + store.stem.bytes + Array("_SUPPORT".utf8))
    }

    /// The database that an entry would be a log of.
    static func store(ofLog name: EntryName) -> EntryName? {
        logSuffixes.first { name.hasSuffix($0) }.map { name.dropping($0) }
    }

    /// Whether a file with this start is a log, whatever its database is (SQLite file format, sections 3 and 4.1).
    static func isLog(_ start: [UInt8]) -> Bool {
        let magics: [[UInt8]] = [
            [0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83], [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7],
        ]
        return magics.contains { start.starts(with: $0) }
    }
}
