import CSQLite
import CapsuleCore

extension DatabaseError {
    /// What a result code of SQLite's comes to (sqlite.org/rescode.html): the one place where they are told apart.
    ///
    /// - Parameter handle: the connection, for its message; nil where there is none.
    init(status: Int32, _ handle: OpaquePointer?) {
        let own = handle.map { sqlite3_errcode($0) & 0xFF == status & 0xFF } ?? false
        let text = (own ? handle.flatMap { sqlite3_errmsg($0) } : nil) ?? sqlite3_errstr(status)
        let message = text.map { String(cString: $0) } ?? "error \(status)"
        self.init(Self.code(status), message.asMessage)
    }

    private static func code(_ status: Int32) -> Code {
        // A file that ends too early, and one whose file system says that it is broken.
        if status == Extended.shortRead || status == Extended.corruptFileSystem { return .damaged }
        switch status & 0xFF {
        case SQLITE_NOTADB: return .notDatabase
        case SQLITE_CORRUPT, SQLITE_FORMAT, SQLITE_MISMATCH: return .damaged
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .busy
        case SQLITE_NOMEM, SQLITE_TOOBIG: return .limit
        case SQLITE_INTERRUPT: return .time
        case SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY: return .fileSystem
        default: return .unsupported
        }
    }

    /// Extended codes are expressions of macros, which Swift doesn't see.
    private enum Extended {
        static let shortRead = SQLITE_IOERR | 2 << 8
        static let corruptFileSystem = SQLITE_IOERR | 33 << 8
    }
}
