package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A system call that failed.
package struct FileSystemError: Error, Hashable, Sendable {
    /// What callers tell apart; all else is ``Code/other``.
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
        /// Want of permission (EACCES, EPERM, EROFS).
        package static let notPermitted = Code(value: .notPermitted)
        /// A component of the path is a link, or no directory.
        package static let throughLink = Code(value: .throughLink)
        /// A pipe, socket or device where a file was meant.
        package static let notAFile = Code(value: .notAFile)
        /// No room, or too large for the file system (ENOSPC, EDQUOT, EFBIG).
        package static let noSpace = Code(value: .noSpace)
        /// The user has asked to stop.
        package static let interrupted = Code(value: .interrupted)
        /// Nobody reads what is written (EPIPE).
        package static let brokenPipe = Code(value: .brokenPipe)
        /// What was made is there, whole; whether its name outlasts a power failure is not known.
        package static let unsynced = Code(value: .unsynced)
        /// A file that another program has changed meanwhile.
        package static let changed = Code(value: .changed)
        /// A file that another program is writing to (EWOULDBLOCK).
        package static let locked = Code(value: .locked)
        /// A name that the file system rejects because it is not UTF-8 (EILSEQ).
        package static let notUTF8 = Code(value: .notUTF8)
        /// A directory that the file system does not rename, as an overlay file system does not those of its lower layers.
        package static let unmovable = Code(value: .unmovable)
        /// Something that is longer than what is taken in.
        package static let tooLarge = Code(value: .tooLarge)
        /// All else.
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

    /// What callers tell apart.
    package let code: Code
    /// What was tried, as in `open` or `write`.
    package let operation: String
    /// What it was tried on.
    package let path: HostPath
    /// The system's own number (errno(3)).
    package let number: Int32

    package init(errno number: Int32, _ operation: String, _ path: HostPath) {
        // A device may answer EILSEQ for content that is damaged.
        let isContent = ["read", "write", "sync"].contains(operation)
        self.init(number == EILSEQ && isContent ? .other : Code(errno: number), errno: number, operation, path)
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

    /// Something is longer than what is taken in (EFBIG).
    package static func tooLarge(_ operation: String, _ path: HostPath) -> FileSystemError {
        FileSystemError(.tooLarge, errno: EFBIG, operation, path)
    }

    /// The file at `path` is not the one that was read or made.
    package static func changed(_ path: HostPath) -> FileSystemError {
        FileSystemError(.changed, errno: EBUSY, "replace", path)
    }

    /// What was to be at `path` is not there (ENOENT).
    package static func missing(_ path: HostPath) -> FileSystemError {
        FileSystemError(errno: ENOENT, "find", path)
    }

    /// What is at `path` is not ours to delete (EEXIST).
    package static func foreign(_ path: HostPath) -> FileSystemError {
        FileSystemError(errno: EEXIST, "delete a file of another program", path)
    }

    /// What is at `path` can't be renamed (EXDEV, though both names are on one device).
    static func unmovable(_ path: HostPath) -> FileSystemError {
        FileSystemError(.unmovable, errno: EXDEV, "rename", path)
    }

    /// Other users can exchange the names in the directory at `path` (EPERM).
    static func unsafe(_ path: HostPath) -> FileSystemError {
        FileSystemError(.other, errno: EPERM, "keep private files in a directory where other users can rename files", path)
    }

    /// The link at `path` may be another user's (EPERM).
    package static func foreignLink(_ path: HostPath) -> FileSystemError {
        FileSystemError(.other, errno: EPERM, "follow a link that another user may have made", path)
    }

    /// Whether a file would grow past what a limit of the process or the file system allows (EFBIG).
    package var isAtFileLimit: Bool { code == .noSpace && number == EFBIG }

    /// Whether a mount point is in the way, or the end of it (EXDEV).
    package var isOtherDevice: Bool { number == EXDEV && code != .unmovable }

    /// Somebody else has the lock of the file at `path`.
    static func locked(_ path: HostPath) -> FileSystemError {
        FileSystemError(.locked, errno: EWOULDBLOCK, "lock", path)
    }

    /// The file at `path` has its name, and the directory could not be synced.
    static func unsynced(_ error: FileSystemError, _ path: HostPath) -> FileSystemError {
        FileSystemError(.unsynced, errno: error.number, "sync the directory of the finished file", path)
    }

    /// The same failure, told of another path: a tree path in place of a single name.
    package func at(_ path: HostPath) -> FileSystemError {
        FileSystemError(code, errno: number, operation, path)
    }

    /// The failure to make `path`, or what is to take its place: where the directory forbids it, told of the directory.
    package func creating(_ path: HostPath) -> FileSystemError {
        guard number == EACCES else { return at(path) }
        let directory = path.directory
        return FileSystemError(code, errno: number, Self.entering, (try? RealPath.resolve(directory)) ?? directory)
    }

    /// What a directory has to permit for anything to be written in it, as in ``operation``.
    static let entering = "create files in this directory"

    /// What fails where a file can be reached and its full path can't be known, as in ``operation``.
    package static let resolving = "find its full path"

    /// What went wrong, lower case, no period, without the path: `cannot open: no such file or directory`.
    package var message: String {
        if code == .notAFile { return "is neither a file nor a directory" }
        if code == .unmovable {
            return "can't be renamed: it is a directory in a lower layer of an overlay file system"
        }
        if code == .changed { return "was changed by another program in the meantime, and is left unchanged" }
        if code == .locked { return "another process is writing to it" }
        return "cannot \(operation): \(reason)"
    }

    /// Why, without what was tried: `no such file or directory`.
    package var reason: String {
        // The system's own text is about characters, which a reader takes for the file's content.
        if code == .notUTF8 { return "this file system allows only UTF-8 names" }
        return Self.text(of: number).asMessage
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

/// What a user can do about a call that the system does not permit (EPERM).
///
/// A mode in the way is EACCES, whose own text says enough. EPERM also means a file of another user's that is not theirs to change.
package enum PermissionAdvice {
    /// The systems that have rules of their own.
    package enum Platform: Sendable, CaseIterable {
        case apple, linux

        /// The system that the program runs on.
        package static var current: Platform {
            #if canImport(Darwin)
            .apple
            #else
            .linux
            #endif
        }
    }

    /// The advice as a hint: lower case, no period; nil where there is none.
    ///
    /// - Parameters:
    ///   - operation: what was tried, as in ``FileSystemError/operation``.
    ///   - path: what it was tried on, from the root of the file system where that is known.
    package static func hint(for operation: String, on path: HostPath, platform: Platform) -> String? {
        if operation.hasPrefix("keep its ") { return keeping }
        let changes = isChange(operation)
        switch platform {
        case .linux: return changes ? immutable : nil
        case .apple:
            guard isAppData(path) else { return changes ? locked : nil }
            // Both rules can apply to a file that is to be changed, and the number does not say which one did.
            return changes ? "\(locked); otherwise \(fullDiskAccess)" : fullDiskAccess
        }
    }

    private static let keeping = "run the command as the file's owner or as root, or write to a different file"
    private static let immutable = "it may belong to another user, or be immutable: 'lsattr' shows that, 'chattr -i' removes it"
    private static let locked =
        "it may belong to another user, or be locked (uchg): 'ls -lO' shows that, 'chflags nouchg' unlocks it"
    private static let fullDiskAccess =
        "give the terminal Full Disk Access (System Settings > Privacy & Security > Full Disk Access)"

    private static let changingWords: Set<Substring> = [
        "create", "delete", "make", "remove", "rename", "replace", "resize", "set", "write",
    ]

    private static func isChange(_ operation: String) -> Bool {
        operation == "open for writing" || changingWords.contains(operation.prefix { $0 != " " })
    }

    /// Whether a path is in what macOS guards as the data of apps: `Library/Containers` or `Library/Group Containers`.
    private static func isAppData(_ path: HostPath) -> Bool {
        let names = path.bytes.split(separator: UInt8(ascii: "/"))
        return zip(names, names.dropFirst()).contains { parent, name in
            parent.elementsEqual("Library".utf8)
                && (name.elementsEqual("Containers".utf8) || name.elementsEqual("Group Containers".utf8))
        }
    }
}

extension FileSystemError {
    /// What to do about it, where the system forbids the call to this user, to this program, or on this file; nil for all else.
    package var permissionHint: String? {
        if operation == Self.entering {
            return "a file is written next to its target and then renamed, so the directory must be writable"
        }
        guard number == EPERM else { return nil }
        // A relative path does not say that it is an app's data; what can't be resolved may still have a directory that can.
        let real = (try? RealPath.resolve(path)) ?? (try? RealPath.resolve(path.directory)) ?? path
        return PermissionAdvice.hint(for: operation, on: real, platform: .current)
    }
}
