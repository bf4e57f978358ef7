import CSQLite

/// The values of the row that a statement is at. It is no more than a pointer, so that comparing rows costs no counting of
/// references.
struct RowValues {
    fileprivate let handle: OpaquePointer

    init(handle: OpaquePointer) {
        self.handle = handle
    }

    /// The value of a column: valid until the next step.
    @inline(__always)
    subscript(column: Int32) -> RowValue { RowValue(handle: sqlite3_column_value(handle, column)) }

    @inline(__always)
    func type(_ column: Int32) -> ValueType { self[column].type }

    @inline(__always)
    func integer(_ column: Int32) -> Int64 { self[column].integer }
}

/// One value of a row.
///
/// SQLite calls it unprotected, which makes a difference only where several threads use one connection
/// (sqlite.org/c3ref/value.html). Asking it, and not the statement, saves a third of the time of a comparison.
struct RowValue {
    fileprivate let handle: OpaquePointer?

    /// What it is, as SQLite types it.
    @inline(__always)
    var type: ValueType { ValueType(sqlite3_value_type(handle)) }

    @inline(__always)
    var integer: Int64 { sqlite3_value_int64(handle) }

    @inline(__always)
    var real: Double { sqlite3_value_double(handle) }

    /// The bytes of a blob, or of a text in the database's own encoding: valid until the value is asked for in another form.
    @inline(__always)
    func bytes(isWide: Bool) -> UnsafeRawBufferPointer {
        // Asked for as a blob a text is not converted, nor is its length if it is asked for in the text's own width.
        let start = sqlite3_value_blob(handle)
        let count = isWide ? sqlite3_value_bytes16(handle) : sqlite3_value_bytes(handle)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
    }

    /// A text as UTF-8. Where the database has UTF-16, the value is converted for good.
    @inline(__always)
    var text: UnsafeRawBufferPointer {
        let start = UnsafeRawPointer(sqlite3_value_text(handle))
        let count = sqlite3_value_bytes(handle)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
    }
}

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
