/// A container in the text: its children, and the text before, between and after them.
struct TextContainer<Syntax: TextPlistSyntax> {
    let syntax: Syntax
    let number: Int
    let numbers: [Int]
    let children: [TextLayout.Node]
    let separator: TextSeparator?
    /// True if the container is the entire text and has no brackets.
    let isBare: Bool
    private let newline: [UInt8]
    private let inner: Range<Int>
    private let start: Int

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

    func extent(of child: Int) -> Range<Int> {
        let node = children[child]
        return (node.key?.lowerBound ?? node.range.lowerBound)..<node.range.upperBound
    }

    /// Returns the start of the gap after a child, or the end of the opening bracket if `child` is negative.
    func end(of child: Int) -> Int {
        child < 0 ? inner.lowerBound : children[child].range.upperBound
    }

    /// Returns the end of the gap before a child, or the start of the closing bracket if `child` is the number of children.
    func start(of child: Int) -> Int {
        child < children.count ? extent(of: child).lowerBound : inner.upperBound
    }

    /// Returns the gap before a child, or before the closing bracket if `child` is the number of children.
    func gap(before child: Int) -> TextGap {
        TextGap(end(of: child - 1)..<start(of: child), separator: separator?.byte, beginsLine: isBare && child == 0, in: syntax)
    }

    var endsWithSeparator: Bool { !children.isEmpty && !gap(before: children.count).separator.isEmpty }

    /// Returns the text between a child's key and value, without blanks at the end of the key's line, or nil if it is not a model
    /// for others.
    func joint(of child: Int) -> ArraySlice<UInt8>? {
        guard let key = children[child].key else { return nil }
        let gap = TextGap(key.upperBound..<children[child].range.lowerBound, separator: nil, in: syntax)
        guard !gap.hasComment else { return nil }
        let joint = bytes(gap.range)
        guard syntax.isJoint(joint) else { return nil }
        let rest = joint.drop(while: TextLines.isBlank)
        return rest.first.map(TextLines.isBreak) ?? false ? rest : joint
    }

    /// Returns true if a child is a nonempty container on a single line. Containers that are added next to it will be on one line
    /// too.
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
    /// The text before an item on its line: a line break and blanks, or blanks alone.
    struct Lead {
        var startsLine = false
        /// The line break; empty on the first line of the text, and if something else precedes the item on the line.
        var newline: ArraySlice<UInt8> = []
        var blank: ArraySlice<UInt8> = []

        var bytes: ArraySlice<UInt8> { newline + blank }
    }

    /// The blanks at the beginning of the line on which the container begins.
    var indentation: ArraySlice<UInt8> { bytes(TextLines.indentation(in: syntax.text, at: start)) }

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

    /// The text before an element that becomes the first one, or, in an empty container, before the closing bracket.
    var firstLead: Lead { lead(gap(before: 0)) }

    func lead(after child: Int) -> Lead {
        let own = lead(gap(before: child))
        if own.startsLine {
            return Lead(startsLine: true, newline: own.newline.isEmpty ? newline[...] : own.newline, blank: own.blank)
        }
        if child > 0 { return own }
        // The text before a first child on the bracket's line is not a model for the others if they show a different one.
        if children.count > 1 { return lead(gap(before: 1)) }
        if isBare { return Lead(startsLine: true, newline: newline[...]) }
        return own.blank.isEmpty ? Lead(blank: syntax.style.blank[...]) : own
    }

    /// Returns the text before a child that is kept or moved, including comments on its line.
    func lead(of child: Int, isFirst: Bool, after kept: Int) -> ArraySlice<UInt8> {
        let own = gap(before: child)
        if own.startsLine { return bytes(own.lead) }
        if isFirst { return child == 0 ? bytes(own.lead) : firstLead.bytes }
        if child == 0 { return lead(after: 0).bytes }
        // The child that began the line may have been removed, so that this one begins the line.
        var earlier = child - 1
        while earlier > kept {
            let gap = gap(before: earlier)
            if gap.startsLine { return lead(gap).bytes }
            earlier -= 1
        }
        return bytes(own.lead)
    }
}

/// The text between two neighbors in a container, or between a child and a bracket, divided by the neighbor it belongs to.
/// `A , // of A` LF LF `// about B` LF `/* of B */ B` is A, a separator, a trailing part, a middle and a lead.
struct TextGap {
    let range: Range<Int>
    /// The range from the start of the gap to the end of the separator; empty if there is no separator.
    private(set) var separator: Range<Int>
    /// The rest of the line before the gap; empty if that line doesn't end in the gap.
    private(set) var trailing: Range<Int>
    /// The start of the part on the line of the item after the gap, including the line break before it. If that line doesn't begin
    /// in the gap, the part starts after the last comment.
    private(set) var leadStart: Int
    private(set) var startsLine: Bool
    /// The length of the line break at the start of the lead; 0 if there is none.
    private(set) var lineBreak = 0
    private(set) var endsWithComment = false
    private(set) var hasComment = false

    /// - Parameter beginsLine: true if the gap is at the beginning of the text, where a line begins without a line break.
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
        // The end of the text is the end of a line.
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

    /// The text between the two lines, which is kept if either neighbor is removed.
    var middle: Range<Int> { trailing.upperBound..<leadStart }

    var lead: Range<Int> { leadStart..<range.upperBound }
}

/// The text to insert between two kept children of a container, or between a child and a bracket.
struct TextJoint<Syntax: TextPlistSyntax> {
    private(set) var text: [UInt8] = []
    /// True if the line must end before more text, because it ends with a comment.
    private var awaitsBreak = false
    /// True if the text is at the beginning of the document, in place of an item without a line break before it.
    private let isFirstLine: Bool
    /// The byte before the text; nil if it may change.
    private let last: UInt8?
    private let container: TextContainer<Syntax>
    private let newline: [UInt8]

    /// Creates the text after a child, or after the opening bracket if `previous` is -1.
    init(behind previous: Int, in container: TextContainer<Syntax>, newline: [UInt8]) {
        self.container = container
        self.newline = newline
        let start = container.end(of: previous)
        last = previous >= 0 ? nil : start > 0 ? container.syntax.text[start - 1] : newline.last
        isFirstLine =
            container.isBare && previous < 0 && !container.children.isEmpty && container.gap(before: 0).lineBreak == 0
    }

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

    mutating func finish() {
        if awaitsBreak, !container.isBare { text += newline + container.indentation }
    }
}

/// The indentation of a document.
struct TextIndentation {
    /// The maximum number of containers to examine in a large document.
    private static let sample = 4096

    let newline: [UInt8]
    let hasLines: Bool
    private var known: [UInt8]?

    init(_ text: UnsafeRawBufferPointer) {
        newline = TextLines.newline(of: text)
        hasLines = text.contains(where: TextLines.isBreak)
    }

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
    private static let sample = 4096

    /// Takes the style from the document: the text between key and value from the first dictionary, and the text between elements
    /// from the first container on one line.
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

    static func blankEnd(in text: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
        range.first { !isBlank(text[$0]) } ?? range.upperBound
    }

    static func blankStart(in text: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
        range.last { !isBlank(text[$0]) }.map { $0 + 1 } ?? range.lowerBound
    }
}
