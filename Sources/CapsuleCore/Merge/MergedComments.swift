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

/// A property list's text in lines, with what is a comment in each.
private struct CommentedText {
    /// One line of a text.
    struct Line {
        /// The line without its comments, its blanks and OpenStep's optional quotation marks: what pairs it with a line of another text.
        var bare: [UInt8] = []
        /// The comments that begin and end in the line.
        var comments: [ArraySlice<UInt8>] = []
        /// Whether a comment goes on in another line.
        var hasPart = false

        /// Whether nothing but comments stands in the line.
        var isComment: Bool { bare.isEmpty && (hasPart || !comments.isEmpty) }
    }

    let content: TextContent
    let lines: [Line]
    let hasComments: Bool

    /// - Returns: nil for a binary document, or too many lines.
    init?(_ document: PlistDocument) {
        guard let utf8 = document.text?.utf8, let content = try? TextContent(utf8: utf8) else { return nil }
        let comments = document.comments
        let ignored = Set(" \t\n\r".utf8).union(document.format == .openStep ? "\"".utf8 : "".utf8)
        var (lines, next): ([Line], Int) = ([], 0)
        for number in 0..<content.lineCount {
            let bytes = content.line(number)
            var line = Line()
            var place = bytes.startIndex
            while next < comments.count, comments[next].lowerBound < bytes.endIndex {
                let comment = comments[next].clamped(to: bytes.indices)
                line.bare += bytes[place..<max(place, comment.lowerBound)].filter { !ignored.contains($0) }
                if comment == comments[next] { line.comments.append(bytes[comment]) } else { line.hasPart = true }
                place = comment.upperBound
                guard comments[next].upperBound <= bytes.endIndex else { break }
                next += 1
            }
            line.bare += bytes[place...].filter { !ignored.contains($0) }
            lines.append(line)
        }
        (self.content, self.lines, hasComments) = (content, lines, !comments.isEmpty)
    }

    /// All comments that begin and end in one line.
    var comments: Set<ArraySlice<UInt8>> { Set(lines.flatMap(\.comments)) }

    /// The number of the first of the lines of comments directly above a line; the line itself where there is none.
    func commentsStart(above number: Int) -> Int {
        var start = number
        while start > 0, lines[start - 1].isComment { start -= 1 }
        return start
    }

    // MARK: Lines of two texts

    /// For each line the line of another text that has the same values; nil for none.
    ///
    /// Lines pair in order, and what is left over if it comes once in each text: it has changed places.
    func partners(in other: CommentedText) -> [Int?] {
        var partners = [Int?](repeating: nil, count: lines.count)
        let (ownNumbers, otherNumbers) = (bareNumbers, other.bareNumbers)
        var known: [[UInt8]: Int] = [:]
        func number(_ line: Line) -> Int {
            if let number = known[line.bare] { return number }
            known[line.bare] = known.count
            return known.count - 1
        }
        let (own, others) = (ownNumbers.map { number(lines[$0]) }, otherNumbers.map { number(other.lines[$0]) })
        for run in SequenceDiff(own, others).runs {
            for offset in 0..<run.count { partners[ownNumbers[run.old + offset]] = otherNumbers[run.new + offset] }
        }
        var (ownCounts, otherCounts) = ([Int](repeating: 0, count: known.count), [Int](repeating: 0, count: known.count))
        var places = [Int](repeating: 0, count: known.count)
        for number in own { ownCounts[number] += 1 }
        for (place, number) in zip(otherNumbers, others) {
            otherCounts[number] += 1
            places[number] = place
        }
        for (place, number) in zip(ownNumbers, own) where ownCounts[number] == 1 && otherCounts[number] == 1 {
            partners[place] = places[number]
        }
        return partners
    }

    /// The lines with more than comments in them.
    private var bareNumbers: [Int] { lines.indices.filter { !lines[$0].bare.isEmpty } }

    /// A line as another text has it, with the line break of its own.
    func line(_ number: Int, as partner: Int, of other: CommentedText) -> ArraySlice<UInt8> {
        let (own, others) = (lines[number], other.lines[partner])
        let bytes = content.line(number)
        guard own.comments != others.comments, !own.hasPart, !others.hasPart else { return bytes }
        return Self.withoutEnd(other.content.line(partner)) + bytes[Self.withoutEnd(bytes).endIndex...]
    }

    /// A line without those of its comments that are not among some others.
    func line(_ number: Int, keeping comments: Set<ArraySlice<UInt8>>) -> ArraySlice<UInt8> {
        let bytes = content.line(number)
        let foreign = lines[number].comments.filter { !comments.contains($0) }
        guard !foreign.isEmpty else { return bytes }
        let end = bytes[Self.withoutEnd(bytes).endIndex...]
        var kept: ArraySlice<UInt8> = []
        var place = bytes.startIndex
        for comment in foreign {
            kept += bytes[place..<comment.startIndex]
            place = comment.endIndex
        }
        kept += bytes[place..<end.startIndex]
        while let last = kept.last, last == 0x20 || last == 0x09 { kept.removeLast() }
        return kept.isEmpty ? [] : kept + end
    }

    /// A line without its line break.
    private static func withoutEnd(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
        return line
    }

    /// The text with other comments in the lines that it does not share with each of some other texts, and above them.
    ///
    /// - Parameters:
    ///   - others: in UTF-8.
    ///   - above: gives the lines of comments that are to stand above a line in place of those that do; nil if these are to stay.
    ///   - line: gives what becomes of a line.
    func rewritten(
        beside others: [[UInt8]], above: (Int, Range<Int>) -> ArraySlice<UInt8>?, line: (Int) -> ArraySlice<UInt8>
    ) -> [UInt8]? {
        var isChanged = [Bool](repeating: false, count: lines.count)
        for other in others {
            guard let other = try? TextContent(utf8: other) else { return nil }
            var numbers = LineNumbers()
            for edit in LineEdits(numbers.numbers(of: other), numbers.numbers(of: content)).edits {
                for number in edit.new { isChanged[number] = true }
            }
        }
        func written(_ number: Int) -> ArraySlice<UInt8> { isChanged[number] ? line(number) : content.line(number) }
        var result = WholeLines()
        var start = 0
        while start < lines.count {
            let number = lines[start...].firstIndex { !$0.isComment } ?? lines.count
            if number < lines.count, isChanged[number], let comments = above(number, start..<number) {
                result.add(comments)
            } else {
                for comment in start..<number { result.add(written(comment)) }
            }
            if number < lines.count { result.add(written(number)) }
            start = number + 1
        }
        return result.bytes
    }
}
