package import CapsuleCore
package import CapsuleFileSystem

/// An archive that can't be read or written.
package struct ArchiveError: Error, Sendable {
    /// What callers tell apart.
    package struct Code: Hashable, Sendable {
        private enum Value {
            case notCapsule, newerFormat, damaged, torn, noSuchVersion, limit, refused, unreadable, fileSystem, trailing
        }
        private let value: Value

        /// The file is something else.
        package static let notCapsule = Code(value: .notCapsule)
        /// A major format that this code doesn't know.
        package static let newerFormat = Code(value: .newerFormat)
        /// Bytes that don't agree with their digest, or are not of the format.
        package static let damaged = Code(value: .damaged)
        /// The file ends before its last version is whole.
        package static let torn = Code(value: .torn)
        /// A version that was asked for and that the file has not.
        package static let noSuchVersion = Code(value: .noSuchVersion)
        /// More than a limit of the format allows.
        package static let limit = Code(value: .limit)
        /// A foreign archive's entry that no tree may hold.
        package static let refused = Code(value: .refused)
        /// A foreign archive that libarchive can't read.
        package static let unreadable = Code(value: .unreadable)
        /// A system call failed; see ``ArchiveError/underlying``.
        package static let fileSystem = Code(value: .fileSystem)
        /// A compressed stream is whole, and something else follows it.
        static let trailing = Code(value: .trailing)
    }

    /// What callers tell apart.
    package let code: Code
    /// What is wrong and where, lower case, no period.
    package let message: String
    /// The archive.
    package let path: HostPath
    /// The system call that failed, where one did.
    package let underlying: FileSystemError?

    package init(_ code: Code, _ message: String, path: HostPath) {
        self.code = code
        self.message = message
        self.path = path
        underlying = nil
    }

    package init(_ error: FileSystemError) {
        code = .fileSystem
        message = error.message
        path = error.path
        underlying = error
    }

    /// Runs `body`, whose system calls' errors become errors of the archive.
    package static func wrapping<Result: ~Copyable>(
        _ body: () throws(FileSystemError) -> Result
    ) throws(ArchiveError) -> Result {
        do {
            return try body()
        } catch {
            throw ArchiveError(error)
        }
    }
}
