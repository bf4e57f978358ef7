package import CapsulePropertyList

/// The error that a use case throws when it can't do what was asked.
public struct CapsuleError: Error, Sendable {
    /// The category of an error, for callers that handle some errors differently.
    public struct Code: Hashable, Sendable {
        private enum Value {
            case failure, exists, notFound, notPermitted, interrupted, brokenPipe, usage, unsynced, unfinished
            case throughLink, notAFile, noSpace, changed, locked, notUTF8, unmovable, limit
            case notCapsule, otherFormat, damaged, torn, refused, unreadable, trailing
            case notDatabase, unsupported, busy, time, io, unread, resolution
        }
        private let value: Value

        /// Any error that has no code of its own.
        public static let failure = Code(value: .failure)
        /// The result already exists, or the directory is not empty.
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

        /// A component of the path is a link, or not a directory.
        public static let throughLink = Code(value: .throughLink)
        /// A pipe, socket or device was found instead of a file.
        public static let notAFile = Code(value: .notAFile)
        /// The disk or quota is full, or the file is too large for the file system.
        public static let noSpace = Code(value: .noSpace)
        /// Another program has changed the file meanwhile.
        public static let changed = Code(value: .changed)
        /// Another process has the file locked for writing.
        public static let locked = Code(value: .locked)
        /// The file system rejects a name because it is not UTF-8.
        public static let notUTF8 = Code(value: .notUTF8)
        /// The file system can't rename this directory, such as an overlay file system with a directory of a lower layer.
        public static let unmovable = Code(value: .unmovable)
        /// A content, a container or a database exceeds a limit.
        public static let limit = Code(value: .limit)

        /// The file is not a capsule.
        public static let notCapsule = Code(value: .notCapsule)
        /// The file has a format that this code doesn't read.
        public static let otherFormat = Code(value: .otherFormat)
        /// Bytes don't match their digest, or don't have the right format.
        public static let damaged = Code(value: .damaged)
        /// The file ends before its last version is complete.
        public static let torn = Code(value: .torn)
        /// A foreign archive has an entry that a tree can't hold.
        public static let refused = Code(value: .refused)
        /// A foreign archive can't be read.
        public static let unreadable = Code(value: .unreadable)
        /// A compressed stream is complete, but other bytes follow it.
        package static let trailing = Code(value: .trailing)

        /// The file is not a database, or it is encrypted; the two can't be distinguished.
        public static let notDatabase = Code(value: .notDatabase)
        /// This SQLite can't read the database as it is, or reading it would not be safe.
        public static let unsupported = Code(value: .unsupported)
        /// Another connection holds a lock.
        public static let busy = Code(value: .busy)
        /// The allowed time or work was exceeded.
        public static let time = Code(value: .time)
        /// SQLite could not read or write one of its files.
        public static let io = Code(value: .io)
        /// A file of a database can't be read, or its bytes are not those that the container promises. Nothing is known about the
        /// content of the database.
        public static let unread = Code(value: .unread)
        /// The resolution of a conflict can't be written to the database. The resolution is wrong, not a database.
        public static let resolution = Code(value: .resolution)

        /// The stable word for the code in machine-readable reports, such as `notFound`. Many codes share the word `failure`.
        public var word: String {
            switch value {
            case .exists: "exists"
            case .notFound: "notFound"
            case .notPermitted: "notPermitted"
            case .interrupted: "interrupted"
            case .brokenPipe: "brokenPipe"
            case .usage: "usage"
            case .unsynced: "unsynced"
            case .unfinished: "unfinished"
            default: "failure"
            }
        }

        package var isFailure: Bool { word == Code.failure.word }
    }

    private struct Fields: Sendable {
        package let code: Code
        let text: Text
        let path: HostPath?
        var place: String?
        var details: [String] = []
        let misspelt: (typed: String, known: [String])?
    }

    private enum Text: Sendable {
        case own(message: String, hint: String?)
        /// A failed system call, and a suggestion instead of the one that belongs to it.
        case cause(any ErrorCause, hint: String?)
    }

    @OnHeap private var fields: Fields

    /// The category of the error.
    public var code: Code { fields.code }
    /// The description of the problem, in lower case, without a period and without ``path``.
    public var message: String {
        switch fields.text {
        case .own(let message, _): message
        case .cause(let cause, _): cause.message
        }
    }
    /// The file or entry that the error is about: a path on this machine, or the path of an entry.
    public var path: HostPath? { fields.path }
    /// The position in the file, as `LINE:COLUMN`; nil if the error is not about a position.
    public var place: String? {
        get { fields.place }
        set { fields.place = newValue }
    }
    /// Lines that belong to the message, each printed separately, such as the places that the error is about or the possible
    /// choices.
    public var details: [String] {
        get { fields.details }
        set { fields.details = newValue }
    }
    /// A suggestion for people at a command line, in lower case and without a period. It may name flags of the tool `capsule`. A
    /// program with other flags leaves it out, as ``description`` does.
    public var hint: String? {
        switch fields.text {
        case .own(_, let hint): hint
        case .cause(let cause, let hint): hint ?? cause.hint(for: path)
        }
    }
    /// A word that was not recognized, and the words that would have been.
    public var misspelt: (typed: String, known: [String])? { fields.misspelt }
    /// The number of the system's error (errno(3)); nil if no system call failed.
    public var errno: Int32? { cause?.number }
    package var cause: (any ErrorCause)? {
        if case .cause(let cause, _) = fields.text { cause } else { nil }
    }

    /// Creates an error with the code ``Code/failure``.
    public init(_ message: String, path: HostPath? = nil, hint: String? = nil) {
        self.init(.failure, message, path: path, hint: hint)
    }

    /// Creates an error from its parts.
    public init(
        _ code: Code, _ message: String, path: HostPath? = nil, hint: String? = nil,
        misspelt: (typed: String, known: [String])? = nil
    ) {
        fields = Fields(code: code, text: .own(message: message, hint: hint), path: path, misspelt: misspelt)
    }

    package init(_ code: Code, _ cause: any ErrorCause, path: HostPath?) {
        fields = Fields(code: code, text: .cause(cause, hint: nil), path: path, misspelt: nil)
    }

    private init(_ error: CapsuleError, _ text: Text, path: HostPath?) {
        fields = Fields(
            code: error.code, text: text, path: path, place: error.place, details: error.details, misspelt: error.misspelt)
    }

    /// Returns the error with another suggestion. If it is nil, the error keeps its own.
    package func hinting(_ hint: String?) -> CapsuleError {
        guard let hint else { return self }
        switch fields.text {
        case .own(let message, _): return CapsuleError(self, .own(message: message, hint: hint), path: path)
        case .cause(let cause, _): return CapsuleError(self, .cause(cause, hint: hint), path: path)
        }
    }

    /// Returns the error with this hint if its code is `notPermitted` and it has no hint yet; otherwise the error itself.
    package func hinting(ifDenied hint: String) -> CapsuleError {
        code == .notPermitted && self.hint == nil ? hinting(hint) : self
    }

    /// Returns the same error about another path: a tree path instead of a single name.
    package func at(_ path: HostPath) -> CapsuleError { CapsuleError(self, fields.text, path: path) }
}

extension CapsuleError {
    /// Creates an error about a property list in a file, with the place where the error is.
    package init(_ error: PlistError, in path: HostPath) {
        var message = error.message
        if let pointer = error.pointer, !pointer.isEmpty { message += " (at \(pointer))" }
        var place: String?
        switch error.location {
        case .text(let line, let column)?: place = "\(line):\(column)"
        case let location?: message += " (\(location))"
        case nil: break
        }
        self.init(.failure, message, path: path, hint: error.hint)
        self.place = place
    }
}

/// A failed system call, which describes itself only when its error is read. Many such errors are expected and never shown.
package protocol ErrorCause: Sendable {
    var number: Int32 { get }
    var message: String { get }
    func hint(for path: HostPath?) -> String?
}

extension CapsuleError: CustomStringConvertible {
    /// The path, the position and the message, as compilers print them, without the hint: `a.plist:3:5: unexpected '>'`.
    public var description: String {
        guard let path, !path.bytes.isEmpty else { return message }
        return "\(path)\(place.map { ":\($0)" } ?? ""): \(message)"
    }
}
