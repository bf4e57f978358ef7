import CapsulePropertyList

/// A way in which files and texts spell the bytes of a value.
package enum SecretSpelling: Hashable, Sendable {
    /// The bytes themselves: a text in UTF-8, or data.
    case plain
    /// UTF-16 in either order of bytes.
    case wide(isBigEndian: Bool)
    /// The escapes of URLs, JSON, XML or Swift, which are ASCII.
    case escaped
    case base64
    case hex

    /// Returns the spellings of a value, the shortest of which is as long as the value, except for Base64.
    static func all(of value: [UInt8], isText: Bool) -> [(spelling: SecretSpelling, bytes: [UInt8])] {
        var all: [(SecretSpelling, [UInt8])] = [(.plain, value), (.hex, hex(value))]
        for offset in 0..<3 {
            let text = base64(value, offset: offset)
            all.append((.base64, text))
            let forURLs = text.map {
                $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
            }
            if forURLs != text { all.append((.base64, forURLs)) }
        }
        guard isText else { return all }
        for isBigEndian in [false, true] {
            let encoding: TextEncoding = isBigEndian ? .utf16BigEndian : .utf16LittleEndian
            all.append((.wide(isBigEndian: isBigEndian), encoding.bytes(of: value, hasMark: false)))
        }
        var escapes: Set<[UInt8]> = []
        // Forms write a space as a plus sign.
        let form = value.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
        for escaped in [
            percent(value), percent(value, keeping: ":@!$&'()*+,;=/?"), xml(value), form, percent(form, keeping: "+"),
        ] { escapes.insert(escaped) }
        for (escapesSlash, escapesUnicode) in [(false, false), (true, false), (false, true), (true, true)] {
            let text = json(value, escapesSlash: escapesSlash, escapesUnicode: escapesUnicode)
            escapes.formUnion([text, json(text, escapesSlash: false, escapesUnicode: false)])
        }
        // CSV and SQL double their quotes.
        for quote in "\"'".utf8 where value.contains(quote) { escapes.insert(value.flatMap { $0 == quote ? [$0, $0] : [$0] }) }
        return all + escapes.filter { $0 != value }.map { (.escaped, $0) }
    }

    private static let digits = Array("0123456789abcdef".utf8)
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func hex(_ value: [UInt8]) -> [UInt8] { value.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } }

    /// Returns the characters of Base64 (RFC 4648, section 4) that only the value determines, if it starts `offset` bytes after the
    /// beginning of a group of three.
    private static func base64(_ value: [UInt8], offset: Int) -> [UInt8] {
        let bits = [UInt8](repeating: 0, count: offset) + value
        let first = (offset * 8 + 5) / 6
        return (first..<max(first, bits.count * 8 / 6)).map { place in
            let (byte, shift) = (place * 6 / 8, place * 6 % 8)
            let next = byte + 1 < bits.count ? bits[byte + 1] : 0
            return alphabet[Int((UInt16(bits[byte]) << 8 | UInt16(next)) >> (10 - shift) & 63)]
        }
    }

    private static func percent(_ value: [UInt8], keeping kept: String = "") -> [UInt8] {
        value.flatMap { byte -> [UInt8] in
            if byte.isOfWord || "-.~".utf8.contains(byte) || kept.utf8.contains(byte) { return [byte] }
            return [UInt8(ascii: "%")] + hex([byte])
        }
    }

    private static func xml(_ value: [UInt8]) -> [UInt8] {
        value.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "&"): Array("&amp;".utf8)
            case UInt8(ascii: "<"): Array("&lt;".utf8)
            case UInt8(ascii: ">"): Array("&gt;".utf8)
            default: [byte]
            }
        }
    }

    /// Returns a text as JSON spells it (RFC 8259, section 7).
    private static func json(_ value: [UInt8], escapesSlash: Bool, escapesUnicode: Bool) -> [UInt8] {
        var text: [UInt8] = []
        for unit in String(decoding: value, as: UTF8.self).unicodeScalars {
            switch unit {
            case "\"", "\\": text += [UInt8(ascii: "\\")] + Array(String(unit).utf8)
            case "/" where escapesSlash: text += Array("\\/".utf8)
            case "\n": text += Array("\\n".utf8)
            case "\r": text += Array("\\r".utf8)
            case "\t": text += Array("\\t".utf8)
            case _ where unit.value < 0x20 || unit.value >= 0x80 && escapesUnicode:
                for unit in String(unit).utf16 {
                    text += Array("\\u".utf8) + hex([UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)])
                }
            default: text += Array(String(unit).utf8)
            }
        }
        return text
    }
}
