/// What differs between two texts, in lines.
public struct TextChange: Hashable, Sendable {
    /// A run of changed lines with the lines around them.
    public struct Hunk: Hashable, Sendable {
        /// The first line, from 1, and how many there are; of no lines, the line before and 0, as in unified diffs.
        public var old: LineRange
        /// The same for the newer text.
        public var new: LineRange
        /// Empty where lines are not shown; fewer than the ranges say where not all of them are.
        public var lines: [Line]

        /// A hunk with its lines.
        public init(old: LineRange, new: LineRange, lines: [Line]) {
            self.old = old
            self.new = new
            self.lines = lines
        }
    }

    /// A run of lines.
    public struct LineRange: Hashable, Sendable {
        /// The first of them, from 1.
        public var start: Int
        /// How many there are.
        public var count: Int

        /// `count` lines from the line `start`, the first being 1.
        public init(start: Int, count: Int) {
            self.start = start
            self.count = count
        }
    }

    /// A line of a hunk.
    public struct Line: Hashable, Sendable {
        /// Which of the texts have a line.
        public enum Kind: Hashable, Sendable {
            /// Both.
            case context
            /// The older one alone.
            case deleted
            /// The newer one alone.
            case added
        }

        /// Which of the texts has the line.
        public var kind: Kind
        /// Without its line feed; a carriage return in front of that is part of the text, so that another line ending shows.
        public var text: String
        /// Whether no line feed follows, at the end of a text.
        public var lacksNewline: Bool
        /// Whether the line is longer: `…` stands where more is.
        public var isCut: Bool

        /// A line of a text.
        public init(_ kind: Kind, _ text: String, lacksNewline: Bool = false, isCut: Bool = false) {
            self.kind = kind
            self.text = text
            self.lacksNewline = lacksNewline
            self.isCut = isCut
        }
    }

    /// `utf-8`, `utf-16le` or `utf-16be`, of the newer text.
    public var encoding: String
    /// Lines that only the newer text has, hunks that are not shown among them.
    public var added: Int
    /// Lines that only the older text has.
    public var deleted: Int
    /// All hunks that there are; those in ``hunks`` may be fewer.
    public var hunkCount: Int
    /// The runs of changed lines, from the beginning on.
    public var hunks: [Hunk]

    /// The difference of two texts.
    public init(encoding: String, added: Int, deleted: Int, hunkCount: Int, hunks: [Hunk]) {
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
    /// Lines around edits; edits whose surroundings touch are in one hunk, as `diff -U` has it.
    let context: Int

    /// The edits of one hunk, and the lines that it spans.
    struct Group {
        let edits: ArraySlice<LineEdits.Edit>
        let old: Range<Int>
        let new: Range<Int>

        /// The number of lines to show.
        var lineCount: Int { old.count + edits.reduce(0) { $0 + $1.new.count } }
    }

    init(_ old: TextContent, _ new: TextContent, context: Int) {
        self.old = old
        self.new = new
        // No more than there can be: nothing overflows then.
        self.context = min(max(context, 0), max(old.lineCount, new.lineCount))
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

    /// A hunk with its first `limit` lines.
    func hunk(_ group: Group, lines limit: Int) -> TextChange.Hunk {
        var lines: [TextChange.Line] = []
        func add(_ kind: TextChange.Line.Kind, _ text: TextContent, _ number: Int, beside other: ArraySlice<UInt8>? = nil) {
            let shown = ShownLine.text(text.line(number), beside: other)
            lines.append(
                TextChange.Line(kind, shown.text, lacksNewline: text.lacksNewline(number), isCut: shown.isCut))
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
enum ShownLine {
    /// Characters of a line that are shown.
    static let limit = 4096
    /// Bytes in front of the first difference that are shown of a line that is cut there.
    private static let lead = 256
    private static let mark = "…"
    private static let lineFeed: UInt8 = 0x0A

    /// A line without its line feed, whole if it is short; else a part, from the beginning or, where that is the beginning of the
    /// line that stands for it too, from a bit before where they differ. `…` stands where more is.
    static func text(_ line: ArraySlice<UInt8>, beside other: ArraySlice<UInt8>?) -> (text: String, isCut: Bool) {
        let line = line.last == lineFeed ? line.dropLast() : line
        guard line.count > limit else { return (String(decoding: line, as: UTF8.self), false) }
        var start = line.startIndex
        if let other {
            let common = zip(line, other).prefix { $0 == $1 }.count
            if common > limit / 2 { start += common - lead }
            // Back to where a character begins.
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
