import CSQLite

/// A prepared statement, which is at a row between two steps.
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

    /// Goes to the next row; false behind the last one.
    func step() throws(DatabaseError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let status: throw connection.error(status)
        }
    }

    /// Runs it to its end, and makes it ready to be run again.
    func execute() throws(DatabaseError) {
        defer { sqlite3_reset(handle) }
        while try step() {}
    }

    /// Makes it ready to be run again; what is bound stays.
    func reset() {
        sqlite3_reset(handle)
    }

    /// Gives a parameter, counted from 1, the value that a row of any statement has: of the same type, to the bit.
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

    /// UTF-8.
    func bind(text: UnsafeRawBufferPointer, at place: Int32) throws(DatabaseError) {
        try check(capsule_sqlite_bind_text(handle, place, text.baseAddress, sqlite3_uint64(text.count)))
    }

    func bind(blob: UnsafeRawBufferPointer, at place: Int32) throws(DatabaseError) {
        try check(capsule_sqlite_bind_blob(handle, place, blob.baseAddress, sqlite3_uint64(blob.count)))
    }

    private func check(_ status: Int32) throws(DatabaseError) {
        if status != SQLITE_OK { throw connection.error(status) }
    }

    /// The row that it is at; not to be used once the statement is gone.
    var values: RowValues { RowValues(handle: handle) }

    func type(_ column: Int32) -> ValueType { values.type(column) }

    func integer(_ column: Int32) -> Int64 { values.integer(column) }

    /// A text as UTF-8; nil for any other value.
    func string(_ column: Int32) -> [UInt8]? {
        type(column) == .text ? Array(values[column].text) : nil
    }
}
