/// Tells secrets by their names and by their forms (docs/diff.md, section 3).
package enum Secrets {
    /// The shortest text or data that is a secret, in bytes.
    static let shortest = 8

    /// The words that a secret's name contains, alone or at the end of a longer word, as in `ZACCESSTOKEN`.
    private static let words = [
        "token", "secret", "password", "passphrase", "passwd", "passcode", "credential", "authorization", "sessionid",
        "sessionkey", "sessioncookie", "apikey", "privatekey", "accesskey", "secretkey", "signingkey", "encryptionkey", "jwt",
    ]
    /// The words that a secret's name is, or ends in.
    private static let lastWords: Set<String> = ["session", "zsession", "refresh", "zrefresh", "bearer", "pwd", "zpwd"]
    /// The words after which a name is not that of the secret itself.
    private static let properties: Set<String> = [
        "count", "date", "expiration", "expires", "expiry", "hint", "length", "name", "size", "status", "type", "version",
    ]

    /// Returns true if the value of a key, a column or an argument with this name is a secret.
    package static func isName(_ name: String) -> Bool {
        let parts = words(of: name)
        guard let last = parts.last else { return false }
        if lastWords.contains(last) { return true }
        if parts.count > 1, properties.contains(last) { return false }
        return parts.indices.contains { index in
            isWord(parts[index]) || index + 1 < parts.count && isWord(parts[index] + parts[index + 1])
        }
    }

    private static func isWord(_ word: String) -> Bool {
        words.contains { word.hasSuffix($0) || word.last == "s" && word.dropLast().hasSuffix($0) }
    }

    /// Returns the words of a name in camelCase, snake_case, kebab-case or with spaces, in lower case and without digits.
    private static func words(of name: String) -> [String] {
        var words: [[UInt8]] = [[]]
        let bytes = Array(name.utf8)
        for (index, byte) in bytes.enumerated() {
            guard byte.isLetter || byte >= 0x80 else {
                if byte.isDigit, words.last?.isEmpty == false { continue }
                words.append([])
                continue
            }
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            let startsWord =
                index > 0 && byte.isUppercase
                && (bytes[index - 1].isLowercase || bytes[index - 1].isUppercase && next.isLowercase)
            if startsWord { words.append([]) }
            words[words.count - 1].append(byte.isUppercase ? byte | 0x20 : byte)
        }
        return words.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension Secrets {
    /// Returns the ranges of the secrets in a text: those whose form says so, and those that follow a name.
    ///
    /// - Parameter isCut: true if the text goes on after its end. What may be the beginning of a secret there is one.
    static func ranges(in text: [UInt8], isCut: Bool = false) -> [Range<Int>] {
        var search = SecretSearch(text: text, isCut: isCut)
        search.run()
        return search.found
    }

    /// Returns true if data may contain a secret. Even in binary formats, most texts are in the data as they are.
    static func mayBe(in data: [UInt8], isCut: Bool) -> Bool {
        if !data.contains(0), String(validating: data, as: UTF8.self) != nil { return !ranges(in: data, isCut: isCut).isEmpty }
        let runs = data.split { !($0 >= 0x20 && $0 < 0x7F) }
        return runs.contains { $0.count >= 3 && isWithin(Array($0)) }
    }

    static func beginsPrivateKey(_ line: ArraySlice<UInt8>) -> Bool {
        let line = line.drop { $0.isSpace }
        return line.starts(with: SecretSearch.pemStart) && SecretSearch.find(SecretSearch.pemKind, in: line) != nil
            && !endsPrivateKey(line)
    }

    static func endsPrivateKey(_ line: ArraySlice<UInt8>) -> Bool { SecretSearch.find(SecretSearch.pemEnd, in: line) != nil }

    private static func isWithin(_ run: [UInt8]) -> Bool {
        if !ranges(in: run, isCut: true).isEmpty { return true }
        // The lengths before the strings of a binary property list are letters, too, so that only whole words tell names.
        return run.split { !$0.isLetter && $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
            .contains { isName(String(decoding: $0, as: UTF8.self)) }
    }
}

/// A search for secrets in a text.
private struct SecretSearch {
    let text: [UInt8]
    let isCut: Bool
    var found: [Range<Int>] = []

    init(text: [UInt8], isCut: Bool) {
        self.text = text
        self.isCut = isCut
    }

    private static let prefixes = [
        "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "sk_live_",
        "rk_live_",
    ].map { Array($0.utf8) }
    private static let jwt = Array("eyJ".utf8)
    private static let awsKey = Array("AKIA".utf8)
    static let pemStart = Array("-----BEGIN ".utf8)
    static let pemKind = Array("PRIVATE KEY".utf8)
    static let pemEnd = Array("-----END ".utf8)
    private static let keyEnd = Array("</key>".utf8)
    private static let bearer = Array("bearer".utf8)
    private static let schemes = ["bearer", "basic", "token"]

    mutating func run() {
        var place = 0
        while place < text.count {
            if let end = privateKey(place) {
                found.append(place..<end)
                place = end
            } else if text[place].isOfWord {
                place = word(place)
            } else {
                place += 1
            }
        }
    }

    private mutating func word(_ start: Int) -> Int {
        let end = self.end(start) { $0.isOfWord || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
        let word = text[start..<end]
        if isSecret(word, atEnd: end == text.count) {
            found.append(start..<end)
            return end
        }
        if word.count == Self.bearer.count, word.elementsEqual(Self.bearer, by: { $0 | 0x20 == $1 }), let value = credentials(end)
        {
            found.append(value)
            return value.upperBound
        }
        // Most words have no value behind them, which is quick to see.
        guard word.count < 128, isFollowedByValue(end), Secrets.isName(String(decoding: word, as: UTF8.self)),
            let value = value(after: end, of: start)
        else { return end }
        let isLong = value.count >= Secrets.shortest || isCut && value.upperBound == text.count && !value.isEmpty
        if isLong { found.append(value) }
        return max(end, value.upperBound)
    }

    private func isSecret(_ word: ArraySlice<UInt8>, atEnd: Bool) -> Bool {
        let isOpen = isCut && atEnd
        if word.starts(with: Self.jwt) {
            let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            return isOpen || parts.count >= 3 && parts[0].count > 8 && parts[1].count > 4
        }
        if word.starts(with: Self.awsKey) {
            return isOpen || word.count == 20 && word.allSatisfy { $0.isUppercase || $0.isDigit }
        }
        return Self.prefixes.contains { word.starts(with: $0) && (isOpen || word.count >= $0.count + 10) }
    }

    private func credentials(_ place: Int) -> Range<Int>? {
        let start = end(place) { $0 == UInt8(ascii: " ") }
        let end = self.end(start) { $0.isOfWord || "-.~+/=".utf8.contains($0) }
        guard start > place, end - start >= Secrets.shortest || isCut && end == text.count && end > start else { return nil }
        let value = text[start..<end]
        return value.count >= 20 || value.contains { $0.isDigit } || end == text.count && isCut ? start..<end : nil
    }

    private func privateKey(_ start: Int) -> Int? {
        guard text[start...].starts(with: Self.pemStart) else { return nil }
        let line = text[start..<end(start) { $0 != UInt8(ascii: "\n") }].prefix(80)
        guard Self.find(Self.pemKind, in: line) != nil || isCut && line.endIndex == text.count else { return nil }
        guard let last = Self.find(Self.pemEnd, in: text[(start + Self.pemStart.count)...]) else { return text.count }
        return end(last + Self.pemEnd.count) { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\"") }
    }

    static func find(_ part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.indices.first { bytes[$0] == part[0] && bytes[$0...].starts(with: part) }
    }

    private func isFollowedByValue(_ name: Int) -> Bool {
        text[name...].starts(with: Self.keyEnd) || assignment(after: name) != nil
    }

    /// Returns the place of `=` or `:` after a name.
    private func assignment(after name: Int) -> (place: Int, isQuotedName: Bool)? {
        var place = end(name) { $0 == UInt8(ascii: "\\") }
        let isQuotedName = place < text.count && text[place].isQuote
        if isQuotedName { place += 1 }
        place = end(place) { $0.isBlank }
        guard place < text.count, text[place] == UInt8(ascii: "=") || text[place] == UInt8(ascii: ":") else { return nil }
        return (place, isQuotedName)
    }

    /// Returns the value after a name: after `=` or `:`, in a list of a URL's parameters, or in the next element of a property list.
    private func value(after name: Int, of start: Int) -> Range<Int>? {
        if text[name...].starts(with: Self.keyEnd) {
            let tag = end(name + Self.keyEnd.count) { $0.isSpace }
            let opening = end(tag) { $0 != UInt8(ascii: ">") }
            guard tag < text.count, text[tag] == UInt8(ascii: "<"), opening < text.count, opening - tag <= 8 else { return nil }
            return opening + 1..<end(opening + 1) { $0 != UInt8(ascii: "<") }
        }
        guard let (mark, isQuotedName) = assignment(after: name) else { return nil }
        let place = end(mark + 1) { $0.isBlank }
        let escape = end(place) { $0 == UInt8(ascii: "\\") }
        if escape < text.count, text[escape].isQuote { return quoted(escape, isEscaped: escape > place) }
        if start > 0, text[start - 1] == UInt8(ascii: "?") || text[start - 1] == UInt8(ascii: "&") {
            return place..<end(place) { !$0.isSpace && !$0.isQuote && $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "#") }
        }
        if isQuotedName {
            // Numbers, true and false are no secrets. Neither are arrays and dictionaries, but the texts in an array are.
            guard place < text.count, text[place] == UInt8(ascii: "[") else { return nil }
            return place..<self.end(place) { $0 != UInt8(ascii: "]") }
        }
        let end = end(place) { !$0.isSpace && !$0.isQuote && !"<>".utf8.contains($0) }
        // `Authorization: Bearer …`
        if Self.schemes.contains(String(decoding: text[place..<end], as: UTF8.self).lowercased()) {
            let next = self.end(end) { $0.isBlank }
            return next..<self.end(next) { !$0.isSpace && !$0.isQuote }
        }
        return place..<end
    }

    private func quoted(_ mark: Int, isEscaped: Bool) -> Range<Int> {
        var end = mark + 1
        while end < text.count, text[end] != text[mark] {
            let isEscape = text[end] == UInt8(ascii: "\\")
            if isEscape, isEscaped { break }
            end += isEscape ? 2 : 1
        }
        return mark + 1..<min(end, text.count)
    }

    private func end(_ start: Int, while belongs: (UInt8) -> Bool) -> Int {
        var end = min(start, text.count)
        while end < text.count, belongs(text[end]) { end += 1 }
        return end
    }
}

extension UInt8 {
    fileprivate var isUppercase: Bool { (0x41...0x5A).contains(self) }
    fileprivate var isLowercase: Bool { (0x61...0x7A).contains(self) }
    fileprivate var isLetter: Bool { isUppercase || isLowercase }
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
    fileprivate var isOfWord: Bool { isLetter || isDigit || self == UInt8(ascii: "_") }
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    fileprivate var isSpace: Bool { isBlank || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}
