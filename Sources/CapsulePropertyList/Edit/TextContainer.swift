/// A container in the text: its children, and what stands between them and before and after them.
struct TextContainer<Syntax: TextPlistSyntax> {
    let syntax: Syntax
    /// The container's number in the layout.
    let number: Int
    /// The children's numbers in the layout.
    let numbers: [Int]
    let children: [TextLayout.Node]
    let separator: TextSeparator?
    /// Whether it is all of the text and has no brackets.
    let isBare: Bool
    /// The document's line end.
    private let newline: [UInt8]
    private let inner: Range<Int>
    private let start: Int

    /// The container of that number; nil if the value there is none.
    init?(_ number: Int, inDictionary: Bool, newline: [UInt8], _ syntax: Syntax) {
        let node = syntax.layout.nodes[number]
        guard let inner = node.inner else { return nil }
        self.syntax = syntax
        self.number = number
        self.newline = newline
        self.inner = inner
        isBare = inner == node.range
        start = node.range.lowerBound
        numbers = syntax.layout.children(of: number)
        children = numbers.map { syntax.layout.nodes[$0] }
        separator = syntax.separator(inDictionary: inDictionary)
    }

    /// A child with its key and what is between the two.
    func extent(of child: Int) -> Range<Int> {
        let node = children[child]
        return (node.key?.lowerBound ?? node.range.lowerBound)..<node.range.upperBound
    }

    /// Where the gap before a child begins; before the first one that is behind the opening bracket.
    func end(of child: Int) -> Int {
        child < 0 ? inner.lowerBound : children[child].range.upperBound
    }

    /// Where the gap before a child ends; behind the last one that is before the closing bracket.
    func start(of child: Int) -> Int {
        child < children.count ? extent(of: child).lowerBound : inner.upperBound
    }

    /// What stands before a child, or, of the number behind the last one, before the closing bracket.
    func gap(before child: Int) -> TextGap {
        TextGap(
            end(of: child - 1)..<start(of: child), separator: separator?.byte, beginsLine: isBare && child == 0, in: syntax)
    }

    /// Whether the last child has a separator behind it.
    var endsWithSeparator: Bool {
        !children.isEmpty && !gap(before: children.count).separator.isEmpty
    }

    /// What is between key and value of a child, without blank at the end of the key's line; nil if that is no model for
    /// others.
    func joint(of child: Int) -> ArraySlice<UInt8>? {
        guard let key = children[child].key else { return nil }
        let gap = TextGap(key.upperBound..<children[child].range.lowerBound, separator: nil, in: syntax)
        guard !gap.hasComment else { return nil }
        let joint = bytes(gap.range)
        guard syntax.isJoint(joint) else { return nil }
        let rest = joint.drop(while: TextLines.isBlank)
        return rest.first.map(TextLines.isBreak) ?? false ? rest : joint
    }

    /// Whether a child is a container that holds something, all on one line: one that is added next to it will be too.
    func isOnOneLine(_ child: Int) -> Bool {
        let range = children[child].range
        guard syntax.layout.nodes[numbers[child]].next > numbers[child] + 1, range.count <= TextLines.reach else { return false }
        return !syntax.text[range].contains(where: TextLines.isBreak)
    }

    func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> {
        [UInt8](UnsafeRawBufferPointer(rebasing: syntax.text[range]))[...]
    }
}

extension TextContainer {
    /// What stands before something on its line: a line break and blank, or blank alone.
    struct Lead {
        /// Whether it is the first thing on its line.
        var startsLine = false
        /// Empty on the first line of the text, and if there is something else before it on the line.
        var newline: ArraySlice<UInt8> = []
        var blank: ArraySlice<UInt8> = []

        var bytes: ArraySlice<UInt8> { newline + blank }
    }

    /// The blank of the line on which the container begins.
    var indentation: ArraySlice<UInt8> {
        bytes(TextLines.indentation(in: syntax.text, at: start))
    }

    /// What is at the end of a gap, without comments.
    private func lead(_ gap: TextGap) -> Lead {
        let lead = gap.lead
        let blank = lead.lowerBound + gap.lineBreak..<lead.upperBound
        guard gap.startsLine else {
            return Lead(blank: bytes(TextLines.blankStart(in: syntax.text, blank)..<blank.upperBound))
        }
        return Lead(
            startsLine: true, newline: bytes(lead.lowerBound..<blank.lowerBound),
            blank: bytes(blank.lowerBound..<TextLines.blankEnd(in: syntax.text, blank)))
    }

    /// What goes before an element that becomes the first one, in a container that has children; in one that has none,
    /// what goes before the closing bracket.
    var firstLead: Lead { lead(gap(before: 0)) }

    /// What goes before an element that is put behind a child.
    func lead(after child: Int) -> Lead {
        let own = lead(gap(before: child))
        if own.startsLine {
            return Lead(startsLine: true, newline: own.newline.isEmpty ? newline[...] : own.newline, blank: own.blank)
        }
        if child > 0 { return own }
        // What stands before the first one on the bracket's line is no model for the others if they show another.
        if children.count > 1 { return lead(gap(before: 1)) }
        if isBare { return Lead(startsLine: true, newline: newline[...]) }
        return own.blank.isEmpty ? Lead(blank: syntax.style.blank[...]) : own
    }

    /// What goes before a child that stays or moves, comments on its line included.
    ///
    /// - Parameters:
    ///   - isFirst: Whether it is the first one now.
    ///   - kept: The last child before it that has not gone.
    func lead(of child: Int, isFirst: Bool, after kept: Int) -> ArraySlice<UInt8> {
        let own = gap(before: child)
        if own.startsLine { return bytes(own.lead) }
        if isFirst { return child == 0 ? bytes(own.lead) : firstLead.bytes }
        if child == 0 { return lead(after: 0).bytes }
        // The one that began its line may have gone, and it begins the line now.
        var earlier = child - 1
        while earlier > kept {
            let gap = gap(before: earlier)
            if gap.startsLine { return lead(gap).bytes }
            earlier -= 1
        }
        return bytes(own.lead)
    }
}

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
