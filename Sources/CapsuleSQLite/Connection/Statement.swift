import CSQLite
import CapsuleSystem

/// A prepared statement, positioned at a row between two steps.
final class Statement {
    private let handle: OpaquePointer
    private let connection: Connection

    init(adopting handle: OpaquePointer, of connection: Connection) {
        self.handle = handle
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Advances to the next row. Returns false if there are no more rows.
    func step() throws(DatabaseError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let status: throw connection.error(status)
        }
    }

    /// Runs the statement to completion and resets it.
    func execute() throws(DatabaseError) {
        defer { sqlite3_reset(handle) }
        while try step() {}
    }

    /// Resets the statement so that it can run again. Bound values are kept.
    func reset() {
        sqlite3_reset(handle)
    }

    /// Binds the value of another statement's row to a parameter, with the same type and the same bits. Parameters are counted from
    /// 1.
    func bind(_ value: RowValue, at place: Int32) throws(DatabaseError) {
        try check(sqlite3_bind_value(handle, place, value.handle))
    }

    func bind(_ integer: Int64, at place: Int32) throws(DatabaseError) {
        try check(sqlite3_bind_int64(handle, place, integer))
    }

    func bind(_ real: Double, at place: Int32) throws(DatabaseError) {
        try check(sqlite3_bind_double(handle, place, real))
    }

    func bindNull(at place: Int32) throws(DatabaseError) {
        try check(sqlite3_bind_null(handle, place))
    }

    /// Binds UTF-8 text to a parameter.
    func bind(text: UnsafeRawBufferPointer, at place: Int32) throws(DatabaseError) {
        try check(capsule_sqlite_bind_text(handle, place, text.baseAddress, sqlite3_uint64(text.count)))
    }

    func bind(blob: UnsafeRawBufferPointer, at place: Int32) throws(DatabaseError) {
        try check(capsule_sqlite_bind_blob(handle, place, blob.baseAddress, sqlite3_uint64(blob.count)))
    }

    private func check(_ status: Int32) throws(DatabaseError) {
        if status != SQLITE_OK { throw connection.error(status) }
    }

    /// The values of the current row. They must not be used after the statement is released.
    var values: RowValues { RowValues(handle: handle) }

    func type(_ column: Int32) -> ValueType { values.type(column) }

    func integer(_ column: Int32) -> Int64 { values.integer(column) }

    /// Returns a text as UTF-8, or nil for any other value.
    func string(_ column: Int32) -> [UInt8]? {
        type(column) == .text ? Array(values[column].text) : nil
    }
}

/// The values of a statement's current row. The type is a bare pointer, so comparing rows costs no reference counting.
struct RowValues {
    private let handle: OpaquePointer

    init(handle: OpaquePointer) {
        self.handle = handle
    }

    /// The value of a column, valid until the next step.
    @inline(__always)
    subscript(column: Int32) -> RowValue { RowValue(handle: sqlite3_column_value(handle, column)) }

    @inline(__always)
    func type(_ column: Int32) -> ValueType { self[column].type }

    @inline(__always)
    func integer(_ column: Int32) -> Int64 { self[column].integer }
}

/// One value of a row.
///
/// SQLite calls such values unprotected, which matters only if several threads use one connection (sqlite.org/c3ref/value.html).
/// Reading from the value instead of the statement makes a comparison a third faster.
struct RowValue {
    let handle: OpaquePointer?

    @inline(__always)
    init(handle: OpaquePointer?) {
        self.handle = handle
    }

    /// The storage class of the value.
    @inline(__always)
    var type: ValueType { ValueType(sqlite3_value_type(handle)) }

    @inline(__always)
    var integer: Int64 { sqlite3_value_int64(handle) }

    @inline(__always)
    var real: Double { sqlite3_value_double(handle) }

    /// Returns the bytes of a blob, or of a text in the database's own encoding. They are valid until the value is read in another
    /// form.
    @inline(__always)
    func bytes(isWide: Bool) -> UnsafeRawBufferPointer {
        // Reading a text as a blob doesn't convert it. Neither does reading its length in the text's own width.
        let start = sqlite3_value_blob(handle)
        let count = isWide ? sqlite3_value_bytes16(handle) : sqlite3_value_bytes(handle)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
    }

    /// A text as UTF-8. In a UTF-16 database, reading it converts the stored value permanently.
    @inline(__always)
    var text: UnsafeRawBufferPointer {
        let start = UnsafeRawPointer(sqlite3_value_text(handle))
        let count = sqlite3_value_bytes(handle)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
    }
}

/// The storage class of a value (sqlite.org/datatype3.html). The ranks follow SQLite's order of values; integers and reals share
/// one rank, because they are ordered as numbers.
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

    /// The rank in SQLite's order: NULL, then numbers, then texts, then blobs.
    var rank: Int {
        switch self {
        case .null: 0
        case .text: 2
        case .blob: 3
        default: 1
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns a number below, at or above zero if these bytes sort before, equal to or after `other`: by `memcmp`, then by length.
    func order(to other: UnsafeRawBufferPointer) -> Int32 {
        let shared = Swift.min(count, other.count)
        if shared > 0, let left = baseAddress, let right = other.baseAddress {
            let order = memcmp(left, right, shared)
            if order != 0 { return order }
        }
        return count < other.count ? -1 : count > other.count ? 1 : 0
    }

    /// Returns true if the bytes are the same.
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard count > 0, let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, count) == 0
    }
}
