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
