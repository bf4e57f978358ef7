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
