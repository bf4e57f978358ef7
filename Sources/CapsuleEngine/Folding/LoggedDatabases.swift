import CapsuleCore

/// The databases of a container that have logs with something in them, and what belongs to them.
struct LoggedDatabases {
    /// A database and the files beside it, by their places among the entries.
    struct Unit: Sendable {
        let database: Int
        /// The journal and the write-ahead log, also one of the two that is empty.
        let logs: [Int]
        /// The file through which processes share a log's index.
        let sharedMemory: Int?
    }

    /// By the databases' places.
    private(set) var units: [Unit] = []
    /// Databases of which all logs are empty: there is nothing to fold, and nothing to keep.
    private(set) var emptied: [Unit] = []
    /// Files that are no databases and have a log like one: encrypted, most likely.
    private(set) var strange: [Int] = []

    /// - Throws: only the wish to stop; what can't be read is not found, and told where it is packed.
    init(of opened: OpenedContainer) throws(CapsuleError) {
        var logs: [Int: [Int]] = [:]
        for (number, entry) in opened.entries.enumerated() where entry.kind == .file {
            guard let path = DatabaseUnit.database(ofLog: entry.path),
                let database = opened.entries.place(of: path, in: entry.root), opened.entries[database].kind == .file
            else { continue }
            logs[database, default: []].append(number)
        }
        for (database, own) in logs.sorted(by: { $0.key < $1.key }) {
            try CapsuleError.checkInterruption()
            // As they are now: a live log may have grown since it was listed.
            let filled = own.filter { Self.size(of: $0, in: opened) > 0 }
            if Self.start(of: database, in: opened).elementsEqual(DatabaseUnit.magic) {
                let unit = Unit(database: database, logs: own, sharedMemory: Self.sharedMemory(of: database, in: opened))
                if filled.isEmpty { emptied.append(unit) } else { units.append(unit) }
            } else if filled.contains(where: { DatabaseUnit.isLog(startingWith: Self.start(of: $0, in: opened)) }) {
                strange.append(database)
            }
        }
    }

    private static func sharedMemory(of database: Int, in opened: OpenedContainer) -> Int? {
        let entry = opened.entries[database]
        guard let path = try? RelativePath(validating: entry.path.bytes + DatabaseUnit.sharedMemorySuffix),
            let place = opened.entries.place(of: path, in: entry.root), opened.entries[place].kind == .file
        else { return nil }
        return place
    }

    private static func size(of number: Int, in opened: OpenedContainer) -> UInt64 {
        (try? opened.content.open(opened.entries[number], number: number).status().size) ?? 0
    }

    /// The first bytes of a file, as many as tell a database; none of one that can't be read.
    private static func start(of number: Int, in opened: OpenedContainer) -> [UInt8] {
        guard let file = try? opened.content.open(opened.entries[number], number: number) else { return [] }
        return (try? file.start(DatabaseUnit.magic.count)) ?? []
    }
}
