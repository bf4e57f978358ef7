/// How XML property lists spell numbers and dates. Each function returns nil for a spelling that is none.
enum XMLPlistScalars {
    enum Number<Value> {
        case value(Value)
        case outOfRange
        case misspelled
    }

    /// The value of a digit.
    static func digit(_ byte: UInt8, isHexadecimal: Bool) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f") where isHexadecimal: byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F") where isHexadecimal: byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// A sign or none, then decimal digits, or `0x` and hexadecimal ones.
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

    /// Decimal digits with or without sign, point and exponent; `nan`, `inf` or `infinity` in any case.
    static func real(_ text: UnsafeRawBufferPointer) -> Number<Double> {
        guard let shape = realShape(text) else { return .misspelled }
        let spelled = shape == .digits ? DecimalReal.read(text) : Double(String(decoding: text, as: UTF8.self))
        guard let real = spelled else { return .misspelled }
        // The nearest number to a spelling that is not infinity's own must not be infinite.
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

    /// `YYYY-MM-DDTHH:MM:SSZ`, nothing else; seconds since 2001-01-01T00:00:00Z.
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
