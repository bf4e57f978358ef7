/// Classifies the characters of OpenStep property lists. (CoreFoundation CFOldStylePList.c)
enum OpenStepCharacters {
    static func isUnquoted(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    /// Returns true for tab, LF, VT, FF, CR and space. U+2028 and U+2029 are space too.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    /// Returns true for U+2028 and U+2029, which separate lines.
    static func isSeparator(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        bytes.count - offset >= 3 && bytes[offset] == 0xE2 && bytes[offset + 1] == 0x80 && bytes[offset + 2] | 1 == 0xA9
    }

    /// Returns a word with the high bit of each byte set that is the quotation mark or `\`.
    /// The lowest set bit is correct. Those above it may be false positives, because the subtraction borrows.
    static func stops(in word: UInt64, quote: UInt8) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* UInt64(quote))
        let backslashes = word ^ (ones &* 0x5C)
        return ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes) & XMLCharacters.highBits
    }

    static func character(ofEscape letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "a"): 0x07
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "v"): 0x0B
        default: nil
        }
    }

    static func letter(for character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): character
        case 0x07: UInt8(ascii: "a")
        case 0x08: UInt8(ascii: "b")
        case 0x0C: UInt8(ascii: "f")
        case 0x0A: UInt8(ascii: "n")
        case 0x0D: UInt8(ascii: "r")
        case 0x09: UInt8(ascii: "t")
        case 0x0B: UInt8(ascii: "v")
        default: nil
        }
    }
}

extension OpenStepPlistScanner {
    mutating func skipSpace() throws(PlistError) {
        while offset < bytes.count {
            let byte = bytes[offset]
            if OpenStepCharacters.isSpace(byte) {
                offset &+= 1
            } else if byte == UInt8(ascii: "/"), self.byte(at: offset + 1) == UInt8(ascii: "/") {
                let start = offset
                while offset < bytes.count, !isLineEnd() { offset &+= 1 }
                try check(start..<offset)
            } else if byte == UInt8(ascii: "/"), self.byte(at: offset + 1) == UInt8(ascii: "*") {
                try skipComment()
            } else if byte == 0xE2, OpenStepCharacters.isSeparator(bytes, at: offset) {
                offset &+= 3
            } else {
                return
            }
        }
    }

    private func isLineEnd() -> Bool {
        let byte = bytes[offset]
        return byte == 0x0A || byte == 0x0D || byte == 0xE2 && OpenStepCharacters.isSeparator(bytes, at: offset)
    }

    private mutating func skipComment() throws(PlistError) {
        let start = offset
        offset &+= 2
        while offset &+ 1 < bytes.count {
            if bytes[offset] == UInt8(ascii: "*"), bytes[offset &+ 1] == UInt8(ascii: "/") {
                offset &+= 2
                return try check(start..<offset)
            }
            offset &+= 1
        }
        throw failure(.syntax, "an unterminated comment", at: start)
    }

    /// Throws an error unless the range is valid UTF-8 without NUL, which at the beginning would make the text look like UTF-16.
    func check(_ range: Range<Int>) throws(PlistError) {
        if let place = UTF8Sequence.firstInvalid(in: bytes, range) { throw failure(.encoding, "not valid UTF-8", at: place) }
        if let place = range.first(where: { bytes[$0] == 0 }) {
            throw failure(.syntax, "a NUL character", at: place, hint: "write \\000")
        }
    }
}
