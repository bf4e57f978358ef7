import CSQLite

/// A value's storage class (sqlite.org/datatype3.html), in SQLite's order of values but for the two kinds of numbers, which are
/// ordered as numbers.
struct ValueType: Hashable {
    private let value: Int32

    @inline(__always)
    init(_ value: Int32) { self.value = value }

    static let integer = ValueType(SQLITE_INTEGER)
    static let real = ValueType(SQLITE_FLOAT)
    static let text = ValueType(SQLITE_TEXT)
    static let blob = ValueType(SQLITE_BLOB)
    static let null = ValueType(SQLITE_NULL)

    @inline(__always)
    static func == (left: ValueType, right: ValueType) -> Bool { left.value == right.value }

    /// NULL before numbers before texts before blobs.
    var rank: Int {
        switch self {
        case .null: 0
        case .text: 2
        case .blob: 3
        default: 1
        }
    }
}
