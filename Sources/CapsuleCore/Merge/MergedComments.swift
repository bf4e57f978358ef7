import CapsulePropertyList

/// Adds comments to the lines that a merge put into the text of one document: the comments that these lines have in their origin.
///
/// A merge puts only values into a text. A comment that is at the place of another value is about that other value.
struct MergedComments {
    private let side: CommentedText
    /// The other documents, in the order in which they are searched.
    private let others: [CommentedText]
    private let baseComments: Set<ArraySlice<UInt8>>
    /// The comments that the side added to values of the base.
    private let edited: Set<ArraySlice<UInt8>>

    /// - Parameters:
    ///   - side: the document whose layout the result has.
    ///   - others: documents of the same format, in the order in which they are searched.
    ///   - base: the base; nil if both sides added the document, or if the base is in another format.
    /// - Returns: nil if none of them has comments.
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

    /// Returns the side's text with another value, and with the comments of the values that were put into it.
    ///
    /// - Parameter document: the side's document with the other value.
    /// - Returns: nil if the text does not read as the same value.
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
            // Skips comments that the side has as well. They are elsewhere in its text, such as a heading, or were removed with
            // their value.
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

    /// Returns true if a line of comments is about a value that only the side has.
    private func isNew(_ line: CommentedText.Line) -> Bool {
        !line.hasPart && line.comments.allSatisfy { !baseComments.contains($0) && !edited.contains($0) }
    }

    /// Returns true if the side changed the comments of a line, and the document that the line comes from did not.
    private func keepsEdit(_ line: CommentedText.Line, _ origin: CommentedText.Line) -> Bool {
        !line.comments.isEmpty && edited.isSuperset(of: line.comments) && baseComments.isSuperset(of: origin.comments)
    }
}

/// Gives each line of a conflict the comments that its side has there.
///
/// The text of each half is made from the merged document, in which only values change. So its comments are those of the side whose
/// layout the result has.
struct ConflictComments {
    private let own: CommentedText?
    private let comments: Set<ArraySlice<UInt8>>

    /// - Parameter side: the document whose comments are used.
    init(of side: PlistDocument) {
        own = CommentedText(side)
        comments = own?.comments ?? []
    }

    /// Returns the text of a half, with the side's own comments in, and above, the lines that it does not share with the other
    /// halves.
    ///
    /// - Parameters:
    ///   - half: the text in UTF-8.
    ///   - others: the texts of the other halves.
    ///   - format: the format of all these texts.
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
            // A line that the side does not have keeps only comments that the side has somewhere.
            partner(number).map { text.line(number, as: $0.line, of: $0.own) } ?? text.line(number, keeping: comments)
        }
        guard let result, let changed = try? PlistDocument.read(result, accepting: [format], isLenient: true) else { return half }
        return changed.value == document.value ? result : half
    }
}

/// A property list's text in lines, with the comments in each line.
private struct CommentedText {
    /// One line of a text.
    struct Line {
        /// The line without its comments, its blanks and OpenStep's optional quotation marks. Lines of two texts pair by it.
        var bare: [UInt8] = []
        /// The comments that begin and end in the line.
        var comments: [ArraySlice<UInt8>] = []
        /// True if the line contains a comment that continues in another line.
        var hasPart = false

        /// True if the line contains only comments.
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

    /// Returns the number of the first of the comment lines directly above a line; the line itself if there are none.
    func commentsStart(above number: Int) -> Int {
        var start = number
        while start > 0, lines[start - 1].isComment { start -= 1 }
        return start
    }

    // MARK: Lines of two texts

    /// Returns, for each line, the line of another text that has the same values; nil if there is none.
    ///
    /// Lines pair in order. A remaining line pairs if it occurs once in each text, because it was moved.
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

    /// The numbers of the lines that contain more than comments.
    private var bareNumbers: [Int] { lines.indices.filter { !lines[$0].bare.isEmpty } }

    /// Returns a line as another text has it, with its own line break. It stays as it is if its comments are the same, or continue
    /// in other lines.
    func line(_ number: Int, as partner: Int, of other: CommentedText) -> ArraySlice<UInt8> {
        let (own, others) = (lines[number], other.lines[partner])
        let bytes = content.line(number)
        guard own.comments != others.comments, !own.hasPart, !others.hasPart else { return bytes }
        return Self.withoutEnd(other.content.line(partner)) + bytes[Self.withoutEnd(bytes).endIndex...]
    }

    /// Returns a line without those of its comments that are not in a set.
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

    /// Returns a line without its line break.
    private static func withoutEnd(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
        return line
    }

    /// Returns the text with other comments in, and above, the lines that it does not share with each of some other texts.
    ///
    /// - Parameters:
    ///   - others: the other texts in UTF-8.
    ///   - above: returns the comment lines to put above a line in place of its present ones; nil keeps the present ones.
    ///   - line: returns the replacement of a line.
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
        var result = LineBuffer()
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
