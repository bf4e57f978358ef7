/// The difference between two texts, in lines.
package struct TextChange: Hashable, Sendable {
    /// A run of changed lines with the lines around them.
    package struct Hunk: Hashable, Sendable {
        /// The lines of the older text. The first line is 1. If there are no lines, the range has the line before and a count
        /// of 0, as in unified diffs.
        package var old: LineRange
        package var new: LineRange
        /// The lines of the hunk. There are none if lines are not shown, and fewer than in the ranges if not all are shown.
        package var lines: [Line]
    }

    package struct LineRange: Hashable, Sendable {
        /// The number of the first line, counted from 1.
        package var start: Int
        package var count: Int
    }

    package struct Line: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            case context, deleted, added
        }

        package var kind: Kind
        /// The line without its line feed. A carriage return before the line feed is kept, so that a different line ending is visible.
        package var text: String
        package var lacksNewline: Bool
        /// True if the line is longer: `…` marks the parts that were left out.
        package var isCut: Bool
        /// The line with its secrets hidden, if they are hard to find in the line alone: it is cut, or in a private key.
        var hidden: String?

        package init(_ kind: Kind, _ text: String, lacksNewline: Bool = false, isCut: Bool = false) {
            self.kind = kind
            self.text = text
            self.lacksNewline = lacksNewline
            self.isCut = isCut
        }
    }

    package var encoding: String
    package var added: Int
    package var deleted: Int
    /// The number of all hunks. ``hunks`` may have fewer.
    package var hunkCount: Int
    package var hunks: [Hunk]

    package init(encoding: String, added: Int, deleted: Int, hunkCount: Int, hunks: [Hunk]) {
        self.encoding = encoding
        self.added = added
        self.deleted = deleted
        self.hunkCount = hunkCount
        self.hunks = hunks
    }
}

/// Groups edits of lines into the hunks of a unified diff.
struct TextHunks {
    let old: TextContent
    let new: TextContent
    /// The number of lines around edits. Edits whose context touches share a hunk, as in `diff -U`.
    let context: Int
    private let secrets: (old: Set<Int>, new: Set<Int>)

    struct Group {
        let edits: ArraySlice<LineEdits.Edit>
        let old: Range<Int>
        let new: Range<Int>

        var lineCount: Int { old.count + edits.reduce(0) { $0 + $1.new.count } }
    }

    init(_ old: TextContent, _ new: TextContent, context: Int) {
        self.old = old
        self.new = new
        // Limits the context to the length of the texts, so that sums can't overflow.
        self.context = min(max(context, 0), max(old.lineCount, new.lineCount))
        secrets = (old.secretLines, new.secretLines)
    }

    func groups(of edits: [LineEdits.Edit]) -> [Group] {
        var groups: [Group] = []
        var start = 0
        for place in edits.indices {
            if place + 1 < edits.count, edits[place + 1].old.lowerBound - edits[place].old.upperBound <= 2 * context { continue }
            groups.append(group(edits[start...place]))
            start = place + 1
        }
        return groups
    }

    private func group(_ edits: ArraySlice<LineEdits.Edit>) -> Group {
        guard let first = edits.first, let last = edits.last else { return Group(edits: [], old: 0..<0, new: 0..<0) }
        let before = min(context, first.old.lowerBound)
        let after = min(context, old.lineCount - last.old.upperBound)
        return Group(
            edits: edits, old: first.old.lowerBound - before..<last.old.upperBound + after,
            new: first.new.lowerBound - before..<last.new.upperBound + after)
    }

    func hunk(_ group: Group, lines limit: Int) -> TextChange.Hunk {
        var lines: [TextChange.Line] = []
        func add(_ kind: TextChange.Line.Kind, _ text: TextContent, _ number: Int, beside other: ArraySlice<UInt8>? = nil) {
            let shown = TruncatedLine.text(text.line(number), beside: other)
            var line = TextChange.Line(kind, shown.text, lacksNewline: text.lacksNewline(number), isCut: shown.isCut)
            if (kind == .added ? secrets.new : secrets.old).contains(number) {
                line.hidden = SecretCover.word
            } else if shown.isCut, let hidden = SecretCover.hiding(Array(text.line(number))) {
                let other = other.map { SecretCover.hiding(Array($0))?.text[...] ?? $0 }
                line.hidden = TruncatedLine.text(hidden.text[...], beside: other).text
            }
            lines.append(line)
        }
        var next = group.old.lowerBound
        for edit in group.edits {
            guard lines.count < limit else { break }
            for number in (next..<edit.old.lowerBound).prefix(limit - lines.count) { add(.context, old, number) }
            for (place, number) in edit.old.enumerated().prefix(limit - lines.count) {
                add(.deleted, old, number, beside: place < edit.new.count ? new.line(edit.new.lowerBound + place) : nil)
            }
            for (place, number) in edit.new.enumerated().prefix(limit - lines.count) {
                add(.added, new, number, beside: place < edit.old.count ? old.line(edit.old.lowerBound + place) : nil)
            }
            next = edit.old.upperBound
        }
        if next < group.old.upperBound {
            for number in (next..<group.old.upperBound).prefix(limit - lines.count) { add(.context, old, number) }
        }
        return TextChange.Hunk(old: Self.range(group.old), new: Self.range(group.new), lines: lines)
    }

    private static func range(_ lines: Range<Int>) -> TextChange.LineRange {
        TextChange.LineRange(start: lines.isEmpty ? lines.lowerBound : lines.lowerBound + 1, count: lines.count)
    }
}

/// Cuts long lines for reports.
enum TruncatedLine {
    static let limit = 4096
    /// The number of bytes that are shown before the first difference in a line that is cut there.
    private static let lead = 256
    private static let mark = "…"
    private static let lineFeed: UInt8 = 0x0A

    /// Returns a line without its line feed. A long line is cut: it is shown from its beginning or, if it shares a long beginning
    /// with the line that replaces it, from shortly before the first difference. `…` marks the parts that were left out.
    static func text(_ line: ArraySlice<UInt8>, beside other: ArraySlice<UInt8>?) -> (text: String, isCut: Bool) {
        let line = line.last == lineFeed ? line.dropLast() : line
        guard line.count > limit else { return (String(decoding: line, as: UTF8.self), false) }
        var start = line.startIndex
        if let other {
            let common = zip(line, other).prefix { $0 == $1 }.count
            if common > limit / 2 { start += common - lead }
            // Goes back to the beginning of a character.
            while start > line.startIndex, line[start] & 0xC0 == 0x80 { start -= 1 }
        }
        var end = start
        var characters = 0
        while end < line.endIndex {
            if line[end] & 0xC0 != 0x80 {
                guard characters < limit else { break }
                characters += 1
            }
            end += 1
        }
        let text = String(decoding: line[start..<end], as: UTF8.self)
        let (isHeadless, isTailless) = (start > line.startIndex, end < line.endIndex)
        return ((isHeadless ? mark : "") + text + (isTailless ? mark : ""), isHeadless || isTailless)
    }
}
