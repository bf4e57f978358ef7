package import CapsuleCore
package import CapsuleSQLite

extension Database {
    /// Returns the tables whose rows can be shown, by name.
    /// - Throws: for a table that can't be read to the end, and if counting takes longer than the limits allow.
    package func tableSummaries(limits: WorkLimits = WorkLimits()) throws(CapsuleError) -> [TableSummary] {
        connection.budget.start(limits)
        return try schema.tables.sorted().map { (table) throws(CapsuleError) in try tableSummary(of: table) }
    }

    package func tableSummary(of table: SQLName) throws(CapsuleError) -> TableSummary {
        try connection.budget.demand()
        let model = CoreDataSchema(self)
        let layout = try TableLayout(of: table, in: connection)
        let counter = try connection.prepare(Array("SELECT count(*) FROM main.".utf8) + table.quoted + Array(" NOT INDEXED".utf8))
        let count = try counter.step() ? counter.integer(0) : 0
        return TableSummary(
            table: table.text, entity: model?.entity(ofTable: table),
            columns: layout.columns.map { column in
                (column.name.text, model == nil ? nil : CoreDataSchema.attribute(ofColumn: column.name))
            },
            rows: UInt64(clamping: count))
    }

    /// The names of the tables, each before that of its entity of Core Data.
    package var tableNames: [String] {
        let model = CoreDataSchema(self)
        return schema.tables.sorted().flatMap { [$0.text, model?.entity(ofTable: $0)].compactMap { $0 } }
    }

    /// Returns the table with a name in SQL, or of an entity of Core Data; nil if there is none.
    package func table(named name: String) -> SQLName? {
        let wanted = SQLName(name)
        if let table = schema.tables.first(where: { $0.folded == wanted.folded }) { return table }
        guard let model = CoreDataSchema(self) else { return nil }
        return schema.tables.first { model.entity(ofTable: $0) == name }
    }

    /// Returns the table with a name, or of an entity.
    /// - Throws: an error that lists near names if there is none.
    package func existingTable(named name: String) throws(CapsuleError) -> SQLName {
        if let found = table(named: name) { return found }
        let known = tableNames
        throw CapsuleError(
            .notFound, "has no table '\(name)'",
            hint: Suggestions.hint(for: Suggestions(for: name, among: known).words)
                ?? "its tables are: \(known.prefix(12).joined(separator: ", "))")
    }
}
