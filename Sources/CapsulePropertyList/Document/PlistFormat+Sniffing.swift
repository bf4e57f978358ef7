extension PlistFormat {
    /// The encoding of a document, judged by how it begins and never by a file's name; nil if that is no property list.
    /// The document may still turn out to be malformed.
    ///
    /// `{` opens JSON if its first key is followed by a colon, else OpenStep; `{}` alone is taken for JSON, and for
    /// OpenStep if there are comments. `[` opens JSON if an element of JSON follows. `(`, data in `<>`, and a key with `=`, a value and a semicolon are OpenStep.
    /// Comments in front, of OpenStep's kinds, are passed over. A string, number or word alone might be any text and is
    /// not recognised.
    public static func sniff(_ bytes: [UInt8]) -> PlistFormat? {
        bytes.withUnsafeBytes { sniff($0) }
    }

    /// The encoding of a document, judged by how it begins.
    public static func sniff(_ bytes: UnsafeRawBufferPointer) -> PlistFormat? {
        switch PlistFormatSniffer.look(at: bytes) {
        case .format(let format): format
        case .jsonOrOpenStep: .json
        case .unknown: nil
        }
    }
}

/// Tells property lists from other files, and one encoding from another, by how a document begins.
///
/// It looks no further than to where that is clear, and at ASCII only: to a string's end, to the colon or the
/// semicolon behind it.
struct PlistFormatSniffer {
    enum Finding: Equatable {
        case format(PlistFormat)
        /// `{}` alone is JSON and OpenStep.
        case jsonOrOpenStep
        case unknown
    }

    private var units: PlistTextEncoding.Units
    /// The next character, with `beyondASCII` for all that are not ASCII; nil at the end.
    private var current: UInt8?
    private static let beyondASCII: UInt8 = 0x80
    /// Whether a comment was passed, which JSON has none of.
    private var hasComment = false

    private init(_ bytes: UnsafeRawBufferPointer) {
        let (encoding, markBytes) = PlistTextEncoding.detect(bytes)
        units = encoding.units(of: bytes, from: markBytes)
        advance()
    }

    static func look(at bytes: UnsafeRawBufferPointer) -> Finding {
        if bytes.starts(with: "bplist".utf8) { return .format(.binary) }
        var sniffer = PlistFormatSniffer(bytes)
        return sniffer.finding()
    }

    private mutating func finding() -> Finding {
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

    // MARK: XML and data

    /// After `<`: true for a declaration, a comment or an element of property lists. OpenStep's data begins with `<`
    /// too, but no element's name is made of hexadecimal digits alone.
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

    /// After `<`: true if there are pairs of hexadecimal digits up to `>` and nothing follows, or a typed value of
    /// GNUstep, about which the reader has more to say.
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

    // MARK: Dictionaries

    private mutating func dictionary() -> Finding {
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
        // A colon may belong to a string without quotation marks.
        default: return .format(last == UInt8(ascii: "\"") || last == UInt8(ascii: ":") ? .json : .openStep)
        }
    }

    /// True for a key, an equals sign, a value and a semicolon.
    private mutating func startsStrings() -> Bool {
        guard passString() != nil else { return false }
        skipSpace()
        return current == UInt8(ascii: "=") && hasOpenStepScalar(inArray: false)
    }

    /// After the first bracket or equals sign: true if the first scalar is followed by what has to follow it, or the
    /// first container is empty.
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

    // MARK: JSON arrays

    /// At `[`: true if the first element is JSON's, and is followed by what has to follow it.
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
            // A number or a literal; misspelled ones are left to the reader.
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

    /// Passes letters, digits, points and signs, and hands back the first few of them.
    private mutating func passWord() -> String {
        var word: [UInt8] = []
        while let byte = current, byte < Self.beyondASCII, JSONPlistScanner.isWord(byte) {
            if word.count < 8 { word.append(byte) }
            advance()
        }
        return String(decoding: word, as: UTF8.self)
    }

    // MARK: Characters

    private mutating func advance() {
        current = units.next().map { $0 < 0x80 ? UInt8(truncatingIfNeeded: $0) : Self.beyondASCII }
    }

    /// Passes a string, quoted or not, and hands back its last character; nil if there is none.
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

    /// Passes space and comments.
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

    /// At the star that begins a comment's text.
    private mutating func skipComment() {
        advance()
        var last: UInt8 = 0
        while let byte = current {
            advance()
            if last == UInt8(ascii: "*"), byte == UInt8(ascii: "/") { return }
            last = byte
        }
    }

    /// At a document's last character: true if nothing follows but space and comments.
    private mutating func endsHere() -> Bool {
        advance()
        skipSpace()
        return current == nil
    }
}
