/// A foreign key of a table, as `PRAGMA foreign_key_list` has it.
struct ForeignKey {
    /// What tells it from the others of a schema.
    struct Place: Hashable, Comparable {
        /// The table whose rows refer to others.
        let table: SQLName
        /// The number among the table's keys.
        let number: Int64

        static func < (left: Place, right: Place) -> Bool { (left.table, left.number) < (right.table, right.number) }
    }

    /// The table whose rows are referred to; there may be none of that name.
    let parent: SQLName
    private let table: SQLName
    /// What a row is known by: its primary key, else its row ID, if it can be asked for.
    private let key: [SQLName]
    private let columns: [SQLName]
    /// The parent's columns; nil for its primary key.
    private let parentColumns: [SQLName]?

    init(_ place: Place, in connection: Connection) throws(DatabaseError) {
        table = place.table
        let layout = try TableLayout(of: table, in: connection)
        key = layout.key.isEmpty ? layout.rowID.map { [$0] } ?? [] : layout.key.map(\.name)
        var found: (parent: SQLName, columns: [SQLName], parents: [SQLName])?
        let list = try connection.prepare(Array("PRAGMA main.foreign_key_list(".utf8) + table.quoted + [UInt8(ascii: ")")])
        while try list.step() {
            guard list.integer(0) == place.number, let parent = list.string(2), let column = list.string(3) else { continue }
            found = (SQLName(parent), (found?.columns ?? []) + [SQLName(column)], found?.parents ?? [])
            if let other = list.string(4) { found?.parents.append(SQLName(other)) }
        }
        guard let found else { throw DatabaseError(.unsupported, "a foreign key of table \(table.text) is missing in its list") }
        parent = found.parent
        columns = found.columns
        parentColumns = found.parents.count == found.columns.count ? found.parents : nil
    }

    /// How many columns ``broken(in:)`` has.
    var columnCount: Int32 { Int32(key.count + columns.count) }

    /// The rows that refer to what is not there: what each is known by, and then the values that refer.
    ///
    /// The parent's columns decide how values are compared: by their order, and as their types would have them. A child's value
    /// with a plus has no type of its own (sqlite.org/foreignkeys.html, 3; sqlite.org/datatype3.html, 3.2).
    func broken(in connection: Connection) throws(DatabaseError) -> [UInt8] {
        var sql: [UInt8] = Array("SELECT ".utf8)
        sql += Self.joined((key + columns).map { Self.column("c", $0) }, ",")
        sql += Array(" FROM main.".utf8) + table.quoted + Array(" AS c WHERE ".utf8)
        sql += Self.joined(columns.map { Self.column("c", $0) + Array(" IS NOT NULL".utf8) }, " AND ")
        guard let others = try namesInParent(connection) else { return sql }
        sql += Array(" AND NOT EXISTS(SELECT 1 FROM main.".utf8) + parent.quoted + Array(" AS p WHERE ".utf8)
        sql += Self.joined(zip(others, columns).map { Self.column("p", $0) + Array("=+".utf8) + Self.column("c", $1) }, " AND ")
        return sql + [UInt8(ascii: ")")]
    }

    /// The columns that are referred to; nil where there is no such table.
    private func namesInParent(_ connection: Connection) throws(DatabaseError) -> [SQLName]? {
        let table = try connection.prepare(Array("PRAGMA main.table_xinfo(".utf8) + parent.quoted + [UInt8(ascii: ")")])
        guard try table.step() else { return nil }
        if let parentColumns { return parentColumns }
        let key = try TableLayout(of: parent, in: connection).key.map(\.name)
        guard key.count == columns.count else {
            throw DatabaseError(.unsupported, "a foreign key of table \(self.table.text) does not match \(parent.text)")
        }
        return key
    }

    private static func column(_ table: String, _ name: SQLName) -> [UInt8] { Array("\(table).".utf8) + name.quoted }

    private static func joined(_ parts: [[UInt8]], _ separator: String) -> [UInt8] {
        Array(parts.joined(separator: Array(separator.utf8)))
    }
}
