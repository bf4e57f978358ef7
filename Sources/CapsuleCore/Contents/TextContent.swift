/// A text in lines.
///
/// A line ends after a line feed, as in `diff`. A carriage return is part of its line, so lines with different line endings are
/// different.
package struct TextContent: Hashable, Sendable {
    static let lineLimit = 1 << 23

    package let encoding: TextEncoding
    package let hasMark: Bool
    /// The whole text in UTF-8, without the byte order mark.
    package let utf8: [UInt8]
    /// The offset at which each line begins, followed by the end of the text.
    private let starts: [Int]

    /// - Throws: `unrecognized` if the bytes are not text: they are neither valid UTF-8 nor valid UTF-16, contain a NUL, or
    ///   have more control characters than texts have. `limit` if there are too many lines.
    package init(_ bytes: [UInt8]) throws(ContentError) {
        var scan = TextScan(bytes, isHead: false)
        let utf8 = try scan.utf8()
        self.utf8 = utf8
        encoding = scan.encoding
        hasMark = scan.markBytes > 0
        starts = try Self.starts(in: utf8)
    }

    /// Creates a text from valid UTF-8 without a byte order mark, which the caller already knows to be text.
    package init(utf8: [UInt8]) throws(ContentError) {
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

    static func isLikely(_ head: [UInt8], isWhole: Bool) -> Bool {
        var scan = TextScan(head, isHead: !isWhole)
        return (try? scan.utf8()) != nil
    }

    package var lineCount: Int { starts.count - 1 }

    /// Returns a line in UTF-8, including its line feed if it has one. The first line is 0.
    package func line(_ number: Int) -> ArraySlice<UInt8> {
        utf8[starts[number]..<starts[number + 1]]
    }

    package func lines(_ numbers: Range<Int>) -> ArraySlice<UInt8> {
        utf8[starts[numbers.lowerBound]..<starts[numbers.upperBound]]
    }

    package func lacksNewline(_ number: Int) -> Bool {
        line(number).last != 0x0A
    }

    /// Returns the name of the encoding in an ``EncodingChange``. It is `utf-8-bom` if only the byte order mark differs from
    /// the other text.
    func encodingName(toTellFrom other: TextContent) -> String {
        encoding == other.encoding && hasMark && !other.hasMark ? encoding.rawValue + "-bom" : encoding.rawValue
    }
}

package enum TextEncoding: String, Hashable, Sendable, CaseIterable {
    case utf8 = "utf-8"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"

    /// Returns the encoding and the length of the byte order mark in bytes. Without a mark the encoding is UTF-16 if the same
    /// byte of at least three quarters of the units is zero and the other one never is, else UTF-8. The bytes need not be valid
    /// text in it. (Unicode 16.0, section 23.8, and RFC 2781)
    static func detect(_ bytes: [UInt8]) -> (encoding: TextEncoding, markBytes: Int) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        return (pattern(bytes), 0)
    }

    package func bytes(of utf8: [UInt8], hasMark: Bool) -> [UInt8] {
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

    private static let patternUnits = (least: 4, most: 2048)

    /// Detects UTF-16 without a byte order mark. In most texts that can be recognized without one, most characters are Latin-1,
    /// whose upper byte is zero. In such a text no lower byte is zero, which distinguishes it from other content.
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

/// Decodes bytes that may be text, and checks them.
struct TextScan {
    /// A content with more than one control character in this many characters is not text.
    private static let controlOdds = 16

    let encoding: TextEncoding
    let markBytes: Int
    private let bytes: [UInt8]
    /// True if more bytes follow, so that the last character may be incomplete.
    private let isHead: Bool
    private var characters = 0
    private var controls = 0

    init(_ bytes: [UInt8], isHead: Bool) {
        self.bytes = bytes
        self.isHead = isHead
        (encoding, markBytes) = TextEncoding.detect(bytes)
    }

    mutating func utf8() throws(ContentError) -> [UInt8] {
        let text =
            switch encoding {
            case .utf8: try fromUTF8()
            case .utf16LittleEndian: try fromUTF16(isBigEndian: false)
            case .utf16BigEndian: try fromUTF16(isBigEndian: true)
            }
        guard controls * Self.controlOdds <= characters else {
            throw ContentError(.unrecognized, "not text: \(controls) control characters")
        }
        return text
    }

    private mutating func classify(_ number: UInt32, at offset: Int) throws(ContentError) {
        characters &+= 1
        guard number < 0x20 || (0x7F...0x9F).contains(number) || number & 0xFFFE == 0xFFFE else { return }
        switch number {
        case 0: throw ContentError(.unrecognized, "not text: a zero byte at offset \(offset)")
        // Tab, line feed, form feed, carriage return, escape, next line.
        case 0x09, 0x0A, 0x0C, 0x0D, 0x1B, 0x85: return
        default: controls &+= 1
        }
    }

    private func invalid(at offset: Int) -> ContentError {
        ContentError(.unrecognized, "not text: an invalid \(encoding.rawValue) sequence at offset \(offset)")
    }

    private mutating func fromUTF8() throws(ContentError) -> [UInt8] {
        var offset = markBytes
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte < 0x80 {
                try classify(UInt32(byte), at: offset)
                offset &+= 1
                continue
            }
            let found = Self.character(in: bytes, at: offset)
            if let number = found.number {
                try classify(number, at: offset)
                offset += found.length
            } else if isHead, found.isCut {
                return Array(bytes[markBytes..<offset])
            } else {
                throw invalid(at: offset)
            }
        }
        return markBytes == 0 ? bytes : Array(bytes[markBytes...])
    }

    /// Returns the multibyte character at an offset. The number is nil if the character is not valid. (Unicode 16.0, table 3-7)
    private static func character(in bytes: [UInt8], at offset: Int) -> (number: UInt32?, length: Int, isCut: Bool) {
        let lead = bytes[offset]
        let length: Int
        var number: UInt32
        // The range of the second byte excludes overlong forms, surrogates and numbers beyond Unicode.
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
            try classify(number, at: offset)
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

/// An error that reports that bytes don't have the expected format.
package struct ContentError: Error, Hashable, Sendable {
    package struct Code: Hashable, Sendable {
        private enum Value { case unrecognized, damaged, limit }
        private let value: Value

        /// The content does not begin like the expected format.
        package static let unrecognized = Code(value: .unrecognized)
        /// The content begins like the expected format but is not valid.
        package static let damaged = Code(value: .damaged)
        package static let limit = Code(value: .limit)
    }

    package let code: Code
    /// A description of the problem, in lowercase and without a period. It is the reason of a ``HandlerFallback``.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
