/// A table of a database as a list of tables shows it.
package struct TableSummary: Sendable {
    package let table: String
    /// Core Data's entity, if the table is named after one.
    package let entity: String?
    /// The names of the columns, and of Core Data's attributes for them.
    package let columns: [(name: String, attribute: String?)]
    package let rows: UInt64

    package init(table: String, entity: String?, columns: [(name: String, attribute: String?)], rows: UInt64) {
        self.table = table
        self.entity = entity
        self.columns = columns
        self.rows = rows
    }
}
