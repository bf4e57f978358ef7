/// Finds where the values stand in the text of an XML property list.
///
/// It goes over the tags once more after the reading, so that reading costs nothing for edits that are seldom made. What
/// the reader has found to be well formed is not checked again.
struct XMLPlistLayout: ~Copyable {
    private var scanner: XMLPlistScanner
    private var layout = TextLayout()
    /// The containers that are open, outermost first.
    private var open: [Int] = []
    /// The key that waits for its value.
    private var key: Range<Int>?

    /// The layout of UTF-8 text without a byte order mark, and whether the declared encoding allows ASCII only.
    static func layout(of text: UnsafeRawBufferPointer) throws(PlistError) -> (layout: TextLayout, isASCII: Bool) {
        var scan = XMLPlistLayout(scanner: XMLPlistScanner(text))
        try scan.run()
        return (scan.layout, scan.scanner.declaresOtherEncoding)
    }

    private init(scanner: consuming XMLPlistScanner) {
        self.scanner = scanner
    }

    private mutating func run() throws(PlistError) {
        repeat {
            switch try scanner.next() {
            case .open(.plist, _):
                break
            case .open(.key, let isEmpty):
                let start = scanner.tokenStart
                if !isEmpty { _ = try scanner.text(of: .key) }
                key = start..<scanner.offset
            case .open(let element, let isEmpty):
                try begin(element, isEmpty: isEmpty)
            case .close:
                end()
            case .end:
                return
            }
        } while !open.isEmpty || layout.nodes.isEmpty
    }

    private mutating func begin(_ element: XMLPlistElement, isEmpty: Bool) throws(PlistError) {
        let start = scanner.tokenStart
        let isContainer = element == .dict || element == .array
        let inside = scanner.offset
        if !isEmpty, !isContainer { _ = try scanner.text(of: element) }
        if !isEmpty, isContainer { open.append(layout.nodes.count) }
        layout.nodes.append(
            TextLayout.Node(
                range: start..<scanner.offset, inner: isContainer ? inside..<inside : nil, key: key,
                next: layout.nodes.count + 1))
        key = nil
    }

    private mutating func end() {
        guard let number = open.popLast(), let inside = layout.nodes[number].inner else { return }
        let start = layout.nodes[number].range.lowerBound
        layout.nodes[number].range = start..<scanner.offset
        layout.nodes[number].inner = inside.lowerBound..<scanner.tokenStart
        layout.nodes[number].next = layout.nodes.count
    }
}
