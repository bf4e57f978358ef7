/// Which characters mean something inside JSON's strings. (RFC 8259, section 7)
enum JSONCharacters {
    /// The high bit of each byte of the word that is a control character, `"` or `\`.
    ///
    /// The lowest bit set is right; those above it may be false alarms, because the subtraction borrows.
    static func stops(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let controls = (word &- ones &* 0x20) & ~word
        let marks = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        return (controls | marks) & XMLCharacters.highBits
    }

    /// What the letter behind a backslash stands for; nil for `u` and where there is no such escape.
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

    /// The letter that stands for a character behind a backslash, if the character has one and can't stand for itself.
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
