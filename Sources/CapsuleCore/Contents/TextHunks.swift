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
