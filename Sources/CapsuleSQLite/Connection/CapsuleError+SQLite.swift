import CSQLite
import CapsuleCore

extension CapsuleError {
    /// Creates an error from a result code of SQLite (sqlite.org/rescode.html). This is the only place that interprets result
    /// codes.
    init(status: Int32, _ handle: OpaquePointer?) {
        let own = handle.map { sqlite3_errcode($0) & 0xFF == status & 0xFF } ?? false
        let text = (own ? handle.flatMap { sqlite3_errmsg($0) } : nil) ?? sqlite3_errstr(status)
        let message = text.map { String(cString: $0) } ?? "error \(status)"
        self.init(Self.code(status), message.asMessage)
    }

    /// True if the error is in the database itself, so that its other tables may still be readable.
    package var isDatabaseFault: Bool {
        errno == nil && (code == .damaged || code == .unsupported || code == .limit || code == .notDatabase)
    }

    private static func code(_ status: Int32) -> Code {
        // A file that ends too early, and a file whose file system reports that it is corrupt.
        if status == Extended.shortRead || status == Extended.corruptFileSystem { return .damaged }
        switch status & 0xFF {
        case SQLITE_NOTADB: return .notDatabase
        case SQLITE_CORRUPT, SQLITE_FORMAT, SQLITE_MISMATCH: return .damaged
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .busy
        case SQLITE_NOMEM, SQLITE_TOOBIG: return .limit
        case SQLITE_INTERRUPT: return .time
        case SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY: return .io
        default: return .unsupported
        }
    }

    /// Extended result codes. In C they are macro expressions, which Swift doesn't import.
    private enum Extended {
        static let shortRead = SQLITE_IOERR | 2 << 8
        static let corruptFileSystem = SQLITE_IOERR | 33 << 8
    }
}
