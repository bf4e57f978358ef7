/// A property list as it stands in a file: the value and the bytes, so that it can be written back with only what
/// changed rewritten.
public struct PlistDocument: Sendable {
    /// The document as it was read.
    public let bytes: [UInt8]
    /// Its encoding.
    public let format: PlistFormat
    /// Its value.
    public let value: PlistValue
    /// What the reading let pass: keys that come twice.
    public let warnings: [PlistError]

    /// The document of these bytes, in one of the encodings accepted. JSON is read as it stands, without
    /// ``JSONPlistOptions/typed``.
    ///
    /// Of a key that comes twice in a dictionary of XML, the last value is kept, as by Apple's parser, and there is a warning with both
    /// places. In other encodings it is an error, unless `isLenient`. A document whose format is Capsule's own is read by
    /// ``PlistReader``, for which it is an error in any encoding.
    public static func read(
        _ bytes: [UInt8], accepting formats: Set<PlistFormat> = PlistFormat.all, limits: PlistLimits = .standard,
        isLenient: Bool = false
    ) throws(PlistError) -> PlistDocument {
        let (value, format, warnings) = try PlistReader.read(
            bytes, accepting: formats, limits: limits, duplicates: isLenient ? .last : .lastOfXML)
        return PlistDocument(bytes: bytes, format: format, value: value, warnings: warnings)
    }
}

extension PlistDocument {
    /// The bytes of the document with another value: only what differs is rewritten, and an equal value gives the very
    /// same bytes.
    ///
    /// In text everything else stays to the byte: comments, the order of keys, indentation, the spelling of entities,
    /// line ends, byte order mark, encoding, document type and the newline at the end.
    /// - A scalar that changes keeps its place; if its type stays the same, only its text is replaced. A container in
    ///   place of a scalar, or a scalar in place of a container, replaces the whole element.
    /// - New keys go to the end of their dictionary, new elements to where they belong, both as their neighbours are
    ///   indented, or on the same line if their neighbours are.
    /// - What is removed goes with its line, or lines, and the comments on them. Comments and empty lines before it stay.
    ///   An emptied container keeps its two tags or brackets.
    /// - Elements of an array that change places take along the comments and empty lines before them.
    /// - The order of the new value's keys does not matter.
    /// - Of a key that comes twice in a document read leniently, the last value is the one that is edited; if the key is
    ///   removed, all of it goes.
    ///
    /// Throws `notRepresentable`, with the pointer, for a value that the document's encoding can't hold, and
    /// `limitExceeded` for too much output or depth.
    public func bytes(holding value: PlistValue, limits: PlistLimits = .standard) throws(PlistError) -> [UInt8] {
        if value == self.value { return bytes }
        switch format {
        case .xml:
            return try bytesOfText(limits: limits) { text, mark throws(PlistError) in
                let syntax = try XMLPlistSyntax(text, limits: limits)
                return try TextPlistEditor.edit(syntax, from: self.value, to: value, after: mark)
            }
        case .json:
            return try bytesOfText(limits: limits) { text, mark throws(PlistError) in
                let syntax = try JSONPlistSyntax(text, limits: limits)
                return try TextPlistEditor.edit(syntax, from: self.value, to: value, after: mark)
            }
        case .openStep:
            return try bytesOfText(limits: limits) { text, mark throws(PlistError) in
                let syntax = try OpenStepPlistSyntax(text, limits: limits)
                return try TextPlistEditor.edit(syntax, from: self.value, to: value, after: mark)
            }
        case .binary:
            return try BinaryPlistEditor.bytes(bytes, holding: value, limits: limits)
        }
    }

    /// Hands over the document's text as UTF-8 without its byte order mark, and puts the edited text, which follows
    /// `mark`, back into the document's encoding.
    private func bytesOfText(
        limits: PlistLimits,
        _ edit: (_ text: UnsafeRawBufferPointer, _ mark: UnsafeRawBufferPointer) throws(PlistError) -> [UInt8]
    ) throws(PlistError) -> [UInt8] {
        try withText { text, mark, encoding throws(PlistError) in
            if encoding == .utf8 { return try edit(text, mark) }
            let edited = try edit(text, UnsafeRawBufferPointer(start: nil, count: 0))
            let bytes = encoding.encode(utf8: edited, after: mark)
            guard bytes.count <= limits.outputBytes else { throw TextPlistEdits.tooLarge(limits) }
            return bytes
        }
    }

    /// Hands over the document's text as UTF-8 without its byte order mark, the mark, and the encoding it is in.
    func withText<Value>(
        _ body: (
            _ text: UnsafeRawBufferPointer, _ mark: UnsafeRawBufferPointer, _ encoding: PlistTextEncoding
        ) throws(PlistError) -> Value
    ) throws(PlistError) -> Value {
        try PlistReader.withBytes(bytes) { buffer throws(PlistError) in
            let (encoding, markBytes) = PlistTextEncoding.detect(buffer)
            let mark = UnsafeRawBufferPointer(rebasing: buffer[..<markBytes])
            if encoding == .utf8 { return try body(UnsafeRawBufferPointer(rebasing: buffer[markBytes...]), mark, encoding) }
            let utf8 = try encoding.transcode(buffer, from: markBytes)
            return try PlistReader.withBytes(utf8) { text throws(PlistError) in try body(text, mark, encoding) }
        }
    }
}

/// The text of a property list in XML, OpenStep or JSON, taken out of its encoding.
package struct PlistText: Hashable, Sendable {
    /// How its characters are written as bytes.
    package struct Encoding: Hashable, Sendable {
        let encoding: PlistTextEncoding
        let hasMark: Bool

        /// What a document is written in where nothing else is said.
        package static let standard = Encoding(encoding: .utf8, hasMark: false)

        /// `utf-8`, `utf-16le` and the like, with `-bom` behind it where a byte order mark stands in front.
        package var name: String {
            let name =
                switch encoding {
                case .utf8: "utf-8"
                case .utf16(let isBigEndian): isBigEndian ? "utf-16be" : "utf-16le"
                case .utf32(let isBigEndian): isBigEndian ? "utf-32be" : "utf-32le"
                }
            return hasMark ? name + "-bom" : name
        }

        /// The bytes of a document of this text, which is valid UTF-8 without a mark.
        package func bytes(of utf8: [UInt8]) -> [UInt8] {
            let mark: [UInt8] = hasMark ? [0xEF, 0xBB, 0xBF] : []
            return encoding.encode(utf8: mark + utf8, after: UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// All of it in UTF-8, without the mark.
    package let utf8: [UInt8]
    /// What it was in.
    package let encoding: Encoding
}

extension PlistDocument {
    /// The document's text; nil for a binary one.
    package var text: PlistText? {
        guard format != .binary else { return nil }
        return try? withText { text, mark, encoding throws(PlistError) in
            PlistText(utf8: [UInt8](text), encoding: PlistText.Encoding(encoding: encoding, hasMark: !mark.isEmpty))
        }
    }
}

/// Where the comments of a text property list stand.
private struct TextComments {
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
