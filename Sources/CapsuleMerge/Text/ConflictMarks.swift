package import CapsuleCore

/// Writes conflicting lines between marks, as git does: in blocks of whole lines, each of which ends with a line feed.
package struct ConflictMarks {
    /// The possible lengths of a mark. A shorter or longer one is clamped to this range.
    package static let sizes = 1...4096

    private let size: Int
    private let labels: MergeLabels
    private var lines = LineBuffer()
    var text: [UInt8] { lines.bytes }

    init(size: Int, labels: MergeLabels) {
        self.size = min(max(size, Self.sizes.lowerBound), Self.sizes.upperBound)
        self.labels = labels
    }

    package mutating func add(_ lines: ArraySlice<UInt8>) {
        self.lines.add(lines)
    }

    /// - Parameter newline: the line break of the marks, and of lines that lack one.
    package mutating func add(
        ours: ArraySlice<UInt8>, base: ArraySlice<UInt8>, theirs: ArraySlice<UInt8>, newline: [UInt8] = [0x0A]
    ) {
        mark("<", labels.ours, newline)
        appendLines(ours, newline)
        if let label = labels.base {
            mark("|", label, newline)
            appendLines(base, newline)
        }
        mark("=", "", newline)
        appendLines(theirs, newline)
        mark(">", labels.theirs, newline)
    }

    /// Adds texts in UTF-8, with a block of marks wherever the lines of ours and theirs differ.
    ///
    /// - Parameter base: the text of the base; nil for blocks without its lines.
    package mutating func add(linesOf ours: [UInt8], base: [UInt8]?, _ theirs: [UInt8]) throws(OverlayError) {
        let lines: LineMerge
        do throws(ContentError) {
            lines = LineMerge(
                base: try TextContent(utf8: base ?? ours), ours: try TextContent(utf8: ours),
                theirs: try TextContent(utf8: theirs))
        } catch {
            throw OverlayError(.limit, error.message)
        }
        for part in lines.parts {
            let (own, other) = (lines.ours.lines(part.ours), lines.theirs.lines(part.theirs))
            if own == other {
                add(own)
            } else {
                add(ours: own, base: base == nil ? [] : lines.base(part), theirs: other, newline: lines.newline(of: part))
            }
        }
    }

    private mutating func mark(_ character: Unicode.Scalar, _ label: String, _ newline: [UInt8]) {
        let label = label.utf8.prefix { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
        let mark = Array(repeating: UInt8(ascii: character), count: size)
        lines.add(mark + (label.isEmpty ? [] : [0x20] + label) + newline)
    }

    private mutating func appendLines(_ lines: ArraySlice<UInt8>, _ newline: [UInt8]) {
        self.lines.add(lines)
        if let last = lines.last, last != 0x0A { self.lines.end(with: newline) }
    }
}

extension LineMerge {
    /// Returns the text in UTF-8 with a block of marks for each conflict for which `resolved` returns nil.
    func marked(
        size: Int, labels: MergeLabels, _ resolved: (_ conflict: Int, SequenceMerge.Hunk) -> ArraySlice<UInt8>? = { _, _ in nil }
    ) -> [UInt8] {
        var marks = ConflictMarks(size: size, labels: labels)
        var conflict = 0
        for part in parts {
            guard part.change == .conflict else {
                marks.add(merged(part))
                continue
            }
            if let lines = resolved(conflict, part) {
                marks.add(lines)
            } else {
                marks.add(
                    ours: ours.lines(part.ours), base: base(part), theirs: theirs.lines(part.theirs), newline: newline(of: part))
            }
            conflict += 1
        }
        return marks.text
    }

    /// Returns the line break for a conflict: carriage return and line feed if all texts that have lines there use both.
    func newline(of part: SequenceMerge.Hunk) -> [UInt8] {
        let hasReturns = [
            ours.endsWithReturn(before: part.ours.lowerBound), theirs.endsWithReturn(before: part.theirs.lowerBound),
            base?.endsWithReturn(before: 0),
        ].compactMap { $0 }
        return !hasReturns.isEmpty && hasReturns.allSatisfy { $0 } ? [0x0D, 0x0A] : [0x0A]
    }
}

extension TextContent {
    /// Returns true if the line before another one, or else the first line, ends with a carriage return and a line feed; nil if no
    /// line shows it.
    fileprivate func endsWithReturn(before number: Int) -> Bool? {
        guard lineCount > 0 else { return nil }
        var place = max(number - 1, 0)
        if lacksNewline(place) {
            guard place > 0 else { return nil }
            place -= 1
        }
        return line(place).dropLast().last == 0x0D
    }
}

/// The names of the sides at the marks around a conflict.
package struct MergeLabels: Hashable, Sendable {
    package var ours: String
    /// The label at `|||||||`; nil leaves out this mark and the base's lines.
    package var base: String?
    package var theirs: String

    /// Creates labels of one line each. The text after a line break in a label is left out.
    package init(ours: String, base: String? = nil, theirs: String) {
        self.ours = ours
        self.base = base
        self.theirs = theirs
    }
}

/// The two texts that result from a text with conflict marks if one side is taken in every block.
///
/// Blocks have the form that git writes, with or without the base's lines. All marks have the same length.
package struct MarkedReadings: Sendable {
    private static let leastSize = 3

    /// The bytes with the lines of ours in each block, in the text's encoding.
    package let ours: [UInt8]
    package let theirs: [UInt8]
    package let size: Int
    package let labels: MergeLabels

    private enum Section { case outside, ours, base, theirs }

    /// Reads a text with conflict marks; nil for bytes that are not a text, or that have no block or an incomplete one.
    package init?(_ bytes: [UInt8]) {
        guard let text = try? TextContent(bytes) else { return nil }
        var (ours, theirs): ([UInt8], [UInt8]) = ([], [])
        var found: (size: Int, labels: MergeLabels)?
        var place = Section.outside
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

    /// Returns the label of a mark; nil for any other line.
    ///
    /// - Parameter size: the length of the mark; nil for any length from ``leastSize`` on.
    private static func mark(_ character: Unicode.Scalar, in line: ArraySlice<UInt8>, size: Int?) -> String? {
        let count = line.prefix { $0 == UInt8(ascii: character) }.count
        guard count == size ?? max(count, leastSize) else { return nil }
        var rest = line.dropFirst(count)
        while let last = rest.last, last == 0x0A || last == 0x0D { rest.removeLast() }
        guard rest.first ?? 0x20 == 0x20 else { return nil }
        return String(decoding: rest.dropFirst(), as: UTF8.self)
    }

    /// Returns two other texts as one, with marks of this length and these labels around the lines that differ.
    package func marking(ours: [UInt8], theirs: [UInt8]) throws(OverlayError) -> [UInt8] {
        var marks = ConflictMarks(size: size, labels: labels)
        try marks.add(linesOf: ours, base: nil, theirs)
        return marks.text
    }
}
