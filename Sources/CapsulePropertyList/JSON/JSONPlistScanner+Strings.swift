/// Finds the ends of strings and decodes them. (RFC 8259, section 7)
extension JSONPlistScanner {
    mutating func passString() throws(PlistError) {
        offset &+= 1
        hasEscapes = false
        let start = offset
        var nonASCII: UInt64 = 0
        scan: while true {
            while offset &+ 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let stops = JSONCharacters.stops(in: word)
                nonASCII |= word
                guard stops == 0 else {
                    offset &+= stops.trailingZeroBitCount >> 3
                    break
                }
                offset &+= 8
            }
            while offset < bytes.count {
                switch bytes[offset] {
                case UInt8(ascii: "\""): break scan
                case UInt8(ascii: "\\"):
                    hasEscapes = true
                    offset = min(offset &+ 2, bytes.count)
                    continue scan
                case 0..<0x20: throw controlFailure()
                case let byte:
                    nonASCII |= UInt64(byte)
                    offset &+= 1
                }
            }
            throw failure(.syntax, "the text ends inside a string", at: offset)
        }
        if nonASCII & XMLCharacters.highBits != 0, let place = UTF8Sequence.firstInvalid(in: bytes, start..<offset) {
            throw failure(.encoding, "not valid UTF-8", at: place)
        }
        offset &+= 1
    }

    /// Returns the characters of the last token, a key or string, with escapes resolved. They are valid until the next call.
    mutating func string() throws(PlistError) -> UnsafeRawBufferPointer {
        let inside = UnsafeRawBufferPointer(rebasing: bytes[tokenStart + 1..<max(offset - 1, tokenStart + 1)])
        guard hasEscapes else { return inside }
        assembled.removeAll()
        var place = tokenStart + 1
        let end = offset - 1
        while place < end {
            let start = place
            while place < end, bytes[place] != UInt8(ascii: "\\") { place &+= 1 }
            assembled.append(UnsafeRawBufferPointer(rebasing: bytes[start..<place]))
            if place < end { try appendEscape(at: &place, end: end) }
        }
        return assembled.bytes
    }

    private mutating func appendEscape(at place: inout Int, end: Int) throws(PlistError) {
        let start = place
        let letter = bytes[place + 1]
        place += 2
        guard letter == UInt8(ascii: "u") else {
            guard let byte = JSONCharacters.character(ofEscape: letter) else {
                throw failure(.syntax, "an invalid escape", at: start, hint: "write a backslash as \\\\")
            }
            return assembled.append(byte)
        }
        let unit = try codeUnit(at: &place, from: start, end: end)
        var number = UInt32(unit)
        if unit & 0xFC00 == 0xD800, place + 1 < end, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "u") {
            var next = place + 2
            let low = try codeUnit(at: &next, from: place, end: end)
            if low & 0xFC00 == 0xDC00 {
                number = 0x1_0000 + UInt32(unit & 0x3FF) << 10 + UInt32(low & 0x3FF)
                place = next
            }
        }
        assembled.append(try repairs.scalar(number, failure(.syntax, "an unpaired escaped surrogate", at: start)))
    }

    private func codeUnit(at place: inout Int, from start: Int, end: Int) throws(PlistError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard place < end, let digit = XMLPlistScalars.digit(bytes[place], isHexadecimal: true) else {
                throw failure(.syntax, "\\u without four hexadecimal digits", at: start)
            }
            unit = unit << 4 | UInt16(digit)
            place += 1
        }
        return unit
    }
}

/// The characters with a special meaning in JSON strings. (RFC 8259, section 7)
enum JSONCharacters {
    /// Returns a word with the high bit of each byte set that is a control character, `"` or `\`.
    /// The lowest set bit is correct. Those above it may be false positives, because the subtraction borrows.
    static func stops(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let controls = (word &- ones &* 0x20) & ~word
        let marks = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        return (controls | marks) & XMLCharacters.highBits
    }

    static func character(ofEscape letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    static func letter(for character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): character
        case 0x08: UInt8(ascii: "b")
        case 0x0C: UInt8(ascii: "f")
        case 0x0A: UInt8(ascii: "n")
        case 0x0D: UInt8(ascii: "r")
        case 0x09: UInt8(ascii: "t")
        default: nil
        }
    }
}
