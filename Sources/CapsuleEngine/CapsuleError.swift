import CapsuleArchive
public import CapsuleCore
import CapsuleFileSystem

/// What a use case ends with when it can't do what was asked.
public struct CapsuleError: Error, Sendable {
    /// What callers tell apart.
    public struct Code: Hashable, Sendable {
        private enum Value: String {
            case failure, exists, notFound, notPermitted, interrupted, brokenPipe, usage, unsynced, unfinished
        }
        private let value: Value
        /// The word that machine-readable reports have for it, which stays: `notFound`.
        public var word: String { value.rawValue }

        /// Anything that is none of the others.
        public static let failure = Code(value: .failure)
        /// The result is there already.
        public static let exists = Code(value: .exists)
        /// A file, an entry or a version that was named and is not there.
        public static let notFound = Code(value: .notFound)
        /// Want of permission.
        public static let notPermitted = Code(value: .notPermitted)
        /// The user asked to stop.
        public static let interrupted = Code(value: .interrupted)
        /// Nobody reads the listing any more, and none of it is needed: no failure.
        public static let brokenPipe = Code(value: .brokenPipe)
        /// Asked for what can't be asked for.
        public static let usage = Code(value: .usage)
        /// The result is there and whole, but may be gone after a power failure.
        public static let unsynced = Code(value: .unsynced)
        /// A transaction that could neither be done nor undone yet: it is to be recovered.
        public static let unfinished = Code(value: .unfinished)
    }

    /// What callers tell apart.
    public let code: Code
    /// What is wrong, lower case, no period, without ``path``.
    public let message: String
    /// The file it is about: a path of this machine, or an entry's.
    public let path: HostPath?
    /// Where in the file, `LINE:COLUMN`; nil where it is not about a place.
    public var place: String?
    /// Lines that belong to the message, each told by itself: the places it is about, or what there is to choose from.
    public var details: [String] = []
    /// What to do about it, lower case, no period, for people at a command line: it may name flags of the tool `capsule`. A
    /// program that has others leaves it out, as ``description`` does.
    public let hint: String?
    /// A word that was not understood, and those that would have been.
    public let misspelt: (typed: String, known: [String])?

    /// A plain failure.
    public init(_ message: String, path: HostPath? = nil, hint: String? = nil) {
        self.init(.failure, message, path: path, hint: hint)
    }

    /// Takes all parts as they are.
    public init(
        _ code: Code, _ message: String, path: HostPath? = nil, hint: String? = nil,
        misspelt: (typed: String, known: [String])? = nil
    ) {
        self.misspelt = misspelt
        self.code = code
        self.message = message
        self.path = path
        self.hint = hint
    }

    init(_ error: FileSystemError, hint: String? = nil) {
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

    init(_ error: ArchiveError, hint: String? = nil) {
        if let underlying = error.underlying {
            self.init(underlying, hint: hint)
        } else {
            self.init(error.code == .noSuchVersion ? .notFound : .failure, error.message, path: error.path, hint: hint)
        }
    }

    /// The same error, with a hint if it is for want of permission and has none.
    func hinting(ifDenied hint: String) -> CapsuleError {
        code == .notPermitted && self.hint == nil ? CapsuleError(code, message, path: path, hint: hint) : self
    }

    /// Runs `body`, whose system calls' errors become errors of the use case.
    static func wrapping<Result: ~Copyable>(_ body: () throws(FileSystemError) -> Result) throws(CapsuleError) -> Result {
        do {
            return try body()
        } catch {
            throw CapsuleError(error)
        }
    }

    /// Runs `body`, whose archive's errors become errors of the use case.
    static func wrappingArchive<Result: ~Copyable>(_ body: () throws(ArchiveError) -> Result) throws(CapsuleError) -> Result {
        do {
            return try body()
        } catch {
            throw CapsuleError(error)
        }
    }

    /// - Throws: the user's wish to stop.
    static func checkInterruption() throws(CapsuleError) {
        try wrapping { () throws(FileSystemError) in try Interruption.check() }
    }
}

extension CapsuleError: CustomStringConvertible {
    /// The message with the path and the place before it, as compilers say it; without the hint: `a.plist:3:5: unexpected '>'`.
    public var description: String {
        guard let path, !path.bytes.isEmpty else { return message }
        return "\(path)\(place.map { ":\($0)" } ?? ""): \(message)"
    }
}
