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
