import CSQLite
import CapsuleCore
package import CapsuleSystem

/// An error in reading or merging a database, including a limit that was exceeded.
package struct DatabaseError: Error, Hashable, Sendable {
    /// The kind of an error.
    package struct Code: Hashable, Sendable {
        private enum Value {
            case notDatabase, damaged, unsupported, busy, limit, time, interrupted, fileSystem, unread, resolution
        }
        private let value: Value

        /// The file is not a database, or it is encrypted; the two can't be distinguished.
        package static let notDatabase = Code(value: .notDatabase)
        /// The pages, a log or the schema are inconsistent.
        package static let damaged = Code(value: .damaged)
        /// This SQLite can't read the database as it is, or reading it would not be safe.
        package static let unsupported = Code(value: .unsupported)
        /// Another connection holds a lock. This never happens with a private copy.
        package static let busy = Code(value: .busy)
        /// The database needs more memory, or has a larger value, than is allowed.
        package static let limit = Code(value: .limit)
        /// The allowed time or work was exceeded.
        package static let time = Code(value: .time)
        /// The user asked to stop.
        package static let interrupted = Code(value: .interrupted)
        /// A system call failed. ``DatabaseError/underlying`` has the error if Capsule made the call, not SQLite.
        package static let fileSystem = Code(value: .fileSystem)
        /// A file of the database can't be read, or its bytes are not those that the container promises. Nothing is known about the
        /// content of the database.
        package static let unread = Code(value: .unread)
        /// The resolution of a conflict can't be written to the database. The resolution is wrong, not a database.
        package static let resolution = Code(value: .resolution)
    }

    /// The kind of the error.
    package let code: Code
    /// A description of the error, in lower case, without a period.
    package let message: String
    /// The error of the system call, if Capsule made it.
    package let underlying: FileSystemError?

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        underlying = nil
    }

    package init(_ error: FileSystemError) {
        code = error.code == .interrupted ? .interrupted : .fileSystem
        message = error.message
        underlying = error
    }

    /// True if the error is in the database itself, so that its other tables may still be readable.
    var isDatabaseFault: Bool {
        code == .damaged || code == .unsupported || code == .limit || code == .notDatabase
    }

    /// Runs `body` and converts errors of its system calls to database errors.
    package static func wrapping<Result: ~Copyable>(
        _ body: () throws(FileSystemError) -> Result
    ) throws(DatabaseError) -> Result {
        do {
            return try body()
        } catch {
            throw DatabaseError(error)
        }
    }
}

extension DatabaseError {
    /// Creates an error from a result code of SQLite (sqlite.org/rescode.html). This is the only place that interprets result
    /// codes.
    ///
    /// - Parameter handle: the connection, for its error message; nil if there is none.
    init(status: Int32, _ handle: OpaquePointer?) {
        let own = handle.map { sqlite3_errcode($0) & 0xFF == status & 0xFF } ?? false
        let text = (own ? handle.flatMap { sqlite3_errmsg($0) } : nil) ?? sqlite3_errstr(status)
        let message = text.map { String(cString: $0) } ?? "error \(status)"
        self.init(Self.code(status), message.asMessage)
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
        case SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY: return .fileSystem
        default: return .unsupported
        }
    }

    /// Extended result codes. In C they are macro expressions, which Swift doesn't import.
    private enum Extended {
        static let shortRead = SQLITE_IOERR | 2 << 8
        static let corruptFileSystem = SQLITE_IOERR | 33 << 8
    }
}
