import CapsulePropertyList

extension PlistValue {
    /// Equality as JSON Patch's `test` has it: numbers are equal by value, whatever their type (RFC 6902, section 4.6).
    func isEqualByNumber(to other: PlistValue) -> Bool {
        // An explicit stack, so that depth costs no call stack.
        var pending = [(self, other)]
        while let (left, right) = pending.popLast() {
            switch (left, right) {
            case (.integer(let integer), .real(let real)), (.real(let real), .integer(let integer)):
                guard integer.isEqual(to: real) else { return false }
            case (.real(let left), .real(let right)):
                guard left == right || left.bitPattern == right.bitPattern else { return false }
            case (.array(let left), .array(let right)):
                guard left.count == right.count else { return false }
                pending += zip(left, right).reversed()
            case (.dictionary(let left), .dictionary(let right)):
                guard left.count == right.count else { return false }
                for (key, value) in left {
                    guard let partner = right[key] else { return false }
                    pending.append((value, partner))
                }
            default:
                guard left == right else { return false }
            }
        }
        return true
    }
}

extension PlistInteger {
    /// Whether a real is exactly this number.
    fileprivate func isEqual(to real: Double) -> Bool {
        if let value = int64 { return Int64(exactly: real) == value }
        return UInt64(exactly: real) == uint64
    }
}
