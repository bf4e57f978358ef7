import CapsuleCore

/// One comparison of two databases.
struct DifferenceRun {
    private let old: Database
    private let new: Database
    private let options: DifferenceOptions
    private let external: ExternalLookup
    private let areEncodingsAlike: Bool
    private let oldModel: CoreDataSchema?
    private let newModel: CoreDataSchema?
    private let isKeychain: Bool
    private(set) var report: DifferenceReport
    /// The rows of the table at hand that were told of.
    private var told: UInt64 = 0

    init(
        _ old: Database, _ new: Database, _ options: DifferenceOptions, _ external: @escaping ExternalLookup,
        _ judge: EntryJudge
    ) {
        self.old = old
        self.new = new
        self.options = options
        self.external = external
        areEncodingsAlike = old.encoding == new.encoding
        old.connection.budget.start(options.work)
        new.connection.budget.start(options.work)
        oldModel = CoreDataSchema(old)
        newModel = CoreDataSchema(new)
        isKeychain = [old, new].contains { $0.schema.isKeychain }
        report = DifferenceReport(bytes: options.detailBytes, judge: judge)
    }

    mutating func compare() throws(DatabaseError) {
        do throws(DatabaseError) {
            try SchemaComparison(old, new, models: [newModel, oldModel].compactMap { $0 }).run(&report)
        } catch {
            guard error.code == .time else { throw error }
            return report.add(timeLimit())
        }
        for table in old.schema.tables.union(new.schema.tables).sorted() {
            told = 0
            do throws(TableFailure) {
                try compare(table)
                // SQLite asks for the time only in long work; there may be much of the short kind.
                for side in [DatabaseSide.old, .new] { try TableFailure.of(side, database(side).connection.budget.demand) }
            } catch {
                guard try note(error, table) else { return }
            }
        }
    }

    /// Notes what ended the comparison of a table; false if there is no time for more.
    private mutating func note(_ failure: TableFailure, _ table: SQLName) throws(DatabaseError) -> Bool {
        let error = failure.error
        if error.code == .time {
            report.add(timeLimit(table))
            return false
        }
        guard error.isOfDatabase else { throw error }
        let message = "table \(table.text): \(error.message)"
        report.add(DatabaseDifference.Damage(side: failure.side, table: table.text, message: message))
        return true
    }

    /// The bound of time, met at a table.
    private func timeLimit(_ table: SQLName? = nil) -> DetailLimit {
        DetailLimit(
            DetailLimit.time, table: table?.text, shown: table.map { _ in told },
            limit: options.work.time.map { UInt64(max(0, $0.components.seconds)) })
    }

    private mutating func compare(_ table: SQLName) throws(TableFailure) {
        let layouts = (try layout(of: table, .old), try layout(of: table, .new))
        var hasNullKeys = false
        if let layout = layouts.0 { hasNullKeys = try self.hasNullKeys(layout, .old) }
        if let layout = layouts.1, !hasNullKeys { hasNullKeys = try self.hasNullKeys(layout, .new) }
        let plan = TablePlan(
            table, old: layouts.0, new: layouts.1, hasNullKeys: hasNullKeys, areEncodingsAlike: areEncodingsAlike,
            describe: describe)
        let changes = RowChanges(
            reading: ValueReading(options: options, isKeychain: isKeychain, external: external),
            nested: NestedComparison(options: options, external: external, budget: old.connection.budget), oldModel: oldModel,
            newModel: newModel, owner: new.schema.owner(of: table) ?? old.schema.owner(of: table))
        try TableComparison(plan, changes, report.judge).run(
            cursor(plan, plan.oldSQL, .old), cursor(plan, plan.newSQL, .new), areEncodingsAlike: areEncodingsAlike, &report,
            told: &told)
    }

    private func database(_ side: DatabaseSide) -> Database { side == .old ? old : new }

    /// nil for a table that the side has not.
    private func layout(of table: SQLName, _ side: DatabaseSide) throws(TableFailure) -> TableLayout? {
        let database = database(side)
        guard database.schema.tables.contains(table) else { return nil }
        return try TableFailure.of(side) { () throws(DatabaseError) in try TableLayout(of: table, in: database.connection) }
    }

    private func hasNullKeys(_ layout: TableLayout, _ side: DatabaseSide) throws(TableFailure) -> Bool {
        try TableFailure.of(side) { () throws(DatabaseError) in try layout.hasNullKeys(in: database(side).connection) }
    }

    private func cursor(_ plan: TablePlan, _ sql: [UInt8]?, _ side: DatabaseSide) throws(TableFailure) -> RowCursor? {
        guard let sql else { return nil }
        let database = database(side)
        let statement = try TableFailure.of(side) { () throws(DatabaseError) in try database.connection.prepare(sql) }
        let isByRowID = if case .rowID = plan.key { true } else { false }
        return try RowCursor(statement, of: side, isWide: database.encoding.isWide, isByRowID: isByRowID)
    }

    /// What is known of a column by its name and its types.
    private func describe(_ facts: TablePlan.ColumnFacts) -> ComparedColumn {
        let isStore = oldModel != nil || newModel != nil
        let types = [facts.oldType, facts.newType]
        return ComparedColumn(
            name: facts.name,
            pair: ColumnPair(old: facts.old, new: facts.new, mayBeExternal: isStore && types.contains(Array("blob".utf8))),
            attribute: isStore ? CoreDataSchema.attribute(ofColumn: facts.name) : nil,
            isDate: isStore && types.contains(Array("timestamp".utf8)),
            isHidden: isKeychain && facts.name.folded == Array("data".utf8))
    }
}
