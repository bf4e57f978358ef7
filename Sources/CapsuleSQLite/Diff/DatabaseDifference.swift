package import CapsuleCore

/// What differs between two databases: their schemas, then the rows of each table (docs/diff.md).
///
/// Rows are paired by the primary key where it is the same on both sides, else by row ID, else by all they hold. Values are
/// compared exactly: 1, 1.0, '1' and x'31' are four. A column that one side alone has is NULL on the other. What SQLite keeps
/// for itself (statistics), virtual generated columns and full-text indexes are left out; see ``DatabaseSchema``.
package struct DatabaseDifference: Sendable {
    /// A table that could not be read to its end.
    package struct Damage: Hashable, Sendable {
        package let side: DatabaseSide
        package let table: String
        /// What is wrong, with the table, lower case, no period.
        package let message: String
    }

    /// Schema changes by kind and name, pragmas, then tables by name and their rows by key; ``DetailLimit`` behind what it is about.
    package let details: [ChangeDetail]
    /// What could not be read; what was told of such a table before is so, and all other tables are whole.
    package let damage: [Damage]
    /// Whether all was looked at and is told.
    package let isComplete: Bool
    /// What was judged without being told.
    package let unshown: UnshownChanges

    /// Whether the databases hold the same, however they store it.
    package var isSame: Bool { details.isEmpty && damage.isEmpty && isComplete }

    /// Compares two databases.
    ///
    /// - Parameters:
    ///   - external: finds the files of Core Data's external blobs.
    ///   - judge: takes the changes that are not told, and says which rows are noise: the limit doesn't count these.
    /// - Throws: `interrupted` where the user stopped it, and for failures that are not the databases' own.
    package init(
        _ old: Database, _ new: Database, options: DifferenceOptions = DifferenceOptions(),
        external: @escaping ExternalLookup = { _, _ in nil }, judge: EntryJudge = EntryJudge()
    ) throws(DatabaseError) {
        var run = DifferenceRun(old, new, options, external, judge)
        try run.compare()
        details = run.report.details
        damage = run.report.damage
        isComplete = run.report.isComplete
        unshown = run.report.judge.unshown
    }
}

/// One comparison of two databases.
private struct DifferenceRun {
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

/// Compares two schemas by kind and name, then what of a database's header has a meaning for its app.
struct SchemaComparison {
    private let old: Database
    private let new: Database

    private let models: [CoreDataSchema]

    /// - Parameter models: what the databases are as Core Data's stores, the newer one first.
    init(_ old: Database, _ new: Database, models: [CoreDataSchema] = []) {
        self.old = old
        self.new = new
        self.models = models
    }

    func run(_ report: inout DifferenceReport) throws(DatabaseError) {
        for kind in SchemaObject.Kind.allCases { compare(kind, &report) }
        try comparePragmas(&report)
    }

    private func compare(_ kind: SchemaObject.Kind, _ report: inout DifferenceReport) {
        let olds = Self.byName(old.schema.objects, kind)
        let news = Self.byName(new.schema.objects, kind)
        for name in Set(olds.keys).union(news.keys).sorted() {
            let old = olds[name]
            let new = news[name]
            if let old, let new, old == new || SchemaText.normalized(old) == SchemaText.normalized(new) { continue }
            let operation: ChangeOperation = old == nil ? .added : new == nil ? .deleted : .modified
            var change = SchemaChange(
                operation, object: kind.rawValue, name: name.text, old: old.map { String(decoding: $0, as: UTF8.self) },
                new: new.map { String(decoding: $0, as: UTF8.self) })
            if kind == .table { change.entity = models.lazy.compactMap { $0.entity(ofTable: name) }.first }
            guard report.hasRoom else {
                report.noteFull()
                report.pass(.schema(change))
                continue
            }
            report.add(.schema(change), cost: 128 + (old?.count ?? 0) + (new?.count ?? 0))
        }
    }

    private static func byName(_ objects: [SchemaObject], _ kind: SchemaObject.Kind) -> [SQLName: [UInt8]] {
        Dictionary(objects.filter { $0.kind == kind }.map { ($0.name, $0.sql) }, uniquingKeysWith: { first, _ in first })
    }

    private func comparePragmas(_ report: inout DifferenceReport) throws(DatabaseError) {
        if old.encoding != new.encoding { add("encoding", old.encoding.rawValue, new.encoding.rawValue, &report) }
        for name in ["application_id", "user_version"] {
            let values = (
                try old.connection.integer("PRAGMA \(name)") ?? 0, try new.connection.integer("PRAGMA \(name)") ?? 0
            )
            if values.0 != values.1 { add(name, String(values.0), String(values.1), &report) }
        }
    }

    private func add(_ name: String, _ old: String, _ new: String, _ report: inout DifferenceReport) {
        report.add(.schema(SchemaChange(.modified, object: "pragma", name: name, old: old, new: new)), cost: 128)
    }
}

/// What is told of two databases, as it is found.
struct DifferenceReport {
    private(set) var details: [ChangeDetail] = []
    private(set) var damage: [DatabaseDifference.Damage] = []
    private(set) var isComplete = true
    /// Takes what is not told.
    private(set) var judge: EntryJudge
    private var bytesLeft: Int
    private var hasToldOfBytes = false

    init(bytes: Int, judge: EntryJudge) {
        bytesLeft = bytes
        self.judge = judge
    }

    /// Whether there is room for more rows.
    var hasRoom: Bool { bytesLeft > 0 }

    /// Adds a change that takes about `cost` bytes.
    mutating func add(_ content: ChangeDetail.Content, cost: Int) {
        details.append(ChangeDetail(content))
        bytesLeft -= cost
    }

    /// Judges a change that is not told.
    mutating func pass(_ content: ChangeDetail.Content) { judge.take(content) }

    /// Counts a row that is not told, and that nobody asks more of.
    mutating func passRow(_ operation: ChangeOperation) { judge.countRow(operation) }

    /// Says what is not told.
    mutating func add(_ limit: DetailLimit) {
        details.append(ChangeDetail(.limit(limit)))
        isComplete = false
    }

    /// Says once that there was no room for all.
    mutating func noteFull() {
        if hasToldOfBytes { return }
        hasToldOfBytes = true
        add(DetailLimit("bytes", isJudged: true))
    }

    mutating func add(_ damage: DatabaseDifference.Damage) {
        self.damage.append(damage)
        isComplete = false
    }
}
