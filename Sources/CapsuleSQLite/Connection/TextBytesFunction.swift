import CSQLite

/// `capsule_utf8(X)`: the UTF-8 bytes of a text, and any other value as it is.
///
/// By it the rows of databases in two encodings come in one order.
enum TextBytesFunction {
    static let name = "capsule_utf8"

    static func register(with handle: OpaquePointer) {
        sqlite3_create_function_v2(
            handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
            { context, _, values in
                guard let value = values?.pointee else { return }
                guard sqlite3_value_type(value) == SQLITE_TEXT else {
                    sqlite3_result_value(context, value)
                    return
                }
                guard let text = sqlite3_value_text(value) else {
                    sqlite3_result_error_nomem(context)
                    return
                }
                let count = sqlite3_value_bytes(value)
                capsule_sqlite_result_copy(context, text, sqlite3_uint64(count))
            }, nil, nil, nil)
    }
}
