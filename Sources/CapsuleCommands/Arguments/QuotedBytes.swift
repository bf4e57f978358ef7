/// An argument as a message can show it: one line, whatever its bytes.
///
/// Control characters and bytes that are no UTF-8 come out as `\n`, `\t`, `\xFF`, and so do the characters that turn the
/// direction of text, which could make a message read as another one. A backslash stays as it is: this is to be read, not
/// to be parsed.
struct QuotedBytes {
    let text: String

    init(_ bytes: [UInt8]) {
        var text = ""
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let scalar = Self.scalar(at: rest) else {
                text += Self.escaped(rest.removeFirst())
                continue
            }
            let width = UTF8.width(scalar)
            if Self.isShown(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += rest.prefix(width).map(Self.escaped).joined()
            }
            rest = rest.dropFirst(width)
        }
        self.text = text
    }

    /// The UTF-8 scalar that `bytes` begin with, if they begin with one.
    private static func scalar(at bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F: false
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
    }

    private static func escaped(_ byte: UInt8) -> String {
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
