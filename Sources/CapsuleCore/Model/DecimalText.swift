extension [UInt8] {
    /// Appends a number in decimal digits, `filler` before it up to `width`.
    package mutating func appendDecimal(_ value: UInt64, width: Int = 1, filler: UInt8 = UInt8(ascii: "0")) {
        var count = 1
        var rest = value / 10
        while rest > 0 {
            count += 1
            rest /= 10
        }
        if count < width { append(contentsOf: repeatElement(filler, count: width - count)) }
        let end = self.count + count
        append(contentsOf: repeatElement(UInt8(ascii: "0"), count: count))
        var place = end
        rest = value
        while rest > 0 {
            place -= 1
            self[place] += UInt8(rest % 10)
            rest /= 10
        }
    }
}
