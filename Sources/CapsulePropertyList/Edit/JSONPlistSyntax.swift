/// Edits JSON.
struct JSONPlistSyntax: TextPlistSyntax {
    let text: UnsafeRawBufferPointer
    let layout: TextLayout
    private(set) var style: PlistTextStyle
    let limits: PlistLimits

    /// - Parameter isCatalog: true for a string catalog, in which empty objects have lines unless the first one has none.
    init(_ text: UnsafeRawBufferPointer, limits: PlistLimits, isCatalog: Bool = false) throws(PlistError) {
        self.text = text
        self.limits = limits
        layout = try JSONPlistLayout.scan(text, limits: PlistLimits(depth: .max))
        style = PlistTextStyle(of: layout, in: text, unit: [0x20, 0x20], sign: UInt8(ascii: ":"))
        style.opensEmptyObjects = isCatalog && firstEmptyObject.map { text[$0].contains(where: TextLines.isBreak) } ?? true
    }

    private var firstEmptyObject: Range<Int>? {
        let number = layout.nodes.indices.first { number in
            layout.nodes[number].next == number + 1 && text[layout.nodes[number].range.lowerBound] == UInt8(ascii: "{")
        }
        return number.map { layout.nodes[$0].range }
    }

    func separator(inDictionary: Bool) -> TextSeparator? {
        TextSeparator(byte: UInt8(ascii: ","), last: .never)
    }

    func key(at range: Range<Int>) throws(PlistError) -> PlistString {
        var scanner = JSONPlistScanner(UnsafeRawBufferPointer(rebasing: text[range]), limits: limits)
        _ = try scanner.next()
        return PlistString(valid: try scanner.string())
    }

    func spell(_ value: PlistValue, like neighbour: Range<Int>?, _ style: PlistTextStyle) throws(PlistError) -> [UInt8] {
        try JSONPlistWriter.fragment(value, style: style, limits: limits)
    }

    func spell(key: PlistString, like neighbour: Range<Int>?, _ style: PlistTextStyle) throws(PlistError) -> [UInt8] {
        JSONPlistWriter.fragment(key: key)
    }

    func joint(_ style: PlistTextStyle) -> [UInt8] {
        style.joint ?? Array(": ".utf8)
    }

    func isJoint(_ bytes: ArraySlice<UInt8>) -> Bool { true }

    func replacement(
        of node: Int, holding old: PlistValue, by new: PlistValue, _ style: PlistTextStyle
    ) throws(PlistError) -> TextEdit {
        TextEdit(range: layout.nodes[node].range, text: try spell(new, like: nil, style))
    }
}

/// Finds the positions of the values in a JSON text.
enum JSONPlistLayout {
    /// Returns the layout of UTF-8 text without a byte order mark. The content of strings and the range of numbers are not checked.
    static func scan(_ text: UnsafeRawBufferPointer, limits: PlistLimits = .standard) throws(PlistError) -> TextLayout {
        var scanner = JSONPlistScanner(text, limits: limits)
        var builder = TextLayoutBuilder()
        while true {
            switch try scanner.next() {
            case .openDictionary, .openArray: builder.open(scanner.token)
            case .closeDictionary, .closeArray: builder.close(scanner.token)
            case .key: builder.key(scanner.token)
            case .string, .integer, .real, .true, .false, .null: builder.scalar(scanner.token)
            case .end: return builder.layout
            }
        }
    }
}
