/// `sqlite_sequence`: the last key of each table with AUTOINCREMENT (sqlite.org/autoinc.html). A key must not be given twice, so of
/// two that went on the larger counts.
struct SequenceTable: Equatable {
    /// As many as a schema has tables, and these are in memory.
    private static let limit = 100_000

    private let keys: [[UInt8]: Int64]

    /// No keys.
    init() { keys = [:] }

    /// - Throws: `unsupported` for a table that SQLite would not have written.
    init(_ connection: Connection) throws(DatabaseError) {
        var keys: [[UInt8]: Int64] = [:]
        let statement = try connection.prepare("SELECT name, seq FROM main.sqlite_sequence NOT INDEXED")
        while try statement.step() {
            guard let name = statement.string(0), statement.type(1) == .integer, keys.count < Self.limit,
                keys.updateValue(statement.integer(1), forKey: name) == nil
            else { throw DatabaseError(.unsupported, "the table sqlite_sequence has an unexpected form") }
        }
        self.keys = keys
    }

    /// Merges two with what they come from.
    init(base: SequenceTable, ours: SequenceTable, theirs: SequenceTable) {
        var keys: [[UInt8]: Int64] = [:]
        for name in Set(ours.keys.keys).union(theirs.keys.keys) {
            let (before, own, other) = (base.keys[name], ours.keys[name], theirs.keys[name])
            let merged: Int64? = own == before ? other : other == before ? own : [own, other].compactMap { $0 }.max()
            keys[name] = merged
        }
        self.keys = keys
    }

    /// Puts these in the place of what is there.
    func write(to connection: Connection) throws(DatabaseError) {
        try connection.run("DELETE FROM main.sqlite_sequence")
        let statement = try connection.prepare("INSERT INTO main.sqlite_sequence(name, seq) VALUES(?,?)")
        for (name, key) in keys.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let outcome: Result<Void, DatabaseError> = name.withUnsafeBytes { bytes in
                Result { () throws(DatabaseError) in try statement.bind(text: bytes, at: 1) }
            }
            try outcome.get()
            try statement.bind(key, at: 2)
            try statement.execute()
        }
    }
}
