/// Reads scalars as written by people and in XML.
package enum PlistScalarText {
    /// The type of a scalar other than a string.
    package enum ScalarType: Sendable {
        /// Decimal, or hexadecimal after `0x`.
        case integer
        /// Decimal, `nan` or `infinity`.
        case real
        /// ISO 8601 in UTC, with an optional fraction of a second.
        case date
        /// Base64.
        case data
    }

    package static func value(of text: String, as type: ScalarType) -> PlistValue? {
        var text = text
        return text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            switch type {
            case .integer:
                guard case .value(let integer) = XMLPlistScalars.integer(bytes) else { return nil }
                return .integer(integer)
            case .real:
                guard case .value(let real) = XMLPlistScalars.real(bytes) else { return nil }
                return .real(real)
            case .date:
                return DateSpelling.read(bytes).map { .date($0) }
            case .data:
                return Base64.decode(bytes).map { .data($0) }
            }
        }
    }
}

/// Reads numbers and dates as written in XML property lists.
enum XMLPlistScalars {
    enum Number<Value> {
        case value(Value)
        case outOfRange
        case misspelled
    }

    static func digit(_ byte: UInt8, isHexadecimal: Bool) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f") where isHexadecimal: byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F") where isHexadecimal: byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Reads an integer: an optional sign, then decimal digits, or `0x` and hexadecimal digits.
    static func integer(_ text: UnsafeRawBufferPointer) -> Number<PlistInteger> {
        var place = 0
        let isNegative = text.first == UInt8(ascii: "-")
        if isNegative || text.first == UInt8(ascii: "+") { place = 1 }
        var radix: UInt64 = 10
        if text.count - place > 2, text[place] == UInt8(ascii: "0"), text[place + 1] | 0x20 == UInt8(ascii: "x") {
            radix = 16
            place += 2
        }
        guard place < text.count else { return .misspelled }
        var magnitude: UInt64 = 0
        var overflows = false
        while place < text.count {
            guard let digit = digit(text[place], isHexadecimal: radix == 16) else { return .misspelled }
            let product = magnitude.multipliedReportingOverflow(by: radix)
            let sum = product.partialValue.addingReportingOverflow(UInt64(digit))
            overflows = overflows || product.overflow || sum.overflow
            magnitude = sum.partialValue
            place &+= 1
        }
        if overflows { return .outOfRange }
        guard isNegative else { return .value(PlistInteger(magnitude)) }
        guard magnitude <= 1 << 63 else { return .outOfRange }
        return .value(PlistInteger(Int64(bitPattern: 0 &- magnitude)))
    }

    /// Reads a real: decimal digits with optional sign, decimal point and exponent, or `nan`, `inf` or `infinity` in any case.
    static func real(_ text: UnsafeRawBufferPointer) -> Number<Double> {
        guard let shape = realShape(text) else { return .misspelled }
        let spelled = shape == .digits ? DecimalReal.read(text) : Double(String(decoding: text, as: UTF8.self))
        guard let real = spelled else { return .misspelled }
        // A number that is too large must not become infinite.
        return shape == .digits && real.isInfinite ? .outOfRange : .value(real)
    }

    private enum RealShape {
        case digits
        case word
    }

    private static func realShape(_ text: UnsafeRawBufferPointer) -> RealShape? {
        var place = 0
        func passDigits() -> Bool {
            let start = place
            while place < text.count, digit(text[place], isHexadecimal: false) != nil { place += 1 }
            return place > start
        }
        func passSign() {
            if place < text.count, text[place] == UInt8(ascii: "+") || text[place] == UInt8(ascii: "-") { place += 1 }
        }
        passSign()
        var hasDigits = passDigits()
        if place < text.count, text[place] == UInt8(ascii: ".") {
            place += 1
            hasDigits = passDigits() || hasDigits
        }
        guard hasDigits else {
            let word = String(decoding: text[place...], as: UTF8.self).lowercased()
            return word == "inf" || word == "infinity" || word == "nan" && place == 0 ? .word : nil
        }
        if place < text.count, text[place] | 0x20 == UInt8(ascii: "e") {
            place += 1
            passSign()
            guard passDigits() else { return nil }
        }
        return place == text.count ? .digits : nil
    }

    /// Reads `YYYY-MM-DDTHH:MM:SSZ` and nothing else. Returns the seconds since 2001-01-01T00:00:00Z, or nil.
    static func date(_ text: UnsafeRawBufferPointer) -> Double? {
        let pattern: StaticString = "0000-00-00T00:00:00Z"
        guard text.count == pattern.utf8CodeUnitCount else { return nil }
        for place in 0..<text.count {
            let expected = pattern.utf8Start[place]
            let isRight =
                expected == UInt8(ascii: "0") ? digit(text[place], isHexadecimal: false) != nil : text[place] == expected
            guard isRight else { return nil }
        }
        func number(_ range: Range<Int>) -> Int {
            text[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        let moment = CivilTime(
            year: number(0..<4), month: number(5..<7), day: number(8..<10),
            hour: number(11..<13), minute: number(14..<16), second: number(17..<19))
        return moment.secondsSince2001.map { Double($0) }
    }
}

/// Reads reals in decimal notation. Short ones are read without creating a string.
enum DecimalReal {
    /// The powers of ten that a Double represents exactly.
    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
        1e22,
    ]
    /// The limit up to which every whole number is a Double.
    private static let exactWhole: UInt64 = 1 << 53
    /// The number of decimal digits that always fit into 64 bits.
    private static let digitsOfWord = 19

    static func read(_ text: UnsafeRawBufferPointer) -> Double? {
        exact(text) ?? Double(String(decoding: text, as: UTF8.self))
    }

    /// Returns the real if the digits and the power of ten are exact, so that a single operation rounds once, or nil. (W. D.
    /// Clinger, How to Read Floating Point Numbers Accurately)
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

/// Writes reals in canonical form: the fewest digits that read back as the same number, in the layout of C's `%.17g`, which Apple's
/// writer uses.
enum RealSpelling {
    /// The exponents without exponential notation: `%.17g` uses it below 10^-4 and from 10^17 on.
    private static let plainExponents = -4..<17

    static func spell(_ real: Double) -> String {
        if real.isNaN { return "nan" }
        if real.isInfinite { return real < 0 ? "-infinity" : "+infinity" }
        let sign = real.sign == .minus ? "-" : ""
        if real == 0 { return sign + "0.0" }
        let (digits, exponent) = decimal(real.magnitude)
        guard plainExponents.contains(exponent) else {
            let fraction = digits.count > 1 ? "." + String(digits.dropFirst()) : ""
            let size = exponent.magnitude < 10 ? "0\(exponent.magnitude)" : "\(exponent.magnitude)"
            return sign + String(digits.prefix(1)) + fraction + (exponent < 0 ? "e-" : "e+") + size
        }
        if exponent < 0 {
            return sign + "0." + String(repeating: "0", count: -exponent - 1) + digits
        }
        let whole = digits.prefix(exponent + 1)
        let zeros = String(repeating: "0", count: exponent + 1 - whole.count)
        let fraction = digits.dropFirst(exponent + 1)
        return sign + String(whole) + zeros + (fraction.isEmpty ? "" : "." + String(fraction))
    }

    /// Returns the same text, but always with a fraction or an exponent for a finite number, so that it can't be read as an
    /// integer.
    static func spellAsReal(_ real: Double) -> String {
        let text = spell(real)
        guard real.isFinite else { return text }
        return text.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "e") } ? text + ".0" : text
    }

    private static func decimal(_ real: Double) -> (digits: String, exponent: Int) {
        // Swift's description has the fewest digits, as `D.D`, `0.00D` or `D.DeN`.
        let parts = real.description.split(separator: "e", maxSplits: 1)
        let mantissa = parts.first ?? ""
        let shift = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let halves = mantissa.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = halves.first ?? ""
        let all = whole + (halves.count > 1 ? halves[1] : "")
        let leadingZeros = all.prefix { $0 == "0" }.count
        let significant = all.dropFirst(leadingZeros)
        let trailingZeros = significant.reversed().prefix { $0 == "0" }.count
        return (String(significant.dropLast(trailingZeros)), whole.count - 1 - leadingZeros + shift)
    }
}

/// Classifies the characters of XML 1.0 and finds those with a special meaning.
enum XMLCharacters {
    /// Returns true for space, tab, LF and CR. (XML 1.0, production 3)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }

    static func endsName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || isSpace(byte)
    }

    /// Returns true for a character that XML 1.0 can represent, directly or as a numeric reference. (Production 2)
    static func isAllowed(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: true
        default: false
        }
    }

    /// Returns a word with the high bit of each byte set that is a control character, `<` or `&`.
    /// The lowest set bit is correct. Those above it may be false positives, because the subtraction borrows.
    static func markup(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let lessThan = word ^ (ones &* 0x3C)
        let ampersand = word ^ (ones &* 0x26)
        let controls = (word &- ones &* 0x20) & ~word
        let markup = ((lessThan &- ones) & ~lessThan) | ((ampersand &- ones) & ~ampersand)
        return (controls | markup) & highBits
    }

    /// Returns a word with the high bit of each byte set that a writer must examine: control characters, `&`, `<`, `>` and 0xEF,
    /// which begins U+FFFE and U+FFFF. The lowest set bit is correct, as in ``markup(in:)``.
    static func escapes(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let greaterThan = word ^ (ones &* 0x3E)
        let lead = word ^ (ones &* 0xEF)
        let more = ((greaterThan &- ones) & ~greaterThan) | ((lead &- ones) & ~lead)
        return markup(in: word) | more & highBits
    }

    static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Returns the offset of the first byte in a range that is not part of a character allowed by XML 1.0: a control character,
    /// U+FFFE, U+FFFF or invalid UTF-8. Returns nil if there is none.
    static func firstForbidden(in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let byte = bytes[offset]
            if byte < 0x80 {
                guard byte >= 0x20 || isSpace(byte) else { return offset }
                offset += 1
            } else {
                let length = sequenceLength(in: bytes, at: offset, end: range.upperBound)
                guard length > 0 else { return offset }
                offset += length
            }
        }
        return nil
    }

    private static func sequenceLength(in bytes: UnsafeRawBufferPointer, at offset: Int, end: Int) -> Int {
        let length = UTF8Sequence.length(in: bytes, at: offset, end: end)
        if length == 3, bytes[offset] == 0xEF, bytes[offset + 1] == 0xBF, bytes[offset + 2] >= 0xBE { return 0 }
        return length
    }
}

/// Validates multibyte characters of UTF-8.
enum UTF8Sequence {
    /// Returns the length of the multibyte sequence at an offset, or 0 if it is invalid. (Unicode, table 3-7)
    static func length(in bytes: UnsafeRawBufferPointer, at offset: Int, end: Int) -> Int {
        let lead = bytes[offset]
        let length: Int
        // The range of the second byte excludes overlong forms, surrogates and numbers outside of Unicode.
        let second: ClosedRange<UInt8>
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard length <= end - offset, second.contains(bytes[offset + 1]) else { return 0 }
        for place in offset + 2..<max(offset + length, offset + 2) where bytes[place] & 0xC0 != 0x80 { return 0 }
        return length
    }

    static func firstInvalid(in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        var offset = range.lowerBound
        while offset < range.upperBound {
            if bytes[offset] < 0x80 {
                offset &+= 1
            } else {
                let length = length(in: bytes, at: offset, end: range.upperBound)
                guard length > 0 else { return offset }
                offset &+= length
            }
        }
        return nil
    }
}
