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
