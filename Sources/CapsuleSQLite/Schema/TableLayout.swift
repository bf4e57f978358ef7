/// The columns of a table, and by what its rows are known.
struct TableLayout {
    /// A column that has a value in each row; virtual generated ones, which are computed when they are asked for, are left out.
    struct Column {
        let name: SQLName
        /// The declared type, ASCII letters in lower case.
        let type: [UInt8]
        let isNotNull: Bool
        /// From 1; 0 for what is not part of the primary key.
        let keyPlace: Int64
        /// Whether it is computed as a row is stored, so that it can't be written.
        let isGenerated: Bool
    }

    let name: SQLName
    let columns: [Column]
    let hasRowID: Bool
    /// A name that the row ID can be asked for by; nil for a table without one, and where columns have taken all such names.
    let rowID: SQLName?
    /// Whether the primary key is a single column that is the row ID by another name.
    let isKeyRowID: Bool

    /// The primary key's columns in order; empty if there is none.
    var key: [Column] {
        columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }
    }

    /// Asks the schema. No virtual table may be asked about: the schema's text decides what is one.
    init(of table: SQLName, in connection: Connection) throws(DatabaseError) {
        name = table
        var columns: [Column] = []
        var names: Set<[UInt8]> = []
        let information = try connection.prepare(Array("PRAGMA main.table_xinfo(".utf8) + table.quoted + [UInt8(ascii: ")")])
        while try information.step() {
            let name = SQLName(information.string(1) ?? [])
            names.insert(name.folded)
            // 1: hidden, of virtual tables; 2: virtual; 3: stored.
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
        // Without an index of its own a primary key is the row ID.
        let hasKeyIndex = try Self.hasKeyIndex(table, in: connection)
        isKeyRowID = key.count == 1 && !isWithoutRowID && !hasKeyIndex
        rowID =
            isWithoutRowID
            ? nil
            : isKeyRowID ? key[0].name : ["rowid", "_rowid_", "oid"].map { SQLName($0) }.first { !names.contains($0.bytes) }
    }

    /// Whether rows have NULL in the primary key: SQLite allows it where the key is no row ID, and then it need not be unique.
    func hasNullKeys(in connection: Connection) throws(DatabaseError) -> Bool {
        let columns = key.filter { !$0.isNotNull }
        guard !columns.isEmpty, !isKeyRowID, hasRowID else { return false }
        let tests = columns.map { $0.name.quoted + Array(" IS NULL".utf8) }.joined(separator: Array(" OR ".utf8))
        let sql: [UInt8] = Array("SELECT 1 FROM main.".utf8) + name.quoted + Array(" NOT INDEXED WHERE ".utf8) + tests
        return try connection.prepare(sql).step()
    }

    /// Asked about a table, and not an index, this pragma has an answer only if there is no row ID (sqlite.org/pragma.html).
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

/// A name in a schema, as the bytes that SQLite has: no normal form of Unicode makes two names one.
struct SQLName: Hashable, Comparable, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// For people; what is no UTF-8 is replaced.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// What SQLite knows it by: ASCII letters in lower case.
    var folded: [UInt8] { bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }

    /// As an identifier in a statement.
    var quoted: [UInt8] {
        let mark = UInt8(ascii: "\"")
        return [mark] + bytes.flatMap { $0 == mark ? [mark, mark] : [$0] } + [mark]
    }

    func hasPrefix(_ text: String) -> Bool { folded.starts(with: text.utf8) }

    static func < (left: SQLName, right: SQLName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
