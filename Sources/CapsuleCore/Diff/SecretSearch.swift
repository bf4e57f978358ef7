import CapsulePropertyList

/// A search for secrets in a text.
struct SecretSearch {
    let text: [UInt8]
    let isCut: Bool
    let usesNames: Bool
    /// The secrets in the order of the text.
    private(set) var found: [Range<Int>] = []
    private var pairs: [Range<Int>] = []

    init(text: [UInt8], isCut: Bool, usesNames: Bool) {
        self.text = text
        self.isCut = isCut
        self.usesNames = usesNames
    }

    static let pemStart = Array("-----BEGIN ".utf8)
    static let pemKind = Array("PRIVATE KEY".utf8)
    static let pemEnd = Array("-----END ".utf8)
    private static let authority = Array("://".utf8)
    private static let longestName = 128
    private static let longestAuthority = 1_024

    mutating func run() {
        var place = 0
        while place < text.count {
            if text[place].isOfWord {
                place = word(place)
            } else if let end = privateKey(place) {
                found.append(place..<end)
                place = end
            } else {
                if text[place] == UInt8(ascii: "{"), usesNames { pairs += SecretPairs(self).values(after: place + 1) }
                if text[place] == UInt8(ascii: "<"), usesNames, let value = value(ofElement: place + 1) { pairs.append(value) }
                place += 1
            }
        }
        if !pairs.isEmpty { merge() }
    }

    private mutating func merge() {
        let all = (found + pairs).sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        found = []
        for range in all {
            if let last = found.last, range.lowerBound < last.upperBound {
                found[found.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                found.append(range)
            }
        }
    }

    /// Takes the word at a place, with the secret that it is or introduces.
    /// - Returns: the place to go on at.
    private mutating func word(_ start: Int) -> Int {
        let end = self.end(start) { $0.isOfWord || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
        let word = text[start..<end]
        if SecretForms.isSecret(word, isOpen: isCut && end == text.count) {
            found.append(withoutMarks(start..<end))
            return end
        }
        guard word.count < Self.longestName, let value = secret(after: word) else { return end }
        if !value.isEmpty { found += elements(of: value) }
        return max(end, value.upperBound)
    }

    private func secret(after word: ArraySlice<UInt8>) -> Range<Int>? {
        let end = word.endIndex
        if end < text.count {
            switch text[end] {
            case UInt8(ascii: ":"):
                if let password = password(inAuthority: end) { return password }
            case UInt8(ascii: "/"):
                if let secret = webhook(of: word) { return secret }
            case UInt8(ascii: " "), UInt8(ascii: "\t"):
                if let value = credentials(after: word) ?? argument(after: word) ?? login(after: word) { return value }
            default: break
            }
        }
        guard usesNames else { return nil }
        return value(after: word)
    }

    // MARK: Forms

    /// Returns the password in `scheme://user:PASSWORD@host`.
    private func password(inAuthority start: Int) -> Range<Int>? {
        guard text[start...].starts(with: Self.authority) else { return nil }
        let first = start + Self.authority.count
        let end = self.end(first, limit: Self.longestAuthority) {
            !$0.isSpace && !$0.isQuote && !"/?#<>\\".utf8.contains($0)
        }
        guard let at = text[first..<end].lastIndex(of: UInt8(ascii: "@")),
            let colon = text[first..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
        else { return nil }
        return colon + 1..<at
    }

    private func webhook(of host: ArraySlice<UInt8>) -> Range<Int>? {
        guard (11...18).contains(host.count), let path = SecretForms.webhooks[String(decoding: host, as: UTF8.self)],
            text[host.endIndex...].starts(with: path)
        else { return nil }
        let start = host.endIndex + path.count
        return withoutMarks(start..<end(start) { !$0.isSpace && !$0.isQuote && !"<>?#)".utf8.contains($0) })
    }

    /// Returns the credentials after `Bearer` and `Basic`.
    private func credentials(after scheme: ArraySlice<UInt8>) -> Range<Int>? {
        guard (5...6).contains(scheme.count), scheme.first.map({ $0 | 0x20 }) == UInt8(ascii: "b") else { return nil }
        let name = String(decoding: scheme, as: UTF8.self).lowercased()
        guard name == "bearer" || name == "basic" else { return nil }
        let start = end(scheme.endIndex) { $0 == UInt8(ascii: " ") }
        let end = self.end(start) { $0.isOfWord || "-.~+/=".utf8.contains($0) }
        let value = text[start..<end]
        if isCut, end == text.count, !value.isEmpty { return start..<end }
        if name == "basic" {
            let isPair = value.count >= 4 && Array(value).withUnsafeBytes(Base64.decode)?.contains(UInt8(ascii: ":")) ?? false
            return isPair ? start..<end : nil
        }
        guard value.count >= Secrets.shortest, value.count >= 20 || value.contains(where: { $0.isDigit }) else { return nil }
        return withoutMarks(start..<end)
    }

    /// Returns what follows `--password` and the password of `-u user:PASSWORD`.
    private func argument(after option: ArraySlice<UInt8>) -> Range<Int>? {
        let start = option.startIndex
        guard start > 0, text[start - 1] == UInt8(ascii: "-") else { return nil }
        let blank = end(option.endIndex) { $0.isBlank }
        let isQuoted = blank < text.count && text[blank].isQuote
        let first = isQuoted ? blank + 1 : blank
        let end =
            isQuoted
            ? self.end(first) { $0 != text[blank] } : self.end(first) { !$0.isSpace && !$0.isQuote && $0 != UInt8(ascii: "<") }
        guard end > first else { return nil }
        if option.elementsEqual("u".utf8) || option.elementsEqual("user".utf8) {
            guard let colon = text[first..<end].firstIndex(of: UInt8(ascii: ":")), colon > first,
                !text[(colon + 1)..<end].allSatisfy({ $0.isDigit }), !text[colon...].starts(with: Self.authority)
            else { return nil }
            return colon + 1..<end
        }
        guard usesNames, start > 1, text[start - 2] == UInt8(ascii: "-"), text[first] != UInt8(ascii: "-") else { return nil }
        let name = SecretName(String(decoding: option, as: UTF8.self))
        return isSecret(text[first..<end], name) ? first..<end : nil
    }

    /// Returns the password in `machine X login Y password Z`, as netrc has it.
    private func login(after word: ArraySlice<UInt8>) -> Range<Int>? {
        guard word.elementsEqual("machine".utf8) || word.elementsEqual("login".utf8) else { return nil }
        var place = word.endIndex
        for number in 0..<8 {
            let start = end(place) { $0.isSpace }
            let end = self.end(start) { !$0.isSpace }
            if number % 2 == 1, text[start..<end].elementsEqual("password".utf8) {
                let value = self.end(end) { $0.isSpace }
                return value..<self.end(value) { !$0.isSpace }
            }
            place = end
        }
        return nil
    }

    private func privateKey(_ start: Int) -> Int? {
        guard text[start] == UInt8(ascii: "-"), text[start...].starts(with: Self.pemStart) else { return nil }
        let line = text[start..<end(start) { $0 != UInt8(ascii: "\n") }].prefix(80)
        guard Self.find(Self.pemKind, in: line) != nil || isCut && line.endIndex == text.count else { return nil }
        guard let last = Self.find(Self.pemEnd, in: text[(start + Self.pemStart.count)...]) else { return text.count }
        return end(last + Self.pemEnd.count) { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\"") }
    }

    static func find(_ part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.indices.first { bytes[$0] == part[0] && bytes[$0...].starts(with: part) }
    }

    /// Returns true if a value is a secret by its length, or if its beginning may be one.
    func isSecret(_ value: ArraySlice<UInt8>, _ name: SecretName) -> Bool {
        guard name.contains(.secret), !value.isEmpty else { return false }
        if isCut, value.endIndex == text.count { return true }
        return value.count >= (name.contains(.short) ? 1 : Secrets.shortest) && !SecretForms.isAnswer(value)
    }

    /// Returns a value without the marks of the sentence or the list around it: left in it, they would make it another one than where it
    /// is alone.
    func withoutMarks(_ value: Range<Int>) -> Range<Int> {
        if isCut, value.upperBound == text.count { return value }
        var end = value.upperBound
        for _ in 0..<Self.mostMarks where end > value.lowerBound {
            switch text[end - 1] {
            case UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "!"), UInt8(ascii: "?"):
                break
            case UInt8(ascii: ")") where !text[value].contains(UInt8(ascii: "(")): break
            case UInt8(ascii: "]") where !text[value].contains(UInt8(ascii: "[")): break
            case UInt8(ascii: "}") where !text[value].contains(UInt8(ascii: "{")): break
            default: return value.lowerBound..<end
            }
            end -= 1
        }
        return value.lowerBound..<end
    }

    private static let mostMarks = 8

    func end(_ start: Int, limit: Int = .max, while belongs: (UInt8) -> Bool) -> Int {
        var end = min(start, text.count)
        let last = limit < text.count - end ? end + limit : text.count
        while end < last, belongs(text[end]) { end += 1 }
        return end
    }

    /// Returns the range inside of a quoted text.
    /// - Parameter isEscaped: true if a backslash is before the quotes.
    func quoted(_ mark: Int, isEscaped: Bool) -> Range<Int> {
        // Three quotes, as in TOML and Python.
        let isTriple = mark + 2 < text.count && text[mark + 1] == text[mark] && text[mark + 2] == text[mark]
        let mark = isTriple ? mark + 2 : mark
        var end = mark + 1
        while end < text.count {
            // A quote that is written twice, as in SQL and CSV, is a part of the text.
            if text[end] == text[mark] {
                guard !isTriple, end > mark + 1, end + 2 < text.count, text[end + 1] == text[mark], text[end + 2].isOfWord else {
                    break
                }
                end += 1
            }
            let isEscape = text[end] == UInt8(ascii: "\\")
            if isEscape, isEscaped { break }
            end += isEscape ? 2 : 1
        }
        // A quote that is never closed ends before the end of the line.
        end = min(end, text.count)
        if end == text.count, end > mark + 1, text[end - 1] == UInt8(ascii: "\n") { return mark + 1..<end - 1 }
        return mark + 1..<max(mark + 1, end)
    }
}
