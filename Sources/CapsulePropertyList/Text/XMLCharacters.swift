/// Classifies the characters of XML 1.0 and finds those with a special meaning.
enum XMLCharacters {
    /// Returns true for space, tab, LF and CR. (XML 1.0, production 3)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }

    /// Returns true for a character that may follow an element's name in a tag.
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
    ///
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

    /// The high bit of each byte, which is set in bytes that are not ASCII.
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

    /// Returns the length of the multibyte sequence at an offset, or 0 if it is invalid UTF-8, U+FFFE or U+FFFF.
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

    /// Returns the offset of the first byte in a range that is not part of valid UTF-8, or nil if there is none.
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
