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

    /// The row that it is at; not to be used once the statement is gone.
    var values: RowValues { RowValues(handle: handle) }

    func type(_ column: Int32) -> ValueType { values.type(column) }

    func integer(_ column: Int32) -> Int64 { values.integer(column) }

    /// A text as UTF-8; nil for any other value.
    func string(_ column: Int32) -> [UInt8]? {
        type(column) == .text ? Array(values[column].text) : nil
    }
}
