/// A table, with the names that matches may use for it, and its columns.
package struct NamedTable: Hashable, Sendable {
    /// The SQL name of the table, of its Core Data entity, and of the virtual table whose data it holds.
    package let names: [String]
    /// The entities that its rows may have besides the one that the table is named after.
    package let rowEntities: [String]
    /// The SQL names and the attributes of the columns.
    package let columns: [String]

    package init(names: [String], rowEntities: [String], columns: [String]) {
        self.names = names
        self.rowEntities = rowEntities
        self.columns = columns
    }
}
