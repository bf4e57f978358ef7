import CapsulePropertyList

/// The differences between two texts (docs/diff.md).
package struct TextDiff: Hashable, Sendable {
    package static let lineLimit = 1000
    /// The number of hunks that are listed. Those without lines to show have only their ranges.
    package static let hunkLimit = 1000

    package let text: TextChange?
    /// The change of encoding, if the encodings differ or only one text has a byte order mark.
    package let encoding: EncodingChange?
    package let limit: Truncation?

    /// Compares two texts by lines. Finds the smallest number of differing lines, unless the search takes too long.
    package init(_ old: TextContent, _ new: TextContent, context: Int = 3, lines: Int? = lineLimit) {
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
            shown < total ? Truncation("lines", shown: UInt64(shown), total: UInt64(total), isJudged: true) : nil
    }

    package var details: [ChangeDetail] {
        [
            encoding.map { ChangeDetail(.encoding($0)) }, text.map { ChangeDetail(.text($0)) },
            limit.map { ChangeDetail(.limit($0)) },
        ].compactMap { $0 }
    }
}

/// The runs of lines that two texts don't share, in order, with at least one shared line between any two.
package struct LineEdits {
    /// A range of old lines that a range of new lines replaces. One of the two may be empty.
    package struct Edit: Hashable {
        package var old: Range<Int>
        package var new: Range<Int>
    }

    package let edits: [Edit]
    var deleted: Int { edits.reduce(0) { $0 + $1.old.count } }
    var added: Int { edits.reduce(0) { $0 + $1.new.count } }

    package init(_ old: [Int], _ new: [Int]) {
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

    /// Moves edits that only add or only delete lines down as far as the same lines repeat, to the place where people expect
    /// them. Edits that meet are joined. Visits each shared line once.
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

    /// Moves one edit down while its meaning stays the same, at most until its old lines end at `limit`.
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

/// Assigns numbers to lines, the same number to lines with the same bytes.
package struct LineNumbers {

    package init() {}
    private struct Line: Hashable {
        let bytes: ArraySlice<UInt8>

        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    private var known: [Line: Int] = [:]

    package mutating func numbers(of text: TextContent) -> [Int] {
        (0..<text.lineCount).map { number in
            let line = Line(bytes: text.line(number))
            if let known = known[line] { return known }
            known[line] = known.count
            return known.count - 1
        }
    }
}
