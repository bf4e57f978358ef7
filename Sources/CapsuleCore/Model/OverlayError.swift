public import CapsulePropertyList

/// Why an overlay can't be read, checked or applied, and where; also why a document of rules or an expectation can't be read.
public struct OverlayError: Error, Hashable, Sendable {
    /// What callers tell apart.
    public struct Code: Hashable, Sendable {
        private enum Value {
            case invalid, clash, missing, ambiguous, unpaired, failedTest, undefined, unsupported, limit, unreadable
        }
        private let value: Value

        /// The overlay itself is wrong: an unknown key or operation, a value of the wrong type.
        public static let invalid = Code(value: .invalid)
        /// Base and overlay have types that don't merge.
        public static let clash = Code(value: .clash)
        /// A pointer leads nowhere.
        public static let missing = Code(value: .missing)
        /// Several elements are meant.
        public static let ambiguous = Code(value: .ambiguous)
        /// An element of an array without the key that its array pairs by.
        public static let unpaired = Code(value: .unpaired)
        /// A `test` does not hold.
        public static let failedTest = Code(value: .failedTest)
        /// A name to expand that has no value.
        public static let undefined = Code(value: .undefined)
        /// What an overlay of this kind, or for this use, can't say.
        public static let unsupported = Code(value: .unsupported)
        /// Too much of something.
        public static let limit = Code(value: .limit)
        /// The bytes are of no property list.
        public static let unreadable = Code(value: .unreadable)
    }

    /// What callers tell apart.
    public let code: Code
    /// What is wrong, lower case, no period, without the place.
    public let message: String
    /// The place in the base that was to be changed; nil where it is not about one.
    public var target: PlistPointer?
    /// The place in the overlay's own document; nil where it is not known.
    public var source: PlistPointer?
    /// Whether it is about what the overlay says at ``target``, and not about what is there in the base.
    public var isAboutOverlay = false
    /// The place in the overlay's bytes, where reading them failed.
    public var location: PlistLocation?
    /// What to write instead, lower case, no period.
    public let hint: String?
    /// Other tests of the same target that do not hold either, the first of them.
    public internal(set) var others: [OverlayError] = []

    init(
        _ code: Code, _ message: String, at target: PlistPointer? = nil, in source: PlistPointer? = nil, hint: String? = nil
    ) {
        self.code = code
        self.message = message
        self.target = target
        self.source = source
        self.hint = hint
    }

    /// An error of the property list that was to be changed, or of the overlay's bytes.
    init(_ error: PlistError, at target: PlistPointer? = nil, in source: PlistPointer? = nil) {
        let code: Code =
            switch error.code {
            case .missing: .missing
            case .ambiguous: .ambiguous
            case .mismatch: .clash
            case .limitExceeded: .limit
            case .unsupported, .notRepresentable: .unsupported
            default: .unreadable
            }
        self.init(code, error.message, at: target, in: source, hint: error.hint)
        location = error.location
    }

    /// What `--arrays` can't be: it says no identity.
    package static func noIdentity(_ text: String) -> OverlayError {
        OverlayError(
            .invalid, "\(PlistString(text).quoted) does not set an identity", hint: "write 'PATTERN=set' or 'PATTERN=keyed(KEY)'")
    }

    /// The same error, with the place in the overlay if it has none.
    func located(in source: PlistPointer) -> OverlayError {
        guard self.source == nil else { return self }
        var error = self
        error.source = source
        return error
    }
}

extension OverlayError: CustomStringConvertible {
    /// `MESSAGE (at POINTER)`
    public var description: String {
        message + (target.map { " (at \($0.isRoot ? "the root" : $0.description))" } ?? "")
    }
}

/// What an overlay did that is worth a word, and no error.
public struct OverlayNote: Hashable, Sendable {
    /// The place in the property list; nil where it is about the whole overlay.
    public let target: PlistPointer?
    /// Lower case, no period.
    public let message: String
    /// What to write if it was not meant, lower case, no period.
    public let hint: String?
    /// The message, with the place behind it unless that is the whole property list.
    public var text: String { message + (target.map { $0.isRoot ? "" : " (at \($0))" } ?? "") }

    package init(_ message: String, at target: PlistPointer? = nil, hint: String? = nil) {
        self.target = target
        self.message = message
        self.hint = hint
    }
}
