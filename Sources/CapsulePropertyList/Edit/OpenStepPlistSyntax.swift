/// How OpenStep property lists and `.strings` files are edited.
struct OpenStepPlistSyntax: TextPlistSyntax {
    let text: UnsafeRawBufferPointer
    let layout: TextLayout
    let style: PlistTextStyle
    let limits: PlistLimits
    /// Whether the root is a dictionary without braces.
    private let isStrings: Bool

    /// The syntax of a document that has been read.
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

    /// A line separator of Unicode's, which ends a comment too, is counted in; a line break is not.
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

    /// A string without quotation marks would go on with the slash that begins a comment.
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

    /// A key whose value is the key has nothing there.
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
        // The value of a key that stands alone is not there yet.
        let joint = range.isEmpty ? joint(style) : []
        guard let string = new.string else { return TextEdit(range: range, text: joint + spelled) }
        let isBeforeComment = range.upperBound < text.count && text[range.upperBound] == UInt8(ascii: "/")
        // A string that is all of the document is known by its quotation marks.
        let isAlone = node == 0 && old.string == nil
        let isQuoted = isQuoted(range) || isAlone || isBeforeComment
        return TextEdit(range: range, text: joint + (isQuoted ? OpenStepPlistWriter.fragment(quoted: string) : spelled))
    }

    // MARK: Quotation marks

    private func isQuoted(_ range: Range<Int>) -> Bool {
        !range.isEmpty && OpenStepCharacters.isQuote(text[range.lowerBound])
    }

    /// Whether a string is in quotation marks though it may need none: in a `.strings` file, unless its neighbour has none,
    /// and elsewhere if its neighbour has them without need.
    private func wantsQuotes(like neighbour: Range<Int>?) -> Bool {
        guard let neighbour, !neighbour.isEmpty else { return isStrings }
        guard isQuoted(neighbour) else { return isStrings && !OpenStepCharacters.isUnquoted(text[neighbour.lowerBound]) }
        // A long string seldom needs none, and would be looked at for each new one.
        guard !isStrings, neighbour.count <= 256, let string = try? key(at: neighbour) else { return isStrings }
        return OpenStepString.isPlain(string)
    }
}

/// Where the values of an OpenStep property list stand.
enum OpenStepPlistLayout {
    /// The layout of UTF-8 text without a byte order mark. Throws what reading it would throw, without a pointer; the
    /// insides of strings and data are not looked at.
    ///
    /// The root of a `.strings` file, a dictionary without braces, is all of the text and so is its inside. The value
    /// of a key that stands alone (`key;`) has no bytes; its place is right behind the key.
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
