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
