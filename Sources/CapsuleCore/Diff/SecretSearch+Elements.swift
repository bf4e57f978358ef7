/// The values of elements of XML and HTML.
extension SecretSearch {
    private static let data = Array("<![CDATA[".utf8)
    private static let longestTag = 1_024
    private static let mostAttributes = 16
    /// The attributes that have the value of an element that has no text.
    private static let valueAttributes: Set<String> = ["content", "val", "value"]

    /// Returns the value that an attribute of an element names, as in `<string name="password">X</string>` and
    /// `<entry key="password" value="X"/>`.
    /// - Parameter start: the place after `<`.
    func value(ofElement start: Int) -> Range<Int>? {
        func isOfName(_ byte: UInt8) -> Bool { byte.isOfWord || ":-".utf8.contains(byte) }
        var place = end(start, limit: Self.longestTag, while: isOfName)
        let last = min(text.count, start + Self.longestTag)
        var (naming, value): (SecretName, Range<Int>?) = ([], nil)
        for _ in 0..<Self.mostAttributes where place > start {
            let name = end(place) { $0.isSpace }
            let equals = end(name, limit: Self.longestTag, while: isOfName)
            guard equals > name, equals + 1 < last, text[equals] == UInt8(ascii: "="), text[equals + 1].isQuote else { break }
            let content = equals + 2..<end(equals + 2, limit: Self.longestTag) { $0 != text[equals + 1] }
            let attribute = String(decoding: text[name..<equals], as: UTF8.self).lowercased()
            if SecretName.isPairKey(attribute) {
                naming.formUnion(Secrets.pairNaming(String(decoding: text[content], as: UTF8.self)))
            } else if Self.valueAttributes.contains(attribute) {
                value = content
            }
            place = content.upperBound + 1
        }
        guard !naming.isEmpty, let found = value ?? content(ofElement: place) else { return nil }
        return isSecret(text[found], naming) ? found : nil
    }

    /// Returns the text of an element, without the space around it.
    /// - Parameter end: a place in its tag, after its name.
    func content(ofElement end: Int) -> Range<Int>? {
        guard end < text.count, text[end].isSpace || ">/".utf8.contains(text[end]) else { return nil }
        let tag = self.end(end, limit: Self.longestTag) { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<") }
        guard tag < text.count, text[tag] == UInt8(ascii: ">"), text[tag - 1] != UInt8(ascii: "/") else { return nil }
        let start = self.end(tag + 1) { $0.isSpace }
        if text[start...].starts(with: Self.data) {
            let start = start + Self.data.count
            return start..<self.end(start) { $0 != UInt8(ascii: "]") }
        }
        var content = start..<self.end(start) { $0 != UInt8(ascii: "<") }
        while text[content].last?.isSpace == true { content = start..<content.upperBound - 1 }
        return content
    }

    /// Returns true if a word is the name of an element that begins, also after the prefix of its namespace.
    func isElement(_ word: Int) -> Bool {
        guard word > 0 else { return false }
        if text[word - 1] != UInt8(ascii: ":") { return text[word - 1] == UInt8(ascii: "<") }
        return text[..<(word - 1)].suffix(Self.longestPrefix).last { !$0.isOfWord } == UInt8(ascii: "<")
    }

    private static let longestPrefix = 32
}
