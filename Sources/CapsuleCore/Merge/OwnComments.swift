import CapsulePropertyList

/// Gives the lines of a conflict the comments that their side has there.
///
/// The text of each half is made from the merged document, in which only values change: its comments are those of the side whose
/// layout the result has.
struct OwnComments {
    /// One line of a text.
    private struct Line {
        /// The line without its comments, its blanks and OpenStep's optional quotation marks: what pairs it with a line of another text.
        var bare: [UInt8] = []
        /// The comments that begin and end in the line.
        var comments: [ArraySlice<UInt8>] = []
        /// Whether a comment goes on in another line.
        var hasPart = false

        /// Whether nothing but comments stands in the line.
        var isComment: Bool { bare.isEmpty && (hasPart || !comments.isEmpty) }
    }

    /// A document in lines.
    private struct Text {
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

        /// The lines with more than comments in them.
        var bareNumbers: [Int] { lines.indices.filter { !lines[$0].bare.isEmpty } }

        /// The number of the first of the lines of comments directly above a line; the line itself where there is none.
        func commentsStart(above number: Int) -> Int {
            var start = number
            while start > 0, lines[start - 1].isComment { start -= 1 }
            return start
        }
    }

    private let own: Text?
    private let comments: Set<ArraySlice<UInt8>>

    /// - Parameter side: the document whose comments are meant.
    init(of side: PlistDocument) {
        own = Text(side)
        comments = Set(own?.lines.flatMap(\.comments) ?? [])
    }

    /// The text of a half, with the side's own comments in the lines that it does not share with the other half, and above them.
    ///
    /// - Parameters:
    ///   - half: the text in UTF-8.
    ///   - other: the text of the other half.
    ///   - format: what both are written in.
    func text(of half: [UInt8], beside other: [UInt8], in format: PlistFormat) -> [UInt8] {
        guard let document = try? PlistDocument.read(half, accepting: [format], isLenient: true), let text = Text(document),
            text.hasComments || own?.hasComments == true, let others = try? TextContent(utf8: other)
        else { return half }
        var numbers = LineNumbers()
        let edits = LineEdits(numbers.numbers(of: others), numbers.numbers(of: text.content)).edits
        let partners = partners(of: text)
        var result = WholeLines()
        var next = 0
        for edit in edits {
            var above = edit.new.lowerBound
            if above < edit.new.upperBound, let partner = partners[above], let own {
                above = max(text.commentsStart(above: above), next)
                result.add(text.content.lines(next..<above))
                result.add(own.content.lines(own.commentsStart(above: partner)..<partner))
            } else {
                result.add(text.content.lines(next..<above))
            }
            for number in edit.new { result.add(line(number, of: text, partners[number])) }
            next = edit.new.upperBound
        }
        result.add(text.content.lines(next..<text.content.lineCount))
        let changed = try? PlistDocument.read(result.bytes, accepting: [format], isLenient: true)
        return changed?.value == document.value ? result.bytes : half
    }

    /// For each line the line of the side that has the same values; nil for none.
    private func partners(of text: Text) -> [Int?] {
        var partners = [Int?](repeating: nil, count: text.lines.count)
        guard let own else { return partners }
        let (halfNumbers, ownNumbers) = (text.bareNumbers, own.bareNumbers)
        var known: [[UInt8]: Int] = [:]
        func number(_ line: Line) -> Int {
            if let number = known[line.bare] { return number }
            known[line.bare] = known.count
            return known.count - 1
        }
        let diff = SequenceDiff(halfNumbers.map { number(text.lines[$0]) }, ownNumbers.map { number(own.lines[$0]) })
        for run in diff.runs {
            for offset in 0..<run.count { partners[halfNumbers[run.old + offset]] = ownNumbers[run.new + offset] }
        }
        return partners
    }

    /// A line as the side has it; where the side has no such line, without the comments that it has nowhere.
    private func line(_ number: Int, of text: Text, _ partner: Int?) -> ArraySlice<UInt8> {
        let line = text.lines[number]
        let bytes = text.content.line(number)
        if let partner, let own {
            let isSame = line.comments == own.lines[partner].comments
            guard !isSame, !line.hasPart, !own.lines[partner].hasPart else { return bytes }
            return Self.withoutEnd(own.content.line(partner)) + bytes[Self.withoutEnd(bytes).endIndex...]
        }
        let foreign = line.comments.filter { !comments.contains($0) }
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
}
