package import CapsuleCore

/// The system call behind an error.
package struct FailedCall: ErrorCause, Hashable {
    let code: CapsuleError.Code
    package let operation: String
    package let number: Int32

    package var message: String {
        if code == .notAFile { return "is neither a file nor a directory" }
        if code == .unmovable {
            return "can't be renamed: it is a directory in a lower layer of an overlay file system"
        }
        if code == .changed { return "was changed by another program in the meantime, and is left unchanged" }
        if code == .locked { return "another process is writing to it" }
        return "cannot \(operation): \(reason)"
    }

    var reason: String {
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

    package func hint(for path: HostPath?) -> String? {
        if operation == Self.resolving {
            return "you need permission to search each directory above it, and the full path must not be too long for the system"
        }
        return switch code {
        case .noSpace:
            number == EFBIG ? "the file exceeds a size limit, such as that of 'ulimit -f'" : "free some space"
        case .locked: "'--lock-timeout' sets how many seconds to wait"
        case .unsynced: "the file is complete, but might be lost after a power failure"
        case .notPermitted: permissionHint(for: path)
        case .unmovable: "delete it first, for example with 'rm -r', or write to another place"
        default: nil
        }
    }

    private func permissionHint(for path: HostPath?) -> String? {
        if operation == Self.entering {
            return "a file is written next to its target and then renamed, so the directory must be writable"
        }
        guard number == EPERM, let path else { return nil }
        // A relative path does not show that it leads to an app's data. If the path can't be resolved, its directory may be.
        let real = (try? RealPath.resolve(path)) ?? (try? RealPath.resolve(path.directory)) ?? path
        return PermissionAdvice.hint(for: operation, on: real, platform: .current)
    }

    /// The ``operation`` that a directory must permit before anything can be written in it.
    static let entering = "create files in this directory"

    /// The ``operation`` that fails if a file can be reached but its full path can't be determined.
    static let resolving = "find its full path"
}

extension CapsuleError {
    package init(errno number: Int32, _ operation: String, _ path: HostPath) {
        // A device may report EILSEQ for damaged content.
        let isContent = ["read", "write", "sync"].contains(operation)
        self.init(number == EILSEQ && isContent ? .failure : Code(errno: number), errno: number, operation, path)
    }

    private init(_ code: Code, errno number: Int32, _ operation: String, _ path: HostPath) {
        self.init(code, FailedCall(code: code, operation: operation, number: number), path: path)
    }

    package var call: FailedCall? { cause as? FailedCall }

    package static func notAFile(_ path: HostPath) -> CapsuleError {
        CapsuleError(.notAFile, errno: EINVAL, "read", path)
    }

    package static func tooLarge(_ operation: String, _ path: HostPath) -> CapsuleError {
        CapsuleError(.limit, errno: EFBIG, operation, path)
    }

    package static func changed(_ path: HostPath) -> CapsuleError {
        CapsuleError(.changed, errno: EBUSY, "replace", path)
    }

    package static func missing(_ path: HostPath) -> CapsuleError {
        CapsuleError(errno: ENOENT, "find", path)
    }

    /// The entry at `path` was not made by Capsule and must not be deleted (EEXIST).
    package static func foreign(_ path: HostPath) -> CapsuleError {
        CapsuleError(errno: EEXIST, "delete a file of another program", path)
    }

    /// The directory at `path` can't be renamed (EXDEV, though both names are on one device).
    static func unmovable(_ path: HostPath) -> CapsuleError {
        CapsuleError(.unmovable, errno: EXDEV, "rename", path)
    }

    /// Other users can exchange the names in the directory at `path` (EPERM).
    static func unsafe(_ path: HostPath) -> CapsuleError {
        CapsuleError(.failure, errno: EPERM, "keep private files in a directory where other users can rename files", path)
    }

    /// The link at `path` may belong to another user (EPERM).
    package static func foreignLink(_ path: HostPath) -> CapsuleError {
        CapsuleError(.failure, errno: EPERM, "follow a link that another user may have made", path)
    }

    package var isOtherDevice: Bool { errno == EXDEV && code != .unmovable }

    static func locked(_ path: HostPath) -> CapsuleError {
        CapsuleError(.locked, errno: EWOULDBLOCK, "lock", path)
    }

    static func unsynced(_ error: CapsuleError, _ path: HostPath) -> CapsuleError {
        CapsuleError(.unsynced, errno: error.errno ?? EIO, "sync the directory of the finished file", path)
    }

    /// Returns the failure to create `path`, or its replacement. If the directory forbids it, the failure names the directory.
    package func creating(_ path: HostPath) -> CapsuleError {
        guard errno == EACCES else { return at(path) }
        let directory = path.directory
        return CapsuleError(code, errno: EACCES, FailedCall.entering, (try? RealPath.resolve(directory)) ?? directory)
    }

    package static func checkInterruption() throws(CapsuleError) { try Interruption.check() }
}

extension CapsuleError.Code {
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
        default: self = .failure
        }
    }
}
