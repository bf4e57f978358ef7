package import CapsuleCore
package import CapsuleSQLite

/// The differences between two databases: in their schemas, then in the rows of each table (docs/diff.md).
///
/// Rows are paired by the primary key if it is the same on both sides, else by row ID, else by their entire content. Values are
/// compared exactly: 1, 1.0, '1' and x'31' are four different values. A column that exists on one side only is NULL on the other.
/// SQLite's internal data (statistics), virtual generated columns and full-text indexes are left out; see ``DatabaseSchema``.
package struct DatabaseDiff: Sendable {
    /// A table that could not be read to the end.
    package struct Damage: Hashable, Sendable {
        package let side: DatabaseSide
        package let table: String
        package let message: String
    }

    /// The tables that could not be read to the end. The changes already reported for them are correct, and all other tables are
    /// complete.
    package let damage: [Damage]
    /// The first limit that left out changes which nothing judged; nil if there is none.
    package let gap: Truncation?
    /// True if the databases have the same content, however they store it.
    package let isSame: Bool

    /// - Parameters:
    ///   - wanted: tells which texts and data are needed. A row that only one side has is left out if none of its values is. Nil keeps all
    ///     rows.
    ///   - sink: takes the schema changes by kind and name, the pragmas, then the tables by name and their rows by key. A
    ///     ``Truncation`` follows what it limits. The row limit doesn't count noise.
    /// - Throws: `interrupted` if the user stopped the comparison, and errors that are not caused by the databases themselves.
    package init(
        _ old: Database, _ new: Database, options: DatabaseDiffOptions = DatabaseDiffOptions(),
        external: @escaping ExternalLookup = { _, _ in nil }, wanted: RowFilter? = nil, sink: any ChangeSink
    ) throws(CapsuleError) {
        var run = DatabaseDiffer(old, new, options, external, wanted, sink)
        try run.compare()
        damage = run.report.damage
        gap = run.report.gap
        isSame = run.report.isEmpty
    }
}

/// Tells which values of rows are needed. Numbers are not.
package struct RowFilter {
    /// Returns false for a text, as UTF-8, that nothing needs.
    let text: (UnsafeRawBufferPointer) -> Bool
    /// Returns false for data that nothing needs.
    let data: (UnsafeRawBufferPointer) -> Bool
    /// Returns true for the name of a table, an entity or a column whose values are needed, whatever they are; nil if no names matter, not
    /// even those in the rows.
    let name: ((String) -> Bool)?
    /// Returns true for an integer, or an equal real number, that is needed.
    let integer: (Int64) -> Bool

    package init(
        text: @escaping (UnsafeRawBufferPointer) -> Bool, data: @escaping (UnsafeRawBufferPointer) -> Bool,
        name: ((String) -> Bool)? = nil, integer: @escaping (Int64) -> Bool = { _ in false }
    ) {
        self.text = text
        self.data = data
        self.name = name
        self.integer = integer
    }
}

/// One comparison of two databases.
private struct DatabaseDiffer {
    private let old: Database
    private let new: Database
    private let options: DatabaseDiffOptions
    private let external: ExternalLookup
    private let wanted: RowFilter?
    private let haveSameEncoding: Bool
    private let oldModel: CoreDataSchema?
    private let newModel: CoreDataSchema?
    private let isKeychain: Bool
    private(set) var report: DatabaseDiffCollector
    private var reported: UInt64 = 0

    init(
        _ old: Database, _ new: Database, _ options: DatabaseDiffOptions, _ external: @escaping ExternalLookup,
        _ wanted: RowFilter?, _ sink: any ChangeSink
    ) {
        self.old = old
        self.new = new
        self.options = options
        self.external = external
        self.wanted = wanted
        haveSameEncoding = old.encoding == new.encoding
        old.connection.budget.start(options.work)
        new.connection.budget.start(options.work)
        oldModel = CoreDataSchema(old)
        newModel = CoreDataSchema(new)
        isKeychain = [old, new].contains { $0.schema.isKeychain }
        report = DatabaseDiffCollector(bytes: options.detailBytes, sink: sink)
    }

    mutating func compare() throws(CapsuleError) {
        do throws(CapsuleError) {
            let schema = SchemaDiffer(old, new, models: [newModel, oldModel].compactMap { $0 })
            if let tables = options.tables { schema.compare(.table, named: tables, &report) } else { try schema.run(&report) }
        } catch {
            guard error.code == .time else { throw error }
            return report.add(timeLimit())
        }
        for table in (options.tables ?? old.schema.tables.union(new.schema.tables)).sorted() {
            reported = 0
            do throws(TableFailure) {
                try compare(table)
                // SQLite checks the time only in long statements, but there may be many short ones.
                for side in [DatabaseSide.old, .new] { try TableFailure.of(side, database(side).connection.budget.demand) }
            } catch {
                guard try note(error, table) else { return }
            }
        }
    }

    /// Records the error that ended the comparison of a table. Returns false if the time is over.
    private mutating func note(_ failure: TableFailure, _ table: SQLName) throws(CapsuleError) -> Bool {
        let error = failure.error
        if error.code == .time {
            report.add(timeLimit(table))
            return false
        }
        guard error.isDatabaseFault else { throw error }
        let message = "table \(table.text): \(error.message)"
        report.add(DatabaseDiff.Damage(side: failure.side, table: table.text, message: message))
        return true
    }

    private func timeLimit(_ table: SQLName? = nil) -> Truncation {
        Truncation(
            Truncation.time, table: table?.text, shown: table.map { _ in reported },
            limit: options.work.time.map { UInt64(max(0, $0.components.seconds)) })
    }

    private mutating func compare(_ table: SQLName) throws(TableFailure) {
        let layouts = (try layout(of: table, .old), try layout(of: table, .new))
        var hasNullKeys = false
        if let layout = layouts.0 { hasNullKeys = try self.hasNullKeys(layout, .old) }
        if let layout = layouts.1, !hasNullKeys { hasNullKeys = try self.hasNullKeys(layout, .new) }
        func newPlan(isByContents: Bool) -> TableDiffPlan {
            TableDiffPlan(
                table, old: layouts.0, new: layouts.1, hasNullKeys: hasNullKeys, haveSameEncoding: haveSameEncoding,
                isByContents: isByContents, describe: describe)
        }
        let changes = RowChangeBuilder(
            reading: DisplayValueBuilder(options: options, isKeychain: isKeychain, external: external),
            nested: NestedPlistDiffer(options: options, external: external, budget: old.connection.budget), oldModel: oldModel,
            newModel: newModel, owner: new.schema.owner(of: table) ?? old.schema.owner(of: table))
        func isSame(_ plan: TableDiffPlan) throws(TableFailure) -> Bool? {
            guard let old = try cursor(plan, plan.oldSQL, .old), let new = try cursor(plan, plan.newSQL, .new) else { return nil }
            return try TableDiffer(plan, changes, needsRows: false).isSame(
                RowOrder(old, new, haveSameEncoding: haveSameEncoding), old, new)
        }
        let plan = newPlan(isByContents: false)
        // `VACUUM` gives the rows of a table without a primary key other row IDs.
        if layouts.0?.key.isEmpty == true, layouts.1?.key.isEmpty == true, let isSameByID = try? isSame(plan) {
            if isSameByID { return }
            if (try? isSame(newPlan(isByContents: true))) == true {
                let words = "row IDs of \(table.text)"
                return report.add(.encoding(EncodingChange(old: words, new: words)), noise: .sqlite, cost: 128)
            }
        }
        var differ = TableDiffer(
            plan, changes, needsRows: report.sink.needsRows(of: changes.tableNames(plan)), wanted: wanted)
        defer { reported = differ.reported }
        try differ.run(
            cursor(plan, plan.oldSQL, .old), cursor(plan, plan.newSQL, .new), haveSameEncoding: haveSameEncoding, &report)
    }

    private func database(_ side: DatabaseSide) -> Database { side == .old ? old : new }

    private func layout(of table: SQLName, _ side: DatabaseSide) throws(TableFailure) -> TableLayout? {
        let database = database(side)
        guard database.schema.tables.contains(table) else { return nil }
        return try TableFailure.of(side) { () throws(CapsuleError) in try TableLayout(of: table, in: database.connection) }
    }

    private func hasNullKeys(_ layout: TableLayout, _ side: DatabaseSide) throws(TableFailure) -> Bool {
        try TableFailure.of(side) { () throws(CapsuleError) in try layout.hasNullKeys(in: database(side).connection) }
    }

    private func cursor(_ plan: TableDiffPlan, _ sql: [UInt8]?, _ side: DatabaseSide) throws(TableFailure) -> RowCursor? {
        guard let sql else { return nil }
        let database = database(side)
        let statement = try TableFailure.of(side) { () throws(CapsuleError) in try database.connection.prepare(sql) }
        let isByRowID = if case .rowID = plan.key { true } else { false }
        return try RowCursor(statement, of: side, isWide: database.encoding.isWide, isByRowID: isByRowID)
    }

    private func describe(_ facts: TableDiffPlan.ColumnInfo) -> ComparedColumn {
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

/// Compares two schemas by kind and name, then the fields of the database header that have a meaning for the app.
struct SchemaDiffer {
    private let old: Database
    private let new: Database
    private let models: [CoreDataSchema]

    /// - Parameter models: the Core Data descriptions of the databases that are stores, the newer one first.
    init(_ old: Database, _ new: Database, models: [CoreDataSchema] = []) {
        self.old = old
        self.new = new
        self.models = models
    }

    func run(_ report: inout DatabaseDiffCollector) throws(CapsuleError) {
        for kind in SchemaObject.Kind.allCases { compare(kind, &report) }
        try comparePragmas(&report)
    }

    /// Compares the objects of a kind, or only those with one of these names.
    func compare(_ kind: SchemaObject.Kind, named names: Set<SQLName>? = nil, _ report: inout DatabaseDiffCollector) {
        let olds = Self.byName(old.schema.objects, kind)
        let news = Self.byName(new.schema.objects, kind)
        for name in (names ?? Set(olds.keys).union(news.keys)).sorted() where olds[name] != nil || news[name] != nil {
            let old = olds[name]
            let new = news[name]
            if let old, let new, old == new || SchemaText.normalized(old) == SchemaText.normalized(new) { continue }
            let operation: ChangeOperation = old == nil ? .added : new == nil ? .deleted : .modified
            var change = SchemaChange(
                operation, object: kind.rawValue, name: name.text, old: old.map { String(decoding: $0, as: UTF8.self) },
                new: new.map { String(decoding: $0, as: UTF8.self) })
            if kind == .table { change.entity = models.lazy.compactMap { $0.entity(ofTable: name) }.first }
            let isKept = report.hasByteBudget
            if !isKept { report.reportByteLimit() }
            report.add(.schema(change), isKept: isKept, cost: 128 + (old?.count ?? 0) + (new?.count ?? 0))
        }
    }

    private static func byName(_ objects: [SchemaObject], _ kind: SchemaObject.Kind) -> [SQLName: [UInt8]] {
        Dictionary(objects.filter { $0.kind == kind }.map { ($0.name, $0.sql) }, uniquingKeysWith: { first, _ in first })
    }

    private func comparePragmas(_ report: inout DatabaseDiffCollector) throws(CapsuleError) {
        if old.encoding != new.encoding { add("encoding", old.encoding.rawValue, new.encoding.rawValue, &report) }
        for name in ["application_id", "user_version"] {
            let values = (
                try old.connection.integer("PRAGMA \(name)") ?? 0, try new.connection.integer("PRAGMA \(name)") ?? 0
            )
            if values.0 != values.1 { add(name, String(values.0), String(values.1), &report) }
        }
    }

    private func add(_ name: String, _ old: String, _ new: String, _ report: inout DatabaseDiffCollector) {
        let change = SchemaChange(.modified, object: "pragma", name: name, old: old, new: new)
        report.add(.schema(change), cost: 128)
    }
}

/// The state of a report on two databases, whose changes a sink takes.
struct DatabaseDiffCollector {
    private(set) var damage: [DatabaseDiff.Damage] = []
    private(set) var isEmpty = true
    private(set) var gap: Truncation?
    let sink: any ChangeSink
    private var bytesLeft: Int
    private var hasReportedByteLimit = false

    init(bytes: Int, sink: any ChangeSink) {
        bytesLeft = bytes
        self.sink = sink
    }

    var hasByteBudget: Bool { bytesLeft > 0 }

    /// Adds a change with a size of about `cost` bytes.
    mutating func add(_ content: ChangeDetail.Content, noise: NoiseClass? = nil, isKept: Bool = true, cost: Int) {
        add(sink.classified(ChangeDetail(content, noise: noise)), isKept: isKept, cost: cost)
    }

    mutating func add(_ detail: ChangeDetail, isKept: Bool, cost: Int) {
        sink.take(detail, isKept: isKept)
        isEmpty = false
        if isKept { bytesLeft -= cost }
    }

    mutating func add(_ limit: Truncation) {
        sink.add(.limit(limit))
        if !limit.isJudged, gap == nil { gap = limit }
        isEmpty = false
    }

    /// Adds a marker, once, that the space for changes is used up.
    mutating func reportByteLimit() {
        if hasReportedByteLimit { return }
        hasReportedByteLimit = true
        add(Truncation("bytes", isJudged: true))
    }

    mutating func add(_ damage: DatabaseDiff.Damage) {
        self.damage.append(damage)
        isEmpty = false
    }
}
