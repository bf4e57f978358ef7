/// How the rows of a table are merged: by which key, which columns, by what statement. The table is the same on all sides.
struct MergePlan {
    /// By what rows are paired.
    enum Key {
        /// A primary key that is the row ID, by its name.
        case rowID(SQLName)
        /// Columns, by their places in ``MergePlan/columns``.
        case columns([Int])
        /// Nothing that would be the same on two sides: a row ID without a name is SQLite's own affair, and a key with NULL in it
        /// need not be unique.
        case none
    }

    /// A column that can be written.
    struct Column {
        let compared: ComparedColumn
        let isNotNull: Bool
        /// Whether it counts up with what is done, so that of two numbers the larger is the one to go on from.
        let isCounter: Bool

        var name: SQLName { compared.name }
    }

    let table: SQLName
    let key: Key
    let columns: [Column]
    /// All rows in the order of their keys, the row ID first where ``isByRowID``.
    let sql: [UInt8]
    let isByRowID: Bool
    /// A name of the row ID that rows have besides their key; nil where it is the key, or has no name.
    let hiddenRowID: SQLName?

    /// - Parameter hasNullKeys: whether a side has rows with a NULL in their primary key.
    init(_ layout: TableLayout, hasNullKeys: Bool, isStore: Bool, isKeychain: Bool) {
        let plan = TablePlan(
            layout.name, old: layout, new: layout, hasNullKeys: hasNullKeys, areEncodingsAlike: true
        ) { facts in
            ComparedColumn(
                name: facts.name, pair: ColumnPair(old: facts.old, new: facts.new, mayBeExternal: false),
                attribute: nil, isDate: isStore && facts.oldType == Array("timestamp".utf8),
                isHidden: isKeychain && facts.name.folded == Array("data".utf8))
        }
        table = layout.name
        sql = plan.oldSQL ?? []
        var places: [Int] = []
        var columns: [Column] = []
        for (place, column) in plan.columns.enumerated() {
            guard let found = layout.columns.first(where: { $0.name == column.name }), !found.isGenerated else { continue }
            places.append(place)
            columns.append(
                Column(
                    compared: column, isNotNull: found.isNotNull || (found.keyPlace > 0 && !layout.hasRowID),
                    isCounter: isStore && Self.isCounter(column.name, of: layout.name)))
        }
        self.columns = columns
        switch plan.key {
        case .rowID(let name):
            isByRowID = true
            key = layout.isKeyRowID ? .rowID(name) : .none
            hiddenRowID = layout.isKeyRowID ? nil : layout.rowID
        case .columns(let found):
            isByRowID = false
            // A key is never computed.
            key = .columns(found.compactMap { places.firstIndex(of: $0) })
            hiddenRowID = layout.rowID
        case .contents:
            isByRowID = false
            key = .none
            hiddenRowID = nil
        }
    }

    /// Core Data's: how often a row was saved, and the last key of an entity.
    private static func isCounter(_ column: SQLName, of table: SQLName) -> Bool {
        switch String(decoding: column.folded, as: UTF8.self) {
        case "z_opt": true
        case "z_max": table.folded == Array("z_primarykey".utf8)
        default: false
        }
    }

    /// The columns that rows are looked up by.
    var keyColumns: [Column] {
        if case .columns(let places) = key { places.map { columns[$0] } } else { [] }
    }
}
