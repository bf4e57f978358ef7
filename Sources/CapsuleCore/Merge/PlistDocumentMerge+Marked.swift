public import CapsulePropertyList

extension PlistDocumentMerge {
    /// The merged document as text, with blocks of marks around the whole lines of each open conflict; where none is open, the merged
    /// document itself.
    ///
    /// Taking ours in all blocks gives the merged document with ours at the open places, taking theirs the same document with theirs
    /// there; the lines of a block have the comments that their side has there. Where the encoding is open, or the one can't be written
    /// as the other is, all of the text is one block, each half in its own encoding's format. A binary document is written as XML; what XML can't hold, as the nearest that it can, with a note.
    ///
    /// - Parameters:
    ///   - base: nil where both sides added the document.
    ///   - ours: the side that the result is written in the way of.
    ///   - theirs: the other side.
    ///   - size: length of a mark.
    ///   - labels: what stands behind the marks.
    ///   - decisions: as they were before the merge of these documents.
    ///   - notes: gets those of the merge and of conversions.
    /// - Throws: what ``merge(base:ours:theirs:_:)`` throws.
    public func marked(
        base: PlistDocument?, ours: PlistDocument, theirs: PlistDocument, size: Int = 7, labels: MergeLabels,
        _ decisions: MergeDecisions = MergeDecisions(), notes: inout [OverlayNote]
    ) throws(OverlayError) -> [UInt8] {
        var own = decisions
        let outcome = try merge(base: base, ours: ours, theirs: theirs, &own)
        notes += outcome.notes
        let open = own.conflicts.dropFirst(decisions.conflicts.count).filter { $0.resolution == nil }
        guard !open.isEmpty else { return outcome.bytes }

        var layouts = PlistLayouts(base: base, ours: ours, theirs: theirs)
        layouts.hasConflicts = true
        var (others, olds) = (decisions.deciding(rest: .theirs), decisions.deciding(rest: .base))
        let other = try decided(layouts, &others)
        // What the base has is of use to readers only: where it can't be taken everywhere, its lines are left out.
        let old = base == nil || labels.base == nil ? nil : try? decided(layouts, &olds)
        var isWhole = open.contains { $0.kind == .encoding }
        var writer = MarkedTexts(isConverted: outcome.format == .binary, notes: notes)
        let document = try writer.document(outcome.bytes, outcome.format, outcome.value)
        var otherText: [UInt8]
        if !isWhole, let text = try? writer.text(of: other, in: document) {
            otherText = text
        } else {
            // Where it is not the encoding that is in question, the one that can hold ours can't hold theirs.
            isWhole = true
            writer.layouts = layouts
            otherText = try writer.text(of: other, in: document)
        }
        let oldText = old.flatMap { try? writer.text(of: $0, in: document) }
        notes = writer.notes
        guard let text = document.text else { return outcome.bytes }
        var marks = ConflictMarks(size: size, labels: labels)
        if isWhole || text.utf8 == otherText {
            marks.add(ours: text.utf8[...], base: (oldText ?? [])[...], theirs: otherText[...])
        } else {
            func own(_ side: PlistDocument, _ half: [UInt8], beside others: [UInt8]...) -> [UInt8] {
                OwnComments(of: side).text(of: half, beside: others, in: document.format)
            }
            let ownText = own(ours, text.utf8, beside: otherText)
            otherText = own(theirs, otherText, beside: text.utf8)
            // A line that the base shares with one side alone is in question as well.
            let oldText = oldText.flatMap { old in base.map { own($0, old, beside: ownText, otherText) } }
            try marks.add(linesOf: ownText, base: oldText, otherText)
        }
        return text.encoding.bytes(of: marks.text)
    }

    /// Marks, without a word about what could not be kept.
    public func marked(
        base: PlistDocument?, ours: PlistDocument, theirs: PlistDocument, size: Int = 7, labels: MergeLabels,
        _ decisions: MergeDecisions = MergeDecisions()
    ) throws(OverlayError) -> [UInt8] {
        var notes: [OverlayNote] = []
        return try marked(base: base, ours: ours, theirs: theirs, size: size, labels: labels, decisions, notes: &notes)
    }
}
