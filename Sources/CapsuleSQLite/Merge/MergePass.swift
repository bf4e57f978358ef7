import CapsuleCore
import CapsulePropertyList

/// One pass over three databases, with what is decided in it: it makes one result.
struct MergePass {
    /// The three, and what is said about their conflicts.
    struct Inputs {
        let base: Database?
        let ours: FoldedReading
        let theirs: Database
        let path: RelativePath?
        /// Where the result is made.
        let directory: HostPath?
        let limits: WorkLimits
    }

    private let inputs: Inputs
    private let isStore: Bool
    private let isKeychain: Bool
    private(set) var ledger: MergeLedger
    private(set) var notes: [String] = []

    private var base: Database? { inputs.base }
    private var ours: Database { inputs.ours.database }
    private var theirs: Database { inputs.theirs }

    init(_ inputs: Inputs, _ decided: MergeLedger.Decided) {
        self.inputs = inputs
        isStore = CoreDataSchema(inputs.ours.database) != nil
        isKeychain = inputs.ours.database.schema.isKeychain
        ledger = MergeLedger(decided)
    }

    /// Merges, and checks what came of it.
    mutating func run() throws(MergeStop) -> MergeWriter {
        for database in [base, ours, theirs] { database?.connection.budget.start(inputs.limits) }
        let writer = try made { () throws(DatabaseError) in
            try MergeWriter(inputs.ours, in: inputs.directory, limits: inputs.limits)
        }
        try mergePragmas(writer.connection)
        let tables = try MergeTables(base, ours, theirs, isStore: isStore, isKeychain: isKeychain)
        for plan in tables.plans { try merge(plan, tables, writer.connection) }
        try mergeSequences(writer.connection)
        let before = try foreignKeyBreaks()
        try writer.commit()
        let after = try MergeStop.writing { () throws(DatabaseError) in try ForeignKeyBreaks(writer.connection) }
        if let new = after.firstNew(besides: before.ours, before.theirs) { throw .broken(new) }
        return writer
    }

    private func made<Result>(_ body: () throws(DatabaseError) -> Result) throws(MergeStop) -> Result {
        do throws(DatabaseError) {
            return try body()
        } catch {
            throw .failure(error)
        }
    }

    // MARK: Tables

    private mutating func merge(
        _ plan: MergePlan, _ tables: MergeTables, _ connection: Connection
    ) throws(MergeStop) {
        // SQLite asks for the time only in long work; there may be much of the short kind.
        try made { () throws(DatabaseError) in try connection.budget.demand() }
        if case .none = plan.key { return try mergeWhole(plan, tables, connection) }
        var merge = TableMerge(
            plan, path: inputs.path, values: MergeValues(isKeychain: isKeychain), base: try tables.cursor(plan, .base),
            ours: try tables.open(plan, .ours), theirs: try tables.open(plan, .theirs), to: connection)
        try merge.run(&ledger)
        for (column, rows) in merge.counted.sorted(by: { $0.key < $1.key }) {
            let place = rows == 1 ? "a row" : "\(rows) rows"
            notes.append("table \(plan.table.text): both sides increased \(column) in \(place); the larger number was taken")
        }
    }

    /// A table whose rows can't be paired: it can be only one side's.
    private func mergeWhole(
        _ plan: MergePlan, _ tables: MergeTables, _ connection: Connection
    ) throws(MergeStop) {
        switch try tables.change(of: plan) {
        case .none, .ours, .same: return
        case .both: throw .whole("both sides changed table \(plan.table.text), whose rows have no key")
        case .theirs: break
        }
        let cursor = try tables.open(plan, .theirs)
        let writer = try MergeStop.writing { () throws(DatabaseError) in
            let writer = try TableWriter(plan, connection)
            try writer.deleteAll()
            return writer
        }
        while cursor.isAtRow {
            try MergeStop.writing { () throws(DatabaseError) in
                try writer.insert(
                    plan.isByRowID ? cursor.row.rowID : nil,
                    plan.columns.map { .row(cursor.row.values[$0.compared.pair.old]) })
            }
            try cursor.advance()
        }
        try MergeStop.writing { () throws(DatabaseError) in try writer.finish() }
    }

    private func mergeSequences(_ connection: Connection) throws(MergeStop) {
        guard ours.schema.hasSequences || theirs.schema.hasSequences else { return }
        guard ours.schema.hasSequences, theirs.schema.hasSequences else {
            throw .whole("the schemas differ: table sqlite_sequence")
        }
        do throws(DatabaseError) {
            var before = SequenceTable()
            if let base, base.schema.hasSequences { before = try SequenceTable(base.connection) }
            let merged = try SequenceTable(
                base: before, ours: SequenceTable(ours.connection), theirs: SequenceTable(theirs.connection))
            // What was put into its tables may have changed it.
            if try SequenceTable(connection) != merged { try merged.write(to: connection) }
        } catch {
            throw error.code == .unsupported ? .whole(error.message) : .failure(error)
        }
    }

    private func foreignKeyBreaks() throws(MergeStop) -> (ours: ForeignKeyBreaks, theirs: ForeignKeyBreaks) {
        do throws(DatabaseError) {
            return (try ForeignKeyBreaks(ours.connection), try ForeignKeyBreaks(theirs.connection))
        } catch {
            guard error.code == .unsupported else { throw .failure(error) }
            throw .whole("its foreign keys can't be checked: \(error.message)")
        }
    }

    // MARK: The header

    /// Two numbers of the header that have a meaning for the app alone.
    private mutating func mergePragmas(_ connection: Connection) throws(MergeStop) {
        for name in ["application_id", "user_version"] {
            let before = try base.map { (database) throws(MergeStop) in try Self.pragma(name, .base, database) }
            let own = try Self.pragma(name, .ours, ours)
            let other = try Self.pragma(name, .theirs, theirs)
            if own == other || other == before { continue }
            var merged = other
            if own != before {
                var conflict = Conflict(
                    .metadata, path: inputs.path, base: before.map { .integer(PlistInteger($0)) },
                    ours: .integer(PlistInteger(own)), theirs: .integer(PlistInteger(other)),
                    reason: before == nil ? "both added" : "both changed")
                conflict.column = name
                switch try ledger.settle(&conflict, cost: 256) {
                case nil, .ours: continue
                case .theirs: break
                case .base: merged = before ?? 0
                case .absent: merged = 0
                case .value(let value):
                    guard let number = value.integer?.int64, Int32(exactly: number) != nil else {
                        throw .unfit(conflict, "\(name) is a 32-bit integer")
                    }
                    merged = number
                }
            }
            try MergeStop.writing { () throws(DatabaseError) in try connection.run("PRAGMA \(name)=\(merged)") }
        }
    }

    private static func pragma(_ name: String, _ side: MergeSide, _ database: Database) throws(MergeStop) -> Int64 {
        try MergeStop.reading(side) { () throws(DatabaseError) in try database.connection.integer("PRAGMA \(name)") ?? 0 }
    }
}

/// Takes the conflicts of one pass over three databases, in their order, and says what stands in their places.
struct MergeLedger {
    /// More conflicts than this are one: nobody decides so many by hand.
    static let conflictLimit = 10_000
    /// Bytes of all values that conflicts show, about.
    static let valueLimit = 64 << 20

    /// What is decided.
    enum Decided {
        /// Everything alike; nil leaves all open.
        case all(Resolution?)
        /// Each of these conflicts, as a first pass found them, by what its own resolution says.
        case each([Conflict])
    }

    private let decided: Decided
    /// Those of the pass so far.
    private(set) var conflicts: [Conflict] = []
    private var bytes = 0

    init(_ decided: Decided) {
        self.decided = decided
    }

    /// Takes a conflict whose values take about `cost` bytes, and gives it its number where that is known.
    ///
    /// - Returns: nil leaves ours in its place.
    mutating func settle(_ conflict: inout Conflict, cost: Int) throws(MergeStop) -> Resolution? {
        bytes += cost
        guard conflicts.count < Self.conflictLimit else { throw .whole("more than \(Self.conflictLimit) row conflicts") }
        guard bytes <= Self.valueLimit else { throw .whole("the conflicting rows exceed \(Self.valueLimit >> 20) MiB") }
        conflicts.append(conflict)
        switch decided {
        case .all(let resolution): return resolution
        case .each(let settled):
            guard conflicts.count <= settled.count else { return nil }
            conflict.id = settled[conflicts.count - 1].id
            return settled[conflicts.count - 1].resolution
        }
    }
}

/// `sqlite_sequence`: the last key of each table with AUTOINCREMENT (sqlite.org/autoinc.html). A key must not be given twice, so of
/// two that went on the larger counts.
private struct SequenceTable: Equatable {
    /// As many as a schema has tables, and these are in memory.
    private static let limit = 100_000

    private let keys: [[UInt8]: Int64]

    /// No keys.
    init() { keys = [:] }

    /// - Throws: `unsupported` for a table that SQLite would not have written.
    init(_ connection: Connection) throws(DatabaseError) {
        var keys: [[UInt8]: Int64] = [:]
        let statement = try connection.prepare("SELECT name, seq FROM main.sqlite_sequence NOT INDEXED")
        while try statement.step() {
            guard let name = statement.string(0), statement.type(1) == .integer, keys.count < Self.limit,
                keys.updateValue(statement.integer(1), forKey: name) == nil
            else { throw DatabaseError(.unsupported, "the table sqlite_sequence has an unexpected form") }
        }
        self.keys = keys
    }

    /// Merges two with what they come from.
    init(base: SequenceTable, ours: SequenceTable, theirs: SequenceTable) {
        var keys: [[UInt8]: Int64] = [:]
        for name in Set(ours.keys.keys).union(theirs.keys.keys) {
            let (before, own, other) = (base.keys[name], ours.keys[name], theirs.keys[name])
            let merged: Int64? = own == before ? other : other == before ? own : [own, other].compactMap { $0 }.max()
            keys[name] = merged
        }
        self.keys = keys
    }

    /// Puts these in the place of what is there.
    func write(to connection: Connection) throws(DatabaseError) {
        try connection.run("DELETE FROM main.sqlite_sequence")
        let statement = try connection.prepare("INSERT INTO main.sqlite_sequence(name, seq) VALUES(?,?)")
        for (name, key) in keys.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let outcome: Result<Void, DatabaseError> = name.withUnsafeBytes { bytes in
                Result { () throws(DatabaseError) in try statement.bind(text: bytes, at: 1) }
            }
            try outcome.get()
            try statement.bind(key, at: 2)
            try statement.execute()
        }
    }
}
