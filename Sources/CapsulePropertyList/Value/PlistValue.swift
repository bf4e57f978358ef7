/// One value of a property list, the same whatever encoding it was read from.
///
/// Two values are equal when an encoding could not tell them apart: integer 1, real 1.0 and true are three values,
/// reals and dates are compared by bit pattern (so NaN equals itself and -0.0 differs from 0.0), and strings by their
/// UTF-8 bytes (so NFC and NFD spellings differ). The order of a dictionary's keys is kept but never compared.
///
/// Arrays, dictionaries, data and strings share their storage until they are changed. A binary property list may name
/// one object many times; equality, hashing and release take time in the number of distinct objects.
///
public enum PlistValue: Sendable {
    /// Text, compared by its exact code units.
    case string(PlistString)
    /// A whole number in the range of Int64 or UInt64.
    case integer(PlistInteger)
    /// A floating-point number, kept to the bit.
    case real(Double)
    /// True or false; never equal to 1 or 0.
    case boolean(Bool)
    /// Seconds since 2001-01-01T00:00:00Z, fractions and all.
    case date(Double)
    /// Bytes.
    case data([UInt8])
    /// A reference inside a keyed archive. XML spells it as the dictionary `{CF$UID: n}`.
    case uid(UInt64)
    /// JSON's null, which no other encoding has.
    case null
    /// Values in order.
    case array([PlistValue])
    /// Values by key; the order is kept but not compared.
    case dictionary(PlistDictionary)
}

/// The payload of a value, if it is of the type asked for; nothing is ever converted.
extension PlistValue {
    /// The string; nil for any other type.
    public var string: PlistString? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The integer; nil for any other type, reals included.
    public var integer: PlistInteger? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }

    /// The real; nil for any other type, integers included.
    public var real: Double? {
        guard case .real(let real) = self else { return nil }
        return real
    }

    /// The boolean; nil for any other type.
    public var boolean: Bool? {
        guard case .boolean(let boolean) = self else { return nil }
        return boolean
    }

    /// The date, in seconds since 2001-01-01T00:00:00Z; nil for any other type.
    public var date: Double? {
        guard case .date(let seconds) = self else { return nil }
        return seconds
    }

    /// The bytes of data; nil for any other type.
    public var data: [UInt8]? {
        guard case .data(let bytes) = self else { return nil }
        return bytes
    }

    /// The number of a UID; nil for any other type.
    public var uid: UInt64? {
        guard case .uid(let uid) = self else { return nil }
        return uid
    }

    /// Whether it is JSON's null.
    public var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// The elements of an array; nil for any other type.
    public var array: [PlistValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The dictionary; nil for any other type.
    public var dictionary: PlistDictionary? {
        guard case .dictionary(let dictionary) = self else { return nil }
        return dictionary
    }

    /// True for an array or a dictionary.
    public var isContainer: Bool {
        switch self {
        case .array, .dictionary: true
        default: false
        }
    }

    /// The type's name in messages: `string`, `integer`, `real`, `boolean`, `date`, `data`, `uid`, `null`,
    /// `array`, `dictionary`.
    public var typeName: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .real: "real"
        case .boolean: "boolean"
        case .date: "date"
        case .data: "data"
        case .uid: "uid"
        case .null: "null"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }

    /// `a string`, `an integer`.
    public var typeNameWithArticle: String {
        switch self {
        case .integer, .array: "an \(typeName)"
        case .data, .null: typeName
        default: "a \(typeName)"
        }
    }
}

/// Values can be written as Swift literals: `["Name": "a", "Count": 1, "Ratio": 1.0, "On": true, "List": []]`.
extension PlistValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) {
        self = .string(PlistString(value))
    }

    /// An integer.
    public init(integerLiteral value: Int) {
        self = .integer(PlistInteger(value))
    }

    /// A real.
    public init(floatLiteral value: Double) {
        self = .real(value)
    }

    /// A boolean.
    public init(booleanLiteral value: Bool) {
        self = .boolean(value)
    }

    /// An array.
    public init(arrayLiteral elements: PlistValue...) {
        self = .array(elements)
    }

    /// A key that is written twice keeps its last value.
    public init(dictionaryLiteral elements: (PlistString, PlistValue)...) {
        self = .dictionary(PlistDictionary(elements))
    }
}

extension PlistValue {
    /// The address of a container's contents; nil for scalars and for what is empty.
    ///
    /// Two values that have the same one, and are both held, are equal: so a comparison can remember what it has seen of the
    /// shared objects of a binary property list.
    package var storageAddress: UInt? {
        switch self {
        case .array(let elements) where !elements.isEmpty:
            elements.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        case .dictionary(let dictionary) where !dictionary.isEmpty:
            dictionary.entries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        default:
            nil
        }
    }
}

/// An integer of a property list: anything in the range of Int64 or UInt64.
public struct PlistInteger: Hashable, Sendable {
    /// Two's complement; together with the sign it covers both ranges with one spelling per number.
    private let bits: UInt64
    /// True below zero.
    public let isNegative: Bool

    /// The number; every Int64 is one.
    public init(_ value: Int64) {
        bits = UInt64(bitPattern: value)
        isNegative = value < 0
    }

    /// The number; every UInt64 is one.
    public init(_ value: UInt64) {
        bits = value
        isNegative = false
    }

    /// The number; every Int is one.
    public init(_ value: Int) {
        self.init(Int64(value))
    }

    /// The number, if it is in Int64's range.
    public var int64: Int64? {
        isNegative ? Int64(bitPattern: bits) : Int64(exactly: bits)
    }

    /// The number, if it is not negative.
    public var uint64: UInt64? {
        isNegative ? nil : bits
    }

    /// The distance from zero.
    var magnitude: UInt64 {
        isNegative ? 0 &- bits : bits
    }
}

extension PlistInteger: Comparable {
    /// Whether the left number is the smaller.
    public static func < (left: PlistInteger, right: PlistInteger) -> Bool {
        // Among negatives two's complement keeps the order, so the bits decide whenever the signs agree.
        left.isNegative == right.isNegative ? left.bits < right.bits : left.isNegative
    }
}

extension PlistInteger: ExpressibleByIntegerLiteral {
    /// The number of a literal, which has to fit into Int.
    public init(integerLiteral value: Int) {
        self.init(value)
    }
}

extension PlistInteger: CustomStringConvertible {
    /// The decimal digits, with `-` below zero.
    public var description: String {
        isNegative ? Int64(bitPattern: bits).description : bits.description
    }
}
