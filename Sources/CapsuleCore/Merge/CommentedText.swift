import CapsulePropertyList

/// A property list's text in lines, with what is a comment in each.
struct CommentedText {
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
