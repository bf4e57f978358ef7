/// The indentation of a document.
struct TextIndentation {
    /// The maximum number of containers to examine in a large document.
    private static let sample = 4096

    /// The document's line end.
    let newline: [UInt8]
    /// True if the document has several lines.
    let hasLines: Bool
    private var known: [UInt8]?

    init(_ text: UnsafeRawBufferPointer) {
        newline = TextLines.newline(of: text)
        hasLines = text.contains(where: TextLines.isBreak)
    }

    /// Returns the indentation that one level adds in a container, or else in the document.
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

    /// Returns the additional indentation of a container's first child, relative to the line on which the container begins, or nil
    /// if it can't be determined.
    private static func unit(between number: Int, _ syntax: some TextPlistSyntax) -> [UInt8]? {
        let nodes = syntax.layout.nodes
        // A container without brackets has no indentation of its own.
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
    /// The maximum number of values to examine in a large document.
    private static let sample = 4096

    /// Takes the style from the document: the text between key and value from the first dictionary, and the text between elements
    /// from the first container on one line.
    ///
    /// - Parameters:
    ///   - unit: the indentation of a level if the document doesn't show it.
    ///   - sign: the sign between key and value.
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

    /// Returns the bytes of a range if they are at most 16, include one of the signs, and are blank otherwise.
    private static func bytes(of text: UnsafeRawBufferPointer, _ range: Range<Int>, _ signs: [UInt8]) -> [UInt8]? {
        guard range.count <= 16 else { return nil }
        let bytes = [UInt8](text[range])
        let isPlain = bytes.allSatisfy { TextLines.isBlank($0) || signs.contains($0) }
        return isPlain && bytes.contains(where: signs.contains) ? bytes : nil
    }
}

/// Finds the lines of a text and the blanks at their beginnings.
enum TextLines {
    /// The maximum distance, in bytes, for finding the beginning of a line. Nothing is indented further, and in a document that is
    /// a single line, every search would scan all of it.
    static let reach = 4096

    static func isBreak(_ byte: UInt8) -> Bool {
        byte == 0x0A || byte == 0x0D
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }

    /// Returns the length of the line break at an offset: 2 for CR LF, 1 for LF or CR, or else 0.
    static func breakLength(in text: UnsafeRawBufferPointer, at offset: Int) -> Int {
        switch text[offset] {
        case 0x0A: 1
        case 0x0D: offset + 1 < text.count && text[offset + 1] == 0x0A ? 2 : 1
        default: 0
        }
    }

    /// Returns the first line break of a text, or LF if it has none.
    static func newline(of text: UnsafeRawBufferPointer) -> [UInt8] {
        guard let offset = text.firstIndex(where: isBreak) else { return [0x0A] }
        return [UInt8](text[offset..<offset + breakLength(in: text, at: offset)])
    }

    /// Returns the range of the blanks at the beginning of an offset's line, at most up to the offset. It is empty if the line
    /// begins too far away.
    static func indentation(in text: UnsafeRawBufferPointer, at offset: Int) -> Range<Int> {
        let least = max(offset - reach, 0)
        var start = offset
        while start > least, !isBreak(text[start - 1]) { start -= 1 }
        guard start == 0 || isBreak(text[start - 1]) else { return offset..<offset }
        return start..<blankEnd(in: text, start..<offset)
    }

    /// Returns the end of the blanks at the start of a range.
    static func blankEnd(in text: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
        range.first { !isBlank(text[$0]) } ?? range.upperBound
    }

    /// Returns the start of the blanks at the end of a range.
    static func blankStart(in text: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
        range.last { !isBlank(text[$0]) }.map { $0 + 1 } ?? range.lowerBound
    }
}
