/// Which files a Core Data store speaks of.
enum ExternalNames {
    /// The names in all blobs; none for a database that is no store.
    ///
    /// - Parameter database: one with the same schema.
    static func find(in connection: Connection, like database: Database) throws(DatabaseError) -> Set<String> {
        guard CoreDataSchema(database) != nil else { return [] }
        var names: Set<String> = []
        for table in database.schema.storedTables.sorted() {
            let layout = try TableLayout(of: table, in: database.connection)
            for column in layout.columns where column.type == Array("blob".utf8) {
                let name = column.name.quoted
                // Longer ones are not even read.
                let sql: [[UInt8]] = [
                    Array("SELECT ".utf8), name, Array(" FROM main.".utf8), table.quoted,
                    Array(" NOT INDEXED WHERE typeof(".utf8), name, Array(")='blob' AND length(".utf8), name, Array(")=38".utf8),
                ]
                let statement = try connection.prepare(Array(sql.joined()))
                while try statement.step() {
                    guard statement.type(0) == .blob else { continue }
                    if let name = ExternalReference.name(statement.values[0].bytes(isWide: false)) { names.insert(name) }
                }
            }
        }
        return names
    }
}
