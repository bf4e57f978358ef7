/// Splits the text of an XML property list into tags and character data, with their positions.
///
/// The scanner checks characters, entities, comments and declarations. The reader checks how elements are nested. (XML 1.0; without
/// document type definitions)
struct XMLPlistScanner: ~Copyable {
    enum Token {
        case open(XMLPlistElement, isEmpty: Bool)
        case close(XMLPlistElement)
        case end
    }

    /// UTF-8 without a byte order mark.
    let bytes: UnsafeRawBufferPointer
    /// The offset of the next byte to read.
    var offset = 0
    /// The offset of the last token.
    private(set) var tokenStart = 0
    /// Character data that is not one contiguous range of the document.
    private var assembled = TextBuffer(capacity: 256)
    private var hasSeenElement = false
    /// True if a declaration named an encoding other than a Unicode one. The entire text is ASCII in that case.
    var declaresOtherEncoding = false

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Returns the byte at an offset, or 0, which XML text can't contain, past the end.
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

    /// Returns the next tag. Space, comments and processing instructions before it are skipped. Other text is an error.
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

    /// Returns the character data of the element just opened and skips its closing tag. Entities are resolved, line ends are LF,
    /// comments are removed, and the result is valid UTF-8 without forbidden characters. It is valid until the next call.
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

    /// Skips the closing tag of an element.
    mutating func close(_ element: XMLPlistElement) throws(PlistError) {
        let start = offset
        let closed = try closeTag()
        guard closed == element else {
            throw failure(.syntax, "expected </\(element.rawValue)>, found </\(closed.rawValue)>", at: start)
        }
    }

    /// Skips `<` or `</` and the name after it. Returns the element.
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

    /// Advances to the next `<`, `&` or CR, or to the end.
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

    /// Appends the markup at which `skipCharacters` stopped to the assembled text: a line end, an entity or a CDATA section. Skips
    /// a comment or a processing instruction.
    private mutating func appendMarkup(in element: XMLPlistElement) throws(PlistError) {
        switch bytes[offset] {
        case 0x0D:
            // CR LF and CR become LF. (XML 1.0, 2.11)
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

/// The elements of an XML property list.
enum XMLPlistElement: String {
    case plist, dict, array, key, string, integer, real, date, data
    case `true`, `false`

    /// An element's name while it is being read, packed so that it can be compared in one step.
    struct Name {
        private var packed: UInt64 = 0

        var isEmpty: Bool { packed == 0 }

        mutating func append(_ byte: UInt8) {
            // The longest known name has seven letters. A longer one fills the top byte, which must stay filled. A leading NUL
            // would have no effect.
            packed = packed >> 56 == 0 && byte != 0 ? packed << 8 | UInt64(byte) : .max
        }

        /// The element with that name; nil if there is none.
        var element: XMLPlistElement? {
            switch packed {
            case 0x6B65_79: .key
            case 0x7374_7269_6E67: .string
            case 0x696E_7465_6765_72: .integer
            case 0x6469_6374: .dict
            case 0x6172_7261_79: .array
            case 0x7472_7565: .true
            case 0x6661_6C73_65: .false
            case 0x7265_616C: .real
            case 0x6461_7465: .date
            case 0x6461_7461: .data
            case 0x706C_6973_74: .plist
            default: nil
            }
        }
    }

    /// Returns a hint for an unknown element, or nil if there is none.
    static func hint(forUnknown name: String) -> String? {
        switch name.lowercased() {
        case "bool", "boolean": "write a boolean as <true/> or <false/>"
        case "yes": "write <true/>"
        case "no": "write <false/>"
        case "int", "number", "long", "uint": "write a whole number as <integer>"
        case "float", "double": "write a number with a fraction as <real>"
        case "dictionary", "map", "object": "write a dictionary as <dict>"
        case "list", "set": "write a list as <array>"
        case "str", "text": "write text as <string>"
        case "null", "nil", "none": "property lists have no null; leave the key out"
        case "uid": "write a UID as <dict><key>CF$UID</key><integer>n</integer></dict>"
        case let lowercased: XMLPlistElement(rawValue: lowercased).map { "write <\($0.rawValue)>, in lowercase" }
        }
    }
}
