/// How JSON is edited.
struct JSONPlistSyntax: TextPlistSyntax {
    let text: UnsafeRawBufferPointer
    let layout: TextLayout
    let style: PlistTextStyle
    let limits: PlistLimits

    /// The syntax of a document that has been read.
    init(_ text: UnsafeRawBufferPointer, limits: PlistLimits) throws(PlistError) {
        self.text = text
        self.limits = limits
        layout = try JSONPlistLayout.scan(text, limits: PlistLimits(depth: .max))
        style = PlistTextStyle(of: layout, in: text, unit: [0x20, 0x20], sign: UInt8(ascii: ":"))
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

/// Where the values of a JSON text stand.
enum JSONPlistLayout {
    /// The layout of UTF-8 text without a byte order mark. Throws what reading it would throw, without a pointer; the
    /// insides of strings and the range of numbers are not looked at.
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
