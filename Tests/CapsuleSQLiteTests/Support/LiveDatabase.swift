import CSQLite
import TestSupport

/// A database that a test writes with SQLite itself.
final class LiveDatabase {
    let path: String
    private let handle: OpaquePointer

    init(_ path: String, _ sql: String = "") throws {
        self.path = path
        var opened: OpaquePointer?
        guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else { throw SupportError("cannot open \(path)") }
        handle = opened
        // A collation that only an app knows. CapsuleSQLite does not.
        _ = sqlite3_create_collation_v2(
            handle, "backwards", SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
                return left.elementsEqual(right) ? 0 : right.lexicographicallyPrecedes(left) ? -1 : 1
            }, nil)
        try run(sql)
    }

    deinit {
        sqlite3_close(handle)
    }

    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw SupportError("\(String(cString: sqlite3_errmsg(handle))) in \(sql.prefix(300))")
        }
    }

    /// Lets the following statements write to the schema, without any checks.
    func openSchema() throws {
        _ = capsule_sqlite_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
        try run("PRAGMA writable_schema=ON")
    }

    /// Returns the rows of a query, with each value as text.
    func rows(_ sql: String) throws -> [[String]] {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK else {
            throw SupportError("\(String(cString: sqlite3_errmsg(handle))) in \(sql.prefix(300))")
        }
        defer { sqlite3_finalize(prepared) }
        var rows: [[String]] = []
        while sqlite3_step(prepared) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(prepared)).map {
                    sqlite3_column_text(prepared, $0).map { String(cString: $0) } ?? "NULL"
                })
        }
        return rows
    }
}
