extension PlistFormat {
    /// Returns the encoding of a document, detected from its beginning and never from a file name, or nil if it doesn't look like a
    /// property list. The document may still be malformed.
    /// `{` begins JSON if a colon follows the first key, or else OpenStep. `{}` alone counts as JSON, or as OpenStep if there are
    /// comments. `[` begins JSON if a JSON element follows. `(`, data in `<>`, and a key with `=`, a value and a semicolon are
    /// OpenStep. Comments before the document, in OpenStep's syntax, are skipped. A string, number or word alone could be any text,
    /// and is not recognized.
    package static func sniff(_ bytes: [UInt8]) -> PlistFormat? {
        bytes.withUnsafeBytes { sniff($0) }
    }

    /// Returns true for what looks like a binary or an XML property list, of which most values of a database have nothing.
    package static func isBinaryOrXML(_ bytes: [UInt8]) -> Bool {
        // With a byte order mark, in UTF-16, or after space.
        guard let first = bytes.first, "b< \t\r\n\0".utf8.contains(first) || first >= 0xEF else { return false }
        return [.binary, .xml].contains(sniff(bytes))
    }

    package static func sniff(_ bytes: UnsafeRawBufferPointer) -> PlistFormat? {
        switch PlistFormatSniffer.look(at: bytes) {
        case .format(let format): format
        case .jsonOrOpenStep: .json
        case .unknown: nil
        }
    }
}

/// Detects property lists and their encodings from the beginning of a document.
/// The sniffer reads only as far as necessary, such as to the end of a string and the colon or semicolon after it. It distinguishes
/// only ASCII characters.
struct PlistFormatSniffer {
    enum Detection: Equatable {
        case format(PlistFormat)
        /// `{}` alone, which is valid in JSON and in OpenStep.
        case jsonOrOpenStep
        case unknown
    }

    private var units: PlistTextEncoding.Units
    /// The next character, or `beyondASCII` for every non-ASCII character; nil at the end.
    private var current: UInt8?
    private static let beyondASCII: UInt8 = 0x80
    private var hasComment = false

    private init(_ bytes: UnsafeRawBufferPointer) {
        let (encoding, markBytes) = PlistTextEncoding.detect(bytes)
        units = encoding.units(of: bytes, from: markBytes)
        advance()
    }

    static func look(at bytes: UnsafeRawBufferPointer) -> Detection {
        if bytes.starts(with: "bplist".utf8) { return .format(.binary) }
        var sniffer = PlistFormatSniffer(bytes)
        return sniffer.finding()
    }

    /// Returns true if a text that is not recognized begins like an entry of a `.strings` file: with a quotation mark, which may be
    /// typographic, and an `=` in the same line.
    static func beginsEntry(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var sniffer = PlistFormatSniffer(bytes)
        sniffer.skipSpace()
        guard let first = sniffer.current, OpenStepCharacters.isQuote(first) || first == beyondASCII else { return false }
        while let byte = sniffer.current, byte >= 0x20, byte != UInt8(ascii: ";"), byte != UInt8(ascii: "=") { sniffer.advance() }
        return sniffer.current == UInt8(ascii: "=")
    }

    private mutating func finding() -> Detection {
        skipSpace()
        guard let first = current else { return .unknown }
        switch first {
        case UInt8(ascii: "<"):
            advance()
            let ahead = self
            if startsElement() { return .format(.xml) }
            self = ahead
            return isDataAlone() ? .format(.openStep) : .unknown
        case UInt8(ascii: "{"): return dictionary()
        case UInt8(ascii: "["): return startsJSONArray() ? .format(.json) : .unknown
        case UInt8(ascii: "("): return hasOpenStepScalar(inArray: true) ? .format(.openStep) : .unknown
        default: return startsStrings() ? .format(.openStep) : .unknown
        }
    }

    /// After `<`: returns true for a declaration, a comment or an element of property lists. OpenStep's data also begins with `<`,
    /// but no element's name consists of hexadecimal digits only.
    private mutating func startsElement() -> Bool {
        var name = XMLPlistElement.Name()
        while let byte = current {
            if name.isEmpty, byte == UInt8(ascii: "?") || byte == UInt8(ascii: "!") { return true }
            if XMLCharacters.endsName(byte) { return name.element != nil }
            name.append(byte)
            advance()
        }
        return false
    }

    /// After `<`: returns true if pairs of hexadecimal digits follow up to `>` and the document ends there. Also returns true for a
    /// typed value of GNUstep, for which the reader has a more specific error.
    private mutating func isDataAlone() -> Bool {
        if current == UInt8(ascii: "*") { return true }
        var digits = 0
        while let byte = current, byte != UInt8(ascii: ">") {
            if XMLPlistScalars.digit(byte, isHexadecimal: true) != nil {
                digits += 1
            } else if !OpenStepCharacters.isSpace(byte) {
                return false
            }
            advance()
        }
        return digits % 2 == 0 && current != nil && endsHere()
    }

    private mutating func dictionary() -> Detection {
        advance()
        skipSpace()
        guard let byte = current else { return .jsonOrOpenStep }
        if byte == UInt8(ascii: "}") {
            guard endsHere() else { return .unknown }
            return hasComment ? .format(.openStep) : .jsonOrOpenStep
        }
        guard let last = passString() else { return .unknown }
        skipSpace()
        switch current {
        case UInt8(ascii: ":"): return .format(.json)
        case UInt8(ascii: "="), UInt8(ascii: ";"): return .format(.openStep)
        // The colon may belong to an unquoted string.
        default: return .format(last == UInt8(ascii: "\"") || last == UInt8(ascii: ":") ? .json : .openStep)
        }
    }

    private mutating func startsStrings() -> Bool {
        guard passString() != nil else { return false }
        skipSpace()
        return current == UInt8(ascii: "=") && hasOpenStepScalar(inArray: false)
    }

    /// After the first bracket or equals sign: returns true if the first scalar is followed by a valid character, or if the first
    /// container is empty.
    private mutating func hasOpenStepScalar(inArray: Bool) -> Bool {
        var inArray = inArray
        var brackets = inArray ? 1 : 0
        while true {
            advance()
            skipSpace()
            switch current {
            case UInt8(ascii: "("):
                inArray = true
                brackets += 1
            case UInt8(ascii: ")") where inArray:
                return brackets > 1 || endsHere()
            case UInt8(ascii: "{"):
                advance()
                skipSpace()
                inArray = false
                brackets += 1
                if current == UInt8(ascii: "}") { return true }
                guard passString() != nil else { return false }
                skipSpace()
                if current == UInt8(ascii: ";") { return true }
                guard current == UInt8(ascii: "=") else { return false }
            case UInt8(ascii: "<"):
                return true
            default:
                guard passString() != nil else { return false }
                skipSpace()
                guard inArray else { return current == UInt8(ascii: ";") }
                return current == UInt8(ascii: ",") || current == UInt8(ascii: ")") && (brackets > 1 || endsHere())
            }
        }
    }

    private mutating func startsJSONArray() -> Bool {
        var brackets = 0
        while current == UInt8(ascii: "[") {
            brackets += 1
            advance()
            skipSpace()
        }
        switch current {
        case nil: return true
        case UInt8(ascii: "]"): return brackets > 1 || endsHere()
        case UInt8(ascii: "{"):
            advance()
            skipSpace()
            return current == UInt8(ascii: "\"") || current == UInt8(ascii: "}") || current == nil
        case UInt8(ascii: "\""):
            guard passString() != nil else { return false }
        default:
            // A number or a literal. Misspelled ones are left to the reader.
            guard let first = current, Self.startsJSONWord.contains(first) else { return false }
            let start = passWord()
            guard
                XMLPlistScalars.digit(first, isHexadecimal: false) != nil || first == UInt8(ascii: "-")
                    || ["true", "false", "null"].contains(start)
            else { return false }
        }
        skipSpace()
        return current == nil || current == UInt8(ascii: ",") || current == UInt8(ascii: "]") && (brackets > 1 || endsHere())
    }

    private static let startsJSONWord = Set("-0123456789tfn".utf8)

    private mutating func passWord() -> String {
        var word: [UInt8] = []
        while let byte = current, byte < Self.beyondASCII, JSONPlistScanner.isWord(byte) {
            if word.count < 8 { word.append(byte) }
            advance()
        }
        return String(decoding: word, as: UTF8.self)
    }

    private mutating func advance() {
        current = units.next().map { $0 < 0x80 ? UInt8(truncatingIfNeeded: $0) : Self.beyondASCII }
    }

    private mutating func passString() -> UInt8? {
        guard let quote = current else { return nil }
        var last: UInt8?
        guard OpenStepCharacters.isQuote(quote) else {
            while let byte = current, OpenStepCharacters.isUnquoted(byte) {
                last = byte
                advance()
            }
            return last
        }
        advance()
        while let byte = current, byte != quote {
            if byte == UInt8(ascii: "\\") { advance() }
            advance()
        }
        advance()
        return quote
    }

    private mutating func skipSpace() {
        while let byte = current {
            if OpenStepCharacters.isSpace(byte) {
                advance()
            } else if byte == UInt8(ascii: "/") {
                let slash = self
                advance()
                switch current {
                case UInt8(ascii: "/"):
                    hasComment = true
                    while let byte = current, byte != 0x0A, byte != 0x0D { advance() }
                case UInt8(ascii: "*"):
                    hasComment = true
                    skipComment()
                default:
                    self = slash
                    return
                }
            } else {
                return
            }
        }
    }

    private mutating func skipComment() {
        advance()
        var last: UInt8 = 0
        while let byte = current {
            advance()
            if last == UInt8(ascii: "*"), byte == UInt8(ascii: "/") { return }
            last = byte
        }
    }

    private mutating func endsHere() -> Bool {
        advance()
        skipSpace()
        return current == nil
    }
}

/// The character encoding of a text document.
enum PlistTextEncoding: Hashable {
    case utf8
    case utf16(isBigEndian: Bool)
    case utf32(isBigEndian: Bool)

    var unitBytes: Int {
        switch self {
        case .utf8: 1
        case .utf16: 2
        case .utf32: 4
        }
    }

    private var isBigEndian: Bool {
        switch self {
        case .utf8: false
        case .utf16(let isBigEndian), .utf32(let isBigEndian): isBigEndian
        }
    }

    /// Returns the encoding and the length in bytes of the byte order mark. Without a mark, the encoding is detected from the zeros
    /// around the first character, which is ASCII in a property list. (XML 1.0, appendix F.1)
    static func detect(_ bytes: UnsafeRawBufferPointer) -> (encoding: PlistTextEncoding, markBytes: Int) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32(isBigEndian: false), 4) }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32(isBigEndian: true), 4) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16(isBigEndian: false), 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16(isBigEndian: true), 2) }
        let zeros = bytes.prefix(4).map { $0 == 0 }
        if zeros == [false, true, true, true] { return (.utf32(isBigEndian: false), 0) }
        if zeros == [true, true, true, false] { return (.utf32(isBigEndian: true), 0) }
        if zeros.starts(with: [false, true]) { return (.utf16(isBigEndian: false), 0) }
        if zeros.starts(with: [true, false]) { return (.utf16(isBigEndian: true), 0) }
        return (.utf8, 0)
    }

    /// Returns the code units after the byte order mark. An incomplete last one is omitted.
    func units(of bytes: UnsafeRawBufferPointer, from start: Int) -> Units {
        Units(bytes: bytes, offset: start, unitBytes: unitBytes, isBigEndian: isBigEndian)
    }

    /// Returns the text after the byte order mark as UTF-8. The text must not be UTF-8 already.
    func transcode(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(PlistError) -> [UInt8] {
        var utf8: [UInt8] = []
        utf8.reserveCapacity((bytes.count - start) / unitBytes)
        func failure(_ message: String) -> PlistError {
            PlistError(.encoding, message, at: utf8.withUnsafeBytes { PlistLocation.inText($0, at: $0.count) })
        }
        var units = units(of: bytes, from: start)
        while let unit = units.next() {
            var number = unit
            if unitBytes == 2, unit & 0xFC00 == 0xD800 {
                guard let low = units.next(), low & 0xFC00 == 0xDC00 else { throw failure("unpaired surrogate") }
                number = 0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)
            }
            if number < 0x80 {
                utf8.append(UInt8(truncatingIfNeeded: number))
            } else if let scalar = Unicode.Scalar(number) {
                utf8.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            } else {
                throw failure(number & ~0x7FF == 0xD800 ? "unpaired surrogate" : "not a Unicode character")
            }
        }
        guard units.isComplete else { throw failure("the text ends inside a character") }
        return utf8
    }

    func encode(utf8: [UInt8], after mark: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes = [UInt8](mark)
        if self == .utf8 { return bytes + utf8 }
        bytes.reserveCapacity(mark.count + utf8.count * unitBytes)
        func append(_ unit: UInt32) {
            for place in 0..<unitBytes {
                let shift = 8 * (isBigEndian ? unitBytes - 1 - place : place)
                bytes.append(UInt8(truncatingIfNeeded: unit >> UInt32(shift)))
            }
        }
        for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
            if unitBytes == 4 {
                append(scalar.value)
            } else {
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { append(UInt32(unit)) }
            }
        }
        return bytes
    }

    /// A sequence of the code units of a buffer.
    struct Units {
        fileprivate let bytes: UnsafeRawBufferPointer
        fileprivate var offset: Int
        fileprivate let unitBytes: Int
        fileprivate let isBigEndian: Bool
        var isComplete: Bool { offset == bytes.count }

        mutating func next() -> UInt32? {
            guard bytes.count - offset >= unitBytes else { return nil }
            var unit: UInt32 = 0
            for place in 0..<unitBytes {
                let byte = UInt32(bytes[offset + (isBigEndian ? place : unitBytes - 1 - place)])
                unit = unit << 8 | byte
            }
            offset += unitBytes
            return unit
        }
    }
}
