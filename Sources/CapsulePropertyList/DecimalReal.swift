/// Reads decimal spellings of reals, the short ones without going through a string.
enum DecimalReal {
    /// Powers of ten that a Double holds exactly.
    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
        1e22,
    ]
    /// Up to here every whole number is a Double.
    private static let exactWhole: UInt64 = 1 << 53
    /// So many digits fit into 64 bits.
    private static let digitsOfWord = 19

    /// The real nearest to a spelling: a sign or none, digits with or without a point, with or without an exponent.
    static func read(_ text: UnsafeRawBufferPointer) -> Double? {
        exact(text) ?? Double(String(decoding: text, as: UTF8.self))
    }

    /// The real, if digits and power of ten are exact, so that one operation rounds once. (W. D. Clinger, How to Read
    /// Floating Point Numbers Accurately)
    private static func exact(_ text: UnsafeRawBufferPointer) -> Double? {
        var place = 0
        let isNegative = text.first == UInt8(ascii: "-")
        if isNegative || text.first == UInt8(ascii: "+") { place = 1 }
        var digits: UInt64 = 0
        var count = 0
        var exponent = 0
        var isFraction = false
        scan: while place < text.count {
            let byte = text[place]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                count += 1
                guard count <= digitsOfWord else { return nil }
                digits = digits &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
                if isFraction { exponent -= 1 }
            case UInt8(ascii: "."): isFraction = true
            default: break scan
            }
            place &+= 1
        }
        if place < text.count {
            guard let power = smallExponent(text, from: place + 1) else { return nil }
            exponent += power
        }
        guard digits <= exactWhole, exponent.magnitude < powers.count else { return nil }
        let whole = Double(digits)
        let real = exponent < 0 ? whole / powers[-exponent] : whole * powers[exponent]
        return isNegative ? -real : real
    }

    /// The number of up to three digits after `e`.
    private static func smallExponent(_ text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < text.count else { return nil }
        let isNegative = text[start] == UInt8(ascii: "-")
        let first = isNegative || text[start] == UInt8(ascii: "+") ? start + 1 : start
        guard first < text.count, text.count - first <= 3 else { return nil }
        var number = 0
        for place in first..<text.count {
            guard let digit = XMLPlistScalars.digit(text[place], isHexadecimal: false) else { return nil }
            number = number * 10 + Int(digit)
        }
        return isNegative ? -number : number
    }
}
