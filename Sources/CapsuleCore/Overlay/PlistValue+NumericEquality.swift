import CapsulePropertyList

extension PlistValue {
    /// Equality as JSON Patch's `test` has it: numbers are equal by value, whatever their type (RFC 6902, section 4.6).
    func isEqualByNumber(to other: PlistValue) -> Bool {
        switch (self, other) {
        case (.integer(let integer), .real(let real)), (.real(let real), .integer(let integer)):
            return integer.isEqual(to: real)
        case (.real(let left), .real(let right)):
            return left == right || left.bitPattern == right.bitPattern
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.isEqualByNumber(to: $1) }
        case (.dictionary(let left), .dictionary(let right)):
            return left.count == right.count
                && left.allSatisfy { entry in right[entry.key].map { entry.value.isEqualByNumber(to: $0) } ?? false }
        default:
            return self == other
        }
    }
}

extension PlistInteger {
    /// Whether a real is exactly this number.
    fileprivate func isEqual(to real: Double) -> Bool {
        if let value = int64 { return Int64(exactly: real) == value }
        return UInt64(exactly: real) == uint64
    }
}
