import CSQLite
import CapsuleCore
package import CapsuleSystem

/// A database that can't be read, or not in the bounds that were set.
package struct DatabaseError: Error, Hashable, Sendable {
    /// What callers tell apart.
    package struct Code: Hashable, Sendable {
        private enum Value {
            case notDatabase, damaged, unsupported, busy, limit, time, interrupted, fileSystem, unread, resolution
        }
        private let value: Value

        /// The file is something else, or encrypted, which can't be told apart.
        package static let notDatabase = Code(value: .notDatabase)
        /// Pages, a log or a schema that contradict themselves.
        package static let damaged = Code(value: .damaged)
        /// A database that this SQLite can't read as it is, or that it would not be safe to read.
        package static let unsupported = Code(value: .unsupported)
        /// Somebody else has a lock: never of a private copy.
        package static let busy = Code(value: .busy)
        /// More memory, or a larger value, than is allowed.
        package static let limit = Code(value: .limit)
        /// The time or the work that was allowed is spent.
        package static let time = Code(value: .time)
        /// The user has asked to stop.
        package static let interrupted = Code(value: .interrupted)
        /// A system call failed; see ``DatabaseError/underlying`` where it was ours and not SQLite's.
        package static let fileSystem = Code(value: .fileSystem)
        /// The bytes of a file of the database can't be read, or are not those that the container promises: nothing is known of what
        /// the database holds.
        package static let unread = Code(value: .unread)
        /// What was decided about a conflict can't stand in its place: the decision is to blame, and no database.
        package static let resolution = Code(value: .resolution)
    }

    /// What callers tell apart.
    package let code: Code
    /// What is wrong, lower case, no period.
    package let message: String
    /// The system call that failed, where it was one of ours.
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

    /// Whether the database itself is to blame, so that the rest of it may still be read.
    var isOfDatabase: Bool {
        code == .damaged || code == .unsupported || code == .limit || code == .notDatabase
    }

    /// Runs `body`, whose system calls' errors become errors of the database.
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
