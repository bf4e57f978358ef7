import CapsulePropertyList

/// Gives the lines of a conflict the comments that their side has there.
///
/// The text of each half is made from the merged document, in which only values change: its comments are those of the side whose
/// layout the result has.
struct OwnComments {
    private let own: CommentedText?
    private let comments: Set<ArraySlice<UInt8>>

    /// - Parameter side: the document whose comments are meant.
    init(of side: PlistDocument) {
        own = CommentedText(side)
        comments = own?.comments ?? []
    }

    /// The text of a half, with the side's own comments in the lines that it does not share with the other halves, and above them.
    ///
    /// - Parameters:
    ///   - half: the text in UTF-8.
    ///   - others: the texts of the other halves.
    ///   - format: what all are written in.
    func text(of half: [UInt8], beside others: [[UInt8]], in format: PlistFormat) -> [UInt8] {
        guard let document = try? PlistDocument.read(half, accepting: [format], isLenient: true),
            let text = CommentedText(document), text.hasComments || own?.hasComments == true
        else { return half }
        let partners = own.map { text.partners(in: $0) } ?? []
        func partner(_ number: Int) -> (own: CommentedText, line: Int)? {
            guard let own, let line = partners[number] else { return nil }
            return (own, line)
        }
        let result = text.rewritten(beside: others) { number, _ in
            partner(number).map { $0.own.content.lines($0.own.commentsStart(above: $0.line)..<$0.line) }
        } line: { number in
            // What the side has no line for has at least no comment that the side has nowhere.
            partner(number).map { text.line(number, as: $0.line, of: $0.own) } ?? text.line(number, keeping: comments)
        }
        guard let result, let changed = try? PlistDocument.read(result, accepting: [format], isLenient: true) else { return half }
        return changed.value == document.value ? result : half
    }
}
