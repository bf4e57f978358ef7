/// An error in reading or writing a property list, with its position.
public struct PlistError: Error, Hashable, Sendable {
    private struct Fields: Hashable, Sendable {
        let code: Code
        let message: String
        var location: PlistLocation?
        var related: PlistLocation?
        var pointer: String?
        var hint: String?
    }

    @OnHeap private var fields: Fields

    /// The kind of the error. Programs should examine this and not the message.
    public var code: Code { fields.code }
    /// A description of the error, in lower case, without a period and without the position.
    public var message: String { fields.message }
    /// The position in the bytes that were read; nil for errors in writing.
    public var location: PlistLocation? {
        get { fields.location }
        set { fields.location = newValue }
    }
    /// A second position that the message refers to: that of the first of two equal keys.
    public var related: PlistLocation? {
        get { fields.related }
        set { fields.related = newValue }
    }
    /// The affected value, as a JSON Pointer (RFC 6901); empty for the root, nil if there is no such value.
    public var pointer: String? {
        get { fields.pointer }
        set { fields.pointer = newValue }
    }
    /// A suggestion to fix the error, if there is one.
    public var hint: String? {
        get { fields.hint }
        set { fields.hint = newValue }
    }

    init(
        _ code: Code,
        _ message: String,
        at location: PlistLocation? = nil,
        related: PlistLocation? = nil,
        pointer: String? = nil,
        hint: String? = nil
    ) {
        fields = Fields(code: code, message: message, location: location, related: related, pointer: pointer, hint: hint)
    }

    /// Returns the error with a pointer, unless it has one already. Errors with the code `notPropertyList` get none.
    func pointing(to steps: @autoclosure () -> [PlistPointerStep]) -> PlistError {
        guard pointer == nil, code != .notPropertyList else { return self }
        var error = self
        error.pointer = PlistPointerStep.pointer(steps())
        return error
    }
}

extension PlistError {
    /// The kind of an error. More kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case notPropertyList, encoding, syntax, unknownElement, unsupported, invalidScalar, outOfRange, duplicateKey
            case damaged, cycle, limitExceeded, notRepresentable
            case missing, ambiguous, mismatch, exists
        }

        private let kind: Kind

        /// The bytes are not in a known encoding of property lists.
        public static let notPropertyList = Code(kind: .notPropertyList)
        /// The text is not valid in its encoding, or the encoding is not supported.
        public static let encoding = Code(kind: .encoding)
        /// The text is not well formed, or its elements are not nested as in a property list.
        public static let syntax = Code(kind: .syntax)
        /// An XML element that doesn't exist in property lists.
        public static let unknownElement = Code(kind: .unknownElement)
        /// The document has something that a value can't represent, such as null, sets, entities or another version.
        public static let unsupported = Code(kind: .unsupported)
        /// A number, date or data that is not valid.
        public static let invalidScalar = Code(kind: .invalidScalar)
        /// A number or date that is too large or too small.
        public static let outOfRange = Code(kind: .outOfRange)
        /// A key that occurs twice in a dictionary.
        public static let duplicateKey = Code(kind: .duplicateKey)
        /// A binary property list with an invalid offset, count, size or reference, or a damaged keyed archive.
        public static let damaged = Code(kind: .damaged)
        /// A binary container that contains itself.
        public static let cycle = Code(kind: .cycle)
        /// A limit was exceeded, such as one of `PlistLimits`.
        public static let limitExceeded = Code(kind: .limitExceeded)
        /// A value that the output encoding can't represent.
        public static let notRepresentable = Code(kind: .notRepresentable)

        /// The pointer refers to a value that doesn't exist.
        public static let missing = Code(kind: .missing)
        /// The pointer matches several elements.
        public static let ambiguous = Code(kind: .ambiguous)
        /// The value's type doesn't support the requested operation.
        public static let mismatch = Code(kind: .mismatch)

        /// The key to add already exists.
        public static let exists = Code(kind: .exists)

        /// The code's name, such as `duplicateKey`.
        public var description: String { kind.rawValue }
    }
}

extension PlistError: CustomStringConvertible {
    /// The error as `PLACE: MESSAGE (at POINTER)`, without the unknown parts.
    public var description: String {
        let place = location.map { "\($0): " } ?? ""
        let path = pointer.map { $0.isEmpty ? "" : " (at \($0))" } ?? ""
        return place + message + path
    }
}

/// A position in the bytes of a property list.
public enum PlistLocation: Hashable, Sendable {
    /// A position in XML, OpenStep or JSON. Line and column count from 1. A column is one Unicode scalar in every encoding, not
    /// counting a byte order mark. A line ends at LF, CR LF or CR.
    case text(line: Int, column: Int)
    /// A position in a binary property list: the offset in bytes from the start of the file, and the object's number in the offset
    /// table if the position belongs to one.
    case binary(offset: Int, object: Int?)
}

extension PlistLocation {
    /// Returns the line and column of a byte offset in UTF-8 text without a byte order mark. The text may be invalid.
    static func inText(_ utf8: UnsafeRawBufferPointer, at offset: Int) -> PlistLocation {
        var line = 1
        var column = 1
        var afterReturn = false
        for byte in utf8.prefix(offset) {
            switch byte {
            case 0x0A where afterReturn:
                break
            case 0x0A, 0x0D:
                line += 1
                column = 1
            case 0x80...0xBF:
                // A continuation byte belongs to the scalar before it.
                break
            default:
                column += 1
            }
            afterReturn = byte == 0x0D
        }
        return .text(line: line, column: column)
    }
}

extension PlistLocation: CustomStringConvertible {
    /// The position as `LINE:COLUMN`, `byte OFFSET` or `byte OFFSET, object NUMBER`.
    public var description: String {
        switch self {
        case .text(let line, let column): "\(line):\(column)"
        case .binary(let offset, nil): "byte \(offset)"
        case .binary(let offset, let object?): "byte \(offset), object \(object)"
        }
    }
}

/// A step from a container to a value in it.
enum PlistPointerStep {
    case key(PlistString)
    case index(Int)

    /// Returns the steps as a JSON Pointer (RFC 6901): `~` becomes `~0` and `/` becomes `~1`.
    static func pointer(_ steps: [PlistPointerStep]) -> String {
        var pointer: [UInt8] = []
        for step in steps {
            pointer.append(UInt8(ascii: "/"))
            switch step {
            case .index(let index):
                pointer.append(contentsOf: index.description.utf8)
            case .key(let key):
                for byte in key.utf8 {
                    switch byte {
                    case UInt8(ascii: "~"): pointer.append(contentsOf: "~0".utf8)
                    case UInt8(ascii: "/"): pointer.append(contentsOf: "~1".utf8)
                    default: pointer.append(byte)
                    }
                }
            }
        }
        return String(decoding: pointer, as: UTF8.self)
    }
}

/// The limits of a reader or writer. Exceeding one is an error with the code `PlistError.Code.limitExceeded`.
public struct PlistLimits: Hashable, Sendable {
    /// The maximum depth of containers, including the root; from 0 to 512.
    public var depth: Int { didSet { depth = Self.bounded(depth) } }
    /// The maximum number of bytes of a document to read.
    public var documentBytes: Int
    /// The maximum number of objects in a binary property list, including those without references.
    public var binaryObjects: Int
    /// The maximum number of bytes of all keys in all dictionaries of a binary property list. A key counts in every dictionary that
    /// refers to it, because the search for duplicates examines it there.
    public var binaryKeyBytes: Int
    /// The maximum number of values that the shared objects of a binary property list or a keyed archive add to it.
    ///
    /// Each object counts wherever it is used, and long strings and data count one value for each KiB. A binary property list has at
    /// most as many values as its objects have bytes, plus this many, and a keyed archive 16 for each of its own, plus this many. So
    /// nothing that was read expands to much more than the document.
    public var expandedValues: Int
    /// The maximum number of bytes of a document to write.
    public var outputBytes: Int
    /// The maximum number of warnings of a lenient reader. One more says that there are others.
    public var warnings: Int

    /// The standard limits: 512 levels, documents of 1 GiB, 2^25 objects, 1 GiB of keys, 2^20 values of shared objects, 1 GiB of
    /// output, 64 warnings.
    public static let standard = PlistLimits()

    /// The maximum depth that limits can have. Functions that visit values recurse, and a thread may have a stack of 512 KiB.
    private static let deepest = 512

    /// Creates limits with standard values for omitted parameters. A depth outside of 0 to 512 becomes the nearer bound.
    public init(
        depth: Int = 512,
        documentBytes: Int = 1 << 30,
        binaryObjects: Int = 1 << 25,
        binaryKeyBytes: Int = 1 << 30,
        expandedValues: Int = 1 << 20,
        outputBytes: Int = 1 << 30,
        warnings: Int = 64
    ) {
        self.depth = Self.bounded(depth)
        self.documentBytes = documentBytes
        self.binaryObjects = binaryObjects
        self.binaryKeyBytes = binaryKeyBytes
        self.expandedValues = expandedValues
        self.outputBytes = outputBytes
        self.warnings = warnings
    }

    func allow(weight: Int, in bytes: Int) -> Bool { weight - bytes <= expandedValues }

    private static func bounded(_ depth: Int) -> Int {
        min(max(depth, 0), deepest)
    }
}

/// A value on the heap, so that what holds it takes one word.
/// Errors keep their fields like this: each call that may throw reserves the size of its error on the stack.
@propertyWrapper
package indirect enum OnHeap<Value> {
    case value(Value)

    package init(wrappedValue: Value) {
        self = .value(wrappedValue)
    }

    package var wrappedValue: Value {
        get {
            switch self {
            case .value(let value): value
            }
        }
        set { self = .value(newValue) }
    }
}

extension OnHeap: Equatable where Value: Equatable {}
extension OnHeap: Hashable where Value: Hashable {}
extension OnHeap: Sendable where Value: Sendable {}

extension Optional {
    /// Returns the value that an invariant guarantees. Without it, the program stops: what it would write could only be wrong.
    /// - Parameter invariant: the reason why there is a value. Input never decides it.
    package func guaranteed(_ invariant: StaticString) -> Wrapped {
        guard let self else { preconditionFailure("not true: \(invariant)") }
        return self
    }
}
