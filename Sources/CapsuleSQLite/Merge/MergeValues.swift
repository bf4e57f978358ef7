import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

/// Makes values of rows into those of conflicts.
///
/// What is long stands there as its size and digest, what is secret as its kind; a decision for a side takes the value itself.
struct MergeValues {
    /// Bytes of a text or a blob that a conflict shows.
    static let valueLimit = 64 << 10

    private let reading: ValueReading

    init(isKeychain: Bool) {
        let options = DifferenceOptions(dataBytes: Self.valueLimit, textBytes: Self.valueLimit)
        reading = ValueReading(options: options, isKeychain: isKeychain, external: { _, _ in nil })
    }

    /// A column of a row.
    func value(_ column: MergePlan.Column, _ row: RowCursor) -> PlistValue {
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

    /// What a row is known by.
    func key(_ plan: MergePlan, _ row: RowCursor) -> PlistDictionary {
        if case .rowID(let name) = plan.key { return [PlistString(name.text): .integer(PlistInteger(row.rowID))] }
        return PlistDictionary(plan.keyColumns.map { (PlistString($0.name.text), value($0, row)) })
    }

    /// All that can be written of a row, without a key that is its row ID.
    func columns(_ plan: MergePlan, _ row: RowCursor) -> PlistDictionary {
        PlistDictionary(plan.columns.map { (PlistString($0.name.text), value($0, row)) })
    }

    /// About how many bytes a value takes.
    static func cost(_ value: PlistValue?) -> Int {
        switch value {
        case .string(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .dictionary(let dictionary): dictionary.reduce(64) { $0 + $1.key.utf8.count + cost($1.value) }
        default: 16
        }
    }
}
