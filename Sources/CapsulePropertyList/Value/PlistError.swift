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

extension PlistError: CustomStringConvertible {
    /// `PLACE: MESSAGE (at POINTER)`, with the parts that are known.
    public var description: String {
        let place = location.map { "\($0): " } ?? ""
        let path = pointer.map { $0.isEmpty ? "" : " (at \($0))" } ?? ""
        return place + message + path
    }
}

/// A place in a property list's bytes.
public enum PlistLocation: Hashable, Sendable {
    /// In XML, OpenStep and JSON. Both count from 1. A column is one Unicode scalar, whatever the encoding; a byte
    /// order mark is none. A line ends at LF, CR LF or CR.
    case text(line: Int, column: Int)
    /// In a binary property list: bytes from the start of the file, and the object's number in the offset table if
    /// the place belongs to one.
    case binary(offset: Int, object: Int?)
}

extension PlistLocation {
    /// The line and column of a byte offset into UTF-8 text without a byte order mark. The text need not be valid.
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
    /// `LINE:COLUMN`, `byte OFFSET` or `byte OFFSET, object NUMBER`.
    public var description: String {
        switch self {
        case .text(let line, let column): "\(line):\(column)"
        case .binary(let offset, nil): "byte \(offset)"
        case .binary(let offset, let object?): "byte \(offset), object \(object)"
        }
    }
}

/// One step from a container to a value in it.
enum PlistPointerStep {
    case key(PlistString)
    case index(Int)

    /// The steps as a JSON Pointer (RFC 6901): `~` becomes `~0` and `/` becomes `~1`.
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

/// How much a reader or writer takes on before it gives up with `PlistError.Code.limitExceeded`.
public struct PlistLimits: Hashable, Sendable {
    /// Containers around each other, the root included; from 0 to 4096.
    public var depth: Int {
        didSet { depth = Self.bounded(depth) }
    }
    /// Bytes of a document to be read.
    public var documentBytes: Int
    /// Objects in a binary property list, referred to or not.
    public var binaryObjects: Int
    /// Bytes of all keys of all dictionaries of a binary property list, a key counted again in every dictionary that
    /// refers to it: what finding duplicate keys has to look at.
    public var binaryKeyBytes: Int
    /// Bytes of a document to be written. Shared objects of a binary property list are written out wherever they are
    /// used, so that a few bytes read could become any number.
    public var outputBytes: Int
    /// Warnings kept of a lenient reading; one more says that there are others.
    public var warnings: Int

    /// 512 levels, documents of 1 GiB, 2^25 objects, 1 GiB of keys, 1 GiB of output, 64 warnings.
    public static let standard = PlistLimits()

    /// The standard limits but for those that are given; a depth outside of 0 to 4096 becomes the nearer of the two.
    public init(
        depth: Int = 512,
        documentBytes: Int = 1 << 30,
        binaryObjects: Int = 1 << 25,
        binaryKeyBytes: Int = 1 << 30,
        outputBytes: Int = 1 << 30,
        warnings: Int = 64
    ) {
        self.depth = Self.bounded(depth)
        self.documentBytes = documentBytes
        self.binaryObjects = binaryObjects
        self.binaryKeyBytes = binaryKeyBytes
        self.outputBytes = outputBytes
        self.warnings = warnings
    }

    /// Releasing a value takes stack for each level, so a much larger depth would not end well.
    private static func bounded(_ depth: Int) -> Int {
        min(max(depth, 0), 4096)
    }
}
