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

extension PlistTextStyle {
    /// Of a large document this many values are looked at.
    private static let sample = 4096

    /// What the first dictionary shows of what is between key and value, and the first container on one line of what is
    /// between elements.
    ///
    /// - Parameters:
    ///   - unit: What a level adds to the indentation where the document does not show it.
    ///   - sign: What is between key and value.
    init(of layout: TextLayout, in text: UnsafeRawBufferPointer, unit: [UInt8], sign: UInt8) {
        self.init(unit: unit)
        let nodes = layout.nodes
        var between: [UInt8]?
        for (number, node) in nodes.prefix(Self.sample).enumerated() {
            if joint == nil, let key = node.key {
                joint = Self.bytes(of: text, key.upperBound..<node.range.lowerBound, [sign])
            }
            guard between == nil, number + 1 < node.next, nodes[number + 1].next < node.next else { continue }
            let (first, second) = (nodes[number + 1], nodes[nodes[number + 1].next])
            let start = second.key?.lowerBound ?? second.range.lowerBound
            between = Self.bytes(of: text, first.range.upperBound..<start, [UInt8(ascii: ","), UInt8(ascii: ";")])
        }
        if let between {
            blank = [UInt8](between[(between.lastIndex { !TextLines.isBlank($0) } ?? 0)...].dropFirst())
        } else if joint?.last == sign {
            blank = []
        }
    }

    /// The bytes of a range if they are few, one of these is among them and the rest is blank.
    private static func bytes(of text: UnsafeRawBufferPointer, _ range: Range<Int>, _ signs: [UInt8]) -> [UInt8]? {
        guard range.count <= 16 else { return nil }
        let bytes = [UInt8](text[range])
        let isPlain = bytes.allSatisfy { TextLines.isBlank($0) || signs.contains($0) }
        return isPlain && bytes.contains(where: signs.contains) ? bytes : nil
    }
}

/// Lines of a text and the blank that they begin with.
enum TextLines {
    /// A line's beginning is looked for this far back. Nobody indents what stands further to the right, and in a document
    /// that is all one line every look would go over all of it.
    static let reach = 4096

    static func isBreak(_ byte: UInt8) -> Bool {
        byte == 0x0A || byte == 0x0D
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }

    /// The length of the line break at the offset: 2 for CR LF, 1 for LF or CR, else 0.
    static func breakLength(in text: UnsafeRawBufferPointer, at offset: Int) -> Int {
        switch text[offset] {
        case 0x0A: 1
        case 0x0D: offset + 1 < text.count && text[offset + 1] == 0x0A ? 2 : 1
        default: 0
        }
    }

    /// The first line break of a text; LF if it has none.
    static func newline(of text: UnsafeRawBufferPointer) -> [UInt8] {
        guard let offset = text.firstIndex(where: isBreak) else { return [0x0A] }
        return [UInt8](text[offset..<offset + breakLength(in: text, at: offset)])
    }

    /// The blank from the beginning of the offset's line on, at most up to the offset; empty if the line begins far away.
    static func indentation(in text: UnsafeRawBufferPointer, at offset: Int) -> Range<Int> {
        let least = max(offset - reach, 0)
        var start = offset
        while start > least, !isBreak(text[start - 1]) { start -= 1 }
        guard start == 0 || isBreak(text[start - 1]) else { return offset..<offset }
        return start..<blankEnd(in: text, start..<offset)
    }

    /// Where the blank ends that the range begins with.
    static func blankEnd(in text: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
        range.first { !isBlank(text[$0]) } ?? range.upperBound
    }

    /// Where the blank begins that the range ends with.
    static func blankStart(in text: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
        range.last { !isBlank(text[$0]) }.map { $0 + 1 } ?? range.lowerBound
    }
}
