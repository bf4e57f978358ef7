/// Edits OpenStep property lists and `.strings` files.
struct OpenStepPlistSyntax: TextPlistSyntax {
    let text: UnsafeRawBufferPointer
    let layout: TextLayout
    let style: PlistTextStyle
    let limits: PlistLimits
    private let isStrings: Bool

    init(_ text: UnsafeRawBufferPointer, limits: PlistLimits) throws(PlistError) {
        self.text = text
        self.limits = limits
        layout = try OpenStepPlistLayout.scan(text, limits: PlistLimits(depth: .max))
        style = PlistTextStyle(of: layout, in: text, unit: [0x09], sign: UInt8(ascii: "="))
        isStrings = layout.nodes[0].inner == layout.nodes[0].range
    }

    func separator(inDictionary: Bool) -> TextSeparator? {
        inDictionary
            ? TextSeparator(byte: UInt8(ascii: ";"), last: .always) : TextSeparator(byte: UInt8(ascii: ","), last: .either)
    }

    /// Returns the end of the comment at an offset. A Unicode line separator, which also ends a comment, is included. A line break
    /// is not.
    func commentEnd(at offset: Int, before end: Int) -> Int? {
        guard text[offset] == UInt8(ascii: "/"), offset + 1 < end else { return nil }
        var place = offset + 2
        switch text[offset + 1] {
        case UInt8(ascii: "/"):
            while place < end, !TextLines.isBreak(text[place]) {
                if OpenStepCharacters.isSeparator(text, at: place) { return min(place + 3, end) }
                place += 1
            }
            return place
        case UInt8(ascii: "*"):
            while place + 1 < end {
                if text[place] == UInt8(ascii: "*"), text[place + 1] == UInt8(ascii: "/") { return place + 2 }
                place += 1
            }
            return end
        default:
            return nil
        }
    }

    /// Returns true if a space is required, because an unquoted string would include the slash that begins a comment.
    func mustPart(_ byte: UInt8, from last: UInt8?) -> Bool {
        byte == UInt8(ascii: "/") && last.map { OpenStepCharacters.isUnquoted($0) } ?? true
    }

    func key(at range: Range<Int>) throws(PlistError) -> PlistString {
        var scanner = OpenStepPlistScanner(UnsafeRawBufferPointer(rebasing: text[range]), limits: limits)
        _ = try scanner.next()
        return PlistString(valid: try scanner.string())
    }

    func spell(_ value: PlistValue, like neighbour: Range<Int>?, _ style: PlistTextStyle) throws(PlistError) -> [UInt8] {
        guard let string = value.string, wantsQuotes(like: neighbour) else {
            return try OpenStepPlistWriter.fragment(value, style: style, limits: limits)
        }
        return OpenStepPlistWriter.fragment(quoted: string)
    }

    func spell(key: PlistString, like neighbour: Range<Int>?, _ style: PlistTextStyle) throws(PlistError) -> [UInt8] {
        wantsQuotes(like: neighbour) ? OpenStepPlistWriter.fragment(quoted: key) : OpenStepPlistWriter.fragment(key: key)
    }

    func joint(_ style: PlistTextStyle) -> [UInt8] {
        style.joint ?? Array(" = ".utf8)
    }

    func isJoint(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.contains(UInt8(ascii: "="))
    }

    func replacement(
        of node: Int, holding old: PlistValue, by new: PlistValue, _ style: PlistTextStyle
    ) throws(PlistError) -> TextEdit {
        let range = layout.nodes[node].range
        let spelled = try spell(new, like: nil, style)
        if node == 0, isStrings {
            let hasEnd = text.last.map { TextLines.isBreak($0) } ?? false
            return TextEdit(range: range, text: spelled + (hasEnd ? style.newline : []))
        }
        // A key that stands alone has no value in the text yet.
        let joint = range.isEmpty ? joint(style) : []
        guard let string = new.string else { return TextEdit(range: range, text: joint + spelled) }
        let isBeforeComment = range.upperBound < text.count && text[range.upperBound] == UInt8(ascii: "/")
        // A string that is the entire document is recognized by its quotation marks.
        let isAlone = node == 0 && old.string == nil
        let isQuoted = isQuoted(range) || isAlone || isBeforeComment
        return TextEdit(range: range, text: joint + (isQuoted ? OpenStepPlistWriter.fragment(quoted: string) : spelled))
    }

    private func isQuoted(_ range: Range<Int>) -> Bool {
        !range.isEmpty && OpenStepCharacters.isQuote(text[range.lowerBound])
    }

    /// Returns true if a string is quoted even if it needn't be: in a `.strings` file, unless its neighbor is unquoted, and
    /// elsewhere if its neighbor is quoted without need.
    private func wantsQuotes(like neighbour: Range<Int>?) -> Bool {
        guard let neighbour, !neighbour.isEmpty else { return isStrings }
        guard isQuoted(neighbour) else { return isStrings && !OpenStepCharacters.isUnquoted(text[neighbour.lowerBound]) }
        // A long string nearly always needs quotation marks, and would be parsed for each new one.
        guard !isStrings, neighbour.count <= 256, let string = try? key(at: neighbour) else { return isStrings }
        return OpenStepString.isPlain(string)
    }
}

/// Finds the positions of the values in an OpenStep property list.
enum OpenStepPlistLayout {
    /// Returns the layout of UTF-8 text without a byte order mark. The content of strings and data is not checked.
    /// The root of a `.strings` file, a dictionary without braces, is the entire text, and so is its inside. The value of a key
    /// that stands alone (`key;`) is an empty range directly after the key.
    static func scan(_ text: UnsafeRawBufferPointer, limits: PlistLimits = .standard) throws(PlistError) -> TextLayout {
        var scanner = OpenStepPlistScanner(text, limits: limits)
        var builder = TextLayoutBuilder()
        var keyEnd = 0
        while true {
            switch try scanner.next() {
            case .openDictionary, .openArray: builder.open(scanner.token)
            case .closeDictionary, .closeArray: builder.close(scanner.token)
            case .key:
                keyEnd = scanner.token.upperBound
                builder.key(scanner.token)
            case .string, .data: builder.scalar(scanner.token)
            case .shorthand: builder.scalar(keyEnd..<keyEnd)
            case .end: return builder.layout
            }
        }
    }
}
