/// The rows of a table of one of three databases, in the order of their keys.
struct MergeCursor {
    let side: MergeSide
    let row: RowCursor
    private let table: SQLName

    init(_ plan: MergePlan, _ side: MergeSide, of database: Database) throws(MergeStop) {
        self.side = side
        table = plan.table
        row = try Self.reading(plan.table, side) { () throws(DatabaseError) in
            let statement = try database.connection.prepare(plan.sql)
            do throws(TableFailure) {
                return try RowCursor(statement, of: .old, isWide: database.encoding.isWide, isByRowID: plan.isByRowID)
            } catch {
                throw error.error
            }
        }
    }

    var isAtRow: Bool { row.isAtRow }

    func advance() throws(MergeStop) {
        try Self.reading(table, side) { () throws(DatabaseError) in
            do throws(TableFailure) {
                try row.advance()
            } catch {
                throw error.error
            }
        }
    }

    private static func reading<Result>(
        _ table: SQLName, _ side: MergeSide, _ body: () throws(DatabaseError) -> Result
    ) throws(MergeStop) -> Result {
        try MergeStop.reading(side) { () throws(DatabaseError) in
            do throws(DatabaseError) {
                return try body()
            } catch {
                guard error.isOfDatabase else { throw error }
                throw DatabaseError(error.code, "table \(table.text): \(error.message)")
            }
        }
    }
}

/// Two cursors of one table, whose rows can be compared.
struct MergePair {
    let left: MergeCursor
    let right: MergeCursor
    private let plan: MergePlan
    private let rows: RowOrder

    init(_ plan: MergePlan, _ left: MergeCursor, _ right: MergeCursor) {
        self.plan = plan
        self.left = left
        self.right = right
        rows = RowOrder(left.row, right.row, areEncodingsAlike: true)
    }

    /// Below, at or above zero as the left row's key comes before, with or after the right one's.
    var order: Int32 {
        guard case .columns(let places) = plan.key else { return RowOrder.order(left.row.rowID, right.row.rowID) }
        for place in places {
            let order = rows.order(plan.columns[place].compared.pair)
            if order != 0 { return order }
        }
        return 0
    }

    /// Whether both rows have the same in a column, to the bit.
    func areEqual(_ column: MergePlan.Column) -> Bool { rows.areEqual(column.compared.pair) }

    /// Whether both rows have the same in all columns that can be written.
    var areEqual: Bool { plan.columns.allSatisfy { rows.areEqual($0.compared.pair) } }

    /// Whether all rows are the same, with their keys if they have any, one after the other.
    func hasSameRows() throws(MergeStop) -> Bool {
        var hasKey = true
        if case .none = plan.key { hasKey = false }
        while left.isAtRow, right.isAtRow {
            guard areEqual, !hasKey || order == 0 else { return false }
            try left.advance()
            try right.advance()
        }
        return !left.isAtRow && !right.isAtRow
    }
}
