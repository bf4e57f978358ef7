import CSQLite

/// What a statement may do: read tables, ask pragmas, call the functions that our own statements call.
enum StatementRules {
    private static let pragmas: Set<String> = [
        "application_id", "cache_size", "encoding", "foreign_key_check", "foreign_key_list", "index_info", "index_list",
        "table_xinfo", "user_version",
    ]
    private static let functions: Set<String> = ["length", "typeof", TextBytesFunction.name]

    /// - Parameters: what an authorizer is given (sqlite3_set_authorizer()): what is to be done, and to what.
    static func allows(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) -> Bool {
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_TRANSACTION: true
        case SQLITE_PRAGMA: first.map { pragmas.contains(String(cString: $0)) } ?? false
        case SQLITE_FUNCTION: second.map { functions.contains(String(cString: $0)) } ?? false
        default: false
        }
    }
}
