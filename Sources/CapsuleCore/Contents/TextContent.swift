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

/// How the characters of a text are written as bytes.
public enum TextEncoding: String, Hashable, Sendable, CaseIterable {
    /// A byte or more to a character; ASCII is of this kind.
    case utf8 = "utf-8"
    /// Units of two bytes, the lower one first.
    case utf16LittleEndian = "utf-16le"
    /// Units of two bytes, the upper one first.
    case utf16BigEndian = "utf-16be"

    /// The encoding by a byte order mark, else UTF-16 where every other byte is zero, else UTF-8; and the mark's length in bytes.
    /// Whether the bytes are a text in it is not said. (Unicode 16.0, section 23.8, and RFC 2781)
    static func detect(_ bytes: [UInt8]) -> (encoding: TextEncoding, markBytes: Int) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        return (pattern(bytes), 0)
    }

    /// Valid UTF-8 in this encoding, behind a byte order mark if one is wanted.
    func bytes(of utf8: [UInt8], hasMark: Bool) -> [UInt8] {
        let mark: [UInt8] = hasMark ? [0xEF, 0xBB, 0xBF] : []
        if self == .utf8 { return mark.isEmpty ? utf8 : mark + utf8 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * (mark.count + utf8.count))
        for unit in String(decoding: mark + utf8, as: UTF8.self).utf16 {
            let (upper, lower) = (UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit))
            bytes.append(self == .utf16BigEndian ? upper : lower)
            bytes.append(self == .utf16BigEndian ? lower : upper)
        }
        return bytes
    }

    /// Units that are looked at, and how few of them tell nothing.
    private static let patternUnits = (least: 4, most: 2048)

    /// Most characters of a text that is clear without a mark are of Latin-1, whose upper byte is zero; none has a lower byte of
    /// zero with an upper one of zero, which is what other content has.
    private static func pattern(_ bytes: [UInt8]) -> TextEncoding {
        let units = min(bytes.count / 2, patternUnits.most)
        guard units >= patternUnits.least else { return .utf8 }
        var zeros = (even: 0, odd: 0)
        for unit in 0..<units {
            if bytes[2 * unit] == 0 { zeros.even += 1 }
            if bytes[2 * unit + 1] == 0 { zeros.odd += 1 }
        }
        if zeros.even == 0, zeros.odd * 4 >= units * 3 { return .utf16LittleEndian }
        if zeros.odd == 0, zeros.even * 4 >= units * 3 { return .utf16BigEndian }
        return .utf8
    }
}

/// The characters of bytes that may be a text: whether they are one, and what they are in UTF-8.
struct TextScan {
    /// One control character in so many characters is more than texts have.
    private static let controlOdds = 16

    let encoding: TextEncoding
    /// The length of a byte order mark.
    let markBytes: Int
    private let bytes: [UInt8]
    /// Whether more bytes follow, so that the last character may be cut.
    private let isHead: Bool
    private var characters = 0
    private var controls = 0

    init(_ bytes: [UInt8], isHead: Bool) {
        self.bytes = bytes
        self.isHead = isHead
        (encoding, markBytes) = TextEncoding.detect(bytes)
    }

    /// The text behind the mark as UTF-8.
    ///
    /// - Throws: `unrecognised` for an invalid sequence, a NUL, or too many control characters.
    mutating func utf8() throws(ContentError) -> [UInt8] {
        let text =
            switch encoding {
            case .utf8: try fromUTF8()
            case .utf16LittleEndian: try fromUTF16(isBigEndian: false)
            case .utf16BigEndian: try fromUTF16(isBigEndian: true)
            }
        guard controls * Self.controlOdds <= characters else {
            throw ContentError(.unrecognised, "not text: \(controls) control characters")
        }
        return text
    }

    /// Counts a character.
    private mutating func take(_ number: UInt32, at offset: Int) throws(ContentError) {
        characters &+= 1
        guard number < 0x20 || (0x7F...0x9F).contains(number) || number & 0xFFFE == 0xFFFE else { return }
        switch number {
        case 0: throw ContentError(.unrecognised, "not text: a zero byte at offset \(offset)")
        // Tab, line feed, form feed, carriage return, escape, next line.
        case 0x09, 0x0A, 0x0C, 0x0D, 0x1B, 0x85: return
        default: controls &+= 1
        }
    }

    private func invalid(at offset: Int) -> ContentError {
        ContentError(.unrecognised, "not text: an invalid \(encoding.rawValue) sequence at offset \(offset)")
    }

    // MARK: UTF-8

    private mutating func fromUTF8() throws(ContentError) -> [UInt8] {
        var offset = markBytes
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte < 0x80 {
                try take(UInt32(byte), at: offset)
                offset &+= 1
                continue
            }
            let found = Self.character(in: bytes, at: offset)
            if let number = found.number {
                try take(number, at: offset)
                offset += found.length
            } else if isHead, found.isCut {
                return Array(bytes[markBytes..<offset])
            } else {
                throw invalid(at: offset)
            }
        }
        return markBytes == 0 ? bytes : Array(bytes[markBytes...])
    }

    /// The multibyte character at an offset; no number if it is not valid. (Unicode 16.0, table 3-7)
    private static func character(in bytes: [UInt8], at offset: Int) -> (number: UInt32?, length: Int, isCut: Bool) {
        let lead = bytes[offset]
        let length: Int
        var number: UInt32
        // The second byte's range is what keeps out overlong forms, surrogates and numbers beyond Unicode.
        var next: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: (length, number) = (2, UInt32(lead & 0x1F))
        case 0xE0...0xEF:
            (length, number) = (3, UInt32(lead & 0x0F))
            if lead == 0xE0 { next = 0xA0...0xBF } else if lead == 0xED { next = 0x80...0x9F }
        case 0xF0...0xF4:
            (length, number) = (4, UInt32(lead & 0x07))
            if lead == 0xF0 { next = 0x90...0xBF } else if lead == 0xF4 { next = 0x80...0x8F }
        default: return (nil, 0, false)
        }
        for place in offset + 1..<offset + length {
            guard place < bytes.count else { return (nil, 0, true) }
            guard next.contains(bytes[place]) else { return (nil, 0, false) }
            number = number << 6 | UInt32(bytes[place] & 0x3F)
            next = 0x80...0xBF
        }
        return (number, length, false)
    }

    // MARK: UTF-16

    private mutating func fromUTF16(isBigEndian: Bool) throws(ContentError) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 2)
        var offset = markBytes
        while let unit = unit(at: offset, isBigEndian) {
            var number = unit
            var length = 2
            if unit & 0xFC00 == 0xD800 {
                guard let low = self.unit(at: offset + 2, isBigEndian) else {
                    if isHead { return text }
                    throw invalid(at: offset)
                }
                guard low & 0xFC00 == 0xDC00 else { throw invalid(at: offset) }
                number = 0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)
                length = 4
            }
            guard let scalar = Unicode.Scalar(number) else { throw invalid(at: offset) }
            try take(number, at: offset)
            text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            offset += length
        }
        guard isHead || offset == bytes.count else { throw invalid(at: offset) }
        return text
    }

    private func unit(at offset: Int, _ isBigEndian: Bool) -> UInt32? {
        guard offset + 1 < bytes.count else { return nil }
        let (first, second) = (UInt32(bytes[offset]), UInt32(bytes[offset + 1]))
        return isBigEndian ? first << 8 | second : second << 8 | first
    }
}

/// Why bytes are not of the content that they were taken for.
public struct ContentError: Error, Hashable, Sendable {
    /// What callers tell apart.
    public struct Code: Hashable, Sendable {
        private enum Value { case unrecognised, damaged, limit }
        private let value: Value

        /// They do not begin as such a content does.
        public static let unrecognised = Code(value: .unrecognised)
        /// They begin as it does, and go on as it can't.
        public static let damaged = Code(value: .damaged)
        /// Too much of something.
        public static let limit = Code(value: .limit)
    }

    /// What callers tell apart.
    public let code: Code
    /// What is wrong, lower case, no period; the reason of a ``HandlerFallback``.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
