/// What stands between two neighbours in a container, or between one and a bracket, and to whom it belongs.
///
/// `A , // of A` LF LF `// about B` LF `/* of B */ B` is A, a separator, a trailing part, a middle and a lead.
struct TextGap {
    /// All of it.
    let range: Range<Int>
    /// From the gap's beginning to behind the separator; empty if there is none.
    private(set) var separator: Range<Int>
    /// The rest of the line of what is before the gap; empty if the line does not end within the gap.
    private(set) var trailing: Range<Int>
    /// Where the part begins that is on the line of what is behind the gap, the line break before it included. If that
    /// line does not begin within the gap, only what is behind the last comment.
    private(set) var leadStart: Int
    /// Whether what is behind the gap is the first thing on its line but for comments.
    private(set) var startsLine: Bool
    /// The length of the line break that the lead begins with; 0 if there is none.
    private(set) var lineBreak = 0
    /// Whether there is a comment in the trailing part.
    private(set) var endsWithComment = false
    /// Whether there is a comment anywhere behind the separator.
    private(set) var hasComment = false

    /// - Parameter beginsLine: Whether the gap is at the beginning of the text, where a line begins without a break.
    init(_ range: Range<Int>, separator byte: UInt8?, beginsLine: Bool = false, in syntax: some TextPlistSyntax) {
        let text = syntax.text
        self.range = range
        separator = range.lowerBound..<range.lowerBound
        trailing = separator
        leadStart = range.lowerBound
        startsLine = beginsLine
        var hasLine = beginsLine
        var offset = range.lowerBound
        while offset < range.upperBound {
            if let end = syntax.commentEnd(at: offset, before: range.upperBound) {
                hasComment = true
                if !startsLine || text[offset..<end].contains(where: TextLines.isBreak) { lead(from: end) }
                offset = end
            } else if case let length = TextLines.breakLength(in: text, at: offset), length > 0 {
                if !hasLine { trail(to: offset) }
                hasLine = true
                lead(from: offset, lineBreak: length)
                offset += length
            } else {
                let isSeparator = text[offset] == byte && separator.isEmpty
                offset += 1
                guard isSeparator else { continue }
                separator = range.lowerBound..<offset
                trailing = offset..<offset
                lead(from: offset)
                hasLine = false
                hasComment = false
            }
        }
        // A text's end is a line's end.
        if !hasLine, range.upperBound == text.count {
            trail(to: offset)
            lead(from: offset)
        }
    }

    private mutating func trail(to end: Int) {
        trailing = separator.upperBound..<end
        endsWithComment = hasComment
    }

    private mutating func lead(from start: Int, lineBreak length: Int = 0) {
        leadStart = start
        startsLine = length > 0
        lineBreak = length
    }

    /// What is between the two lines, and stays if either goes.
    var middle: Range<Int> { trailing.upperBound..<leadStart }

    /// What comes directly before what is behind the gap.
    var lead: Range<Int> { leadStart..<range.upperBound }
}
