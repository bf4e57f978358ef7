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
    /// Says which rows don't count; nil where none of the table can be such.
    private let isNoise: ((RowChange) -> Bool)?

    init(_ plan: TablePlan, _ changes: RowChanges, _ noise: RowNoise) {
        self.plan = plan
        self.changes = changes
        pairs = plan.columns.map(\.pair)
        keyPairs = if case .columns(let places) = plan.key { places.map { plan.columns[$0].pair } } else { [] }
        external = ExternalComparison(external: changes.reading.external)
        limit = changes.reading.options.rows ?? .max
        isNoise = noise.mayConcern(plan.table.text) ? noise.isNoise : nil
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
        report.add(DetailLimit("rows", table: plan.table.text, shown: told, total: total))
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
            count(&report, &told, &total) { changes.oneSided(plan, old) }
            count(&report, &told, &total) { changes.oneSided(plan, new) }
        } else {
            count(&report, &told, &total) {
                changes.modified(plan, plan.columns.filter { !areEqual($0.pair, rows) }, rows, old, new)
            }
        }
    }

    /// Tells of a row that one side alone has, and goes on behind it.
    private func tell(
        _ cursor: RowCursor, _ report: inout DifferenceReport, _ told: inout UInt64, _ total: inout UInt64
    ) throws(TableFailure) {
        count(&report, &told, &total) { changes.oneSided(plan, cursor) }
        try cursor.advance()
    }

    /// Tells of all rows that are left.
    private func rest(
        _ cursor: RowCursor?, _ report: inout DifferenceReport, _ told: inout UInt64, _ total: inout UInt64
    ) throws(TableFailure) {
        guard let cursor else { return }
        while cursor.isAtRow { try tell(cursor, &report, &told, &total) }
    }

    /// Counts a change, and makes it only if there is room for it.
    private func count(
        _ report: inout DifferenceReport, _ told: inout UInt64, _ total: inout UInt64, _ change: () -> RowChanges.Made
    ) {
        total += 1
        guard report.hasRoom, told < limit || isNoise != nil else { return }
        let made = change()
        if let isNoise, isNoise(made.change) {
            total -= 1
        } else {
            guard told < limit else { return }
            told += 1
        }
        report.add(.row(made.change), cost: made.cost)
        if !made.isComplete { report.add(DetailLimit("changes", table: plan.table.text)) }
    }
}
