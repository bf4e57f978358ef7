import CSQLite

/// The values of the row that a statement is at. It is no more than a pointer, so that comparing rows costs no counting of
/// references.
struct RowValues {
    private let handle: OpaquePointer

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
