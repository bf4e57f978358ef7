import CapsuleCore
import CapsuleMerge
import CapsulePropertyList
import CapsuleSQLite

/// One pass over three databases that applies a set of decisions and creates one result.
struct MergePass {
    /// The three databases, and the settings for the merge.
    struct Inputs {
        let base: Database?
        let ours: OpenCheckpointedDatabase
        let theirs: Database
        let path: RelativePath?
        let directory: HostPath?
        let limits: WorkLimits
    }

    private let inputs: Inputs
    private let isStore: Bool
    private let isKeychain: Bool
    private(set) var recorder: ConflictRecorder
    private(set) var notes: [String] = []

    private var base: Database? { inputs.base }
    private var ours: Database { inputs.ours.database }
    private var theirs: Database { inputs.theirs }

    init(_ inputs: Inputs, _ decided: ConflictRecorder.Decisions) {
        self.inputs = inputs
        isStore = CoreDataSchema(inputs.ours.database) != nil
        isKeychain = inputs.ours.database.schema.isKeychain
        recorder = ConflictRecorder(decided)
    }

    mutating func run() throws(MergeFailure) -> MergeWriter {
        for database in [base, ours, theirs] { database?.connection.budget.start(inputs.limits) }
        let writer = try made { () throws(CapsuleError) in
            try MergeWriter(inputs.ours, in: inputs.directory, limits: inputs.limits)
        }
        try mergePragmas(writer.connection)
        let tables = try DatabaseMergePlan(base, ours, theirs, isStore: isStore, isKeychain: isKeychain)
        for plan in tables.plans { try merge(plan, tables, writer.connection) }
        try mergeSequences(writer.connection)
        let before = try foreignKeyViolations()
        try writer.commit()
        let after = try MergeFailure.writing { () throws(CapsuleError) in try ForeignKeyViolations(writer.connection) }
        if let new = after.firstNew(besides: before.ours, before.theirs) { throw .broken(new) }
        return writer
    }

    private func made<Result>(_ body: () throws(CapsuleError) -> Result) throws(MergeFailure) -> Result {
        do throws(CapsuleError) {
            return try body()
        } catch {
            throw .failure(error)
        }
    }

    private mutating func merge(
        _ plan: TableMergePlan, _ tables: DatabaseMergePlan, _ connection: Connection
    ) throws(MergeFailure) {
        // SQLite checks the time only in long statements, but there may be many short ones.
        try made { () throws(CapsuleError) in try connection.budget.demand() }
        if case .none = plan.key { return try mergeWhole(plan, tables, connection) }
        var merge = TableMerge(
            plan, path: inputs.path, values: MergeValues(isKeychain: isKeychain), base: try tables.cursor(plan, .base),
            ours: try tables.open(plan, .ours), theirs: try tables.open(plan, .theirs), to: connection)
        try merge.run(&recorder)
        for (column, rows) in merge.counted.sorted(by: { $0.key < $1.key }) {
            let place = rows == 1 ? "a row" : "\(rows) rows"
            notes.append("table \(plan.table.text): both sides increased \(column) in \(place); the larger number was taken")
        }
    }

    /// Takes a table whose rows can't be paired from one side.
    private func mergeWhole(
        _ plan: TableMergePlan, _ tables: DatabaseMergePlan, _ connection: Connection
    ) throws(MergeFailure) {
        switch try tables.change(of: plan) {
        case .none, .ours, .same: return
        case .both: throw .whole("both sides changed table \(plan.table.text), whose rows have no key")
        case .theirs: break
        }
        let cursor = try tables.open(plan, .theirs)
        let writer = try MergeFailure.writing { () throws(CapsuleError) in
            let writer = try TableWriter(plan, connection)
            try writer.deleteAll()
            return writer
        }
        while cursor.isAtRow {
            try MergeFailure.writing { () throws(CapsuleError) in
                try writer.insert(
                    plan.isByRowID ? cursor.row.rowID : nil,
                    plan.columns.map { .row(cursor.row.values[$0.compared.pair.old]) })
            }
            try cursor.advance()
        }
        try MergeFailure.writing { () throws(CapsuleError) in try writer.finish() }
    }

    private func mergeSequences(_ connection: Connection) throws(MergeFailure) {
        guard ours.schema.hasSequences || theirs.schema.hasSequences else { return }
        guard ours.schema.hasSequences, theirs.schema.hasSequences else {
            throw .whole("the schemas differ: table sqlite_sequence")
        }
        do throws(CapsuleError) {
            var before = SequenceTable()
            if let base, base.schema.hasSequences { before = try SequenceTable(base.connection) }
            let merged = try SequenceTable(
                base: before, ours: SequenceTable(ours.connection), theirs: SequenceTable(theirs.connection))
            // Inserting rows into the tables may have changed it.
            if try SequenceTable(connection) != merged { try merged.write(to: connection) }
        } catch {
            throw error.code == .unsupported ? .whole(error.message) : .failure(error)
        }
    }

    private func foreignKeyViolations() throws(MergeFailure) -> (ours: ForeignKeyViolations, theirs: ForeignKeyViolations) {
        do throws(CapsuleError) {
            return (try ForeignKeyViolations(ours.connection), try ForeignKeyViolations(theirs.connection))
        } catch {
            guard error.code == .unsupported else { throw .failure(error) }
            throw .whole("its foreign keys can't be checked: \(error.message)")
        }
    }

    private mutating func mergePragmas(_ connection: Connection) throws(MergeFailure) {
        for name in ["application_id", "user_version"] {
            let before = try base.map { (database) throws(MergeFailure) in try Self.pragma(name, .base, database) }
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
                switch try recorder.resolve(&conflict, cost: 256) {
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
            try MergeFailure.writing { () throws(CapsuleError) in try connection.run("PRAGMA \(name)=\(merged)") }
        }
    }

    private static func pragma(_ name: String, _ side: MergeSide, _ database: Database) throws(MergeFailure) -> Int64 {
        try MergeFailure.reading(side) { () throws(CapsuleError) in try database.connection.integer("PRAGMA \(name)") ?? 0 }
    }
}

/// Collects the conflicts of one pass over three databases, in order, and returns their resolutions.
struct ConflictRecorder {
    /// The maximum number of conflicts. With more, the database is a single conflict: no one decides so many by hand.
    static let conflictLimit = 10_000
    /// The approximate limit for the bytes of all values in conflicts.
    static let valueLimit = 64 << 20

    enum Decisions {
        /// The same resolution for every conflict; nil leaves all open.
        case all(Resolution?)
        /// The conflicts that a first pass found, each with its own resolution.
        case each([Conflict])
    }

    private let decided: Decisions
    private(set) var conflicts: [Conflict] = []
    private var bytes = 0

    init(_ decided: Decisions) {
        self.decided = decided
    }

    /// Records a conflict whose values take about `cost` bytes, and sets its ID if that is known.
    ///
    /// - Returns: the resolution, or nil to keep ours.
    mutating func resolve(_ conflict: inout Conflict, cost: Int) throws(MergeFailure) -> Resolution? {
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

/// The table `sqlite_sequence`, which has the last key of each table with AUTOINCREMENT (sqlite.org/autoinc.html). A key must not
/// be used twice, so if both sides increased it, the larger one is taken.
private struct SequenceTable: Equatable {
    /// The maximum number of keys, which are held in memory; a schema has no more tables than this.
    private static let limit = 100_000

    private let keys: [[UInt8]: Int64]

    init() { keys = [:] }

    /// - Throws: `unsupported` for a table that SQLite would not have written.
    init(_ connection: Connection) throws(CapsuleError) {
        var keys: [[UInt8]: Int64] = [:]
        let statement = try connection.prepare("SELECT name, seq FROM main.sqlite_sequence NOT INDEXED")
        while try statement.step() {
            guard let name = statement.string(0), statement.type(1) == .integer, keys.count < Self.limit,
                keys.updateValue(statement.integer(1), forKey: name) == nil
            else { throw CapsuleError(.unsupported, "the table sqlite_sequence has an unexpected form") }
        }
        self.keys = keys
    }

    init(base: SequenceTable, ours: SequenceTable, theirs: SequenceTable) {
        var keys: [[UInt8]: Int64] = [:]
        for name in Set(ours.keys.keys).union(theirs.keys.keys) {
            let (before, own, other) = (base.keys[name], ours.keys[name], theirs.keys[name])
            let merged: Int64? = own == before ? other : other == before ? own : [own, other].compactMap { $0 }.max()
            keys[name] = merged
        }
        self.keys = keys
    }

    func write(to connection: Connection) throws(CapsuleError) {
        try connection.run("DELETE FROM main.sqlite_sequence")
        let statement = try connection.prepare("INSERT INTO main.sqlite_sequence(name, seq) VALUES(?,?)")
        for (name, key) in keys.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            try name.withRawBytes { (bytes) throws(CapsuleError) in try statement.bind(text: bytes, at: 1) }
            try statement.bind(key, at: 2)
            try statement.execute()
        }
    }
}
