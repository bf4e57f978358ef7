import CapsulePropertyList

/// The decodings of bytes in the spellings that have too many forms to be listed, as ``SecretSpelling`` lists others: any characters of a
/// text in the escapes of URLs, mail, JSON, JavaScript, XML and HTML, and the digits of ``DigitWords``.
package struct SecretDecoding {
    /// The less likely decodings: the text with escapes of one kind resolved, since what looks like another kind may be none, and words of
    /// digits that begin elsewhere.
    package private(set) var readings: [[UInt8]] = []
    /// The decodings that may be encoded again: the text without any escapes, without those of mail, and the bytes that long words of digits stand for.
    package private(set) var inner: [[UInt8]] = []

    /// Returns true for a text that says nothing else, whatever is decoded: most cells of databases.
    package static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        if text.first == UInt8(ascii: "<") { return false }
        return isOfPlainTexts.withUnsafeBufferPointer { isPlain in text.allSatisfy { isPlain[Int($0)] } }
            && DigitWords.areNone(in: text)
    }

    private static let isOfPlainTexts = (0...UInt8.max).map { 0x20..<0x7F ~= $0 && !isMark($0) }

    package init(_ bytes: [UInt8]) {
        let hasZero = bytes.contains(0)
        if !hasZero, bytes.contains(where: Self.isMark), String(validating: bytes, as: UTF8.self) != nil {
            let kinds = Kind.allCases.compactMap { Self.resolved(bytes, [$0]) }
            inner = (kinds.count > 1 ? Self.resolved(bytes, Set(Kind.allCases)) : kinds.first).map { [$0] } ?? []
            readings = kinds.count > 1 ? kinds : []
            if let form = Self.form(bytes) { readings.append(form) }
            if let mail = Self.quotedPrintable(bytes) { inner.append(mail) }
            // In such a word, `_` is a blank (RFC 2047, section 4.2).
            if Self.hasEncodedWord(bytes) {
                let spaced = bytes.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: " ") : $0 }
                inner.append(Self.quotedPrintable(spaced) ?? spaced)
            }
        }
        if hasZero, let narrow = Self.narrow(bytes) { inner.append(narrow) }
        for text in [bytes] + readings {
            let words = DigitWords(text)
            inner += words.decoded
            readings += words.shifted
        }
    }

    /// Returns the characters of Latin-1 in UTF-16 or UTF-32 in either order of bytes; nil for what has too few zero bytes to be that.
    package static func narrow(_ bytes: [UInt8]) -> [UInt8]? {
        var zeros = 0
        bytes.withUnsafeBufferPointer { bytes in
            // A count of one byte, of a few bytes at a time, is fast.
            for start in stride(from: 0, to: bytes.count, by: 128) {
                var count: UInt8 = 0
                for byte in bytes[start..<min(bytes.count, start + 128)] { count &+= byte == 0 ? 1 : 0 }
                zeros += Int(count)
            }
        }
        guard zeros * 3 >= bytes.count else { return nil }
        var narrow: [UInt8] = []
        narrow.reserveCapacity(bytes.count)
        for byte in bytes where byte != 0 {
            if byte < 0x80 { narrow.append(byte) } else { narrow += [0xC0 | byte >> 6, 0x80 | byte & 0x3F] }
        }
        return narrow
    }

    /// Returns what a value says that is written with escapes; nil if it has none.
    static func withoutEscapes(_ value: [UInt8]) -> [UInt8]? {
        value.contains(where: { Kind($0) != nil }) ? resolved(value, Set(Kind.allCases)) : nil
    }

    /// The escapes of one kind of text, by the character that begins each.
    private enum Kind: CaseIterable {
        case url, markup, code

        init?(_ byte: UInt8) {
            switch byte {
            case UInt8(ascii: "%"): self = .url
            case UInt8(ascii: "&"): self = .markup
            case UInt8(ascii: "\\"): self = .code
            default: return nil
            }
        }
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        Kind(byte) != nil || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "=")
    }

    /// Returns a text without one layer of the escapes of some kinds; nil if it has none.
    private static func resolved(_ text: [UInt8], _ kinds: Set<Kind>) -> [UInt8]? {
        var (plain, start, place): ([UInt8], Int, Int) = ([], 0, 0)
        while place < text.count {
            guard let kind = Kind(text[place]), kinds.contains(kind), let escape = escape(kind, text[(place + 1)...]) else {
                place += 1
                continue
            }
            plain += text[start..<place] + escape.bytes
            place += 1 + escape.length
            start = place
        }
        return start == 0 ? nil : plain + text[start...]
    }

    /// Decodes an escape, of which the bytes after the first are given.
    /// - Returns: the bytes that it stands for, and how many of those given belong to it.
    private static func escape(_ kind: Kind, _ rest: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        switch kind {
        case .url: return number(rest.prefix(2), digits: 2, base: 16).map { ([UInt8($0)], 2) }
        case .markup:
            if rest.first == UInt8(ascii: "#") { return numericReference(rest) }
            guard let end = rest.prefix(longestReference).firstIndex(of: UInt8(ascii: ";")) else { return nil }
            let name = rest[..<end]
            return references[Array(name)].map { ($0, name.count + 1) }
        case .code: return codeEscape(rest)
        }
    }

    /// Decodes a reference such as `#64;` or `#x40;`, of which HTML lets the semicolon be left out (HTML, section 13.2.5.80).
    private static func numericReference(_ rest: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        let isHex = rest.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
        let start = isHex ? 2 : 1
        let digits = rest.dropFirst(start).prefix(longestReference).prefix { isHex ? $0.isHexDigit : $0.isDigit }
        let hasEnd = rest.dropFirst(start + digits.count).first == UInt8(ascii: ";")
        return number(digits, digits: digits.count, base: isHex ? 16 : 10).flatMap(character)
            .map { ($0, start + digits.count + (hasEnd ? 1 : 0)) }
    }

    /// Escapes of JSON, JavaScript, C, Swift and OpenStep property lists.
    private static func codeEscape(_ rest: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        guard let first = rest.first else { return nil }
        let digits = rest.dropFirst()
        switch first {
        case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "/"): return ([first], 1)
        case UInt8(ascii: "n"): return ([0x0A], 1)
        case UInt8(ascii: "r"): return ([0x0D], 1)
        case UInt8(ascii: "t"): return ([0x09], 1)
        case UInt8(ascii: "x"):
            guard let code = number(digits.prefix(2), digits: 2, base: 16) else { return nil }
            // A byte of UTF-8, of which others follow, or else a character of Latin-1, as in JavaScript.
            let isCharacter = code >= 0xC0 && !digits.dropFirst(2).starts(with: [UInt8(ascii: "\\"), first])
            return isCharacter ? character(code).map { ($0, 3) } : ([UInt8(code)], 3)
        case UInt8(ascii: "0")...UInt8(ascii: "3"): return number(rest.prefix(3), digits: 3, base: 8).map { ([UInt8($0)], 3) }
        case UInt8(ascii: "u") where digits.first == UInt8(ascii: "{"):
            guard let end = digits.prefix(12).firstIndex(of: UInt8(ascii: "}")) else { return nil }
            let digits = digits.dropFirst().prefix(upTo: end)
            return number(digits, digits: digits.count, base: 16).flatMap(character).map { ($0, digits.count + 3) }
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            // C has eight digits after `\U`, and OpenStep property lists have four.
            if first == UInt8(ascii: "U"), let bytes = number(digits.prefix(8), digits: 8, base: 16).flatMap(character) {
                return (bytes, 9)
            }
            guard let unit = number(digits.prefix(4), digits: 4, base: 16) else { return nil }
            if let bytes = character(unit) { return (bytes, 5) }
            // The other half of a character that has two units of UTF-16.
            let next = digits.dropFirst(4)
            guard unit < 0xDC00, next.first == UInt8(ascii: "\\"), next.dropFirst().first == first,
                let other = number(next.dropFirst(2).prefix(4), digits: 4, base: 16), 0xDC00..<0xE000 ~= other
            else { return nil }
            return character(0x1_0000 + (unit - 0xD800) << 10 + (other - 0xDC00)).map { ($0, 11) }
        default: return nil
        }
    }

    private static func number(_ text: ArraySlice<UInt8>, digits: Int, base: Int) -> UInt32? {
        guard text.count == digits, text.allSatisfy(\.isLetterOrDigit) else { return nil }
        return UInt32(String(decoding: text, as: UTF8.self), radix: base)
    }

    private static func character(_ number: UInt32) -> [UInt8]? { Unicode.Scalar(number).map { Array(String($0).utf8) } }

    /// Returns what the body of a form says (URL Standard, section 5.1); nil if it has no plus sign.
    private static func form(_ text: [UInt8]) -> [UInt8]? {
        guard text.contains(UInt8(ascii: "+")) else { return nil }
        let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return resolved(spaced, [.url]) ?? spaced
    }

    /// Returns true for a text that has `?Q?`, as before the text of an encoded word in a mail's header.
    private static func hasEncodedWord(_ text: [UInt8]) -> Bool {
        text.indices.dropLast(2).contains {
            text[$0] == UInt8(ascii: "?") && text[$0 + 2] == UInt8(ascii: "?") && text[$0 + 1] | 0x20 == UInt8(ascii: "q")
        }
    }

    /// Returns what a text says in quoted-printable (RFC 2045, section 6.7); nil if it has no such escapes.
    private static func quotedPrintable(_ text: [UInt8]) -> [UInt8]? {
        var (plain, start): ([UInt8], Int) = ([], 0)
        for place in text.indices where text[place] == UInt8(ascii: "=") && place >= start {
            let rest = text[(place + 1)...]
            let lineEnd = rest.first == 0x0A ? 1 : rest.starts(with: [0x0D, 0x0A]) ? 2 : nil
            let byte = lineEnd == nil ? number(rest.prefix(2), digits: 2, base: 16) : nil
            guard let length = lineEnd ?? byte.map({ _ in 2 }) else { continue }
            plain += text[start..<place] + (byte.map { [UInt8($0)] } ?? [])
            start = place + 1 + length
        }
        return start == 0 ? nil : plain + text[start...]
    }
}

extension SecretDecoding {
    private static let longestReference = 10

    /// The characters by the names that HTML has for them (HTML, section 13.5): those of XML, some of ASCII, and those of Latin-1.
    private static let references: [[UInt8]: [UInt8]] = {
        let others: [(String, String)] = [
            ("quot", "\""), ("apos", "'"), ("lt", "<"), ("gt", ">"), ("amp", "&"), ("nbsp", "\u{A0}"), ("commat", "@"),
            ("period", "."),
            ("plus", "+"), ("lowbar", "_"), ("colon", ":"), ("equals", "="), ("sol", "/"), ("num", "#"), ("excl", "!"),
            ("ast", "*"),
        ]
        let letters = """
            Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute
            Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil
            egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc
            uuml yacute thorn yuml
            """.split(whereSeparator: \.isWhitespace)
        let latin = zip(letters, UInt8(0xC0)...UInt8.max).map { (String($0), String(Unicode.Scalar($1))) }
        return Dictionary((others + latin).map { (Array($0.utf8), Array($1.utf8)) }) { first, _ in first }
    }()
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool { isLetter || isDigit }
}
