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
    /// The length of the line break that the lead begins with; 0 if there is none.
    private(set) var lineBreak = 0
    /// Whether there is a comment in the trailing part.
    private(set) var endsWithComment = false
    /// Whether there is a comment anywhere.
    private(set) var hasComment = false

    init(_ range: Range<Int>, separator byte: UInt8?, in syntax: some TextPlistSyntax) {
        self.range = range
        separator = range.lowerBound..<range.lowerBound
        trailing = separator
        leadStart = range.lowerBound
        var hasLine = false
        var offset = range.lowerBound
        while offset < range.upperBound {
            let next: Int
            if let end = syntax.commentEnd(at: offset, before: range.upperBound) {
                next = end
                hasComment = true
                let isLong = syntax.text[offset..<end].contains { TextLines.isBreak($0) }
                if isLong || lineBreak == 0 {
                    leadStart = end
                    lineBreak = 0
                }
            } else if case let length = TextLines.breakLength(in: syntax.text, at: offset), length > 0 {
                if !hasLine {
                    trailing = separator.upperBound..<offset
                    endsWithComment = hasComment
                }
                hasLine = true
                leadStart = offset
                lineBreak = length
                next = offset + length
            } else {
                next = offset + 1
                if syntax.text[offset] == byte, separator.isEmpty {
                    separator = range.lowerBound..<next
                    trailing = next..<next
                    leadStart = next
                    lineBreak = 0
                    hasLine = false
                    hasComment = false
                    endsWithComment = false
                }
            }
            offset = next
        }
    }

    /// Whether what is behind the gap is the first thing on its line but for comments.
    var startsLine: Bool { lineBreak > 0 }

    /// What is between the two lines, and stays if either goes.
    var middle: Range<Int> { trailing.upperBound..<leadStart }

    /// What comes directly before what is behind the gap.
    var lead: Range<Int> { leadStart..<range.upperBound }
}
