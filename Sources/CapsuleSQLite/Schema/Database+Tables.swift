package import CapsuleCore

extension Database {
    /// Tables whose columns are listed: a schema can have very many.
    private static let tableLimit = 10_000

    /// The tables as matches of rules and expectations may call them, with their columns; nil where there are too many.
    package func namedTables() throws(DatabaseError) -> [NamedTable]? {
        guard schema.tables.count <= Self.tableLimit else { return nil }
        let model = CoreDataSchema(self)
        let entities = model?.names ?? []
        var tables: [NamedTable] = []
        for table in schema.tables.sorted() {
            let layout = try TableLayout(of: table, in: connection)
            let names = layout.columns.map(\.name)
            var columns = names.map(\.text)
            if model != nil { columns += names.compactMap { CoreDataSchema.attribute(ofColumn: $0) } }
            if layout.hasRowID { columns.append("rowid") }
            let hasEntities = names.contains { $0.folded == Array("z_ent".utf8) }
            tables.append(
                NamedTable(
                    names: [table.text] + [model?.entity(ofTable: table), schema.owner(of: table)?.text].compactMap { $0 },
                    rowEntities: hasEntities ? entities : [], columns: columns))
        }
        for object in schema.objects where object.kind == .virtualTable {
            tables.append(NamedTable(names: [object.name.text], rowEntities: [], columns: []))
        }
        return tables
    }
}
