/// What a text may have that goes to a terminal, and what stands for the rest.
package enum TerminalCharacters {
    /// Whether a character shows itself and does nothing else: it is no control character, ends no line, and does not turn the
    /// direction of text, which could make a line read as another one.
    package static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F: false
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
    }

    /// The UTF-8 scalar that `bytes` begin with; nil if they begin with none.
    package static func scalar(at bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    /// `\n`, `\r`, `\t`, `\x1B`
    package static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\n"): return "\\n"
        case UInt8(ascii: "\r"): return "\\r"
        case UInt8(ascii: "\t"): return "\\t"
        default:
            let digits = String(byte, radix: 16, uppercase: true)
            return "\\x" + (digits.count < 2 ? "0" : "") + digits
        }
    }
}
