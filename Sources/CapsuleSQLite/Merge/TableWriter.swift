/// Writes what a merge changes in a table.
///
/// A row that changes is deleted and put in anew, and all that is put in comes last: so two rows can exchange what must be unique,
/// as they did on a side. Until then rows are in a table of a temporary file, where no column has a type to change a value to.
final class TableWriter {
    private let connection: Connection
    private let plan: MergePlan
    private let spool: Statement
    private let deletion: Statement?
    /// Finds the row ID that a row has besides its key.
    private let search: Statement?

    /// Makes the temporary table; ``finish()`` deletes it.
    init(_ plan: MergePlan, _ connection: Connection) throws(DatabaseError) {
        self.plan = plan
        self.connection = connection
        let names = plan.columns.indices.map { ",c\($0)" }.joined()
        try connection.run("CREATE TEMP TABLE capsule_rows(rid\(names))")
        let marks = String(repeating: ",?", count: plan.columns.count)
        spool = try connection.prepare("INSERT INTO temp.capsule_rows VALUES(?\(marks))")
        guard let condition = Self.condition(plan) else {
            (deletion, search) = (nil, nil)
            return
        }
        let place: [UInt8] = Array(" FROM main.".utf8) + plan.table.quoted + Array(" WHERE ".utf8) + condition
        deletion = try connection.prepare(Array("DELETE".utf8) + place)
        search = try plan.hiddenRowID.map { name throws(DatabaseError) in
            try connection.prepare(Array("SELECT ".utf8) + name.bytes + place)
        }
    }

    /// Finds a row by its key; nil for a table without one.
    private static func condition(_ plan: MergePlan) -> [UInt8]? {
        switch plan.key {
        case .rowID(let name): name.quoted + Array("=?".utf8)
        case .columns: Array(plan.keyColumns.map { $0.name.quoted + Array("=?".utf8) }.joined(separator: Array(" AND ".utf8)))
        case .none: nil
        }
    }

    /// Deletes a row of ours.
    ///
    /// - Returns: the row ID that it had besides its key.
    @discardableResult
    func delete(_ row: RowCursor) throws(DatabaseError) -> Int64? {
        var rowID: Int64?
        if let search {
            defer { search.reset() }
            try bindKey(of: row, to: search)
            if try search.step() { rowID = search.integer(0) }
        }
        guard let deletion else { return nil }
        try bindKey(of: row, to: deletion)
        try deletion.execute()
        guard connection.changedRows == 1 else { throw DatabaseError(.damaged, "a row is not at the place its key gives") }
        return rowID
    }

    private func bindKey(of row: RowCursor, to statement: Statement) throws(DatabaseError) {
        if case .rowID = plan.key { return try statement.bind(row.rowID, at: 1) }
        for (place, column) in plan.keyColumns.enumerated() {
            try statement.bind(row.values[column.compared.pair.old], at: Int32(place + 1))
        }
    }

    /// Deletes all rows.
    func deleteAll() throws(DatabaseError) {
        try connection.prepare(Array("DELETE FROM main.".utf8) + plan.table.quoted).execute()
    }

    /// Puts in a row.
    ///
    /// - Parameters:
    ///   - rowID: nil for any that is free.
    ///   - values: for each of the plan's columns.
    func insert(_ rowID: Int64?, _ values: [MergedValue]) throws(DatabaseError) {
        if let rowID { try spool.bind(rowID, at: 1) } else { try spool.bindNull(at: 1) }
        for (place, value) in values.enumerated() { try spool.bind(value, at: Int32(place + 2)) }
        try spool.execute()
    }

    /// Puts in the rows, those with row IDs first.
    ///
    /// An `ON CONFLICT REPLACE` in the schema would delete rows of ours for it: the statement's own word has precedence.
    func finish() throws(DatabaseError) {
        var rowIDName: [UInt8]?
        if case .rowID(let name) = plan.key { rowIDName = name.quoted } else { rowIDName = plan.hiddenRowID?.bytes }
        for (hasRowID, test) in [(true, "rid IS NOT NULL"), (false, "rid IS NULL")] {
            var names = plan.columns.map(\.name.quoted)
            var sources = plan.columns.indices.map { "c\($0)" }
            if hasRowID, let rowIDName {
                names.insert(rowIDName, at: 0)
                sources.insert("rid", at: 0)
            }
            // A table of nothing but its key has no row without one.
            if names.isEmpty { continue }
            var sql: [UInt8] = Array("INSERT OR ABORT INTO main.".utf8) + plan.table.quoted + [UInt8(ascii: "(")]
            sql += names.joined(separator: [UInt8(ascii: ",")])
            sql += Array(") SELECT \(sources.joined(separator: ",")) FROM temp.capsule_rows WHERE \(test)".utf8)
            try connection.prepare(sql).execute()
        }
        try connection.run("DROP TABLE temp.capsule_rows")
    }
}
