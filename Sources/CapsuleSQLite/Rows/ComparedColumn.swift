/// Where a column is in the rows of two statements; below zero where a table has no such column, which is NULL in all its rows.
struct ColumnPair {
    let old: Int32
    let new: Int32
    /// Whether its blobs may be the names of files with the content.
    let mayBeExternal: Bool
}

/// A column of two tables, paired by its name.
struct ComparedColumn {
    /// As the older table spells it, where both have it.
    let name: SQLName
    let pair: ColumnPair
    /// The Core Data attribute that it stands for.
    let attribute: String?
    /// Whether numbers in it are dates, as seconds since 2001.
    let isDate: Bool
    /// Whether its values are secrets, whatever their types.
    let isHidden: Bool
}
