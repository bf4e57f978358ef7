/// How the rows of a table are compared: which columns, by which key, by what statements.
struct TablePlan {
    let table: SQLName
    let columns: [ComparedColumn]
    let key: RowKey
    /// The column with the numbers of Core Data's entities.
    let entityColumn: ColumnPair?
    /// The statement for each side; nil for a table that the side has not.
    let oldSQL: [UInt8]?
    let newSQL: [UInt8]?

    /// - Parameters:
    ///   - old, new: the layouts; nil where there is no such table. Not both.
    ///   - hasNullKeys: whether a side has rows with a NULL in their primary key, which need not be unique then.
    ///   - areEncodingsAlike: whether both store texts in the same way.
    ///   - describe: what is known of a column beyond its layout.
    init(
        _ table: SQLName, old: TableLayout?, new: TableLayout?, hasNullKeys: Bool, areEncodingsAlike: Bool,
        describe: (ColumnFacts) -> ComparedColumn
    ) {
        self.table = table
        var names = Self.names(old, new)
        let key = Self.key(old, new, names, hasNullKeys: hasNullKeys)
        // A column that is the row ID is compared by being the key.
        if case .rowID(let column) = key, [old, new].allSatisfy({ $0?.isKeyRowID ?? true }) {
            names.removeAll { $0.name.folded == column.folded }
        }
        // The row ID comes before the columns, if it is the key.
        var places: (old: Int32, new: Int32) = if case .rowID = key { (1, 1) } else { (0, 0) }
        columns = names.map { name in
            defer {
                if name.old != nil { places.old += 1 }
                if name.new != nil { places.new += 1 }
            }
            return describe(
                ColumnFacts(
                    name: name.name, old: name.old == nil ? -1 : places.old, new: name.new == nil ? -1 : places.new,
                    oldType: name.old.flatMap { old?.columns[$0].type }, newType: name.new.flatMap { new?.columns[$0].type }))
        }
        self.key = key
        entityColumn = columns.first { $0.name.folded == Array("z_ent".utf8) }?.pair
        oldSQL = old.map { Self.sql($0, key, names.map(\.old), areEncodingsAlike: areEncodingsAlike) }
        newSQL = new.map { Self.sql($0, key, names.map(\.new), areEncodingsAlike: areEncodingsAlike) }
    }

    /// A column before more is known of it.
    struct ColumnFacts {
        let name: SQLName
        let old: Int32
        let new: Int32
        let oldType: [UInt8]?
        let newType: [UInt8]?
    }

    private typealias Name = (name: SQLName, old: Int?, new: Int?)

    /// The older table's columns in its order, then what only the newer one has.
    private static func names(_ old: TableLayout?, _ new: TableLayout?) -> [Name] {
        let oldColumns = old?.columns ?? []
        let newColumns = new?.columns ?? []
        var places: [[UInt8]: Int] = [:]
        for (place, column) in newColumns.enumerated() { places[column.name.folded] = place }
        var names: [Name] = []
        for (place, column) in oldColumns.enumerated() {
            names.append((column.name, place, places.removeValue(forKey: column.name.folded)))
        }
        for (place, column) in newColumns.enumerated() where places[column.name.folded] != nil {
            names.append((column.name, nil, place))
        }
        return names
    }

    /// The primary key if it is the same on both sides; else row IDs, if both have them.
    private static func key(_ old: TableLayout?, _ new: TableLayout?, _ names: [Name], hasNullKeys: Bool) -> RowKey {
        let layouts = [old, new].compactMap { $0 }
        guard let first = layouts.first else { return .contents }
        let keys = layouts.map { $0.key.map(\.name.folded) }
        let isSameKey = keys.allSatisfy { $0 == keys[0] } && !keys[0].isEmpty
        if isSameKey, layouts.allSatisfy({ $0.isKeyRowID }), let name = first.rowID { return .rowID(name) }
        if isSameKey, !hasNullKeys {
            let places = keys[0].compactMap { key in names.firstIndex { $0.name.folded == key } }
            // Each of a primary key's columns has a value in each row, but for a virtual one in a hostile schema.
            if places.count == keys[0].count { return .columns(places) }
        }
        if layouts.allSatisfy({ $0.rowID != nil }) { return .rowID(SQLName("rowid")) }
        return .contents
    }

    /// Rows in an order that both sides share and that no index has a part in: an index may be in another order, or broken.
    private static func sql(_ layout: TableLayout, _ key: RowKey, _ places: [Int?], areEncodingsAlike: Bool) -> [UInt8] {
        var sql = Array("SELECT ".utf8)
        var selected = places.compactMap { $0 }.map { layout.columns[$0].name.quoted }
        // The names that SQLite gives row IDs are no identifiers to be quoted: that would make them texts.
        if case .rowID = key, let name = layout.rowID { selected.insert(layout.isKeyRowID ? name.quoted : name.bytes, at: 0) }
        sql += selected.joined(separator: [UInt8(ascii: ",")])
        sql += Array(" FROM main.".utf8) + layout.name.quoted + Array(" NOT INDEXED ORDER BY ".utf8)
        let order: [[UInt8]]
        switch key {
        case .rowID:
            order = [selected[0]]
        case .columns(let columns):
            order = columns.compactMap { places[$0] }.flatMap { terms(layout.columns[$0].name, areEncodingsAlike) }
        case .contents:
            let names = places.compactMap { $0 }.map { layout.columns[$0].name }
            order =
                names.flatMap { terms($0, areEncodingsAlike) }
                + names.map { Array("typeof(".utf8) + $0.quoted + [UInt8(ascii: ")")] }
        }
        return sql + order.joined(separator: [UInt8(ascii: ",")])
    }

    /// By what a column is ordered. The sign keeps SQLite from taking the rows as they come: sorted they are in order for sure.
    private static func terms(_ name: SQLName, _ areEncodingsAlike: Bool) -> [[UInt8]] {
        if areEncodingsAlike { return [[UInt8(ascii: "+")] + name.quoted + Array(" COLLATE BINARY".utf8)] }
        return [
            Array("CASE typeof(".utf8) + name.quoted
                + Array(") WHEN 'null' THEN 0 WHEN 'text' THEN 2 WHEN 'blob' THEN 3 ELSE 1 END".utf8),
            Array("\(TextBytesFunction.name)(".utf8) + name.quoted + Array(") COLLATE BINARY".utf8),
        ]
    }
}

/// By what rows of two tables are paired.
enum RowKey {
    /// Row IDs, under a name to be shown.
    case rowID(SQLName)
    /// Columns that both have, of those that are compared.
    case columns([Int])
    /// Nothing: rows are what they hold, and one that is there twice is two.
    case contents
}

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
