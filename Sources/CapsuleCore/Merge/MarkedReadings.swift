/// What a text with conflict marks is to whoever takes one side in every block of it.
///
/// Blocks are those that git writes, with the base's lines or without; all have marks of one size.
public struct MarkedReadings: Sendable {
    /// Fewer characters than that are no mark.
    private static let leastSize = 3

    /// The bytes with the lines of ours in each block, in the text's encoding.
    public let ours: [UInt8]
    /// The same with those of theirs.
    public let theirs: [UInt8]
    /// Length of a mark.
    public let size: Int
    /// What the sides are called at the first block.
    public let labels: MergeLabels

    private enum Place { case outside, ours, base, theirs }

    /// nil for what is no text, or has no block or an incomplete one.
    public init?(_ bytes: [UInt8]) {
        guard let text = try? TextContent(bytes) else { return nil }
        var (ours, theirs): ([UInt8], [UInt8]) = ([], [])
        var found: (size: Int, labels: MergeLabels)?
        var place = Place.outside
        for number in 0..<text.lineCount {
            let line = text.line(number)
            func mark(_ character: Unicode.Scalar) -> String? { Self.mark(character, in: line, size: found?.size) }
            switch place {
            case .outside:
                if let label = mark("<") {
                    let size = line.prefix { $0 == UInt8(ascii: "<") }.count
                    found = found ?? (size, MergeLabels(ours: label, theirs: ""))
                    place = .ours
                } else {
                    ours += line
                    theirs += line
                }
            case .ours, .base:
                if mark("=") == "" {
                    place = .theirs
                } else if place == .ours, mark("|") != nil {
                    place = .base
                } else if place == .ours {
                    ours += line
                }
            case .theirs:
                if let label = mark(">") {
                    if found?.labels.theirs == "" { found?.labels.theirs = label }
                    place = .outside
                } else {
                    theirs += line
                }
            }
        }
        guard let found, place == .outside else { return nil }
        self.ours = text.encoding.bytes(of: ours, hasMark: text.hasMark)
        self.theirs = text.encoding.bytes(of: theirs, hasMark: text.hasMark)
        (size, labels) = found
    }

    /// The label of a mark; nil for any other line.
    ///
    /// - Parameter size: its length; nil for any.
    private static func mark(_ character: Unicode.Scalar, in line: ArraySlice<UInt8>, size: Int?) -> String? {
        let count = line.prefix { $0 == UInt8(ascii: character) }.count
        guard count == size ?? max(count, leastSize) else { return nil }
        var rest = line.dropFirst(count)
        while let last = rest.last, last == 0x0A || last == 0x0D { rest.removeLast() }
        guard rest.first ?? 0x20 == 0x20 else { return nil }
        return String(decoding: rest.dropFirst(), as: UTF8.self)
    }

    /// Two other texts as one, with marks of this size and these labels around the lines that differ.
    ///
    /// - Throws: `limit` for too many lines.
    public func marking(ours: [UInt8], theirs: [UInt8]) throws(OverlayError) -> [UInt8] {
        var marks = ConflictMarks(size: size, labels: labels)
        try marks.add(linesOf: ours, base: nil, theirs)
        return marks.text
    }
}
