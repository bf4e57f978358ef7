/// A text, in lines.
///
/// A line ends behind a line feed, as `diff` has it. A carriage return is a character of its line, so that another line ending is
/// another line.
public struct TextContent: Hashable, Sendable {
    /// Lines that a text may have.
    static let lineLimit = 1 << 23

    /// What its bytes were in.
    public let encoding: TextEncoding
    /// Whether a byte order mark stands in front.
    public let hasMark: Bool
    /// All of it in UTF-8, without the mark.
    public let utf8: [UInt8]
    /// Where each line begins, and at last where the text ends.
    private let starts: [Int]

    /// Reads the bytes of a whole file.
    ///
    /// - Throws: `unrecognised` for what is no text: bytes that are valid neither as UTF-8 nor as UTF-16, a NUL, or more control
    ///   characters than texts have; `limit` for too many lines.
    public init(_ bytes: [UInt8]) throws(ContentError) {
        var scan = TextScan(bytes, isHead: false)
        let utf8 = try scan.utf8()
        self.utf8 = utf8
        encoding = scan.encoding
        hasMark = scan.markBytes > 0
        starts = try Self.starts(in: utf8)
    }

    /// A text that something else has found to be one, in valid UTF-8 without a mark.
    ///
    /// - Throws: `limit` for too many lines.
    init(utf8: [UInt8]) throws(ContentError) {
        self.utf8 = utf8
        encoding = .utf8
        hasMark = false
        starts = try Self.starts(in: utf8)
    }

    private static func starts(in utf8: [UInt8]) throws(ContentError) -> [Int] {
        var starts = [0]
        for (offset, byte) in utf8.enumerated() where byte == 0x0A && offset + 1 < utf8.count {
            guard starts.count < lineLimit else { throw ContentError(.limit, "more than \(lineLimit) lines") }
            starts.append(offset + 1)
        }
        if !utf8.isEmpty { starts.append(utf8.count) }
        return starts
    }

    /// Whether the beginning of a file, or all of it, may be a text's.
    static func isLikely(_ head: [UInt8], isWhole: Bool) -> Bool {
        var scan = TextScan(head, isHead: !isWhole)
        return (try? scan.utf8()) != nil
    }

    /// The number of lines; an empty text has none.
    public var lineCount: Int { starts.count - 1 }

    /// A line with its line feed, if it has one, in UTF-8. The first line is 0.
    public func line(_ number: Int) -> ArraySlice<UInt8> {
        utf8[starts[number]..<starts[number + 1]]
    }

    /// Some lines as one, in UTF-8.
    func lines(_ numbers: Range<Int>) -> ArraySlice<UInt8> {
        utf8[starts[numbers.lowerBound]..<starts[numbers.upperBound]]
    }

    /// Whether a line ends with the text and without a line feed.
    func lacksNewline(_ number: Int) -> Bool {
        line(number).last != 0x0A
    }

    /// The encoding as ``EncodingChange`` tells it from another one: `utf-8-bom` where the mark is what differs.
    func encodingName(toTellFrom other: TextContent) -> String {
        encoding == other.encoding && hasMark && !other.hasMark ? encoding.rawValue + "-bom" : encoding.rawValue
    }
}
