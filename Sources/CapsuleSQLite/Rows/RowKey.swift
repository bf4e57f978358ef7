/// By what rows of two tables are paired.
enum RowKey {
    /// Row IDs, under a name to be shown.
    case rowID(SQLName)
    /// Columns that both have, of those that are compared.
    case columns([Int])
    /// Nothing: rows are what they hold, and one that is there twice is two.
    case contents
}
