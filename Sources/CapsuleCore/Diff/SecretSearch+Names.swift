/// The values that follow names in a text.
extension SecretSearch {
    private static let keyEnd = Array("</key>".utf8)
    private static let ampersand = Array("&amp;".utf8)

    /// Returns the value after a name: after `=` or `:`, in a list of a URL's parameters, in an element of XML with this name, or in the
    /// next element of a property list. It is nil if that is not a secret.
    func value(after word: ArraySlice<UInt8>) -> Range<Int>? {
        let (start, end) = (word.startIndex, word.endIndex)
        // Most words have no value behind them, which is quick to see.
        if text[end...].starts(with: Self.keyEnd) {
            return secret(named: SecretName(String(decoding: word, as: UTF8.self)), in: nextElement(end + Self.keyEnd.count))
        }
        if isElement(start), let value = content(ofElement: end) {
            return secret(named: SecretName(String(decoding: word, as: UTF8.self)), in: value)
        }
        guard let (mark, isQuotedName) = assignment(after: end) else { return nil }
        let name = String(decoding: word, as: UTF8.self)
        let place = self.end(mark + 1) { $0.isBlank }
        if text[mark] == UInt8(ascii: "="), isParameter(start) {
            let isKnown = SecretForms.parameters.contains(name.lowercased())
            let value = place..<self.end(place) { !$0.isSpace && !$0.isQuote && !"&;#<>\\".utf8.contains($0) }
            return secret(named: SecretName(name).union(isKnown ? .secret : []), in: withoutMarks(value))
        }
        let isNoun = !isQuotedName && SecretForms.lastNouns.contains(name.lowercased())
        let known = isNoun ? self.name(endingWith: word) : SecretName(name)
        guard known.contains(.secret) else { return nil }
        if let digits = digits(ofData: place) { return secret(named: known, in: digits) }
        let escape = self.end(place) { $0 == UInt8(ascii: "\\") }
        if escape < text.count, text[escape].isQuote {
            let value = quoted(escape, isEscaped: escape > place)
            return secret(named: known, in: value)
        }
        // As Objective-C and Python write it, `@"X"` and `b'X'`.
        if place + 1 < text.count, text[place + 1].isQuote, "@bru".utf8.contains(text[place]) {
            return secret(named: known, in: quoted(place + 1, isEscaped: false))
        }
        // As Swift shows it, `Optional("X")`.
        if text[place...].starts(with: Self.optional), place + Self.optional.count < text.count,
            text[place + Self.optional.count].isQuote
        {
            return secret(named: known, in: quoted(place + Self.optional.count, isEscaped: false))
        }
        if isQuotedName || place < text.count && text[place] == UInt8(ascii: "[") { return bare(place, known) }
        if known.contains(.cookie), text[mark] == UInt8(ascii: ":") {
            func isOfLine(_ byte: UInt8) -> Bool { byte != UInt8(ascii: "\n") && !byte.isQuote }
            let start = place..<self.end(place, limit: Self.longestLook, while: isOfLine)
            return text[start].contains(UInt8(ascii: "=")) ? place..<self.end(place, while: isOfLine) : nil
        }
        return unquoted(place, mark, known, of: start)
    }

    private func secret(named name: SecretName, in value: Range<Int>?) -> Range<Int>? {
        value.flatMap { isSecret(text[$0], name) ? $0 : nil }
    }

    /// Returns the place of `=` or `:` after a name, and of the end of `=>` and `:=`.
    private func assignment(after name: Int) -> (place: Int, isQuotedName: Bool)? {
        var place = end(name) { $0 == UInt8(ascii: "\\") }
        let isQuotedName = place < text.count && text[place].isQuote
        if isQuotedName { place += 1 }
        place = end(place) { $0.isBlank }
        guard place < text.count, text[place] == UInt8(ascii: "=") || text[place] == UInt8(ascii: ":") else { return nil }
        let isLonger = [Self.arrow, Self.becomes].contains { text[place...].starts(with: $0) }
        return (isLonger ? place + 1 : place, isQuotedName)
    }

    /// Returns what a name of up to three words says, as in `API key`.
    private func name(endingWith word: ArraySlice<UInt8>) -> SecretName {
        var (start, found) = (word.startIndex, SecretName(String(decoding: word, as: UTF8.self)))
        for _ in 0..<2 where found.isEmpty && start > 0 && text[start - 1] == UInt8(ascii: " ") {
            start -= 1 + text[..<(start - 1)].suffix(24).reversed().prefix { $0.isOfWord }.count
            found = SecretName(String(decoding: text[start..<word.endIndex], as: UTF8.self))
        }
        return found
    }

    private func isParameter(_ start: Int) -> Bool {
        guard start > 0 else { return false }
        return "?&#".utf8.contains(text[start - 1]) || text[..<start].suffix(Self.ampersand.count).elementsEqual(Self.ampersand)
    }

    /// Returns the value of a quoted name that is not quoted itself. Numbers, true and false are no secrets, except for the number of a
    /// PIN. Neither are dictionaries, but the texts in an array are.
    private func bare(_ place: Int, _ name: SecretName) -> Range<Int>? {
        guard place < text.count else { return nil }
        if text[place] == UInt8(ascii: "[") {
            let elements = text[(place + 1)..<end(place) { $0 != UInt8(ascii: "]") }]
            // The quotes around all of them stay, so that JSON stays JSON.
            guard let first = elements.firstIndex(where: \.isQuote), let last = elements.lastIndex(where: \.isQuote), first < last
            else {
                return secret(named: name, in: elements.indices)
            }
            let isEscaped = text[last - 1] == UInt8(ascii: "\\")
            return secret(named: name, in: first + 1..<max(first + 1, isEscaped ? last - 1 : last))
        }
        let value = place..<end(place) { $0.isDigit }
        return name.contains(.short) && !value.isEmpty && !SecretForms.isAnswer(text[value]) ? value : nil
    }

    private static let optional = Array("Optional(".utf8)
    private static let arrow = Array("=>".utf8)
    private static let becomes = Array(":=".utf8)
    private static let dataBytes = Array("bytes = 0x".utf8)
    private static let longestDataLength = 40

    /// Returns the digits of data as `NSData` describes itself: `{length = 32, bytes = 0x1234…}`, and formerly `<1234abcd …>`.
    private func digits(ofData place: Int) -> Range<Int>? {
        guard place < text.count else { return nil }
        let first: Int
        switch text[place] {
        case UInt8(ascii: "{"):
            let head = text[place...].prefix(Self.longestDataLength)
            guard let bytes = head.indices.first(where: { text[$0...].starts(with: Self.dataBytes) }) else { return nil }
            first = bytes + Self.dataBytes.count
        case UInt8(ascii: "<"): first = place + 1
        default: return nil
        }
        let end = self.end(first) { $0.isHexDigit || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ".") }
        guard end < text.count, text[end] == UInt8(ascii: text[place] == UInt8(ascii: "<") ? ">" : "}") else { return nil }
        return first..<end
    }

    /// Returns the elements of an array, of which the value is all texts with what is between them; any other value as it is.
    func elements(of value: Range<Int>) -> [Range<Int>] {
        let mark = text[..<value.lowerBound].last { !$0.isQuote && !$0.isSpace && $0 != UInt8(ascii: "\\") }
        guard mark == UInt8(ascii: "[") else { return [value] }
        var (elements, start, place): ([Range<Int>], Int, Int) = ([], value.lowerBound, value.lowerBound)
        while let mark = text[place..<value.upperBound].firstIndex(where: \.isQuote) {
            place = mark + 1
            let comma = end(place) { $0.isSpace }
            guard comma < value.upperBound, text[comma] == UInt8(ascii: ",") else { continue }
            let opening = end(end(comma + 1) { $0.isSpace }) { $0 == UInt8(ascii: "\\") }
            guard opening < value.upperBound, text[opening].isQuote else { continue }
            elements.append(start..<(mark > start && text[mark - 1] == UInt8(ascii: "\\") ? mark - 1 : mark))
            start = opening + 1
            place = start
        }
        return (elements + [start..<value.upperBound]).filter { !$0.isEmpty }
    }

    /// The bytes that decide whether a value may be a secret. Without a limit, a text that is one long word takes quadratic time.
    private static let longestLook = 1_024

    private func unquoted(_ place: Int, _ mark: Int, _ name: SecretName, of start: Int) -> Range<Int>? {
        let isColon = text[mark] == UInt8(ascii: ":")
        if isColon, place < text.count, text[place] == UInt8(ascii: "\n") { return nextLine(place + 1, name, of: start) }
        let isProse = isColon && name.contains(.prose)
        if isProse, !text[place..<end(place, limit: Self.longestLook) { $0 != UInt8(ascii: "\n") }].contains(where: \.isDigit) {
            return nil
        }
        if isColon, SecretLine.isBlockMark(text[place..<end(place, limit: 3) { !$0.isSpace }]) { return nil }
        var value = place..<end(place) { !$0.isSpace && !$0.isQuote && !"<>".utf8.contains($0) }
        // A quote between letters is a part of it.
        while value.upperBound + 1 < text.count, text[value.upperBound].isQuote, text[value].last?.isOfWord ?? false,
            text[value.upperBound + 1].isOfWord
        {
            value = place..<end(value.upperBound + 1) { !$0.isSpace && !$0.isQuote && !"<>".utf8.contains($0) }
        }
        if let escape = lineEscape(in: value) { value = place..<escape }
        value = withoutMarks(value)
        if !isColon, let next = nextField(in: value) { value = place..<next }
        // `Authorization: Bearer …`
        if SecretForms.schemes.contains(String(decoding: text[value], as: UTF8.self).lowercased()) {
            let next = end(value.upperBound) { $0.isBlank }
            value = withoutMarks(next..<end(next) { !$0.isSpace && !$0.isQuote })
        } else if name.contains(.phrase) {
            value = place..<end(place) { $0 != UInt8(ascii: "\n") && !$0.isQuote && $0 != UInt8(ascii: "<") }
        }
        if isProse, !text[value].contains(where: \.isDigit) { return nil }
        return secret(named: name, in: value)
    }

    /// Returns the place of a line end or a quote that is escaped, as in a string of a program.
    private func lineEscape(in value: Range<Int>) -> Int? {
        text[value].indices.first {
            text[$0] == UInt8(ascii: "\\") && $0 + 1 < text.count && "nrt\"'".utf8.contains(text[$0 + 1])
        }
    }

    private func nextField(in value: Range<Int>) -> Int? {
        text[value].indices.first { place in
            guard text[place] == UInt8(ascii: "&") else { return false }
            let end = self.end(place + 1, limit: 64) { $0.isOfWord }
            return end > place + 1 && end < text.count && text[end] == UInt8(ascii: "=")
        }
    }

    /// Returns the line after a line that has only a name and a colon.
    private func nextLine(_ start: Int, _ name: SecretName, of word: Int) -> Range<Int>? {
        let lineStart = text[..<word].suffix(40).lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? (word <= 40 ? 0 : word)
        guard SecretLine.label(SecretLine.trimmed(text[lineStart..<start])) != nil else { return nil }
        let line = SecretLine.trimmed(text[start..<end(start) { $0 != UInt8(ascii: "\n") }])
        return SecretLine.isValue(line, of: name) ? line.startIndex..<line.endIndex : nil
    }

    /// Returns the text of the next element of a property list.
    private func nextElement(_ start: Int) -> Range<Int>? {
        let tag = end(start) { $0.isSpace }
        let opening = end(tag, limit: 9) { $0 != UInt8(ascii: ">") }
        guard tag < text.count, text[tag] == UInt8(ascii: "<"), opening < text.count, text[opening] == UInt8(ascii: ">") else {
            return nil
        }
        return opening + 1..<end(opening + 1) { $0 != UInt8(ascii: "<") }
    }
}

/// The pairs of a name and a value in an object of JSON, as in `{"name": "password", "value": "X"}`.
struct SecretPairs {
    private let search: SecretSearch
    private static let mostMembers = 32

    init(_ search: SecretSearch) {
        self.search = search
    }

    /// Returns the values beside the name of a secret.
    /// - Parameter start: the place after the brace. An object is read up to its first member that has others.
    func values(after start: Int) -> [Range<Int>] {
        var (naming, values): (SecretName, [(key: String, value: Range<Int>)]) = ([], [])
        var place = start
        while values.count < Self.mostMembers, let key = string(at: &place), take(UInt8(ascii: ":"), at: &place) {
            guard let value = string(at: &place) ?? number(at: &place) else { break }
            let name = String(decoding: search.text[key], as: UTF8.self)
            if SecretName.isPairKey(name) {
                naming.formUnion(Secrets.pairNaming(String(decoding: search.text[value], as: UTF8.self)))
            }
            values.append((name, value))
            guard take(UInt8(ascii: ","), at: &place) else { break }
        }
        guard !naming.isEmpty else { return [] }
        return values.filter { search.isSecret(search.text[$0.value], naming) && !SecretName.isField($0.key) }.map(\.value)
    }

    private func take(_ mark: UInt8, at place: inout Int) -> Bool {
        let next = search.end(place) { $0.isSpace }
        guard next < search.text.count, search.text[next] == mark else { return false }
        place = next + 1
        return true
    }

    private func string(at place: inout Int) -> Range<Int>? {
        let start = search.end(place) { $0.isSpace }
        let mark = search.end(start) { $0 == UInt8(ascii: "\\") }
        guard mark < search.text.count, search.text[mark] == UInt8(ascii: "\"") else { return nil }
        let range = search.quoted(mark, isEscaped: mark > start)
        place = range.upperBound + 1 + (mark - start)
        return range
    }

    private func number(at place: inout Int) -> Range<Int>? {
        let start = search.end(place) { $0.isSpace }
        place = search.end(start) { $0.isOfWord || "+-.".utf8.contains($0) }
        return place > start ? start..<place : nil
    }
}
