/// Cuts the text of an XML property list into tags and character data, and knows the place of everything.
///
/// It checks what is lexical: characters, entities, comments, declarations. How elements nest is the reader's affair.
/// (XML 1.0; without document type definitions)
struct XMLPlistScanner: ~Copyable {
    enum Token {
        case open(XMLPlistElement, isEmpty: Bool)
        case close(XMLPlistElement)
        case end
    }

    /// UTF-8 without a byte order mark.
    let bytes: UnsafeRawBufferPointer
    /// The next byte to look at.
    var offset = 0
    /// Where the last token began.
    private(set) var tokenStart = 0
    /// Character data that is not one plain run of the document.
    private var assembled = TextBuffer(capacity: 256)
    private var hasSeenElement = false
    /// True once a declaration has named an encoding other than Unicode's: all of the text is ASCII then.
    var declaresOtherEncoding = false

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The byte at the offset; 0, which no XML text holds, beyond the end.
    func byte(at offset: Int) -> UInt8 {
        offset < bytes.count ? bytes[offset] : 0
    }

    func location(at offset: Int) -> PlistLocation {
        PlistLocation.inText(bytes, at: offset)
    }

    func failure(
        _ code: PlistError.Code, _ message: String, at offset: Int, hint: String? = nil
    ) -> PlistError {
        PlistError(code, message, at: location(at: offset), hint: hint)
    }

    /// The next tag; space, comments and processing instructions before it are skipped, other text is an error.
    mutating func next() throws(PlistError) -> Token {
        while true {
            skipSpace()
            tokenStart = offset
            guard offset < bytes.count else { return .end }
            guard bytes[offset] == UInt8(ascii: "<") else { throw textFailure() }
            switch byte(at: offset + 1) {
            case UInt8(ascii: "/"):
                return .close(try closeTag())
            case UInt8(ascii: "?"):
                try skipInstruction()
            case UInt8(ascii: "!"):
                try skipDeclaration(isProlog: !hasSeenElement)
            default:
                hasSeenElement = true
                return try openTag()
            }
        }
    }

    /// The character data of the element just opened, up to and past its closing tag: entities resolved, line ends
    /// LF, comments gone, valid UTF-8 without characters that XML forbids. It is valid until the next call.
    mutating func text(of element: XMLPlistElement) throws(PlistError) -> UnsafeRawBufferPointer {
        var start = offset
        var isPlain = true
        assembled.removeAll()
        while true {
            try skipCharacters()
            guard offset < bytes.count else {
                throw failure(.syntax, "the text ends inside <\(element.rawValue)>", at: offset)
            }
            if bytes[offset] == UInt8(ascii: "<"), byte(at: offset + 1) == UInt8(ascii: "/") {
                let end = offset
                try close(element)
                let run = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                if isPlain { return run }
                assembled.append(run)
                return assembled.bytes
            }
            isPlain = false
            assembled.append(UnsafeRawBufferPointer(rebasing: bytes[start..<offset]))
            try appendMarkup(in: element)
            start = offset
        }
    }

    mutating func skipSpace() {
        while offset < bytes.count, XMLCharacters.isSpace(bytes[offset]) { offset &+= 1 }
    }

    // MARK: Tags

    private mutating func openTag() throws(PlistError) -> Token {
        let element = try elementName(after: 1)
        if byte(at: offset) == UInt8(ascii: ">") {
            offset += 1
            return .open(element, isEmpty: false)
        }
        while try nextAttribute() != nil {}
        let isEmpty = byte(at: offset) == UInt8(ascii: "/")
        if isEmpty { offset += 1 }
        guard byte(at: offset) == UInt8(ascii: ">") else {
            throw failure(.syntax, "malformed <\(element.rawValue)> tag", at: offset)
        }
        offset += 1
        return .open(element, isEmpty: isEmpty)
    }

    private mutating func closeTag() throws(PlistError) -> XMLPlistElement {
        let element = try elementName(after: 2)
        skipSpace()
        guard byte(at: offset) == UInt8(ascii: ">") else {
            throw failure(.syntax, "malformed </\(element.rawValue)> tag", at: offset)
        }
        offset += 1
        return element
    }

    /// Passes the closing tag of an element.
    mutating func close(_ element: XMLPlistElement) throws(PlistError) {
        let start = offset
        let closed = try closeTag()
        guard closed == element else {
            throw failure(.syntax, "expected </\(element.rawValue)>, found </\(closed.rawValue)>", at: start)
        }
    }

    /// Passes `<` or `</` and the name behind it.
    private mutating func elementName(after prefix: Int) throws(PlistError) -> XMLPlistElement {
        let start = offset
        offset += prefix
        var name = XMLPlistElement.Name()
        while offset < bytes.count, !XMLCharacters.endsName(bytes[offset]) {
            name.append(bytes[offset])
            offset &+= 1
        }
        guard offset < bytes.count else { throw failure(.syntax, "the text ends inside a tag", at: offset) }
        guard let element = name.element else { throw nameFailure(start + prefix..<offset, at: start) }
        return element
    }

    // MARK: Character data

    /// Moves to the next `<`, `&` or CR, or to the end.
    private mutating func skipCharacters() throws(PlistError) {
        let start = offset
        var nonASCII: UInt64 = 0
        scan: while true {
            while offset &+ 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let markup = XMLCharacters.markup(in: word)
                nonASCII |= word
                guard markup == 0 else {
                    offset &+= markup.trailingZeroBitCount >> 3
                    break
                }
                offset &+= 8
            }
            while offset < bytes.count {
                switch bytes[offset] {
                case UInt8(ascii: "<"), UInt8(ascii: "&"), 0x0D: break scan
                case 0x09, 0x0A:
                    offset &+= 1
                    continue scan
                case 0..<0x20: throw characterFailure(at: offset)
                case let byte:
                    nonASCII |= UInt64(byte)
                    offset &+= 1
                }
            }
            break
        }
        if nonASCII & XMLCharacters.highBits != 0 { try check(start..<offset) }
    }

    /// Puts what `skipCharacters` stopped at into the assembled text: a line end, an entity, a CDATA section; skips a
    /// comment or an instruction.
    private mutating func appendMarkup(in element: XMLPlistElement) throws(PlistError) {
        switch bytes[offset] {
        case 0x0D:
            // CR LF and CR are LF. (XML 1.0, 2.11)
            assembled.append(0x0A)
            offset += byte(at: offset + 1) == 0x0A ? 2 : 1
        case UInt8(ascii: "&"):
            assembled.append(try entity())
        default:
            if hasPrefix("<![CDATA[") {
                try appendSection()
            } else if hasPrefix("<!--") {
                try skipDeclaration(isProlog: false)
            } else if hasPrefix("<?") {
                try skipInstruction()
            } else {
                throw failure(.syntax, "<\(element.rawValue)> may contain only text", at: offset)
            }
        }
    }

    private mutating func appendSection() throws(PlistError) {
        let start = offset + 9
        let end = try find("]]>", from: start, in: "a CDATA section")
        try check(start..<end)
        var place = start
        while place < end {
            let isReturn = bytes[place] == 0x0D
            assembled.append(isReturn ? 0x0A : bytes[place])
            place += isReturn && place + 1 < end && bytes[place + 1] == 0x0A ? 2 : 1
        }
        offset = end + 3
    }
}
