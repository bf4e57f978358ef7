import CapsuleCore
import CapsuleSQLite

/// Merges the rows of a table with a key in one pass over all three sides, which are sorted by key.
///
/// Only one row of each side is held at a time. Changes are written as described in ``TableWriter``.
struct TableMerge {
    let plan: TableMergePlan
    let path: RelativePath?
    let values: MergeValues
    let base: MergeCursor?
    let ours: MergeCursor
    let theirs: MergeCursor
    let baseOurs: MergePair?
    let baseTheirs: MergePair?
    let oursTheirs: MergePair
    private let connection: Connection
    /// Created for the first row that changes.
    private var writer: TableWriter?
    /// The number of rows in which both sides increased a counter, by the name of the column.
    var counted: [String: Int] = [:]

    init(
        _ plan: TableMergePlan, path: RelativePath?, values: MergeValues, base: MergeCursor?, ours: MergeCursor,
        theirs: MergeCursor,
        to connection: Connection
    ) {
        self.plan = plan
        self.path = path
        self.values = values
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.connection = connection
        baseOurs = base.map { MergePair(plan, $0, ours) }
        baseTheirs = base.map { MergePair(plan, $0, theirs) }
        oursTheirs = MergePair(plan, ours, theirs)
    }

    mutating func run(_ recorder: inout ConflictRecorder) throws(MergeFailure) {
        while let found = next() {
            try merge(found, &recorder)
            if found.base { try base?.advance() }
            if found.ours { try ours.advance() }
            if found.theirs { try theirs.advance() }
        }
        if let writer { try MergeFailure.writing { () throws(CapsuleError) in try writer.finish() } }
    }

    /// The sides that have a row with the next key.
    private struct KeyPresence {
        var base: Bool
        var ours: Bool
        var theirs: Bool
    }

    private func next() -> KeyPresence? {
        var found = KeyPresence(base: base?.isAtRow ?? false, ours: ours.isAtRow, theirs: theirs.isAtRow)
        guard found.base || found.ours || found.theirs else { return nil }
        if found.ours, found.theirs {
            let order = oursTheirs.order
            if order < 0 { found.theirs = false }
            if order > 0 { found.ours = false }
        }
        guard found.base, let pair = found.ours ? baseOurs : found.theirs ? baseTheirs : nil else { return found }
        let order = pair.order
        if order > 0 { found.base = false }
        if order < 0 { return KeyPresence(base: true, ours: false, theirs: false) }
        return found
    }

    /// Merges one row by the table in docs/merge.md, section 1.
    private mutating func merge(_ found: KeyPresence, _ recorder: inout ConflictRecorder) throws(MergeFailure) {
        switch (found.base, found.ours, found.theirs) {
        case (_, false, false), (false, true, false): return
        case (false, false, true): try write(theirs.row)
        case (true, true, false):
            if baseOurs?.areEqual == true { return try delete() }
            try mergeDeleted(by: .theirs, &recorder)
        case (true, false, true):
            if baseTheirs?.areEqual == true { return }
            try mergeDeleted(by: .ours, &recorder)
        case (true, true, true):
            if baseTheirs?.areEqual == true || oursTheirs.areEqual { return }
            if baseOurs?.areEqual == true { return try write(theirs.row, over: true) }
            try mergeColumns(hasBase: true, &recorder)
        case (false, true, true):
            if !oursTheirs.areEqual { try mergeColumns(hasBase: false, &recorder) }
        }
    }

    func rowID(_ row: RowCursor) -> Int64? { plan.isByRowID ? row.rowID : nil }

    mutating func write(_ row: RowCursor, over hasOurs: Bool = false) throws(MergeFailure) {
        try put(rowID(row), plan.columns.map { .row(row.values[$0.compared.pair.old]) }, over: hasOurs)
    }

    mutating func put(_ rowID: Int64?, _ row: [MergedValue], over hasOurs: Bool) throws(MergeFailure) {
        let writer = try openWriter()
        try MergeFailure.writing { () throws(CapsuleError) in
            let hidden = hasOurs ? try writer.delete(ours.row) : nil
            try writer.insert(rowID ?? hidden, row)
        }
    }

    mutating func delete() throws(MergeFailure) {
        let writer = try openWriter()
        try MergeFailure.writing { () throws(CapsuleError) in _ = try writer.delete(ours.row) }
    }

    private mutating func openWriter() throws(MergeFailure) -> TableWriter {
        if let writer { return writer }
        let made = try MergeFailure.writing { () throws(CapsuleError) in try TableWriter(plan, connection) }
        writer = made
        return made
    }
}

/// The rows of a table in one of three databases, sorted by key.
struct MergeCursor {
    let side: MergeSide
    let row: RowCursor
    private let table: SQLName

    init(_ plan: TableMergePlan, _ side: MergeSide, of database: Database) throws(MergeFailure) {
        self.side = side
        table = plan.table
        row = try Self.reading(plan.table, side) { () throws(CapsuleError) in
            let statement = try database.connection.prepare(plan.sql)
            do throws(TableFailure) {
                return try RowCursor(statement, of: .old, isWide: database.encoding.isWide, isByRowID: plan.isByRowID)
            } catch {
                throw error.error
            }
        }
    }

    var isAtRow: Bool { row.isAtRow }

    func advance() throws(MergeFailure) {
        try Self.reading(table, side) { () throws(CapsuleError) in
            do throws(TableFailure) {
                try row.advance()
            } catch {
                throw error.error
            }
        }
    }

    private static func reading<Result>(
        _ table: SQLName, _ side: MergeSide, _ body: () throws(CapsuleError) -> Result
    ) throws(MergeFailure) -> Result {
        try MergeFailure.reading(side) { () throws(CapsuleError) in
            do throws(CapsuleError) {
                return try body()
            } catch {
                guard error.isDatabaseFault else { throw error }
                throw CapsuleError(error.code, "table \(table.text): \(error.message)")
            }
        }
    }
}

/// Compares the rows of two cursors of the same table.
struct MergePair {
    let left: MergeCursor
    let right: MergeCursor
    private let plan: TableMergePlan
    private let rows: RowOrder

    init(_ plan: TableMergePlan, _ left: MergeCursor, _ right: MergeCursor) {
        self.plan = plan
        self.left = left
        self.right = right
        rows = RowOrder(left.row, right.row, haveSameEncoding: true)
    }

    /// A number below, at or above zero if the left row's key sorts before, equal to or after the right row's.
    var order: Int32 {
        guard case .columns(let places) = plan.key else { return RowOrder.order(left.row.rowID, right.row.rowID) }
        for place in places {
            let order = rows.order(plan.columns[place].compared.pair)
            if order != 0 { return order }
        }
        return 0
    }

    func areEqual(_ column: TableMergePlan.Column) -> Bool { rows.areEqual(column.compared.pair) }
    var areEqual: Bool { plan.columns.allSatisfy { rows.areEqual($0.compared.pair) } }

    /// Returns true if both sides have the same rows, and the same keys if there are any, in the same order.
    func hasSameRows() throws(MergeFailure) -> Bool {
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
