public import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A system call that failed.
public struct FileSystemError: Error, Hashable, Sendable {
    /// What callers tell apart; all else is ``Code/other``.
    public struct Code: Hashable, Sendable {
        private enum Value {
            case notFound, exists, notPermitted, throughLink, notAFile, noSpace, interrupted, brokenPipe, unsynced, other
        }
        private let value: Value

        public static let notFound = Code(value: .notFound)
        public static let exists = Code(value: .exists)
        public static let notPermitted = Code(value: .notPermitted)
        /// A component of the path is a link, or no directory.
        public static let throughLink = Code(value: .throughLink)
        /// A pipe, socket or device where a file was meant.
        public static let notAFile = Code(value: .notAFile)
        public static let noSpace = Code(value: .noSpace)
        /// The user has asked to stop.
        public static let interrupted = Code(value: .interrupted)
        public static let brokenPipe = Code(value: .brokenPipe)
        /// What was made is there, whole; whether its name outlasts a power failure is not known.
        public static let unsynced = Code(value: .unsynced)
        public static let other = Code(value: .other)

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
            default: self = .other
            }
        }
    }

    public let code: Code
    /// What was tried, as in `open` or `write`.
    public let operation: String
    /// What it was tried on.
    public let path: HostPath
    /// The system's own number (errno(3)).
    public let number: Int32

    package init(errno number: Int32, _ operation: String, _ path: HostPath) {
        self.init(Code(errno: number), errno: number, operation, path)
    }

    private init(_ code: Code, errno number: Int32, _ operation: String, _ path: HostPath) {
        self.code = code
        self.number = number
        self.operation = operation
        self.path = path
    }

    /// What is there is a pipe, socket or device (EINVAL).
    package static func notAFile(_ path: HostPath) -> FileSystemError {
        FileSystemError(.notAFile, errno: EINVAL, "read", path)
    }

    /// Something grew past what may be (EFBIG).
    package static func tooLarge(_ operation: String, _ path: HostPath) -> FileSystemError {
        FileSystemError(errno: EFBIG, operation, path)
    }

    /// The file at `path` has its name, and the directory could not be synced.
    static func unsynced(_ error: FileSystemError, _ path: HostPath) -> FileSystemError {
        FileSystemError(.unsynced, errno: error.number, "sync the directory of the finished file", path)
    }

    /// The same failure, told of another path: a tree path in place of a single name.
    package func at(_ path: HostPath) -> FileSystemError {
        FileSystemError(code, errno: number, operation, path)
    }

    /// What went wrong, lower case, no period, without the path: `cannot open: no such file or directory`.
    public var message: String {
        if code == .notAFile { return "is neither a file nor a directory" }
        let text = Self.text(of: number)
        return "cannot \(operation): \(text.prefix(1).lowercased())\(text.dropFirst())"
    }

    private static func text(of number: Int32) -> String {
        #if canImport(Glibc)
        // Since glibc 2.32 the text of an unknown number is the thread's own.
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
