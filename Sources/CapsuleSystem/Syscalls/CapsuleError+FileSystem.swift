package import CapsuleCore

extension CapsuleError {
    /// Creates an error from a failed system call.
    ///
    /// - Parameter hint: a suggestion instead of the one that belongs to the failure.
    package init(_ error: FileSystemError, hint: String? = nil) {
        let code: Code =
            switch error.code {
            case .interrupted: .interrupted
            case .brokenPipe: .brokenPipe
            case .exists: .exists
            case .notFound: .notFound
            case .notPermitted: .notPermitted
            case .unsynced: .unsynced
            default: .failure
            }
        self.init(code, error.message, path: error.path, hint: hint ?? Self.hint(for: error))
    }

    private static func hint(for error: FileSystemError) -> String? {
        if error.operation == FileSystemError.resolving {
            return "you need permission to search each directory above it, and the full path must not be too long for the system"
        }
        return switch error.code {
        case .noSpace:
            error.isAtFileLimit
                ? "the file exceeds a size limit, such as that of 'ulimit -f'" : "free some space"
        case .locked: "'--lock-timeout' sets how many seconds to wait"
        case .unsynced: "the file is complete, but might be lost after a power failure"
        case .notPermitted: error.permissionHint
        case .unmovable: "delete it first, for example with 'rm -r', or write to another place"
        default: nil
        }
    }

    /// Runs `body` and converts its file system errors to `CapsuleError`.
    package static func wrapping<Result: ~Copyable>(_ body: () throws(FileSystemError) -> Result) throws(CapsuleError) -> Result {
        do {
            return try body()
        } catch {
            throw CapsuleError(error)
        }
    }

    /// Throws if the user asked to stop.
    ///
    /// - Throws: ``CapsuleError`` with the code `interrupted`.
    package static func checkInterruption() throws(CapsuleError) {
        try wrapping { () throws(FileSystemError) in try Interruption.check() }
    }
}
