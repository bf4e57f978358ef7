/// A table, index, view or trigger.
struct SchemaObject: Hashable, Sendable {
    /// What it is; raw values as reports have them, in the order in which they are told.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case table
        /// A table that a module of SQLite's or an app's makes up; it is never looked into.
        case virtualTable = "virtual table"
        case index
        case view
        case trigger
    }

    let kind: Kind
    let name: SQLName
    let sql: [UInt8]
    /// Of a virtual table, in lower case.
    let module: String?
}
