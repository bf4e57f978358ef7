/// What is put between two children of a container that stay, or between one and a bracket.
struct TextJoint<Syntax: TextPlistSyntax> {
    private(set) var text: [UInt8] = []
    /// Whether a line has to end before the text goes on, because it ends with a comment.
    private var awaitsBreak = false
    /// Whether it is at the beginning of the text, where something else was: a line break is none there.
    private let isFirstLine: Bool
    /// The byte before it; nil if that may change.
    private let last: UInt8?
    private let container: TextContainer<Syntax>
    private let newline: [UInt8]

    /// What comes behind a child, or behind the opening bracket if that is -1.
    init(behind previous: Int, in container: TextContainer<Syntax>, newline: [UInt8]) {
        self.container = container
        self.newline = newline
        let start = container.end(of: previous)
        last = previous >= 0 ? nil : start > 0 ? container.syntax.text[start - 1] : newline.last
        isFirstLine =
            container.isBare && previous < 0 && !container.children.isEmpty && container.gap(before: 0).lineBreak == 0
    }

    /// - Parameter endsLine: Whether nothing may follow on the line.
    mutating func append(_ bytes: ArraySlice<UInt8>, endsLine: Bool = false) {
        var bytes = bytes
        if isFirstLine, text.isEmpty, bytes.starts(with: newline) { bytes = bytes.dropFirst(newline.count) }
        guard let first = bytes.first else { return }
        if awaitsBreak, !TextLines.isBreak(first) {
            text += newline + container.indentation
        } else if container.syntax.mustPart(first, from: text.last ?? last) {
            text.append(0x20)
        }
        text.append(contentsOf: bytes)
        awaitsBreak = endsLine
    }

    /// Ends the line if it has to end before the closing bracket.
    mutating func finish() {
        if awaitsBreak, !container.isBare { text += newline + container.indentation }
    }
}
