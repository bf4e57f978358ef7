import CapsuleCore
import CapsulePropertyList
import CapsuleSQLite

/// Compares the rows of a table in one pass over both sides, which are sorted by key.
///
/// Equal rows are compared in SQLite's own memory; no objects are created for them.
struct TableDiffer {
    private let plan: TableDiffPlan
    private let pairs: [ColumnPair]
    private let keyPairs: [ColumnPair]
    private let external: ExternalBlobEquality
    private let changes: RowChangeBuilder
    private let limit: UInt64
    private let needsRows: Bool
    private let wanted: RowFilter?
    /// The number of changed rows so far, without noise, and how many of them are reported.
    private var total: UInt64 = 0
    private(set) var reported: UInt64 = 0

    init(_ plan: TableDiffPlan, _ changes: RowChangeBuilder, needsRows: Bool, wanted: RowFilter? = nil) {
        self.plan = plan
        self.changes = changes
        pairs = plan.columns.map(\.pair)
        keyPairs = if case .columns(let places) = plan.key { places.map { plan.columns[$0].pair } } else { [] }
        external = ExternalBlobEquality(external: changes.reading.external)
        limit = changes.reading.options.rows ?? .max
        self.needsRows = needsRows
        self.wanted = wanted.flatMap { changes.needsAll(of: plan, $0) ? nil : $0 }
    }

    mutating func run(
        _ old: RowCursor?, _ new: RowCursor?, haveSameEncoding: Bool, _ report: inout DatabaseDiffCollector
    ) throws(TableFailure) {
        if let old, let new {
            try merge(RowOrder(old, new, haveSameEncoding: haveSameEncoding), old, new, &report)
        } else {
            for cursor in [old, new] { try rest(cursor, &report) }
        }
        guard reported < total else { return }
        if reported < limit { report.reportByteLimit() }
        report.add(Truncation("rows", table: plan.table.text, shown: reported, total: total, isJudged: true))
    }

    /// Returns true if both sides have the same rows in the same order; nil if they don't have equally many.
    func isSame(_ rows: RowOrder, _ old: RowCursor, _ new: RowCursor) throws(TableFailure) -> Bool? {
        var isSame = true
        while old.isAtRow, new.isAtRow {
            isSame = isSame && order(rows, old, new) == 0 && areEqual(rows)
            try old.advance()
            try new.advance()
        }
        return old.isAtRow == new.isAtRow ? isSame : nil
    }

    private mutating func merge(
        _ rows: RowOrder, _ old: RowCursor, _ new: RowCursor, _ report: inout DatabaseDiffCollector
    ) throws(TableFailure) {
        while old.isAtRow, new.isAtRow {
            let order = order(rows, old, new)
            if order == 0 {
                if !areEqual(rows) { reportRows(rows, old, new, &report) }
                try old.advance()
                try new.advance()
            } else {
                try reportRows(order < 0 ? old : new, &report)
            }
        }
        for cursor in [old, new] { try rest(cursor, &report) }
    }

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

    private mutating func reportRows(
        _ rows: RowOrder, _ old: RowCursor, _ new: RowCursor, _ report: inout DatabaseDiffCollector
    ) {
        // Rows without a key that are paired here differ only in the sign of a zero or in an external file.
        if case .contents = plan.key {
            count(.deleted, &report) { [self] in changes.oneSided(plan, old) }
            count(.added, &report) { [self] in changes.oneSided(plan, new) }
        } else {
            count(.modified, &report) { [self] in
                changes.modified(plan, plan.columns.filter { !areEqual($0.pair, rows) }, rows, old, new)
            }
        }
    }

    /// Reports a row that exists on one side only, and advances past it.
    private mutating func reportRows(
        _ cursor: RowCursor, _ report: inout DatabaseDiffCollector
    ) throws(TableFailure) {
        if wanted.map({ has($0, cursor) }) ?? true {
            count(cursor.side == .old ? .deleted : .added, &report) { [self] in changes.oneSided(plan, cursor) }
        }
        try cursor.advance()
    }

    /// Returns true if a row has a wanted value.
    private func has(_ wanted: RowFilter, _ cursor: RowCursor) -> Bool {
        if wanted.name != nil, plan.pairColumns.contains(where: { isNaming($0, cursor) }) { return true }
        return pairs.contains { pair in
            let place = cursor.side == .old ? pair.old : pair.new
            guard place >= 0 else { return false }
            let value = cursor.values[place]
            return switch value.type {
            case .text: wanted.text(value.text)
            case .blob: wanted.data(value.bytes(isWide: false))
            case .integer: wanted.integer(value.integer)
            case .real: Int64(exactly: value.real).map(wanted.integer) ?? false
            case .null: false
            }
        }
    }

    /// Returns true if a row's value says something of the values beside it, as in a table of keys and values.
    private func isNaming(_ column: ComparedColumn, _ cursor: RowCursor) -> Bool {
        let place = cursor.side == .old ? column.pair.old : column.pair.new
        guard place >= 0, cursor.values[place].type == .text else { return false }
        return Secrets.isNaming(cursor.values[place].text)
    }

    private mutating func rest(
        _ cursor: RowCursor?, _ report: inout DatabaseDiffCollector
    ) throws(TableFailure) {
        guard let cursor else { return }
        while cursor.isAtRow { try reportRows(cursor, &report) }
    }

    /// Counts a change, and creates it if it is reported or must be judged.
    private mutating func count(
        _ operation: ChangeOperation, _ report: inout DatabaseDiffCollector, _ change: () -> RowChangeBuilder.CostedChange
    ) {
        total += 1
        guard report.hasByteBudget && reported < limit || needsRows else { return report.sink.countRow(operation) }
        let made = change()
        let detail = report.sink.classified(ChangeDetail(.row(made.change)))
        let isNoise = detail.noise != nil
        if isNoise { total -= 1 }
        let isKept = report.hasByteBudget && (isNoise || reported < limit)
        if isKept, !isNoise { reported += 1 }
        report.add(detail, isKept: isKept, cost: made.cost)
        if !made.isComplete { report.add(Truncation("changes", table: plan.table.text)) }
    }
}

/// Creates the changes of rows for reports.
struct RowChangeBuilder {
    /// A change, the bytes it takes in a report, and true if it is complete.
    typealias CostedChange = (change: RowChange, cost: Int, isComplete: Bool)

    let reading: DisplayValueBuilder
    let nested: NestedPlistDiffer
    let oldModel: CoreDataSchema?
    let newModel: CoreDataSchema?
    let owner: SQLName?
    private var isPlain: Bool { oldModel == nil && newModel == nil }

    func modified(
        _ plan: TableDiffPlan, _ columns: [ComparedColumn], _ rows: RowOrder, _ old: RowCursor, _ new: RowCursor
    ) -> CostedChange {
        var cost = Self.rowCost
        var isComplete = true
        let changed = columns.map { column in
            var change = RowChange.Column(
                column.name.text, attribute: column.attribute, old: reading.value(column, old, .old),
                new: reading.value(column, new, .new))
            switch nested.find(column, rows) {
            case .none: break
            case .gap(let gap): change.nestedGap = gap
            case .changes(let changes, isComplete: let areAll, let gap):
                change.nestedGap = gap
                change.nested = changes
                cost += change.nested.reduce(0) { $0 + Self.cost($1) }
                if !areAll { isComplete = false }
            }
            cost += Self.cost(change)
            return change
        }
        var change = RowChange(
            .modified, table: plan.table.text, entity: entity(plan, new), key: key(plan, new),
            columns: Self.bookkeepingLast(changed))
        change.naming = naming(plan, old).union(naming(plan, new))
        change.isPlain = isPlain
        change.isKeychain = reading.isKeychain
        change.owner = owner?.text
        return (change, cost, isComplete)
    }

    func oneSided(_ plan: TableDiffPlan, _ cursor: RowCursor) -> CostedChange {
        var cost = Self.rowCost
        var keyPlaces: [Int] = []
        if case .columns(let places) = plan.key { keyPlaces = places }
        var (columns, nulls): ([RowChange.Column], [RowChange.Column]) = ([], [])
        for (place, column) in plan.columns.enumerated() where !keyPlaces.contains(place) {
            let value = reading.value(column, cursor, cursor.side)
            if value == .value(.null) {
                nulls.append(RowChange.Column(column.name.text, attribute: column.attribute))
                cost += Self.columnCost
                continue
            }
            let isOld = cursor.side == .old
            let change = RowChange.Column(
                column.name.text, attribute: column.attribute, old: isOld ? value : nil, new: isOld ? nil : value)
            cost += Self.cost(change)
            columns.append(change)
        }
        var change = RowChange(
            cursor.side == .old ? .deleted : .added, table: plan.table.text, entity: entity(plan, cursor),
            key: key(plan, cursor), columns: Self.bookkeepingLast(columns))
        change.nulls = nulls
        change.naming = naming(plan, cursor)
        change.isPlain = isPlain
        change.isKeychain = reading.isKeychain
        change.owner = owner?.text
        return (change, cost, true)
    }

    /// Returns what a row's values say about those beside them, as in a table of keys and values.
    private func naming(_ plan: TableDiffPlan, _ cursor: RowCursor) -> SecretName {
        plan.pairColumns.reduce([]) { found, column in
            guard case .value(.string(let name)) = reading.value(column, cursor, cursor.side) else { return found }
            return found.union(Secrets.pairNaming(name.string))
        }
    }

    /// Returns the columns of a row with those last that Core Data keeps for itself.
    private static func bookkeepingLast(_ columns: [RowChange.Column]) -> [RowChange.Column] {
        let isOwn = columns.map { ["Z_ENT", "Z_OPT"].contains($0.name) }
        return zip(columns, isOwn).filter { !$0.1 }.map(\.0) + zip(columns, isOwn).filter(\.1).map(\.0)
    }

    /// Returns the names by which rules may refer to the table of each row, or nil if its rows can belong to any entity.
    func tableNames(_ plan: TableDiffPlan) -> [String]? {
        plan.entityColumn != nil && !isPlain ? nil : [plan.table.text] + [owner?.text].compactMap { $0 }
    }

    /// Returns true if all rows of a table are needed, since its names may say something of any value.
    func needsAll(of plan: TableDiffPlan, _ wanted: RowFilter) -> Bool {
        guard let isWanted = wanted.name else { return false }
        let entities = plan.entityColumn == nil ? [] : (oldModel?.names ?? []) + (newModel?.names ?? [])
        let columns = plan.columns.flatMap { [$0.name.text] + [$0.attribute].compactMap { $0 } }
        return reading.isKeychain
            || ([plan.table.text] + [owner?.text].compactMap { $0 } + entities + columns).contains(where: isWanted)
    }

    private func key(_ plan: TableDiffPlan, _ cursor: RowCursor) -> [RowChange.Key] {
        switch plan.key {
        case .rowID(let name):
            [RowChange.Key(name?.text ?? "rowid", .value(.integer(.init(cursor.rowID))), isColumn: name != nil)]
        case .columns(let places):
            places.map { place in
                let column = plan.columns[place]
                return RowChange.Key(column.name.text, reading.value(column, cursor, cursor.side))
            }
        case .contents: []
        }
    }

    /// Returns the row's own entity, or else the one that the table is named after.
    private func entity(_ plan: TableDiffPlan, _ cursor: RowCursor) -> String? {
        let isOld = cursor.side == .old
        guard let model = isOld ? oldModel : newModel, let column = plan.entityColumn else { return nil }
        let place = isOld ? column.old : column.new
        guard place >= 0, cursor.values.type(place) == .integer else { return nil }
        return model.entity(cursor.values.integer(place)) ?? model.entity(ofTable: plan.table)
    }

    // The approximate sizes of a row and a column without their values.
    private static let rowCost = 128
    private static let columnCost = 96

    private static func cost(_ change: RowChange.Column) -> Int {
        columnCost + DisplayValueBuilder.cost(change.old) + DisplayValueBuilder.cost(change.new)
    }

    private static func cost(_ change: PlistChange) -> Int {
        columnCost + change.pointer.description.utf8.count
            + [change.old, change.new].compactMap { $0 }.reduce(0) {
                $0 + DisplayValueBuilder.cost(.value($1))
            }
    }
}
