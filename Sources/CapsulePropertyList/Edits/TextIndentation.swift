/// How a document indents.
struct TextIndentation {
    /// Of a large document this many containers are looked at.
    private static let sample = 4096

    /// The document's line end.
    let newline: [UInt8]
    /// Whether there are several lines.
    let hasLines: Bool
    private var known: [UInt8]?

    init(_ text: UnsafeRawBufferPointer) {
        newline = TextLines.newline(of: text)
        hasLines = text.contains(where: TextLines.isBreak)
    }

    /// What one level adds to the indentation around it, in a container or else in the document.
    mutating func unit(in number: Int, _ syntax: some TextPlistSyntax) -> [UInt8] {
        if let unit = Self.unit(between: number, syntax), !unit.isEmpty { return unit }
        if let known { return known }
        var isFlat = false
        var seen = 0
        for number in syntax.layout.nodes.indices where syntax.layout.nodes[number].inner != nil && seen < Self.sample {
            seen += 1
            guard let unit = Self.unit(between: number, syntax) else { continue }
            isFlat = true
            guard unit.isEmpty else {
                known = unit
                return unit
            }
        }
        let unit = isFlat ? [] : syntax.style.unit
        known = unit
        return unit
    }

    /// By how much the first child is indented further than the line on which the container begins; nil if that can't be
    /// told.
    private static func unit(between number: Int, _ syntax: some TextPlistSyntax) -> [UInt8]? {
        let nodes = syntax.layout.nodes
        // Without brackets there is nothing to be further in than.
        guard number + 1 < nodes[number].next, nodes[number].inner != nodes[number].range else { return nil }
        let child = nodes[number + 1]
        let start = child.key?.lowerBound ?? child.range.lowerBound
        let text = syntax.text
        let inside = TextLines.indentation(in: text, at: start)
        let outside = TextLines.indentation(in: text, at: nodes[number].range.lowerBound)
        guard inside.upperBound == start, inside.lowerBound > nodes[number].range.lowerBound,
            text[inside].starts(with: text[outside])
        else { return nil }
        return [UInt8](text[inside].dropFirst(outside.count))
    }
}
