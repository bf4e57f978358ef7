import CapsuleCore
import CapsuleSQLite

/// The tables of three databases with one schema, and how each is merged.
struct DatabaseMergePlan {
    enum Change {
        case none, ours, theirs, same, both
    }

    /// The plans, sorted by the bytes of the tables' names.
    private(set) var plans: [TableMergePlan] = []
    private let base: Database?
    private let ours: Database
    private let theirs: Database

    /// - Throws: `whole` for schemas that differ, and for virtual tables that both sides changed.
    init(
        _ base: Database?, _ ours: Database, _ theirs: Database, isStore: Bool, isKeychain: Bool
    ) throws(MergeFailure) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        if let base { try Self.demandSameSchema(base, ours) }
        try Self.demandSameSchema(ours, theirs)
        for table in ours.schema.storedTables.sorted() {
            let layout = try MergeFailure.reading(.ours) { () throws(CapsuleError) in
                try TableLayout(of: table, in: ours.connection)
            }
            var hasNullKeys = false
            for (side, database) in [(MergeSide.base, base), (.ours, ours), (.theirs, theirs)] where !hasNullKeys {
                guard let database else { continue }
                hasNullKeys = try MergeFailure.reading(side) { () throws(CapsuleError) in
                    try layout.hasNullKeys(in: database.connection)
                }
            }
            plans.append(TableMergePlan(layout, hasNullKeys: hasNullKeys, isStore: isStore, isKeychain: isKeychain))
        }
        try checkVirtualTables()
    }

    private static func demandSameSchema(_ left: Database, _ right: Database) throws(MergeFailure) {
        guard left.schema.storedTables == right.schema.storedTables else { throw .whole("the schemas differ") }
        let found = ChangeList()
        var report = DatabaseDiffCollector(bytes: .max, sink: found)
        do throws(CapsuleError) {
            try SchemaDiffer(left, right).run(&report)
        } catch {
            throw .failure(error)
        }
        for detail in found.details {
            guard case .schema(let change) = detail.content else { continue }
            // The other two pragmas are merged.
            if change.object == "pragma", change.name != "encoding" { continue }
            throw .whole("the schemas differ: \(change.object) \(change.name)")
        }
    }

    /// Checks that no virtual table was changed by both sides. The tables of a module, an index and the indexed texts, fit together
    /// only as a whole.
    private func checkVirtualTables() throws(MergeFailure) {
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

    /// Returns which sides changed the rows of a table, compared in order. Row IDs that SQLite assigns by itself are not compared.
    func change(of plan: TableMergePlan) throws(MergeFailure) -> Change {
        let isTheirs = try differs(plan, from: .theirs)
        if !isTheirs { return try differs(plan, from: .ours) ? .ours : .none }
        guard try differs(plan, from: .ours) else { return .theirs }
        return try MergePair(plan, open(plan, .ours), open(plan, .theirs)).hasSameRows() ? .same : .both
    }

    private func differs(_ plan: TableMergePlan, from side: MergeSide) throws(MergeFailure) -> Bool {
        let changed = try open(plan, side)
        guard let before = try cursor(plan, .base) else { return changed.isAtRow }
        return try !MergePair(plan, before, changed).hasSameRows()
    }

    func cursor(_ plan: TableMergePlan, _ side: MergeSide) throws(MergeFailure) -> MergeCursor? {
        guard side == .base else { return try open(plan, side) }
        guard let base else { return nil }
        return try MergeCursor(plan, .base, of: base)
    }

    func open(_ plan: TableMergePlan, _ side: MergeSide) throws(MergeFailure) -> MergeCursor {
        try MergeCursor(plan, side, of: side == .theirs ? theirs : ours)
    }
}

/// The key, the columns and the statement used to merge the rows of a table. The table's schema is the same on all sides.
struct TableMergePlan {
    /// The key that pairs rows.
    enum Key {
        /// A primary key that is the row ID, with its name.
        case rowID(SQLName)
        /// The columns of the key, as indices in ``TableMergePlan/columns``.
        case columns([Int])
        /// No key that would be stable on two sides. SQLite may renumber a row ID without a name, and a key with NULL need not be
        /// unique.
        case none
    }

    /// A column that can be written.
    struct Column {
        let compared: ComparedColumn
        let isNotNull: Bool
        /// True if the column counts up, so that the larger of two numbers is the one to continue from.
        let isCounter: Bool

        var name: SQLName { compared.name }
    }

    let table: SQLName
    let key: Key
    let columns: [Column]
    /// The query for all rows, sorted by key. The row ID is the first column if ``isByRowID`` is true.
    let sql: [UInt8]
    let isByRowID: Bool
    /// A name for the row ID that rows have besides their key; nil if the row ID is the key, or has no name.
    let hiddenRowID: SQLName?

    /// - Parameter hasNullKeys: true if a side has rows with NULL in the primary key.
    init(_ layout: TableLayout, hasNullKeys: Bool, isStore: Bool, isKeychain: Bool) {
        let plan = TableDiffPlan(
            layout.name, old: layout, new: layout, hasNullKeys: hasNullKeys, haveSameEncoding: true
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
            key = name.map { layout.isKeyRowID ? .rowID($0) : .none } ?? .none
            hiddenRowID = layout.isKeyRowID ? nil : layout.rowID
        case .columns(let found):
            isByRowID = false
            // A column of a primary key is never generated.
            key = .columns(found.compactMap { places.firstIndex(of: $0) })
            hiddenRowID = layout.rowID
        case .contents:
            isByRowID = false
            key = .none
            hiddenRowID = nil
        }
    }

    /// Returns true for Core Data's counters: how often a row was saved, and the last key of an entity.
    private static func isCounter(_ column: SQLName, of table: SQLName) -> Bool {
        switch String(decoding: column.folded, as: UTF8.self) {
        case "z_opt": true
        case "z_max": table.folded == Array("z_primarykey".utf8)
        default: false
        }
    }

    var keyColumns: [Column] {
        if case .columns(let places) = key { places.map { columns[$0] } } else { [] }
    }
}
