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

    /// Returns what bytes say if spellings are resolved that have many forms: Base64, also over several lines, and in a text any characters
    /// in the escapes of URLs, forms, JSON, JavaScript, XML and HTML.
    package static func decodings(of bytes: [UInt8], isText: Bool) -> [[UInt8]] {
        var all = isText ? unescaped(bytes) : []
        for text in [bytes] + all { all += base64Words(in: joined(text)) }
        return all
    }

    private static func unescaped(_ text: [UInt8]) -> [[UInt8]] {
        var all: [[UInt8]] = []
        var text = text
        if text.contains(UInt8(ascii: "&")) {
            text = xmlNames.reduce(text) { text, name in replacing(Array("&\(name.0);".utf8), in: text, by: name.1) }
            all.append(text)
        }
        if text.contains(UInt8(ascii: "+")) {
            let form = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
            all.append(decoded(form, after: Array("%".utf8), length: 2, base: 16) ?? form)
        }
        let escapes: [(mark: String, length: Int?, base: Int)] = [
            ("%", 2, 16), ("\\u", 4, 16), ("\\x", 2, 16), ("&#x", nil, 16), ("&#", nil, 10),
        ]
        for (mark, length, base) in escapes where mark.utf8.first.map(text.contains) ?? false {
            if let decoded = decoded(text, after: Array(mark.utf8), length: length, base: base) { all.append(decoded) }
        }
        return all
    }

    /// Returns a text without its line ends and the space that begins each next line.
    private static func joined(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(0x0A) || text.contains(0x0D) else { return text }
        var (joined, isAtStart): ([UInt8], Bool) = ([], false)
        joined.reserveCapacity(text.count)
        for byte in text {
            if byte == 0x0A || byte == 0x0D { isAtStart = true }
            if isAtStart, byte.isSpace { continue }
            isAtStart = false
            joined.append(byte)
        }
        return joined
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
        var (words, start): ([[UInt8]], Int) = ([], 0)
        for end in 0...text.count where end == text.count || !isOfBase64[Int(text[end])] {
            defer { start = end + 1 }
            guard end - start >= shortestWord else { continue }
            let word = text[start..<end].map {
                $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
            }
            for offset in 0..<4 {
                // Without padding, the last group is not complete.
                let padding = (4 - (word.count - offset) % 4) % 4
                let padded = Array(word[offset...]) + repeatElement(UInt8(ascii: "="), count: padding)
                let data = padded.withUnsafeBytes(Base64.decode) ?? Array(padded.dropLast(4)).withUnsafeBytes(Base64.decode)
                if let data { words.append(data) }
            }
        }
        return words
    }

    private static let isOfBase64 = (0...UInt8.max).map { $0.isOfWord || "+/-".utf8.contains($0) }

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
