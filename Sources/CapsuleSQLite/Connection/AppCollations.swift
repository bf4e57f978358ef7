import CSQLite

/// Orders that an app defined for itself, and that nobody else has.
///
/// A table whose key is in such an order can't be opened without it. Nothing is ever looked up by it here, so any order will do.
enum AppCollations {
    static func register(with handle: OpaquePointer) {
        sqlite3_collation_needed(handle, nil) { _, handle, _, name in
            _ = sqlite3_create_collation_v2(
                handle, name, SQLITE_UTF8, nil,
                { _, leftCount, left, rightCount, right in
                    UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                        .order(to: UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
                }, nil)
        }
    }
}
