import CapsuleCore

/// Merges the rows of a table with a key in one pass over all three sides, which come in the order of their keys.
///
/// No more than one row of each side is held. What changes is written as ``TableWriter`` says.
struct TableMerge {
    let plan: MergePlan
    let path: RelativePath?
    let values: MergeValues
    let base: MergeCursor?
    let ours: MergeCursor
    let theirs: MergeCursor
    let baseOurs: MergePair?
    let baseTheirs: MergePair?
    let oursTheirs: MergePair
    private let connection: Connection
    /// Made for the first row that changes.
    private var writer: TableWriter?
    /// Rows in which both counted up, by the name of the column.
    var counted: [String: Int] = [:]

    init(
        _ plan: MergePlan, path: RelativePath?, values: MergeValues, base: MergeCursor?, ours: MergeCursor, theirs: MergeCursor,
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

    /// Merges all rows.
    mutating func run(_ ledger: inout MergeLedger) throws(MergeStop) {
        while let found = next() {
            try merge(found, &ledger)
            if found.base { try base?.advance() }
            if found.ours { try ours.advance() }
            if found.theirs { try theirs.advance() }
        }
        if let writer { try MergeStop.writing { () throws(DatabaseError) in try writer.finish() } }
    }

    /// Which sides have a row with the key that comes next.
    private struct Found {
        var base: Bool
        var ours: Bool
        var theirs: Bool
    }

    private func next() -> Found? {
        var found = Found(base: base?.isAtRow ?? false, ours: ours.isAtRow, theirs: theirs.isAtRow)
        guard found.base || found.ours || found.theirs else { return nil }
        if found.ours, found.theirs {
            let order = oursTheirs.order
            if order < 0 { found.theirs = false }
            if order > 0 { found.ours = false }
        }
        guard found.base, let pair = found.ours ? baseOurs : found.theirs ? baseTheirs : nil else { return found }
        let order = pair.order
        if order > 0 { found.base = false }
        if order < 0 { return Found(base: true, ours: false, theirs: false) }
        return found
    }

    /// The table of docs/merge.md, section 1, for a row.
    private mutating func merge(_ found: Found, _ ledger: inout MergeLedger) throws(MergeStop) {
        switch (found.base, found.ours, found.theirs) {
        case (_, false, false), (false, true, false): return
        case (false, false, true): try write(theirs.row)
        case (true, true, false):
            if baseOurs?.areEqual == true { return try delete() }
            try mergeDeleted(by: .theirs, &ledger)
        case (true, false, true):
            if baseTheirs?.areEqual == true { return }
            try mergeDeleted(by: .ours, &ledger)
        case (true, true, true):
            if baseTheirs?.areEqual == true || oursTheirs.areEqual { return }
            if baseOurs?.areEqual == true { return try write(theirs.row, over: true) }
            try mergeColumns(hasBase: true, &ledger)
        case (false, true, true):
            if !oursTheirs.areEqual { try mergeColumns(hasBase: false, &ledger) }
        }
    }

    // MARK: Writing

    func rowID(_ row: RowCursor) -> Int64? { plan.isByRowID ? row.rowID : nil }

    mutating func write(_ row: RowCursor, over hasOurs: Bool = false) throws(MergeStop) {
        try put(rowID(row), plan.columns.map { .row(row.values[$0.compared.pair.old]) }, over: hasOurs)
    }

    /// Puts in a row, in the place of ours if there is one.
    mutating func put(_ rowID: Int64?, _ row: [MergedValue], over hasOurs: Bool) throws(MergeStop) {
        let writer = try openWriter()
        try MergeStop.writing { () throws(DatabaseError) in
            let hidden = hasOurs ? try writer.delete(ours.row) : nil
            try writer.insert(rowID ?? hidden, row)
        }
    }

    mutating func delete() throws(MergeStop) {
        let writer = try openWriter()
        try MergeStop.writing { () throws(DatabaseError) in _ = try writer.delete(ours.row) }
    }

    private mutating func openWriter() throws(MergeStop) -> TableWriter {
        if let writer { return writer }
        let made = try MergeStop.writing { () throws(DatabaseError) in try TableWriter(plan, connection) }
        writer = made
        return made
    }
}
