/// Edits XML property lists.
struct XMLPlistSyntax: TextPlistSyntax {
    /// The opening and closing tags of an element.
    private struct Tags {
        let element: XMLPlistElement
        let isEmpty: Bool
        let start: Int
        let end: Int
    }

    let text: UnsafeRawBufferPointer
    let layout: TextLayout
    let style = PlistTextStyle(unit: [UInt8(ascii: "\t")], blank: [])
    let limits: PlistLimits
    /// True if the declared encoding has only ASCII characters. Others are written as numeric character references.
    private let isASCII: Bool

    init(_ text: UnsafeRawBufferPointer, limits: PlistLimits) throws(PlistError) {
        self.text = text
        self.limits = limits
        (layout, isASCII) = try XMLPlistLayout.scan(text)
    }

    func separator(inDictionary: Bool) -> TextSeparator? { nil }

    /// Returns the end of a comment. Processing instructions are preserved in the same way.
    func commentEnd(at offset: Int, before end: Int) -> Int? {
        guard text[offset] == UInt8(ascii: "<") else { return nil }
        let isComment = offset + 1 < end && text[offset + 1] == UInt8(ascii: "!")
        let terminator: StaticString = isComment ? "-->" : "?>"
        let length = terminator.utf8CodeUnitCount
        // `<!-->` is not a complete comment.
        var place = offset + (isComment ? 4 : 2)
        while place + length <= end {
            if (0..<length).allSatisfy({ text[place + $0] == terminator.utf8Start[$0] }) { return place + length }
            place += 1
        }
        return end
    }

    func key(at range: Range<Int>) throws(PlistError) -> PlistString {
        var scanner = XMLPlistScanner(UnsafeRawBufferPointer(rebasing: text[range]))
        guard case .open(.key, isEmpty: false) = try scanner.next() else { return "" }
        return PlistString(valid: try scanner.text(of: .key))
    }

    func check(_ dictionary: PlistDictionary) throws(PlistError) {
        try XMLPlistWriter.check(dictionary)
    }

    func spell(_ value: PlistValue, like neighbour: Range<Int>?, _ style: PlistTextStyle) throws(PlistError) -> [UInt8] {
        try XMLPlistWriter.fragment(value, style: style, limits: limits, isASCII: isASCII)
    }

    func spell(key: PlistString, like neighbour: Range<Int>?, _ style: PlistTextStyle) throws(PlistError) -> [UInt8] {
        try XMLPlistWriter.fragment(key: key, style: style, limits: limits, isASCII: isASCII)
    }

    func joint(_ style: PlistTextStyle) -> [UInt8] {
        style.isInline ? [] : style.newline + style.indentation
    }

    func isJoint(_ bytes: ArraySlice<UInt8>) -> Bool { true }

    func replacement(
        of node: Int, holding old: PlistValue, by new: PlistValue, _ style: PlistTextStyle
    ) throws(PlistError) -> TextEdit {
        let range = layout.nodes[node].range
        switch (old, new) {
        case (.string, .string), (.integer, .integer), (.real, .real), (.date, .date):
            return try newText(in: range, of: new, style)
        case (.data, .data(let bytes)):
            return try newData(in: range, of: bytes, style)
        case (.uid, .uid(let uid)):
            // If a key occurs twice, the last value counts.
            guard let number = layout.children(of: node).last else { break }
            return try newText(in: layout.nodes[number].range, of: .integer(PlistInteger(uid)), style)
        default:
            break
        }
        return TextEdit(range: range, text: try spell(new, like: nil, style))
    }

    func opening(of node: Int) -> TextOpening? {
        let range = layout.nodes[node].range
        guard layout.nodes[node].inner?.lowerBound == range.upperBound, let tags = try? tags(of: range) else { return nil }
        return opening(range, tags.element)
    }

    private func opening(_ range: Range<Int>, _ element: XMLPlistElement) -> TextOpening {
        var start = range.upperBound - 2
        while start > range.lowerBound, XMLCharacters.isSpace(text[start - 1]) { start -= 1 }
        return TextOpening(range: start..<range.upperBound, head: [UInt8(ascii: ">")], tail: Array("</\(element.rawValue)>".utf8))
    }

    private func tags(of range: Range<Int>) throws(PlistError) -> Tags? {
        var scanner = XMLPlistScanner(UnsafeRawBufferPointer(rebasing: text[range]))
        guard case .open(let element, let isEmpty) = try scanner.next() else { return nil }
        let start = range.lowerBound + scanner.offset
        // A closing tag contains no other `<`.
        let end = range.last { text[$0] == UInt8(ascii: "<") } ?? range.upperBound
        return Tags(element: element, isEmpty: isEmpty, start: start, end: isEmpty ? start : end)
    }

    private func newText(in range: Range<Int>, of value: PlistValue, _ style: PlistTextStyle) throws(PlistError) -> TextEdit {
        let element = try spell(value, like: nil, style)
        guard let tags = try tags(of: range) else { return TextEdit(range: range, text: element) }
        let name = tags.element.rawValue.utf8.count
        return newText(Array(element.dropFirst(name + 2).dropLast(name + 3)), in: range, tags)
    }

    private func newText(_ content: [UInt8], in range: Range<Int>, _ tags: Tags) -> TextEdit {
        guard tags.isEmpty else { return TextEdit(range: tags.start..<tags.end, text: content) }
        let opening = opening(range, tags.element)
        return TextEdit(range: opening.range, text: opening.head + content + opening.tail)
    }

    private func newData(in range: Range<Int>, of bytes: [UInt8], _ style: PlistTextStyle) throws(PlistError) -> TextEdit {
        guard let tags = try tags(of: range), let content = try dataContent(tags.start..<tags.end, bytes, style) else {
            return try newText(in: range, of: .data(bytes), style)
        }
        return newText(content, in: range, tags)
    }

    private func dataContent(_ range: Range<Int>, _ bytes: [UInt8], _ style: PlistTextStyle) throws(PlistError) -> [UInt8]? {
        let old = UnsafeRawBufferPointer(rebasing: text[range])
        let isPlain = !old.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }
        guard isPlain, !bytes.isEmpty, let first = old.firstIndex(where: { !XMLCharacters.isSpace($0) }),
            let last = old.lastIndex(where: { !XMLCharacters.isSpace($0) })
        else { return nil }
        guard bytes.count / 3 <= limits.outputBytes / 4 else { throw TextPlistEdits.tooLarge(limits) }
        let lines = old[...last].split(whereSeparator: TextLines.isBreak)
        guard lines.count > 1 || TextLines.isBreak(old[0]) || old[..<first].contains(where: TextLines.isBreak) else {
            return Array(old[..<first]) + Base64.encode(bytes) + Array(old[(last + 1)...])
        }
        // If there are several lines, the others get the line break, the indentation and the length of the first ones.
        let texts = lines.filter { !$0.allSatisfy(XMLCharacters.isSpace) }
        let model = lines.count > 1 ? lines[1] : lines[0]
        let indentation = Array(model.prefix { XMLCharacters.isSpace($0) })
        let length = texts[0].drop { XMLCharacters.isSpace($0) }.count
        let characters = texts.count > 1 && length >= 4 ? length : nil
        let content = XMLPlistWriter.dataLines(bytes, newline: style.newline, indentation: indentation, characters: characters)
        // The beginning of the first line is kept.
        return Array(old[..<first]) + content.dropFirst(style.newline.count + indentation.count) + Array(old[(last + 1)...])
    }
}

/// Finds the positions of the values in an XML property list.
enum XMLPlistLayout {
    /// Returns the layout of UTF-8 text without a byte order mark, and true if the declared encoding allows only ASCII.
    /// The function scans the tags again after reading, so that reading costs nothing for edits, which are rare. It doesn't repeat
    /// the reader's checks.
    static func scan(_ text: UnsafeRawBufferPointer) throws(PlistError) -> (layout: TextLayout, isASCII: Bool) {
        var scanner = XMLPlistScanner(text)
        scanner.repairs = PlistRepairs()
        var builder = TextLayoutBuilder()
        while true {
            switch try scanner.next() {
            case .open(.plist, _), .close(.plist):
                break
            case .open(.key, let isEmpty):
                let start = scanner.tokenStart
                if !isEmpty { _ = try scanner.text(of: .key) }
                builder.key(start..<scanner.offset)
            case .open(let element, let isEmpty) where element == .dict || element == .array:
                builder.open(scanner.tokenStart..<scanner.offset)
                if isEmpty { builder.close(scanner.offset..<scanner.offset) }
            case .open(let element, let isEmpty):
                let start = scanner.tokenStart
                if !isEmpty { _ = try scanner.text(of: element) }
                builder.scalar(start..<scanner.offset)
            case .close:
                builder.close(scanner.tokenStart..<scanner.offset)
            case .end:
                return (builder.layout, scanner.declaresOtherEncoding)
            }
        }
    }
}
