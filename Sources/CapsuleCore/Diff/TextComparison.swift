import CapsulePropertyList

/// What differs between two texts (docs/diff.md).
public struct TextComparison: Hashable, Sendable {
    /// Lines that are shown of a file unless more are asked for.
    public static let lineLimit = 1000
    /// Hunks that are listed; those with no lines to show say where they are.
    public static let hunkLimit = 1000

    /// Lines that differ; nil where none does.
    public let text: TextChange?
    /// Where the encodings differ, or one has a byte order mark and the other has none.
    public let encoding: EncodingChange?
    /// Where not all lines of the hunks are shown.
    public let limit: DetailLimit?

    /// Compares two texts, line by line: no fewer lines could be said to differ, unless that took too long to find.
    ///
    /// - Parameters:
    ///   - old: the text as it was.
    ///   - new: the text as it is.
    ///   - context: lines around changed ones.
    ///   - lines: lines of hunks that are shown, context among them; nil for all.
    public init(_ old: TextContent, _ new: TextContent, context: Int = 3, lines: Int? = lineLimit) {
        let isSameEncoding = old.encoding == new.encoding && old.hasMark == new.hasMark
        encoding =
            isSameEncoding
            ? nil
            : EncodingChange(old: old.encodingName(toTellFrom: new), new: new.encodingName(toTellFrom: old))
        guard old.utf8 != new.utf8 else {
            (text, limit) = (nil, nil)
            return
        }
        var numbers = LineNumbers()
        let edits = LineEdits(numbers.numbers(of: old), numbers.numbers(of: new))
        let hunks = TextHunks(old, new, context: context)
        let groups = hunks.groups(of: edits.edits)
        var shown = 0
        var listed: [TextChange.Hunk] = []
        for group in groups {
            guard lines == nil || listed.count < Self.hunkLimit else { break }
            let hunk = hunks.hunk(group, lines: lines.map { max($0 - shown, 0) } ?? .max)
            shown += hunk.lines.count
            listed.append(hunk)
        }
        let total = groups.reduce(0) { $0 + $1.lineCount }
        text = TextChange(
            encoding: new.encoding.rawValue, added: edits.added, deleted: edits.deleted, hunkCount: groups.count, hunks: listed)
        limit =
            shown < total ? DetailLimit("lines", shown: UInt64(shown), total: UInt64(total), isJudged: true) : nil
    }

    /// All of it, as an entry's details.
    public var details: [ChangeDetail] {
        [
            encoding.map { ChangeDetail(.encoding($0)) }, text.map { ChangeDetail(.text($0)) },
            limit.map { ChangeDetail(.limit($0)) },
        ].compactMap { $0 }
    }
}

/// The runs of lines that two texts do not share, in order, with at least one shared line between each two.
struct LineEdits {
    /// Lines of the old text that lines of the new one stand for; one of the two may be empty.
    struct Edit: Hashable {
        var old: Range<Int>
        var new: Range<Int>
    }

    let edits: [Edit]
    /// The number of lines that only the old text has.
    var deleted: Int { edits.reduce(0) { $0 + $1.old.count } }
    /// The number of lines that only the new text has.
    var added: Int { edits.reduce(0) { $0 + $1.new.count } }

    /// Compares the numbers of lines.
    init(_ old: [Int], _ new: [Int]) {
        var edits: [Edit] = []
        var (oldEnd, newEnd) = (0, 0)
        for run in SequenceDiff(old, new).runs {
            if run.old > oldEnd || run.new > newEnd { edits.append(Edit(old: oldEnd..<run.old, new: newEnd..<run.new)) }
            (oldEnd, newEnd) = (run.old + run.count, run.new + run.count)
        }
        if oldEnd < old.count || newEnd < new.count {
            edits.append(Edit(old: oldEnd..<old.count, new: newEnd..<new.count))
        }
        self.edits = Self.moved(edits, old, new)
    }

    /// Moves lines that were only added, or only deleted, as far down as the same lines come again, where people expect them;
    /// edits that meet become one. Each shared line is passed once.
    private static func moved(_ edits: [Edit], _ old: [Int], _ new: [Int]) -> [Edit] {
        guard var current = edits.first else { return [] }
        var result: [Edit] = []
        for next in edits.dropFirst() {
            move(&current, to: next.old.lowerBound, old, new)
            if current.old.upperBound == next.old.lowerBound {
                current = Edit(
                    old: current.old.lowerBound..<next.old.upperBound, new: current.new.lowerBound..<next.new.upperBound)
            } else {
                result.append(current)
                current = next
            }
        }
        move(&current, to: old.count, old, new)
        return result + [current]
    }

    /// Moves one edit down while it says the same, at most so far that its old lines end at `limit`.
    private static func move(_ edit: inout Edit, to limit: Int, _ old: [Int], _ new: [Int]) {
        while edit.old.upperBound < limit {
            let isSame =
                if edit.old.isEmpty {
                    new[edit.new.lowerBound] == new[edit.new.upperBound]
                } else {
                    edit.new.isEmpty && old[edit.old.lowerBound] == old[edit.old.upperBound]
                }
            guard isSame else { return }
            edit.old = edit.old.lowerBound + 1..<edit.old.upperBound + 1
            edit.new = edit.new.lowerBound + 1..<edit.new.upperBound + 1
        }
    }
}

/// Numbers for lines: the same for lines of the same bytes.
struct LineNumbers {
    private struct Line: Hashable {
        let bytes: ArraySlice<UInt8>

        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    private var known: [Line: Int] = [:]

    /// The number of each line of a text.
    mutating func numbers(of text: TextContent) -> [Int] {
        (0..<text.lineCount).map { number in
            let line = Line(bytes: text.line(number))
            if let known = known[line] { return known }
            known[line] = known.count
            return known.count - 1
        }
    }
}
