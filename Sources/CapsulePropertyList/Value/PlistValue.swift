/// A value of a property list, independent of the encoding that it was read from.
///
/// Two values are equal if no encoding could distinguish them: integer 1, real 1.0 and true are three different values. Reals and
/// dates are compared by bit pattern (so NaN equals itself and -0.0 differs from 0.0), and strings by their UTF-8 bytes (so NFC and
/// NFD forms differ). The order of a dictionary's keys is kept but never compared.
///
/// Arrays, dictionaries, data and strings share their storage until they are changed.
public enum PlistValue: Sendable {
    /// Text, compared by its exact code units.
    case string(PlistString)
    /// A whole number in the range of Int64 or UInt64.
    case integer(PlistInteger)
    /// A floating-point number, preserved to the bit.
    case real(Double)
    /// True or false; never equal to 1 or 0.
    case boolean(Bool)
    /// Seconds since 2001-01-01T00:00:00Z, including fractions.
    case date(Double)
    /// Bytes.
    case data([UInt8])
    /// A reference inside a keyed archive. XML represents it as the dictionary `{CF$UID: n}`.
    case uid(UInt64)
    /// JSON's null, which no other encoding has.
    case null
    /// Values in order.
    case array([PlistValue])
    /// Values by key. The order is kept but not compared.
    case dictionary(PlistDictionary)
}

/// Accessors for the payload of a value. Nothing is ever converted.
extension PlistValue {
    /// The string; nil for any other type.
    public var string: PlistString? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The integer; nil for any other type, including reals.
    public var integer: PlistInteger? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }

    /// The real; nil for any other type, including integers.
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

    /// True if the value is JSON's null.
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

    /// The name of the value's type in messages: `string`, `integer`, `real`, `boolean`, `date`, `data`, `uid`, `null`, `array` or
    /// `dictionary`.
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

    /// The type name with an article, such as `a string` or `an integer`; `data` and `null` have none.
    public var typeNameWithArticle: String {
        switch self {
        case .integer, .array: "an \(typeName)"
        case .data, .null: typeName
        default: "a \(typeName)"
        }
    }
}

/// Creates values from Swift literals: `["Name": "a", "Count": 1, "Ratio": 1.0, "On": true, "List": []]`.
extension PlistValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) {
        self = .string(PlistString(value))
    }

    /// Creates an integer.
    public init(integerLiteral value: Int) {
        self = .integer(PlistInteger(value))
    }

    /// Creates a real.
    public init(floatLiteral value: Double) {
        self = .real(value)
    }

    /// Creates a boolean.
    public init(booleanLiteral value: Bool) {
        self = .boolean(value)
    }

    /// Creates an array.
    public init(arrayLiteral elements: PlistValue...) {
        self = .array(elements)
    }

    /// Creates a dictionary. A key that occurs twice keeps its last value.
    public init(dictionaryLiteral elements: (PlistString, PlistValue)...) {
        self = .dictionary(PlistDictionary(elements))
    }
}

extension PlistValue {
    /// The number of values that this one counts for in ``PlistLimits/expandedValues``: itself, and all keys and values in it. A
    /// long string, or long data, counts one more for each KiB.
    package var weight: Int {
        switch self {
        case .array(let elements): Self.weight(of: elements)
        case .dictionary(let dictionary): Self.weight(of: dictionary.entries)
        case .string(let string): string.weight
        case .data(let bytes): 1 + bytes.count >> 10
        default: 1
        }
    }

    private static func weight(of elements: [PlistValue]) -> Int {
        var weight = 1
        for position in elements.indices { weight += elements[position].weight }
        return weight
    }

    private static func weight(of entries: [PlistDictionary.Entry]) -> Int {
        var weight = 1
        for position in entries.indices { weight += entries[position].key.weight + entries[position].value.weight }
        return weight
    }
}

extension PlistString {
    var weight: Int { 1 + utf8.count >> 10 }
}

/// An integer of a property list, in the range of Int64 or UInt64.
public struct PlistInteger: Hashable, Sendable {
    /// The number in two's complement. Together with the sign, it represents both ranges, with one representation per number.
    private let bits: UInt64
    /// True if the number is below zero.
    public let isNegative: Bool

    /// Creates an integer from an Int64.
    public init(_ value: Int64) {
        bits = UInt64(bitPattern: value)
        isNegative = value < 0
    }

    /// Creates an integer from a UInt64.
    public init(_ value: UInt64) {
        bits = value
        isNegative = false
    }

    /// Creates an integer from an Int.
    public init(_ value: Int) {
        self.init(Int64(value))
    }

    /// The number, or nil if it is outside of Int64's range.
    public var int64: Int64? { isNegative ? Int64(bitPattern: bits) : Int64(exactly: bits) }

    /// The number, or nil if it is negative.
    public var uint64: UInt64? { isNegative ? nil : bits }

    var magnitude: UInt64 { isNegative ? 0 &- bits : bits }
}

extension PlistInteger: Comparable {
    /// Returns true if the left number is smaller than the right one.
    public static func < (left: PlistInteger, right: PlistInteger) -> Bool {
        // Two's complement keeps the order of negative numbers, so the bits decide if the signs are equal.
        left.isNegative == right.isNegative ? left.bits < right.bits : left.isNegative
    }
}

extension PlistInteger: ExpressibleByIntegerLiteral {
    /// Creates an integer from a literal, which must fit into Int.
    public init(integerLiteral value: Int) {
        self.init(value)
    }
}

extension PlistInteger: CustomStringConvertible {
    /// The decimal digits, with `-` for negative numbers.
    public var description: String { isNegative ? Int64(bitPattern: bits).description : bits.description }
}

/// A string of a property list, compared by its exact code units.
///
/// `String` treats an NFC `é` and an NFD `é` as equal. In a property list they are two different keys, and so they are in this
/// type.
public struct PlistString: Sendable {
    /// The text. Compare `PlistString` values instead of these strings.
    public let string: String

    /// Creates a string with the exact code units of a text, without normalization.
    public init(_ string: String) {
        var contiguous = string
        contiguous.makeContiguousUTF8()
        self.string = contiguous
    }

    /// Creates a string of these bytes, or returns nil if they are not valid UTF-8.
    public init?(validating utf8: some Collection<UInt8>) {
        guard let string = String(validating: utf8, as: UTF8.self) else { return nil }
        self.string = string
    }

    /// Creates a string of these bytes, or returns nil if they are not valid UTF-8.
    public init?(validating utf8: UnsafeRawBufferPointer) {
        guard let string = String(validating: utf8, as: UTF8.self) else { return nil }
        self.string = string
    }

    init(valid utf8: UnsafeRawBufferPointer) {
        // This initializer is specialized in this module. The validating one is not, which makes it much slower.
        string = String(decoding: utf8.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
    }

    /// A view of the UTF-8 bytes, without a copy.
    public var utf8: String.UTF8View { string.utf8 }

    /// True if the string is empty.
    public var isEmpty: Bool { string.isEmpty }

    /// Calls `body` with the UTF-8 bytes, which are valid for the duration of the call and usually not copied.
    public func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = string.utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(string.utf8).withUnsafeBufferPointer(body)
    }
}

extension PlistString: Equatable {
    /// Returns true if both strings have the same bytes.
    public static func == (left: PlistString, right: PlistString) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return left.withUTF8 { leftBytes in
            right.withUTF8 { rightBytes in leftBytes.firstDifference(from: rightBytes) == nil }
        }
    }
}

extension PlistString: Comparable {
    /// Compares by UTF-8 bytes, which is the order of Unicode scalars.
    public static func < (left: PlistString, right: PlistString) -> Bool {
        left.withUTF8 { leftBytes in
            right.withUTF8 { rightBytes in
                guard let place = leftBytes.firstDifference(from: rightBytes) else { return leftBytes.count < rightBytes.count }
                return leftBytes[place] < rightBytes[place]
            }
        }
    }
}

extension PlistString: Hashable {
    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // A terminator that never occurs in UTF-8 distinguishes ("a", "bc") from ("ab", "c").
        hasher.combine(0xFF as UInt8)
    }
}

extension PlistString: ExpressibleByStringLiteral {
    /// Creates a string from a literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension PlistString: CustomStringConvertible {
    /// The text.
    public var description: String { string }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the first index at which both buffers differ, or nil if the shorter one is a prefix of the other.
    func firstDifference(from other: UnsafeBufferPointer<UInt8>) -> Int? {
        let common = Swift.min(count, other.count)
        guard let left = UnsafeRawPointer(baseAddress), let right = UnsafeRawPointer(other.baseAddress), left != right else {
            return nil
        }
        var place = 0
        while place &+ 8 <= common {
            if left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                != right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            {
                break
            }
            place &+= 8
        }
        while place < common {
            if self[place] != other[place] { return place }
            place &+= 1
        }
        return nil
    }
}

/// An encoding of property lists.
public enum PlistFormat: String, Hashable, Sendable, CaseIterable {
    /// Apple's XML format, version 1.0.
    case xml
    /// Apple's binary format, `bplist00`.
    case binary
    /// JSON.
    case json
    /// NeXT's text format, with braces and semicolons, including `.strings` files.
    case openStep

    /// The name in reports and rules: `xml`, `binary`, `json` or `openstep`.
    public var word: String { rawValue.lowercased() }

    /// All encodings.
    public static let all: Set<PlistFormat> = Set(allCases)
    /// The encodings that Apple's systems write: XML and binary.
    public static let xmlOrBinary: Set<PlistFormat> = [.xml, .binary]

    var name: String {
        switch self {
        case .xml: "XML"
        case .binary: "binary"
        case .json: "JSON"
        case .openStep: "OpenStep"
        }
    }
}
