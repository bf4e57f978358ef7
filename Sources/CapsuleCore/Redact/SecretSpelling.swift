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
        for escaped in [percent(value), percent(value, keeping: ":@!$&'()*+,;=/?"), xml(value)] { escapes.insert(escaped) }
        for (escapesSlash, escapesUnicode) in [(false, false), (true, false), (false, true), (true, true)] {
            let text = json(value, escapesSlash: escapesSlash, escapesUnicode: escapesUnicode)
            escapes.formUnion([text, json(text, escapesSlash: false, escapesUnicode: false)])
        }
        // CSV and SQL double their quotes.
        for quote in "\"'".utf8 where value.contains(quote) { escapes.insert(value.flatMap { $0 == quote ? [$0, $0] : [$0] }) }
        return all + escapes.filter { $0 != value }.map { (.escaped, $0) }
    }

    /// Returns what a text says if spellings are resolved that have many forms: any characters in the escapes of URLs, JSON and XML, and
    /// lines that only break a long word, as in Base64.
    package static func decodings(of text: [UInt8]) -> [[UInt8]] {
        var all: [[UInt8]] = []
        var text = text
        if text.contains(UInt8(ascii: "&")) {
            text = xmlNames.reduce(text) { text, name in replacing(Array("&\(name.0);".utf8), in: text, by: name.1) }
            all.append(text)
        }
        for (mark, length, base) in [("%", 2, 16), ("\\u", 4, 16), ("&#x", nil, 16), ("&#", nil, 10)] as [(String, Int?, Int)] {
            if let decoded = decoded(text, after: Array(mark.utf8), length: length, base: base) { all.append(decoded) }
        }
        let joined = text.filter { $0 != 0x0A && $0 != 0x0D }
        if joined.count < text.count { all.append(joined) }
        return all + base64Words(in: joined)
    }

    private static let xmlNames: [(String, UInt8)] = [
        ("quot", UInt8(ascii: "\"")), ("apos", UInt8(ascii: "'")), ("lt", UInt8(ascii: "<")), ("gt", UInt8(ascii: ">")),
        ("amp", UInt8(ascii: "&")),
    ]
    private static let shortestWord = 12

    private static func replacing(_ part: [UInt8], in text: [UInt8], by byte: UInt8) -> [UInt8] {
        var (replaced, place): ([UInt8], Int) = ([], 0)
        while place < text.count {
            let isPart = text[place] == part[0] && text[place...].starts(with: part)
            replaced.append(isPart ? byte : text[place])
            place += isPart ? part.count : 1
        }
        return replaced
    }

    /// Returns what the long words of a text are in Base64, from each of the four places at which a group may begin.
    private static func base64Words(in text: [UInt8]) -> [[UInt8]] {
        let values = text.map { byte -> UInt8 in
            let byte = byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
            return byte.isLetter || byte.isDigit || "+/".utf8.contains(byte) ? byte : 0
        }
        var words: [[UInt8]] = []
        for word in values.split(separator: 0) where word.count >= shortestWord {
            for offset in 0..<4 {
                let whole = word.dropFirst(offset)
                if let data = Array(whole.prefix(whole.count / 4 * 4)).withUnsafeBytes(Base64.decode) { words.append(data) }
            }
        }
        return words
    }

    /// Returns a text with its numeric escapes resolved; nil if it has none.
    /// - Parameter length: the number of digits; nil for those up to a semicolon.
    private static func decoded(_ text: [UInt8], after mark: [UInt8], length: Int?, base: Int) -> [UInt8]? {
        var (decoded, place, isChanged): ([UInt8], Int, Bool) = ([], 0, false)
        while place < text.count {
            let start = place + mark.count
            guard text[place] == mark[0], text[place...].starts(with: mark), start < text.count else {
                decoded.append(text[place])
                place += 1
                continue
            }
            let end = length.map { start + $0 } ?? text[start...].prefix(8).firstIndex(of: UInt8(ascii: ";")) ?? text.count
            guard end <= text.count, let number = UInt32(String(decoding: text[start..<end], as: UTF8.self), radix: base),
                let unit = Unicode.Scalar(number)
            else {
                decoded.append(text[place])
                place += 1
                continue
            }
            // An escape of URLs is a byte, and not a character.
            decoded += length == 2 ? [UInt8(truncatingIfNeeded: number)] : Array(String(unit).utf8)
            place = length == nil ? end + 1 : end
            isChanged = true
        }
        return isChanged ? decoded : nil
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
