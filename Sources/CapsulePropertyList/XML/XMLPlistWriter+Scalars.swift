/// Writes scalars in canonical form.
extension XMLPlistWriter {
    /// The maximum number of characters in a data line. Each tab counts as eight, as in Apple's writer.
    private static let lineLength = 76
    /// The maximum indentation of data, in tabs.
    private static let dataIndentation = 8

    mutating func indent() {
        if isFragment { return indentFragment() }
        output.append(repeating: UInt8(ascii: "\t"), count: indentation)
    }

    /// Appends text that ends with LF, which represents the end of a line.
    mutating func appendLine(_ text: StaticString) {
        if isFragment { return appendFragmentLine(text) }
        output.append(text)
    }

    /// Appends text with `&`, `<`, `>` and CR escaped.
    mutating func appendText(_ string: PlistString) throws(PlistError) {
        if isFragment { return try appendFragmentText(string) }
        let forbidden = string.withUTF8 { Self.append(UnsafeRawBufferPointer($0), to: &output) }
        try checkCharacter(forbidden)
    }

    /// Throws an error if a forbidden character stopped the escaping.
    func checkCharacter(_ forbidden: UInt32?) throws(PlistError) {
        if let forbidden {
            let number = String(forbidden, radix: 16, uppercase: true)
            let padding = String(repeating: "0", count: 4 - number.count)
            throw failure("XML can't hold the character U+\(padding)\(number)")
        }
    }

    /// Appends escaped text. Returns the character that stopped it if XML doesn't allow that character.
    static func append(_ text: UnsafeRawBufferPointer, to output: inout TextBuffer) -> UInt32? {
        var start = 0
        var place = 0
        while place < text.count {
            if place &+ 8 <= text.count {
                let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                let stops = XMLCharacters.escapes(in: word)
                guard stops != 0 else {
                    place &+= 8
                    continue
                }
                place &+= stops.trailingZeroBitCount >> 3
            }
            let escape: StaticString
            switch text[place] {
            case UInt8(ascii: "&"): escape = "&amp;"
            case UInt8(ascii: "<"): escape = "&lt;"
            case UInt8(ascii: ">"): escape = "&gt;"
            case 0x0D: escape = "&#13;"
            case let byte where byte < 0x20 && byte != 0x09 && byte != 0x0A:
                return UInt32(byte)
            case 0xEF where text[place &+ 1] == 0xBF && text[place &+ 2] >= 0xBE:
                return 0xFF40 + UInt32(text[place &+ 2])
            default:
                place &+= 1
                continue
            }
            output.append(UnsafeRawBufferPointer(rebasing: text[start..<place]))
            output.append(escape)
            place &+= 1
            start = place
        }
        output.append(UnsafeRawBufferPointer(rebasing: text[start...]))
        return nil
    }

    mutating func appendDecimal(_ integer: PlistInteger) {
        if integer.isNegative { output.append(UInt8(ascii: "-")) }
        appendDecimal(integer.magnitude, digits: 1)
    }

    /// Appends decimal digits, padded with zeros to a minimum number of digits.
    private mutating func appendDecimal(_ number: UInt64, digits least: Int) {
        var count = 1
        var power: UInt64 = 1
        // There are at most 20 digits. Another power would overflow, but the loop's condition never requires it.
        while number / power >= 10 {
            power *= 10
            count += 1
        }
        if count < least { output.append(repeating: UInt8(ascii: "0"), count: least - count) }
        while power > 0 {
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / power % 10))
            power /= 10
        }
    }

    mutating func appendReal(_ real: Double) throws(PlistError) {
        if real.isNaN, real.bitPattern != Double.nan.bitPattern {
            let bits = String(real.bitPattern, radix: 16)
            throw failure("XML can't hold a NaN with the bits 0x\(bits)")
        }
        for byte in RealSpelling.spell(real).utf8 { output.append(byte) }
    }

    /// Appends a date as `YYYY-MM-DDTHH:MM:SSZ`.
    mutating func appendDate(_ seconds: Double) throws(PlistError) {
        guard let whole = Int(exactly: seconds), !(whole == 0 && seconds.sign == .minus) else {
            throw failure(
                seconds.isFinite
                    ? "XML can't hold fractions of a second in a date: \(seconds)" : "not a valid date: \(seconds)")
        }
        guard CivilTime.secondsOfYears.contains(whole) else {
            throw failure("XML can't hold a date outside the years 0 to 9999")
        }
        let time = CivilTime(secondsSince2001: whole)
        appendDecimal(UInt64(time.year), digits: 4)
        for (separator, number) in zip(
            "--T::".utf8, [time.month, time.day, time.hour, time.minute, time.second])
        {
            output.append(separator)
            appendDecimal(UInt64(number), digits: 2)
        }
        output.append(UInt8(ascii: "Z"))
    }

    mutating func appendData(_ bytes: [UInt8]) {
        if isFragment { return appendFragmentData(bytes) }
        let tabs = min(indentation, Self.dataIndentation)
        let lineBytes = (Self.lineLength - 8 * tabs) / 4 * 3
        output.append("<data>\n")
        bytes.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let end = min(start + lineBytes, bytes.count)
                output.append(repeating: UInt8(ascii: "\t"), count: tabs)
                Base64.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), to: &output)
                output.append(0x0A)
                start = end
            }
        }
        indent()
        output.append("</data>\n")
    }

    /// Appends the dictionary that represents a UID, after its first line's indentation.
    mutating func appendUID(_ uid: UInt64) {
        appendLine("<dict>\n")
        indent()
        appendUnit()
        appendLine("<key>CF$UID</key>\n")
        indent()
        appendUnit()
        output.append("<integer>")
        appendDecimal(uid, digits: 1)
        appendLine("</integer>\n")
        indent()
        appendLine("</dict>\n")
    }

    /// Appends one more level of indentation.
    private mutating func appendUnit() {
        guard isFragment else { return output.append(UInt8(ascii: "\t")) }
        if !style.isInline { output.append(style.unit) }
    }
}
