/// The columns and the key of a table.
struct TableLayout {
    /// A column with a stored value in each row. Virtual generated columns, which are computed when they are read, are left out.
    struct Column {
        let name: SQLName
        /// The declared type, with ASCII letters in lower case.
        let type: [UInt8]
        let isNotNull: Bool
        /// The position in the primary key, from 1; 0 if the column is not part of it.
        let keyPlace: Int64
        /// True if the value is computed when a row is stored, so that it can't be written.
        let isGenerated: Bool
    }

    let name: SQLName
    let columns: [Column]
    let hasRowID: Bool
    /// A name for the row ID; nil for a table without row IDs, and if columns have taken all its names.
    let rowID: SQLName?
    /// True if the primary key is a single column that is an alias of the row ID.
    let isKeyRowID: Bool

    /// The columns of the primary key in order; empty if there is none.
    var key: [Column] {
        columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }
    }

    /// Reads the layout from the schema. The table must not be virtual, which the text of the schema decides.
    init(of table: SQLName, in connection: Connection) throws(DatabaseError) {
        name = table
        var columns: [Column] = []
        var names: Set<[UInt8]> = []
        let information = try connection.prepare(Array("PRAGMA main.table_xinfo(".utf8) + table.quoted + [UInt8(ascii: ")")])
        while try information.step() {
            let name = SQLName(information.string(1) ?? [])
            names.insert(name.folded)
            // The values of `hidden` are 1 for a hidden column of a virtual table, 2 for a virtual generated column, 3 for a stored
            // one.
            let hidden = information.integer(6)
            guard hidden != 1, hidden != 2 else { continue }
            columns.append(
                Column(
                    name: name, type: SQLName(information.string(2) ?? []).folded, isNotNull: information.integer(3) != 0,
                    keyPlace: information.integer(5), isGenerated: hidden == 3))
        }
        guard !columns.isEmpty else { throw DatabaseError(.damaged, "no such table") }
        self.columns = columns
        let key = columns.filter { $0.keyPlace > 0 }
        let isWithoutRowID = try Self.isWithoutRowID(table, in: connection)
        hasRowID = !isWithoutRowID
        // A primary key without an index of its own is the row ID.
        let hasKeyIndex = try Self.hasKeyIndex(table, in: connection)
        isKeyRowID = key.count == 1 && !isWithoutRowID && !hasKeyIndex
        rowID =
            isWithoutRowID
            ? nil
            : isKeyRowID ? key[0].name : ["rowid", "_rowid_", "oid"].map { SQLName($0) }.first { !names.contains($0.bytes) }
    }

    /// Returns true if rows have NULL in the primary key. SQLite allows it unless the key is the row ID, and the key then need not
    /// be unique.
    func hasNullKeys(in connection: Connection) throws(DatabaseError) -> Bool {
        let columns = key.filter { !$0.isNotNull }
        guard !columns.isEmpty, !isKeyRowID, hasRowID else { return false }
        let tests = columns.map { $0.name.quoted + Array(" IS NULL".utf8) }.joined(separator: Array(" OR ".utf8))
        let sql: [UInt8] = Array("SELECT 1 FROM main.".utf8) + name.quoted + Array(" NOT INDEXED WHERE ".utf8) + tests
        return try connection.prepare(sql).step()
    }

    /// Returns true if a table has no row IDs. For a table, this pragma returns rows only in that case (sqlite.org/pragma.html).
    private static func isWithoutRowID(_ table: SQLName, in connection: Connection) throws(DatabaseError) -> Bool {
        try connection.prepare(Array("PRAGMA main.index_info(".utf8) + table.quoted + [UInt8(ascii: ")")]).step()
    }

    private static func hasKeyIndex(_ table: SQLName, in connection: Connection) throws(DatabaseError) -> Bool {
        let list = try connection.prepare(Array("PRAGMA main.index_list(".utf8) + table.quoted + [UInt8(ascii: ")")])
        while try list.step() {
            if list.string(3) == Array("pk".utf8) { return true }
        }
        return false
    }
}

/// A name in a schema, as SQLite's bytes. Names that differ only in Unicode normalization are different.
struct SQLName: Hashable, Comparable, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The name for display. Invalid UTF-8 is replaced.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The name that SQLite compares: ASCII letters are in lower case.
    var folded: [UInt8] { bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }

    /// The name as a quoted identifier in a statement.
    var quoted: [UInt8] {
        let mark = UInt8(ascii: "\"")
        return [mark] + bytes.flatMap { $0 == mark ? [mark, mark] : [$0] } + [mark]
    }

    func hasPrefix(_ text: String) -> Bool { folded.starts(with: text.utf8) }

    static func < (left: SQLName, right: SQLName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
