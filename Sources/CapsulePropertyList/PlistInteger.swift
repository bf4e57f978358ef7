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
