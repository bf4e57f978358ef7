/// The error that a use case throws when it can't do what was asked.
public struct CapsuleError: Error, Sendable {
    /// The category of an error, for callers that handle some errors differently.
    public struct Code: Hashable, Sendable {
        private enum Value: String {
            case failure, exists, notFound, notPermitted, interrupted, brokenPipe, usage, unsynced, unfinished
        }
        private let value: Value
        /// The stable word for the code in machine-readable reports, such as `notFound`.
        public var word: String { value.rawValue }

        /// Any error that has no code of its own.
        public static let failure = Code(value: .failure)
        /// The result already exists.
        public static let exists = Code(value: .exists)
        /// A named file, entry or version does not exist.
        public static let notFound = Code(value: .notFound)
        /// The process lacks a permission.
        public static let notPermitted = Code(value: .notPermitted)
        /// The user asked to stop.
        public static let interrupted = Code(value: .interrupted)
        /// The reader of a listing closed the pipe. This is not a failure, because the rest of the listing is not needed.
        public static let brokenPipe = Code(value: .brokenPipe)
        /// The request is not valid, such as an output inside the container that is read.
        public static let usage = Code(value: .usage)
        /// The result is complete, but could be lost in a power failure.
        public static let unsynced = Code(value: .unsynced)
        /// A transaction could be neither completed nor undone yet. It must be recovered.
        public static let unfinished = Code(value: .unfinished)
    }

    /// The category of the error.
    public let code: Code
    /// The description of the problem, in lower case, without a period and without ``path``.
    public let message: String
    /// The file or entry that the error is about: a path on this machine, or the path of an entry.
    public let path: HostPath?
    /// The position in the file, as `LINE:COLUMN`; nil if the error is not about a position.
    public var place: String?
    /// Lines that belong to the message, each printed separately, such as the places that the error is about or the possible
    /// choices.
    public var details: [String] = []
    /// A suggestion for people at a command line, in lower case and without a period. It may name flags of the tool `capsule`. A
    /// program with other flags leaves it out, as ``description`` does.
    public let hint: String?
    /// A word that was not recognized, and the words that would have been.
    public let misspelt: (typed: String, known: [String])?

    /// Creates an error with the code ``Code/failure``.
    public init(_ message: String, path: HostPath? = nil, hint: String? = nil) {
        self.init(.failure, message, path: path, hint: hint)
    }

    /// Creates an error from its parts.
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

    /// Returns the error with this hint if its code is `notPermitted` and it has no hint yet; otherwise the error itself.
    package func hinting(ifDenied hint: String) -> CapsuleError {
        code == .notPermitted && self.hint == nil ? CapsuleError(code, message, path: path, hint: hint) : self
    }
}

extension CapsuleError: CustomStringConvertible {
    /// The path, the position and the message, as compilers print them, without the hint: `a.plist:3:5: unexpected '>'`.
    public var description: String {
        guard let path, !path.bytes.isEmpty else { return message }
        return "\(path)\(place.map { ":\($0)" } ?? ""): \(message)"
    }
}
