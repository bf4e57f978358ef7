/// Where the comments of a text property list stand.
struct TextComments {
    /// Each comment, from its first byte to behind its last, in order.
    private(set) var ranges: [Range<Int>] = []

    /// Finds the comments between the keys, values and brackets of a document.
    ///
    /// - Parameter starts: the bytes that a comment begins with, one entry a form.
    init(_ syntax: some TextPlistSyntax, starts: [StaticString]) {
        var end = 0
        // Nodes stand in the order of the text; brackets have no node of their own, and no bytes that a comment begins with.
        for node in syntax.layout.nodes {
            if let key = node.key { end = find(in: end..<key.lowerBound, behind: key.upperBound, syntax, starts) }
            let isContainer = node.inner != nil
            end = find(
                in: end..<node.range.lowerBound, behind: isContainer ? node.range.lowerBound : node.range.upperBound, syntax,
                starts)
        }
        _ = find(in: end..<syntax.text.count, behind: end, syntax, starts)
    }

    /// - Returns: the place behind the range where the next one begins.
    private mutating func find(
        in range: Range<Int>, behind end: Int, _ syntax: some TextPlistSyntax, _ starts: [StaticString]
    ) -> Int {
        var place = range.lowerBound
        while place < range.upperBound {
            guard starts.contains(where: { Self.begins(syntax.text, at: place, $0) }),
                let commentEnd = syntax.commentEnd(at: place, before: range.upperBound)
            else {
                place += 1
                continue
            }
            ranges.append(place..<commentEnd)
            place = max(commentEnd, place + 1)
        }
        return end
    }

    private static func begins(_ text: UnsafeRawBufferPointer, at place: Int, _ start: StaticString) -> Bool {
        let length = start.utf8CodeUnitCount
        return place + length <= text.count && (0..<length).allSatisfy { text[place + $0] == start.utf8Start[$0] }
    }
}

extension PlistDocument {
    /// Where comments stand in the document's ``text``, in order; none in a binary document.
    package var comments: [Range<Int>] {
        let limits = PlistLimits(depth: .max)
        let found = try? withText { text, _, _ throws(PlistError) -> [Range<Int>] in
            switch format {
            case .xml: TextComments(try XMLPlistSyntax(text, limits: limits), starts: ["<!--"]).ranges
            case .openStep: TextComments(try OpenStepPlistSyntax(text, limits: limits), starts: ["//", "/*"]).ranges
            case .json, .binary: []
            }
        }
        return found ?? []
    }
}
