package import CapsuleCore

/// A system call that failed.
package struct FileSystemError: Error, Hashable, Sendable {
    /// The errors that callers distinguish; all others are ``Code/other``.
    package struct Code: Hashable, Sendable {
        private enum Value {
            case notFound, exists, notPermitted, throughLink, notAFile, noSpace, interrupted, brokenPipe, unsynced, changed,
                locked, notUTF8, unmovable, tooLarge,
                other
        }
        private let value: Value

        /// Nothing has that name (ENOENT).
        package static let notFound = Code(value: .notFound)
        /// The name is taken, or the directory is not empty (EEXIST, ENOTEMPTY).
        package static let exists = Code(value: .exists)
        /// Permission is missing (EACCES, EPERM, EROFS).
        package static let notPermitted = Code(value: .notPermitted)
        /// A component of the path is a link, or not a directory (ELOOP, ENOTDIR).
        package static let throughLink = Code(value: .throughLink)
        /// A pipe, socket or device was found instead of a file.
        package static let notAFile = Code(value: .notAFile)
        /// The disk or quota is full, or the file is too large for the file system (ENOSPC, EDQUOT, EFBIG).
        package static let noSpace = Code(value: .noSpace)
        /// The user asked to stop.
        package static let interrupted = Code(value: .interrupted)
        /// The pipe has no reader any more (EPIPE).
        package static let brokenPipe = Code(value: .brokenPipe)
        /// The file is complete and has its name, but the name may not survive a power failure.
        package static let unsynced = Code(value: .unsynced)
        /// Another program has changed the file meanwhile.
        package static let changed = Code(value: .changed)
        /// Another program has the file locked for writing (EWOULDBLOCK).
        package static let locked = Code(value: .locked)
        /// The file system rejects a name because it is not UTF-8 (EILSEQ).
        package static let notUTF8 = Code(value: .notUTF8)
        /// The file system can't rename this directory, such as an overlay file system with a directory of a lower layer.
        package static let unmovable = Code(value: .unmovable)
        /// The content is longer than the limit of the caller.
        package static let tooLarge = Code(value: .tooLarge)
        /// Any other error.
        package static let other = Code(value: .other)

        private init(value: Value) { self.value = value }

        init(errno number: Int32) {
            switch number {
            case ENOENT: self = .notFound
            case EEXIST, ENOTEMPTY: self = .exists
            case EACCES, EPERM, EROFS: self = .notPermitted
            case ELOOP, ENOTDIR: self = .throughLink
            case ENOSPC, EDQUOT, EFBIG: self = .noSpace
            case EINTR: self = .interrupted
            case EPIPE: self = .brokenPipe
            case EILSEQ: self = .notUTF8
            default: self = .other
            }
        }
    }

    /// The kind of error that callers distinguish.
    package let code: Code
    /// The operation that failed, such as `open` or `write`.
    package let operation: String
    /// The path that the operation was for.
    package let path: HostPath
    /// The system's error number (errno(3)).
    package let number: Int32

    package init(errno number: Int32, _ operation: String, _ path: HostPath) {
        // A device may report EILSEQ for damaged content.
        let isContent = ["read", "write", "sync"].contains(operation)
        self.init(number == EILSEQ && isContent ? .other : Code(errno: number), errno: number, operation, path)
    }

    private init(_ code: Code, errno number: Int32, _ operation: String, _ path: HostPath) {
        self.code = code
        self.number = number
        self.operation = operation
        self.path = path
    }

    /// The path leads to a pipe, socket or device (EINVAL).
    package static func notAFile(_ path: HostPath) -> FileSystemError {
        FileSystemError(.notAFile, errno: EINVAL, "read", path)
    }

    /// The content is longer than the limit of the caller (EFBIG).
    package static func tooLarge(_ operation: String, _ path: HostPath) -> FileSystemError {
        FileSystemError(.tooLarge, errno: EFBIG, operation, path)
    }

    /// The file at `path` is not the one that was read or made.
    package static func changed(_ path: HostPath) -> FileSystemError {
        FileSystemError(.changed, errno: EBUSY, "replace", path)
    }

    /// The entry expected at `path` does not exist (ENOENT).
    package static func missing(_ path: HostPath) -> FileSystemError {
        FileSystemError(errno: ENOENT, "find", path)
    }

    /// The entry at `path` was not made by Capsule and must not be deleted (EEXIST).
    package static func foreign(_ path: HostPath) -> FileSystemError {
        FileSystemError(errno: EEXIST, "delete a file of another program", path)
    }

    /// The directory at `path` can't be renamed (EXDEV, though both names are on one device).
    static func unmovable(_ path: HostPath) -> FileSystemError {
        FileSystemError(.unmovable, errno: EXDEV, "rename", path)
    }

    /// Other users can exchange the names in the directory at `path` (EPERM).
    static func unsafe(_ path: HostPath) -> FileSystemError {
        FileSystemError(.other, errno: EPERM, "keep private files in a directory where other users can rename files", path)
    }

    /// The link at `path` may belong to another user (EPERM).
    package static func foreignLink(_ path: HostPath) -> FileSystemError {
        FileSystemError(.other, errno: EPERM, "follow a link that another user may have made", path)
    }

    /// True if a file would grow past a limit of the process or the file system (EFBIG).
    package var isAtFileLimit: Bool { code == .noSpace && number == EFBIG }

    /// True if the path crosses to another device (EXDEV).
    package var isOtherDevice: Bool { number == EXDEV && code != .unmovable }

    /// Another process has the lock of the file at `path`.
    static func locked(_ path: HostPath) -> FileSystemError {
        FileSystemError(.locked, errno: EWOULDBLOCK, "lock", path)
    }

    /// The file at `path` has its name, but the directory could not be synced.
    static func unsynced(_ error: FileSystemError, _ path: HostPath) -> FileSystemError {
        FileSystemError(.unsynced, errno: error.number, "sync the directory of the finished file", path)
    }

    /// Returns the same failure with another path: a tree path instead of a single name.
    package func at(_ path: HostPath) -> FileSystemError {
        FileSystemError(code, errno: number, operation, path)
    }

    /// Returns the failure to create `path`, or its replacement. If the directory forbids it, the failure names the directory.
    package func creating(_ path: HostPath) -> FileSystemError {
        guard number == EACCES else { return at(path) }
        let directory = path.directory
        return FileSystemError(code, errno: number, Self.entering, (try? RealPath.resolve(directory)) ?? directory)
    }

    /// The ``operation`` that a directory must permit before anything can be written in it.
    static let entering = "create files in this directory"

    /// The ``operation`` that fails if a file can be reached but its full path can't be determined.
    package static let resolving = "find its full path"

    /// The message in lower case, without a period and without the path: `cannot open: no such file or directory`.
    package var message: String {
        if code == .notAFile { return "is neither a file nor a directory" }
        if code == .unmovable {
            return "can't be renamed: it is a directory in a lower layer of an overlay file system"
        }
        if code == .changed { return "was changed by another program in the meantime, and is left unchanged" }
        if code == .locked { return "another process is writing to it" }
        return "cannot \(operation): \(reason)"
    }

    /// The reason, without the operation: `no such file or directory`.
    package var reason: String {
        // The system's own text is about characters, and would be mistaken for a problem with the file's content.
        if code == .notUTF8 { return "this file system allows only UTF-8 names" }
        return Self.text(of: number).asMessage
    }

    private static func text(of number: Int32) -> String {
        #if canImport(Glibc)
        // Since glibc 2.32, the text of an unknown number is in thread-local memory.
        return String(cString: strerror(number))
        #else
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            buffer.initialize(repeating: 0)
            guard let base = buffer.baseAddress, strerror_r(number, base, buffer.count) == 0 else { return "error \(number)" }
            return String(cString: base)
        }
        #endif
    }
}
