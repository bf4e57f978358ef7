import CapsuleCore

/// Compares the rows of a table in one pass over both sides, which come in the order of their keys.
///
/// Rows that are the same are compared where SQLite has them; nothing is made of them.
struct TableComparison {
    private let plan: TablePlan
    private let pairs: [ColumnPair]
    private let keyPairs: [ColumnPair]
    private let external: ExternalComparison
    private let changes: RowChanges
    private let limit: UInt64
    /// Whether rows that are not told have to be looked at all the same.
    private let needsRows: Bool

    init(_ plan: TablePlan, _ changes: RowChanges, _ judge: EntryJudge) {
        self.plan = plan
        self.changes = changes
        pairs = plan.columns.map(\.pair)
        keyPairs = if case .columns(let places) = plan.key { places.map { plan.columns[$0].pair } } else { [] }
        external = ExternalComparison(external: changes.reading.external)
        limit = changes.reading.options.rows ?? .max
        needsRows = judge.needsRows(of: changes.tableNames(plan))
    }

    /// Compares all rows.
    ///
    /// - Parameter told: the rows that were told of, also where it fails.
    func run(
        _ old: RowCursor?, _ new: RowCursor?, areEncodingsAlike: Bool, _ report: inout DifferenceReport, told: inout UInt64
    ) throws(TableFailure) {
        var total: UInt64 = 0
        if let old, let new {
            try merge(RowOrder(old, new, areEncodingsAlike: areEncodingsAlike), old, new, &report, &told, &total)
        } else {
            for cursor in [old, new] { try rest(cursor, &report, &told, &total) }
        }
        guard told < total else { return }
        if told < limit { report.noteFull() }
        report.add(DetailLimit("rows", table: plan.table.text, shown: told, total: total, isJudged: true))
    }

    private func merge(
        _ rows: RowOrder, _ old: RowCursor, _ new: RowCursor, _ report: inout DifferenceReport, _ told: inout UInt64,
        _ total: inout UInt64
    ) throws(TableFailure) {
        while old.isAtRow, new.isAtRow {
            let order = order(rows, old, new)
            if order == 0 {
                if !areEqual(rows) { tell(rows, old, new, &report, &told, &total) }
                try old.advance()
                try new.advance()
            } else {
                try tell(order < 0 ? old : new, &report, &told, &total)
            }
        }
        for cursor in [old, new] { try rest(cursor, &report, &told, &total) }
    }

    /// The order of the keys of two rows.
    private func order(_ rows: RowOrder, _ old: RowCursor, _ new: RowCursor) -> Int32 {
        switch plan.key {
        case .rowID:
            return RowOrder.order(old.rowID, new.rowID)
        case .columns:
            for pair in keyPairs {
                let order = rows.order(pair)
                if order != 0 { return order }
            }
        case .contents:
            for pair in pairs {
                let order = rows.order(pair)
                if order != 0 { return order }
            }
            for pair in pairs {
                let order = rows.orderOfTypes(pair)
                if order != 0 { return order }
            }
        }
        return 0
    }

    private func areEqual(_ rows: RowOrder) -> Bool {
        for pair in pairs where !areEqual(pair, rows) { return false }
        return true
    }

    private func areEqual(_ pair: ColumnPair, _ rows: RowOrder) -> Bool {
        if pair.mayBeExternal, let areEqual = external.areEqual(pair, rows) { return areEqual }
        return rows.areEqual(pair)
    }

    /// Tells of two rows with one key.
    private func tell(
        _ rows: RowOrder, _ old: RowCursor, _ new: RowCursor, _ report: inout DifferenceReport, _ told: inout UInt64,
        _ total: inout UInt64
    ) {
        // Rows that are their contents are alike here but for the sign of a zero, or what is in a file.
        if case .contents = plan.key {
            count(.deleted, &report, &told, &total) { changes.oneSided(plan, old) }
            count(.added, &report, &told, &total) { changes.oneSided(plan, new) }
        } else {
            count(.modified, &report, &told, &total) {
                changes.modified(plan, plan.columns.filter { !areEqual($0.pair, rows) }, rows, old, new)
            }
        }
    }

    /// Tells of a row that one side alone has, and goes on behind it.
    private func tell(
        _ cursor: RowCursor, _ report: inout DifferenceReport, _ told: inout UInt64, _ total: inout UInt64
    ) throws(TableFailure) {
        count(cursor.side == .old ? .deleted : .added, &report, &told, &total) { changes.oneSided(plan, cursor) }
        try cursor.advance()
    }

    /// Tells of all rows that are left.
    private func rest(
        _ cursor: RowCursor?, _ report: inout DifferenceReport, _ told: inout UInt64, _ total: inout UInt64
    ) throws(TableFailure) {
        guard let cursor else { return }
        while cursor.isAtRow { try tell(cursor, &report, &told, &total) }
    }

    /// Counts a change, and makes it if it is told, or somebody looks at it.
    private func count(
        _ operation: ChangeOperation, _ report: inout DifferenceReport, _ told: inout UInt64, _ total: inout UInt64,
        _ change: () -> RowChanges.Made
    ) {
        total += 1
        guard report.hasRoom && told < limit || needsRows else { return report.passRow(operation) }
        let made = change()
        let isNoise = needsRows && report.judge.isNoise(.row(made.change))
        if isNoise { total -= 1 }
        if report.hasRoom, isNoise || told < limit {
            if !isNoise { told += 1 }
            report.add(.row(made.change), cost: made.cost)
        } else {
            report.pass(.row(made.change))
        }
        if !made.isComplete { report.add(DetailLimit("changes", table: plan.table.text)) }
    }
}
