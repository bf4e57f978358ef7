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
