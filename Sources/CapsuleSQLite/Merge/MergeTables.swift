import CapsuleCore

/// The tables of three databases with one schema, and how each is merged.
struct MergeTables {
    /// Which sides changed a table.
    enum Change {
        case none
        case ours
        case theirs
        /// Both, to the same.
        case same
        case both
    }

    /// By their names' bytes.
    private(set) var plans: [MergePlan] = []
    private let base: Database?
    private let ours: Database
    private let theirs: Database

    /// - Throws: `whole` for schemas that differ, and for virtual tables that both sides changed.
    init(
        _ base: Database?, _ ours: Database, _ theirs: Database, isStore: Bool, isKeychain: Bool
    ) throws(MergeStop) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        if let base { try Self.demandSameSchema(base, ours) }
        try Self.demandSameSchema(ours, theirs)
        for table in ours.schema.storedTables.sorted() {
            let layout = try MergeStop.reading(.ours) { () throws(DatabaseError) in
                try TableLayout(of: table, in: ours.connection)
            }
            var hasNullKeys = false
            for (side, database) in [(MergeSide.base, base), (.ours, ours), (.theirs, theirs)] where !hasNullKeys {
                guard let database else { continue }
                hasNullKeys = try MergeStop.reading(side) { () throws(DatabaseError) in
                    try layout.hasNullKeys(in: database.connection)
                }
            }
            plans.append(MergePlan(layout, hasNullKeys: hasNullKeys, isStore: isStore, isKeychain: isKeychain))
        }
        try checkVirtualTables()
    }

    private static func demandSameSchema(_ left: Database, _ right: Database) throws(MergeStop) {
        guard left.schema.storedTables == right.schema.storedTables else { throw .whole("the schemas differ") }
        var report = DifferenceReport(bytes: .max, judge: EntryJudge())
        do throws(DatabaseError) {
            try SchemaComparison(left, right).run(&report)
        } catch {
            throw .failure(error)
        }
        for detail in report.details {
            guard case .schema(let change) = detail.content else { continue }
            // These two are merged.
            if change.object == "pragma", change.name != "encoding" { continue }
            throw .whole("the schemas differ: \(change.object) \(change.name)")
        }
    }

    /// What a module keeps in tables of its own fits together as a whole: an index and the texts that it is of.
    private func checkVirtualTables() throws(MergeStop) {
        let virtual = ours.schema.objects.filter { $0.kind == .virtualTable }.map(\.name)
        for name in virtual.sorted() {
            let stem = name.folded + [UInt8(ascii: "_")]
            var (isOurs, isTheirs) = (false, false)
            for plan in plans where plan.table.folded.starts(with: stem) {
                switch try change(of: plan) {
                case .none, .same: break
                case .ours: isOurs = true
                case .theirs: isTheirs = true
                case .both: (isOurs, isTheirs) = (true, true)
                }
            }
            if isOurs, isTheirs { throw .whole("both sides changed the virtual table \(name.text)") }
        }
    }

    /// Which sides changed the rows of a table, in their order; how SQLite numbers rows by itself does not count.
    func change(of plan: MergePlan) throws(MergeStop) -> Change {
        let isTheirs = try differs(plan, from: .theirs)
        if !isTheirs { return try differs(plan, from: .ours) ? .ours : .none }
        guard try differs(plan, from: .ours) else { return .theirs }
        return try MergePair(plan, open(plan, .ours), open(plan, .theirs)).hasSameRows() ? .same : .both
    }

    private func differs(_ plan: MergePlan, from side: MergeSide) throws(MergeStop) -> Bool {
        let changed = try open(plan, side)
        guard let before = try cursor(plan, .base) else { return changed.isAtRow }
        return try !MergePair(plan, before, changed).hasSameRows()
    }

    /// The rows of a table of a side; nil for a base that is not there.
    func cursor(_ plan: MergePlan, _ side: MergeSide) throws(MergeStop) -> MergeCursor? {
        guard side == .base else { return try open(plan, side) }
        guard let base else { return nil }
        return try MergeCursor(plan, .base, of: base)
    }

    /// The rows of a table of ours or theirs.
    func open(_ plan: MergePlan, _ side: MergeSide) throws(MergeStop) -> MergeCursor {
        try MergeCursor(plan, side, of: side == .theirs ? theirs : ours)
    }
}

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
