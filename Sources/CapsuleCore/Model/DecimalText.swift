extension [UInt8] {
    /// Appends a number in decimal digits, `filler` before it up to `width`, which is at most 32.
    package mutating func appendDecimal(_ value: UInt64, width: Int = 1, filler: UInt8 = UInt8(ascii: "0")) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digits in
            var place = digits.count
            var rest = value
            repeat {
                place -= 1
                digits[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            while place > Swift.max(0, digits.count - width) {
                place -= 1
                digits[place] = filler
            }
            append(contentsOf: digits[place...])
        }
    }
}
