import CapsulePropertyList

/// Gives the lines that a merge put into the text of one document the comments that they have where they come from.
///
/// Only values are put there: a comment that stands at the place of another value is about that one.
struct MergedComments {
    private let side: CommentedText
    /// The others, in the order in which they are looked at.
    private let others: [CommentedText]
    private let baseComments: Set<ArraySlice<UInt8>>
    /// Comments that the side gave to values of the base.
    private let edited: Set<ArraySlice<UInt8>>

    /// - Parameters:
    ///   - side: the document whose layout the result has.
    ///   - others: documents of the same format, in the order in which they are looked at.
    ///   - base: nil where both sides added the document, or it is in another format.
    /// - Returns: nil where none of them has comments.
    init?(in side: PlistDocument, _ others: [PlistDocument], base: PlistDocument?) {
        guard let text = CommentedText(side) else { return nil }
        let base = base.flatMap { CommentedText($0) }
        self.side = text
        self.others = others.compactMap { CommentedText($0) } + (base.map { [$0] } ?? [])
        baseComments = base?.comments ?? []
        var edited: Set<ArraySlice<UInt8>> = []
        let partners = base.map { text.partners(in: $0) } ?? []
        for number in partners.indices where partners[number] != nil {
            for line in text.commentsStart(above: number)...number { edited.formUnion(text.lines[line].comments) }
        }
        self.edited = edited.subtracting(baseComments)
        guard text.hasComments || self.others.contains(where: \.hasComments) else { return nil }
    }

    /// The side's text with another value, and the comments of what was put into it.
    ///
    /// - Parameter document: the side's document with the other value.
    /// - Returns: nil where that does not read as the same value.
    func text(of document: PlistDocument) -> [UInt8]? {
        guard let text = CommentedText(document) else { return nil }
        let sources = [side] + others
        let partners = sources.map { text.partners(in: $0) }
        let sideLines = Set(side.lines.indices.filter { side.lines[$0].isComment }.map { side.content.line($0) })
        let result = text.rewritten(beside: [side.content.utf8]) { number, present in
            guard partners[0][number] == nil, let place = sources.indices.first(where: { partners[$0][number] != nil }),
                let line = partners[place][number]
            else { return nil }
            let source = sources[place]
            // What the side has as well is elsewhere in its text, such as a heading, or was taken out with what it is about.
            let above = (source.commentsStart(above: line)..<line).drop { number in
                !source.lines[number].hasPart && sideLines.contains(source.content.line(number))
            }.map { source.content.line($0) }
            let kept = present.filter { !isNew(text.lines[$0]) }.map { text.content.line($0) }
            return (kept + (sideLines.isSuperset(of: above) ? [] : above)).reduce(into: []) { $0 += $1 }
        } line: { number in
            guard let place = sources.indices.first(where: { partners[$0][number] != nil }), let line = partners[place][number],
                place == 0 || !keepsEdit(text.lines[number], sources[place].lines[line])
            else { return text.content.line(number) }
            return text.line(number, as: line, of: sources[place])
        }
        guard let result, let changed = try? PlistDocument.read(result, accepting: [document.format], isLenient: true) else {
            return nil
        }
        return changed.value == document.value ? result : nil
    }

    /// Whether a line of comments is about a value that the side alone has.
    private func isNew(_ line: CommentedText.Line) -> Bool {
        !line.hasPart && line.comments.allSatisfy { !baseComments.contains($0) && !edited.contains($0) }
    }

    /// Whether the side changed the comments that a line has, and the document that the line is from left them alone.
    private func keepsEdit(_ line: CommentedText.Line, _ origin: CommentedText.Line) -> Bool {
        !line.comments.isEmpty && edited.isSuperset(of: line.comments) && baseComments.isSuperset(of: origin.comments)
    }
}
