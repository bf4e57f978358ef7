import CSQLite
import Foundation

/// The app's store, a SQLite database with its log.
final class GifStore {
    /// A failure, with SQLite's message.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let handle: OpaquePointer

    /// Opens the store, and creates it if it does not exist.
    init(at url: URL) throws {
        var opened: OpaquePointer?
        let status = sqlite3_open(url.path, &opened)
        guard status == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            throw Failure(description: "\(url.path): \(String(cString: sqlite3_errstr(status)))")
        }
        handle = opened
        try execute("CREATE TABLE IF NOT EXISTS ZGIF (Z_PK INTEGER PRIMARY KEY, ZTITLE VARCHAR)")
        // Stores from before version 2.0 don't count plays.
        if try !rows("SELECT name FROM pragma_table_info('ZGIF')").contains("ZPLAYS") {
            try execute("ALTER TABLE ZGIF ADD COLUMN ZPLAYS INTEGER NOT NULL DEFAULT 0")
        }
    }

    deinit { sqlite3_close(handle) }

    /// The titles of all GIFs, oldest first.
    func titles() throws -> [String] { try rows("SELECT ZTITLE FROM ZGIF ORDER BY Z_PK") }

    /// The number of times that each GIF was played, oldest first.
    func plays() throws -> [String] { try rows("SELECT ZPLAYS FROM ZGIF ORDER BY Z_PK") }

    private func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    /// Returns the first column of the rows that a query finds, as text.
    private func rows(_ sql: String) throws -> [String] {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK else { throw failure }
        defer { sqlite3_finalize(prepared) }
        var found: [String] = []
        while sqlite3_step(prepared) == SQLITE_ROW {
            if let text = sqlite3_column_text(prepared, 0) { found.append(String(cString: text)) }
        }
        return found
    }

    private var failure: Failure { Failure(description: String(cString: sqlite3_errmsg(handle))) }
}
