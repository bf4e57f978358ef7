/// The parts of a property list's text that its value lacks: comments, and the digits of real numbers.
package struct PlistTextParts: Sendable {
    /// The place of a part. Documents that are paired with one value have the same places.
    package struct Place: Hashable, Sendable {
        package enum Step: Hashable, Sendable {
            case key(PlistString)
            /// The index of an array's element in the value that the document is paired with.
            case index(Int)
            /// An element that this value doesn't have.
            case removed(PlistValue)
        }

        /// The position of a part: behind a value on its line, at the start of a container and before an empty line, before a value
        /// or its key, between the two, or at the end of a container. Parts at one offset are in this order.
        package enum Position: Int, Hashable, Sendable {
            case behind, first, before, inside, number, last
        }

        package let steps: [Step]
        package let position: Position
    }

    package struct Part: Sendable {
        fileprivate var range = 0..<0
        /// The bytes in UTF-8, with the space around comments.
        package let text: [UInt8]
        /// The comments, which are compared; for a number its value, or its digits if a double can't hold them.
        package var content: [[UInt8]] = []
        fileprivate var real: Double?
        /// True if the number replaces that of the value.
        package var isDecided = false

        package init(text: [UInt8]) { self.text = text }

        /// True for a number with more digits than a double can hold.
        package var exceedsDouble: Bool { real != nil && content == [text] }
    }

    package fileprivate(set) var parts: [Place: Part] = [:]
}

extension PlistDocument {
    /// Returns the parts of the document's text. There are none in a binary document.
    ///
    /// - Parameter reference: the value that the document is paired with.
    package func parts(pairedWith reference: PlistValue) -> PlistTextParts {
        (try? withParts(pairedWith: reference, including: []) { parts, _, _ throws(PlistError) in parts }) ?? PlistTextParts()
    }

    /// Returns the document's bytes with other parts. A comment that is in none of them is removed.
    ///
    /// - Throws: `unsupported` if the parts can't be written without a change of the value.
    package func bytes(
        replacing parts: [PlistTextParts.Place: PlistTextParts.Part], pairedWith reference: PlistValue
    ) throws(PlistError) -> [UInt8] {
        let wanted = Set(parts.keys.map(\.steps))
        let bytes = try withParts(pairedWith: reference, including: wanted) { found, text, encoding throws(PlistError) in
            var edits = TextPlistEdits(size: text.count, limits: .standard)
            for (place, old) in found.parts.sorted(by: { $0.key.position.rawValue < $1.key.position.rawValue }) {
                let new = parts[place]
                let isReplaced = new?.isDecided ?? false || new?.real == old.real
                guard place.position == .number ? isReplaced : new != nil || !old.content.isEmpty else { continue }
                edits.append(TextEdit(range: old.range, text: new?.text ?? old.remainder(at: place)))
            }
            return encoding.bytes(of: try edits.applied(to: text, after: UnsafeRawBufferPointer(start: nil, count: 0)))
        }
        let result = try? PlistDocument.read(bytes, accepting: [format], isLenient: true)
        let found = try result?.withParts(pairedWith: reference, including: wanted) { found, _, _ throws(PlistError) in
            found.parts
        }
        let lost = parts.filter { place, part in
            found?[place].map { $0.text != part.text && (part.real == nil || part.exceedsDouble) } ?? part.isDecided
        }
        let isSame = result?.value == value || parts.values.contains { $0.isDecided }
        guard isSame, lost.isEmpty else {
            throw PlistError(
                .unsupported, "the comments or digits of both sides can't be kept",
                hint: "give each comment of the two sides its own line before a key")
        }
        return bytes
    }

    private func withParts<Result>(
        pairedWith reference: PlistValue, including wanted: Set<[PlistTextParts.Place.Step]>,
        _ body: (PlistTextParts, UnsafeRawBufferPointer, PlistText.Encoding) throws(PlistError) -> Result
    ) throws(PlistError) -> Result {
        try withText { text, mark, encoding throws(PlistError) in
            let parts =
                switch format {
                case .xml: try TextPartsReader.read(XMLPlistSyntax(text, limits: .standard), value, reference, wanted)
                case .json: try TextPartsReader.read(JSONPlistSyntax(text, limits: .standard), value, reference, wanted)
                case .openStep: try TextPartsReader.read(OpenStepPlistSyntax(text, limits: .standard), value, reference, wanted)
                case .binary: PlistTextParts()
                }
            return try body(parts, text, PlistText.Encoding(encoding: encoding, hasMark: !mark.isEmpty))
        }
    }
}

extension PlistTextParts.Part {
    /// Returns the text without the comments.
    fileprivate func remainder(at place: PlistTextParts.Place) -> [UInt8] {
        switch place.position {
        case .before where !place.steps.isEmpty, .last: return Array(text.reversed().prefix { TextLines.isBlank($0) }.reversed())
        case .first: return []
        default: break
        }
        var (rest, result): (ArraySlice<UInt8>, [UInt8]) = (text[...], [])
        for comment in content {
            guard let range = rest.firstRange(of: comment) else { continue }
            result += rest[..<range.lowerBound]
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}

/// Finds the parts of a text along its layout.
private struct TextPartsReader<Syntax: TextPlistSyntax> {
    typealias Place = PlistTextParts.Place

    let syntax: Syntax
    /// The values whose parts are also listed if they are empty.
    let wanted: Set<[Place.Step]>
    private var result = PlistTextParts()
    private var steps: [Place.Step] = []

    static func read(
        _ syntax: Syntax, _ value: PlistValue, _ reference: PlistValue, _ wanted: Set<[Place.Step]>
    ) throws(PlistError) -> PlistTextParts {
        var reader = TextPartsReader(syntax: syntax, wanted: wanted)
        let root = syntax.layout.nodes[0].range
        reader.add(.before, 0..<root.lowerBound)
        reader.add(.behind, root.upperBound..<syntax.text.count)
        try reader.visit(0, value, reference)
        return reader.result
    }

    private init(syntax: Syntax, wanted: Set<[Place.Step]>) {
        self.syntax = syntax
        self.wanted = wanted
    }

    private mutating func visit(_ number: Int, _ value: PlistValue, _ reference: PlistValue?) throws(PlistError) {
        let node = syntax.layout.nodes[number]
        if case .real(let real) = value { addNumber(node.range, real) }
        guard let inner = node.inner else { return }
        var end = inner.lowerBound
        let children = syntax.layout.children(of: number)
        let own = try self.children(children, of: value, reference)
        for (child, own) in zip(children, own) {
            let node = syntax.layout.nodes[child]
            let start = (node.key ?? node.range).lowerBound
            if child == number + 1 { end = addFirst(end..<start) }
            steps.append(own.step)
            add(.before, fromComment(in: end..<start))
            if let key = node.key { add(.inside, key.upperBound..<max(key.upperBound, node.range.lowerBound)) }
            try visit(child, own.value, own.reference)
            let isLast = node.next == syntax.layout.nodes[number].next
            let next = isLast ? nil : syntax.layout.nodes[node.next]
            let limit = next.map { ($0.key ?? $0.range).lowerBound } ?? inner.upperBound
            end = addBehind(node.range.upperBound..<limit, isLast: isLast, inDictionary: node.key != nil)
            steps.removeLast()
        }
        add(.last, fromComment(in: end..<inner.upperBound))
    }

    private typealias Child = (step: Place.Step, value: PlistValue, reference: PlistValue?)

    private func children(_ nodes: [Int], of value: PlistValue, _ reference: PlistValue?) throws(PlistError) -> [Child] {
        if let entries = value.dictionary {
            let others = reference?.dictionary
            if nodes.count == entries.count { return entries.map { (.key($0.key), $0.value, others?[$0.key]) } }
            // A key occurs twice.
            var children: [Child] = []
            for node in nodes {
                let range = syntax.layout.nodes[node].range
                let key = try syntax.key(at: syntax.layout.nodes[node].key ?? range)
                children.append((.key(key), entries[key] ?? .string(""), others?[key]))
            }
            return children
        }
        let elements = value.array ?? []
        let others = reference?.array ?? []
        var children: [Child] = elements.map { (.removed($0), $0, nil) }
        for (index, source) in ArrayAlignment(elements, others).sources.enumerated() {
            switch source {
            case .kept(let child), .changed(let child), .moved(let child):
                children[child] = (.index(index), elements[child], others[index])
            case .added: break
            }
        }
        return children
    }

    private mutating func add(_ position: Place.Position, _ range: Range<Int>) {
        add(position, range, comments(in: range).map { [UInt8](syntax.text[$0]) })
    }

    private mutating func add(_ position: Place.Position, _ range: Range<Int>, _ content: [[UInt8]], _ real: Double? = nil) {
        guard !content.isEmpty || wanted.contains(steps) else { return }
        var part = PlistTextParts.Part(text: [UInt8](syntax.text[range]))
        (part.range, part.content, part.real) = (range, content, real)
        result.parts[Place(steps: steps, position: position)] = part
    }

    private mutating func addNumber(_ range: Range<Int>, _ real: Double) {
        let text = syntax.text[range]
        let digits = text.drop { !isDigit($0) }.prefix { isDigit($0) || $0 == UInt8(ascii: ".") }.filter(isDigit)
        // A double distinguishes all numbers of 15 digits.
        let isHeld = digits.drop { $0 == UInt8(ascii: "0") }.count <= 15
        add(.number, range, [isHeld ? Array("\(real)".utf8) : [UInt8](text)], real)
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Adds the comments of a container that are before its first value and an empty line. Returns their end.
    private mutating func addFirst(_ range: Range<Int>) -> Int {
        let comments = comments(in: range)
        var end = range.lowerBound
        for (number, comment) in comments.enumerated() {
            let next = number + 1 < comments.count ? comments[number + 1].lowerBound : range.upperBound
            let space = comment.upperBound..<next
            let breaks = space.filter { syntax.text[$0] == 0x0A }
            if breaks.count > 1, let last = breaks.last { end = last + 1 }
        }
        add(.first, range.lowerBound..<end)
        return end
    }

    /// Adds the comments behind a value on its line. Returns their end.
    private mutating func addBehind(_ range: Range<Int>, isLast: Bool, inDictionary: Bool) -> Int {
        let separator = syntax.separator(inDictionary: inDictionary)?.byte
        var (place, start) = (range.lowerBound, range.lowerBound)
        var (end, separated): (Int?, Int) = (nil, start)
        while place < range.upperBound {
            if let next = commentEnd(at: place, before: range.upperBound) {
                (place, end) = (next, next)
            } else if syntax.text[place] == separator {
                place += 1
                separated = place
                if end == nil { start = place }
            } else if TextLines.isBlank(syntax.text[place]) {
                place += 1
            } else {
                break
            }
        }
        // A comment on the line of the next value belongs to that.
        if place == range.upperBound, !isLast { end = end.map { min($0, separated) } }
        add(.behind, start..<max(start, end ?? start))
        return max(separated, end ?? start)
    }

    /// Returns the range from the first comment on, or else from the end, with the blanks before it.
    private func fromComment(in range: Range<Int>) -> Range<Int> {
        let start = comments(in: range).first?.lowerBound ?? range.upperBound
        let blanks = syntax.text[range.lowerBound..<start].reversed().prefix { TextLines.isBlank($0) }.count
        return start - blanks..<range.upperBound
    }

    private func comments(in range: Range<Int>) -> [Range<Int>] {
        var comments: [Range<Int>] = []
        var place = range.lowerBound
        while place < range.upperBound {
            let end = commentEnd(at: place, before: range.upperBound)
            if let end { comments.append(place..<end) }
            place = end ?? place + 1
        }
        return comments
    }

    /// Tags and declarations around the root are not comments.
    private func commentEnd(at offset: Int, before end: Int) -> Int? {
        if syntax.text[offset] == UInt8(ascii: "<"), offset + 2 >= end || syntax.text[offset + 2] != UInt8(ascii: "-") {
            return nil
        }
        return syntax.commentEnd(at: offset, before: end)
    }
}
