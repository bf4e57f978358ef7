import CapsuleCore
import CapsuleHashing
import CapsuleMerge
import CapsulePropertyList
import CapsuleSQLite

/// Merges rows that the two sides changed differently.
extension TableMerge {
    mutating func mergeDeleted(by side: MergeSide, _ recorder: inout ConflictRecorder) throws(MergeFailure) {
        guard let base else { return }
        let left = side == .ours ? theirs.row : ours.row
        let columns = PlistValue.dictionary(values.columns(plan, left))
        var conflict = Conflict(
            .row, path: path, base: .dictionary(values.columns(plan, base.row)), ours: side == .ours ? nil : columns,
            theirs: side == .ours ? columns : nil, reason: "\(side.rawValue) deleted it")
        name(&conflict, left)
        let hasOurs = side == .theirs
        switch try resolve(&conflict, &recorder) {
        case nil, .ours: return
        case .base: try write(base.row, over: hasOurs)
        case .theirs where !hasOurs: try write(theirs.row)
        case .theirs, .absent: if hasOurs { try delete() }
        case .value(let value):
            let row = try written(value, over: left, conflict)
            try put(rowID(left), row, over: hasOurs)
        }
    }

    /// Returns a row that the user wrote. Columns that it omits keep the values of the remaining row.
    private func written(_ value: PlistValue, over left: RowCursor, _ conflict: Conflict) throws(MergeFailure) -> [MergedValue] {
        guard case .dictionary(let written) = value else {
            throw failure(conflict, "a row is written as a dictionary of its columns, not as \(value.typeNameWithArticle)")
        }
        var row = plan.columns.map { MergedValue.row(left.values[$0.compared.pair.old]) }
        for (name, value) in written {
            if let key = conflict.row?[name] {
                guard key == value else { throw failure(conflict, "its key can't be changed: \(name.string)") }
                continue
            }
            guard let place = plan.columns.firstIndex(where: { $0.name.text.utf8.elementsEqual(name.utf8) }) else {
                throw failure(conflict, "the table has no column \(name.string)")
            }
            // An outline of a long or secret value means the value that is already there.
            if value == values.value(plan.columns[place], left) { continue }
            row[place] = try self.written(value, plan.columns[place], conflict)
        }
        return row
    }

    mutating func mergeColumns(hasBase: Bool, _ recorder: inout ConflictRecorder) throws(MergeFailure) {
        let base = hasBase ? base?.row : nil
        var row: [MergedValue] = []
        var isOurs = true
        // The conflicts that were resolved by having no row, and the number of the others.
        var withoutRow: [Conflict] = []
        var withRow = 0
        for column in plan.columns {
            let place = column.compared.pair.old
            if oursTheirs.areEqual(column) || (hasBase && baseTheirs?.areEqual(column) == true) {
                row.append(.row(ours.row.values[place]))
            } else if hasBase, baseOurs?.areEqual(column) == true {
                row.append(.row(theirs.row.values[place]))
                isOurs = false
            } else if let isTheirsLarger = isTheirsLarger(column, base) {
                counted[column.name.text, default: 0] += 1
                row.append(.row((isTheirsLarger ? theirs : ours).row.values[place]))
                if isTheirsLarger { isOurs = false }
            } else {
                switch try decide(column, base, &recorder) {
                case .ours:
                    row.append(.row(ours.row.values[place]))
                    withRow += 1
                case .value(let value):
                    row.append(value)
                    isOurs = false
                    withRow += 1
                case .noRow(let conflict):
                    withoutRow.append(conflict)
                }
            }
        }
        if let first = withoutRow.first {
            guard withRow == 0 else {
                throw failure(first, "the row is not in the base: leave it out for all its conflicts or for none")
            }
            try delete()
        } else if !isOurs {
            try put(rowID(ours.row), row, over: true)
        }
    }

    private func isTheirsLarger(_ column: TableMergePlan.Column, _ base: RowCursor?) -> Bool? {
        guard column.isCounter else { return nil }
        let place = column.compared.pair.old
        let pair = (ours.row.values[place], theirs.row.values[place])
        guard pair.0.type == .integer, pair.1.type == .integer else { return nil }
        if let base {
            let start = base.values[place]
            guard start.type == .integer, start.integer <= min(pair.0.integer, pair.1.integer) else { return nil }
        }
        return pair.1.integer > pair.0.integer
    }

    /// The decision for a column of a row.
    private enum ColumnResolution {
        case ours
        case value(MergedValue)
        /// The base has no row, and its state was taken.
        case noRow(Conflict)
    }

    private mutating func decide(
        _ column: TableMergePlan.Column, _ base: RowCursor?, _ recorder: inout ConflictRecorder
    ) throws(MergeFailure) -> ColumnResolution {
        var conflict = Conflict(
            .row, path: path, base: base.map { values.value(column, $0) }, ours: values.value(column, ours.row),
            theirs: values.value(column, theirs.row), reason: base == nil ? "both added" : "both changed")
        name(&conflict, ours.row)
        conflict.column = column.name.text
        let place = column.compared.pair.old
        switch try resolve(&conflict, &recorder) {
        case nil, .ours: return .ours
        case .theirs: return .value(.row(theirs.row.values[place]))
        case .base: return base.map { .value(.row($0.values[place])) } ?? .noRow(conflict)
        case .absent:
            if base == nil { return .noRow(conflict) }
            throw failure(conflict, "column \(column.name.text) can't be absent: write NULL as null")
        case .value(let value): return .value(try written(value, column, conflict))
        }
    }

    private func written(
        _ value: PlistValue, _ column: TableMergePlan.Column, _ conflict: Conflict
    ) throws(MergeFailure) -> MergedValue {
        guard let written = WrittenValue(value, isDate: column.compared.isDate) else {
            throw failure(conflict, "column \(column.name.text) can't hold \(value.typeNameWithArticle)")
        }
        if case .null = written, column.isNotNull {
            throw failure(conflict, "column \(column.name.text) is NOT NULL")
        }
        return .written(written)
    }

    private func name(_ conflict: inout Conflict, _ row: RowCursor) {
        conflict.table = plan.table.text
        conflict.row = values.key(plan, row)
    }

    private func resolve(_ conflict: inout Conflict, _ recorder: inout ConflictRecorder) throws(MergeFailure) -> Resolution? {
        let shown = [conflict.base, conflict.ours, conflict.theirs, conflict.row.map { .dictionary($0) }]
        return try recorder.resolve(&conflict, cost: shown.reduce(256) { $0 + MergeValues.cost($1) })
    }

    private func failure(_ conflict: Conflict, _ message: String) -> MergeFailure {
        let key = conflict.row.map { PlistValue.dictionary($0).description } ?? ""
        return .unfit(conflict, "table \(plan.table.text), row \(key): \(message)")
    }
}

/// Converts values of rows to values in conflicts.
///
/// Long values are shown as their size and digest, and secret ones as their kind. A resolution that names a side still takes the
/// value itself.
struct MergeValues {
    /// The maximum length in bytes of a text or a blob that a conflict shows.
    static let valueLimit = 64 << 10

    private let reading: DisplayValueBuilder

    init(isKeychain: Bool) {
        let options = DatabaseDiffOptions(dataBytes: Self.valueLimit, textBytes: Self.valueLimit, hidesSecrets: true)
        reading = DisplayValueBuilder(options: options, isKeychain: isKeychain, external: { _, _ in nil })
    }

    func value(_ column: TableMergePlan.Column, _ row: RowCursor) -> PlistValue {
        let shown = reading.value(column.compared, row, .old)
        let value = row.values[column.compared.pair.old]
        switch shown {
        case .value(let value): return value
        case .hidden(let kind): return .dictionary(["Hidden": .string(PlistString(kind))])
        case .textHead: return Self.outline(value.text)
        default: return Self.outline(value.bytes(isWide: row.isWide))
        }
    }

    private static func outline(_ bytes: UnsafeRawBufferPointer) -> PlistValue {
        var hasher = SHA256Hasher()
        let digest = hasher.digest(of: bytes)
        return .dictionary(["Size": .integer(PlistInteger(bytes.count)), "Digest": .string(PlistString(digest.hex))])
    }

    func key(_ plan: TableMergePlan, _ row: RowCursor) -> PlistDictionary {
        if case .rowID(let name) = plan.key { return [PlistString(name.text): .integer(PlistInteger(row.rowID))] }
        return PlistDictionary(plan.keyColumns.map { (PlistString($0.name.text), value($0, row)) })
    }

    /// Returns all columns that can be written, without a key that is the row ID.
    func columns(_ plan: TableMergePlan, _ row: RowCursor) -> PlistDictionary {
        PlistDictionary(plan.columns.map { (PlistString($0.name.text), value($0, row)) })
    }

    static func cost(_ value: PlistValue?) -> Int {
        switch value {
        case .string(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .dictionary(let dictionary): dictionary.reduce(64) { $0 + $1.key.utf8.count + cost($1.value) }
        default: 16
        }
    }
}
