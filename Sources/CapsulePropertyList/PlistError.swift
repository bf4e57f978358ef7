/// Why a property list could not be read or written, and where.
public struct PlistError: Error, Hashable, Sendable {
    /// What kind of error it is; programs look at this, never at the message.
    public let code: Code
    /// Lower case, no full stop, without the place.
    public let message: String
    /// The place in the bytes read; nil when writing.
    public var location: PlistLocation?
    /// A second place that the message is about: the first of two equal keys.
    public var related: PlistLocation?
    /// The value concerned, as a JSON Pointer (RFC 6901); empty for the root, nil where no value is concerned.
    public var pointer: String?
    /// What to do about it, if that is known.
    public var hint: String?

    init(
        _ code: Code,
        _ message: String,
        at location: PlistLocation? = nil,
        related: PlistLocation? = nil,
        pointer: String? = nil,
        hint: String? = nil
    ) {
        self.code = code
        self.message = message
        self.location = location
        self.related = related
        self.pointer = pointer
        self.hint = hint
    }

    /// The same error with a pointer, unless it has one already.
    func pointing(to steps: @autoclosure () -> [PlistPointerStep]) -> PlistError {
        guard pointer == nil, code != .notPropertyList else { return self }
        var error = self
        error.pointer = PlistPointerStep.pointer(steps())
        return error
    }
}

extension PlistError {
    /// What kind of error it is. More may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case notPropertyList, encoding, syntax, unknownElement, unsupported, invalidScalar, outOfRange, duplicateKey
            case damaged, cycle, limitExceeded, notRepresentable
            case missing, ambiguous, mismatch, exists
        }

        private let kind: Kind

        /// The bytes are of no known encoding of property lists.
        public static let notPropertyList = Code(kind: .notPropertyList)
        /// Text that is not valid in its encoding, or an encoding that is not read.
        public static let encoding = Code(kind: .encoding)
        /// Text that is not well formed, or elements that do not nest as in a property list.
        public static let syntax = Code(kind: .syntax)
        /// An XML element that property lists do not have.
        public static let unknownElement = Code(kind: .unknownElement)
        /// Something the format has but a property list's value can't hold: null, sets, entities, another version.
        public static let unsupported = Code(kind: .unsupported)
        /// A number, date or data that is misspelled.
        public static let invalidScalar = Code(kind: .invalidScalar)
        /// A number or date that is too large or too small.
        public static let outOfRange = Code(kind: .outOfRange)
        /// A key that a dictionary holds twice.
        public static let duplicateKey = Code(kind: .duplicateKey)
        /// A binary property list with an offset, count, size or reference that can't be, or such a keyed archive.
        public static let damaged = Code(kind: .damaged)
        /// A binary container that contains itself.
        public static let cycle = Code(kind: .cycle)
        /// One of `PlistLimits`.
        public static let limitExceeded = Code(kind: .limitExceeded)
        /// A value that the encoding written can't hold.
        public static let notRepresentable = Code(kind: .notRepresentable)

        /// A pointer that leads nowhere.
        public static let missing = Code(kind: .missing)
        /// A pointer that several elements fit.
        public static let ambiguous = Code(kind: .ambiguous)
        /// A value of a type with which what was asked for can't be done.
        public static let mismatch = Code(kind: .mismatch)

        /// A key to add that is there already.
        public static let exists = Code(kind: .exists)

        /// The code's name, `duplicateKey`.
        public var description: String { kind.rawValue }
    }
}

extension PlistError {
    /// An edit that appends to what is no array.
    package static func noArray(_ value: PlistValue, at pointer: PlistPointer) -> PlistError {
        PlistError(
            .mismatch, "\(value.typeNameWithArticle) is not an array, so nothing can be appended",
            pointer: pointer.description)
    }

    /// An edit that adds a key which is there already.
    package static func exists(at pointer: PlistPointer) -> PlistError {
        PlistError(
            .exists, "the key \((pointer.last ?? "").quoted) already exists", pointer: pointer.description,
            hint: "'plist set' changes its value")
    }
}

extension PlistError: CustomStringConvertible {
    /// `PLACE: MESSAGE (at POINTER)`, with the parts that are known.
    public var description: String {
        let place = location.map { "\($0): " } ?? ""
        let path = pointer.map { $0.isEmpty ? "" : " (at \($0))" } ?? ""
        return place + message + path
    }
}
