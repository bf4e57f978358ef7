import CSQLite

/// The values of the row that a statement is at. It is no more than a pointer, so that comparing rows costs no counting of
/// references.
struct RowValues {
    fileprivate let handle: OpaquePointer

    init(handle: OpaquePointer) {
        self.handle = handle
    }

    /// What a column holds, as SQLite types it.
    @inline(__always)
    func type(_ column: Int32) -> ValueType { ValueType(sqlite3_column_type(handle, column)) }

    @inline(__always)
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    @inline(__always)
    func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// The bytes of a blob, or of a text in the database's own encoding: valid until the next step, or until the column is asked
    /// for in another form.
    @inline(__always)
    func bytes(_ column: Int32, isWide: Bool) -> UnsafeRawBufferPointer {
        // Asked for as a blob a text is not converted, nor is its length if it is asked for in the text's own width.
        let start = sqlite3_column_blob(handle, column)
        let count = isWide ? sqlite3_column_bytes16(handle, column) : sqlite3_column_bytes(handle, column)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
    }

    /// A text as UTF-8, or a blob: valid until the next step. Where the database has UTF-16, the column is converted.
    @inline(__always)
    func text(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = UnsafeRawPointer(sqlite3_column_text(handle, column))
        let count = sqlite3_column_bytes(handle, column)
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
