/// Finds the ends of strings and data and decodes them.
extension OpenStepPlistScanner {
    mutating func passData() throws(PlistError) {
        let start = offset
        switch byte(at: start + 1) {
        case UInt8(ascii: "*"), UInt8(ascii: "["):
            throw failure(
                .unsupported, "a typed GNUstep value", at: start,
                hint: "OpenStep property lists have strings and data only; write a string, or save the file as XML")
        default: break
        }
        while offset < bytes.count, bytes[offset] != UInt8(ascii: ">") { offset &+= 1 }
        guard offset < bytes.count else { throw failure(.syntax, "the text ends inside data", at: offset) }
        offset &+= 1
    }

    mutating func passString() throws(PlistError) {
        let quote = bytes[offset]
        let start = offset
        hasEscapes = false
        guard OpenStepCharacters.isQuote(quote) else {
            while offset < bytes.count, OpenStepCharacters.isUnquoted(bytes[offset]) { offset &+= 1 }
            return
        }
        offset &+= 1
        scan: while true {
            while offset &+ 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let stops = OpenStepCharacters.stops(in: word, quote: quote)
                guard stops == 0 else {
                    offset &+= stops.trailingZeroBitCount >> 3
                    break
                }
                offset &+= 8
            }
            while offset < bytes.count {
                if bytes[offset] == quote { break scan }
                if bytes[offset] == UInt8(ascii: "\\") {
                    hasEscapes = true
                    offset = min(offset &+ 2, bytes.count)
                    continue scan
                }
                offset &+= 1
            }
            throw failure(.syntax, "the text ends inside a string", at: start)
        }
        try check(start..<offset)
        offset &+= 1
    }

    /// Returns the characters of the last token, a key or string, with escapes resolved. They are valid until the next call.
    mutating func string() throws(PlistError) -> UnsafeRawBufferPointer {
        guard OpenStepCharacters.isQuote(byte(at: tokenStart)) else {
            return UnsafeRawBufferPointer(rebasing: bytes[token])
        }
        let inside = tokenStart + 1..<max(offset - 1, tokenStart + 1)
        guard hasEscapes else { return UnsafeRawBufferPointer(rebasing: bytes[inside]) }
        assembled.removeAll()
        var place = inside.lowerBound
        while place < inside.upperBound {
            let start = place
            while place < inside.upperBound, bytes[place] != UInt8(ascii: "\\") { place &+= 1 }
            assembled.append(UnsafeRawBufferPointer(rebasing: bytes[start..<place]))
            if place < inside.upperBound { try appendEscape(at: &place, end: inside.upperBound) }
        }
        return assembled.bytes
    }

    private mutating func appendEscape(at place: inout Int, end: Int) throws(PlistError) {
        let start = place
        let letter = bytes[start + 1]
        place += 1
        switch letter {
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            let number = number(at: &place, end: end, digits: 3, isHexadecimal: false)
            guard number <= 0xFF, let character = NextStepCharacters.character(UInt8(number)) else {
                throw failure(
                    .syntax, "an octal escape that is not a NeXTSTEP character", at: start,
                    hint: "write \\U and four hexadecimal digits")
            }
            assembled.append(character)
        case UInt8(ascii: "U"):
            try appendCodeUnit(at: &place, from: start, end: end)
        default:
            place += 1
            if let character = OpenStepCharacters.character(ofEscape: letter) {
                assembled.append(character)
            } else {
                // Any other character after a backslash, such as `"`, `\` or a line end, represents itself. If it is the first byte
                // of a longer character, the other bytes follow normally.
                assembled.append(letter)
            }
        }
    }

    /// Appends the character for `\U` and up to four digits: a code unit of UTF-16, which a second escape may complete to a
    /// surrogate pair.
    private mutating func appendCodeUnit(at place: inout Int, from start: Int, end: Int) throws(PlistError) {
        place += 1
        let digits = place
        var number = number(at: &place, end: end, digits: 4, isHexadecimal: true)
        guard place > digits else { throw failure(.syntax, "\\U without digits", at: start) }
        if number & 0xFC00 == 0xD800, place + 1 < end, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "U") {
            var next = place + 2
            let low = self.number(at: &next, end: end, digits: 4, isHexadecimal: true)
            if low & 0xFC00 == 0xDC00 {
                number = 0x1_0000 + (number & 0x3FF) << 10 + (low & 0x3FF)
                place = next
            }
        }
        assembled.append(try repairs.scalar(number, failure(.syntax, "an unpaired escaped surrogate", at: start)))
    }

    private func number(at place: inout Int, end: Int, digits: Int, isHexadecimal: Bool) -> UInt32 {
        var number: UInt32 = 0
        let last = min(place + digits, end)
        while place < last, let digit = XMLPlistScalars.digit(bytes[place], isHexadecimal: isHexadecimal),
            isHexadecimal || digit < 8
        {
            number = number << (isHexadecimal ? 4 : 3) | UInt32(digit)
            place += 1
        }
        return number
    }

    func data() throws(PlistError) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(token.count / 2)
        var place = tokenStart + 1
        let end = offset - 1
        while place < end {
            if OpenStepCharacters.isSpace(bytes[place]) {
                place &+= 1
            } else if OpenStepCharacters.isSeparator(bytes, at: place) {
                place &+= 3
            } else {
                guard let high = XMLPlistScalars.digit(bytes[place], isHexadecimal: true) else {
                    throw failure(.invalidScalar, "a character in data that is not a hexadecimal digit", at: place)
                }
                // The last byte is the bracket, which is not a digit.
                guard let low = XMLPlistScalars.digit(bytes[place &+ 1], isHexadecimal: true) else {
                    throw failure(.invalidScalar, "an odd number of digits in data", at: place)
                }
                data.append(high << 4 | low)
                place &+= 2
            }
        }
        return data
    }
}

/// The NeXTSTEP character set, which the octal escapes of OpenStep property lists use. (Unicode Consortium, NEXTSTEP to Unicode,
/// 1999)
private enum NextStepCharacters {
    /// The characters for the bytes from 0x80 to 0xFD. The last two bytes have none.
    private static let upper: [UInt16] = [
        0x00A0, 0x00C0, 0x00C1, 0x00C2, 0x00C3, 0x00C4, 0x00C5, 0x00C7, 0x00C8, 0x00C9, 0x00CA, 0x00CB, 0x00CC, 0x00CD, 0x00CE,
        0x00CF,
        0x00D0, 0x00D1, 0x00D2, 0x00D3, 0x00D4, 0x00D5, 0x00D6, 0x00D9, 0x00DA, 0x00DB, 0x00DC, 0x00DD, 0x00DE, 0x00B5, 0x00D7,
        0x00F7,
        0x00A9, 0x00A1, 0x00A2, 0x00A3, 0x2044, 0x00A5, 0x0192, 0x00A7, 0x00A4, 0x2019, 0x201C, 0x00AB, 0x2039, 0x203A, 0xFB01,
        0xFB02,
        0x00AE, 0x2013, 0x2020, 0x2021, 0x00B7, 0x00A6, 0x00B6, 0x2022, 0x201A, 0x201E, 0x201D, 0x00BB, 0x2026, 0x2030, 0x00AC,
        0x00BF,
        0x00B9, 0x02CB, 0x00B4, 0x02C6, 0x02DC, 0x00AF, 0x02D8, 0x02D9, 0x00A8, 0x00B2, 0x02DA, 0x00B8, 0x00B3, 0x02DD, 0x02DB,
        0x02C7,
        0x2014, 0x00B1, 0x00BC, 0x00BD, 0x00BE, 0x00E0, 0x00E1, 0x00E2, 0x00E3, 0x00E4, 0x00E5, 0x00E7, 0x00E8, 0x00E9, 0x00EA,
        0x00EB,
        0x00EC, 0x00C6, 0x00ED, 0x00AA, 0x00EE, 0x00EF, 0x00F0, 0x00F1, 0x0141, 0x00D8, 0x0152, 0x00BA, 0x00F2, 0x00F3, 0x00F4,
        0x00F5,
        0x00F6, 0x00E6, 0x00F9, 0x00FA, 0x00FB, 0x0131, 0x00FC, 0x00FD, 0x0142, 0x00F8, 0x0153, 0x00DF, 0x00FE, 0x00FF,
    ]

    static func character(_ byte: UInt8) -> Unicode.Scalar? {
        if byte < 0x80 { return Unicode.Scalar(byte) }
        let place = Int(byte) - 0x80
        return place < upper.count ? Unicode.Scalar(upper[place]) : nil
    }
}
