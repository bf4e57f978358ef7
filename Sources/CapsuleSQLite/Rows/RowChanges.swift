import CapsuleCore
import CapsulePropertyList

/// Makes the changes of rows that reports tell of.
struct RowChanges {
    /// A change, and what telling it takes.
    typealias Made = (change: RowChange, cost: Int, isComplete: Bool)

    let reading: ValueReading
    let nested: NestedComparison
    let oldModel: CoreDataSchema?
    let newModel: CoreDataSchema?
    /// The virtual table whose data the table holds.
    let owner: SQLName?
    private var isPlain: Bool { oldModel == nil && newModel == nil }

    /// A row that differs in these columns.
    func modified(
        _ plan: TablePlan, _ columns: [ComparedColumn], _ rows: RowOrder, _ old: RowCursor, _ new: RowCursor
    ) -> Made {
        var cost = Self.rowCost
        var isComplete = true
        let changed = columns.map { column in
            var change = RowChange.Column(
                column.name.text, attribute: column.attribute, old: reading.value(column, old, .old),
                new: reading.value(column, new, .new))
            switch nested.find(column, rows, looksInside: !Self.isHidden(change)) {
            case .none: break
            case .gap(let gap): change.nestedGap = gap
            case .changes(let changes, isComplete: let areAll, let gap):
                change.nestedGap = gap
                change.nested = reading.options.showsSecrets ? changes : changes.map { SecretData.hiding(in: $0) }
                cost += change.nested.reduce(0) { $0 + Self.cost($1) }
                if !areAll { isComplete = false }
            }
            cost += Self.cost(change)
            return change
        }
        var change = RowChange(
            .modified, table: plan.table.text, entity: entity(plan, new), key: key(plan, new), columns: changed)
        change.isPlain = isPlain
        change.owner = owner?.text
        return (change, cost, isComplete)
    }

    /// A row that the cursor's side alone has.
    func oneSided(_ plan: TablePlan, _ cursor: RowCursor) -> Made {
        var cost = Self.rowCost
        var keyPlaces: [Int] = []
        if case .columns(let places) = plan.key { keyPlaces = places }
        var columns: [RowChange.Column] = []
        for (place, column) in plan.columns.enumerated() where !keyPlaces.contains(place) {
            let value = reading.value(column, cursor, cursor.side)
            if value == .value(.null) { continue }
            let isOld = cursor.side == .old
            let change = RowChange.Column(
                column.name.text, attribute: column.attribute, old: isOld ? value : nil, new: isOld ? nil : value)
            cost += Self.cost(change)
            columns.append(change)
        }
        var change = RowChange(
            cursor.side == .old ? .deleted : .added, table: plan.table.text, entity: entity(plan, cursor),
            key: key(plan, cursor), columns: columns)
        change.isPlain = isPlain
        change.owner = owner?.text
        return (change, cost, true)
    }

    /// What rules may call the table of each row; nil where rows may hold any entity.
    func tableNames(_ plan: TablePlan) -> [String]? {
        plan.entityColumn != nil && !isPlain ? nil : [plan.table.text] + [owner?.text].compactMap { $0 }
    }

    private func key(_ plan: TablePlan, _ cursor: RowCursor) -> [RowChange.Key] {
        switch plan.key {
        case .rowID(let name): [RowChange.Key(name.text, .value(.integer(.init(cursor.rowID))))]
        case .columns(let places):
            places.map { place in
                let column = plan.columns[place]
                return RowChange.Key(column.name.text, reading.value(column, cursor, cursor.side))
            }
        case .contents: []
        }
    }

    /// The row's own entity, else the one that the table is named after.
    private func entity(_ plan: TablePlan, _ cursor: RowCursor) -> String? {
        let isOld = cursor.side == .old
        guard let model = isOld ? oldModel : newModel, let column = plan.entityColumn else { return nil }
        let place = isOld ? column.old : column.new
        guard place >= 0, cursor.values.type(place) == .integer else { return nil }
        return model.entity(cursor.values.integer(place)) ?? model.entity(ofTable: plan.table)
    }

    private static func isHidden(_ change: RowChange.Column) -> Bool {
        for case .hidden in [change.old, change.new] { return true }
        return false
    }

    // What a row and a column take beside their values, about.
    private static let rowCost = 128
    private static let columnCost = 96

    private static func cost(_ change: RowChange.Column) -> Int {
        columnCost + ValueReading.cost(change.old) + ValueReading.cost(change.new)
    }

    private static func cost(_ change: PlistChange) -> Int {
        columnCost + change.pointer.description.utf8.count
            + [change.old, change.new].compactMap { $0 }.reduce(0) {
                $0 + ValueReading.cost(.value($1))
            }
    }
}
