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
    var offset = 0
    private(set) var tokenStart = 0
    private var assembled = TextBuffer(capacity: 256)
    private var hasSeenElement = false
    /// True if a declaration named an encoding other than a Unicode one. The entire text is ASCII in that case.
    var declaresOtherEncoding = false
    private(set) var declaredEncoding: Range<Int>?
    var repairs: PlistRepairs?

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

    func failure(_ code: PlistError.Code, _ message: String, at offset: Int, hint: String? = nil) -> PlistError {
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

    mutating func close(_ element: XMLPlistElement) throws(PlistError) {
        let start = offset
        let closed = try closeTag()
        guard closed == element else {
            throw failure(.syntax, "expected </\(element.rawValue)>, found </\(closed.rawValue)>", at: start)
        }
    }

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
                case let byte:
                    if byte < 0x20 { try repairs.accept(characterFailure(at: offset)) }
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

extension XMLPlistScanner {
    /// Skips `<?…?>`. If it is the XML declaration, checks the declared encoding.
    mutating func skipInstruction() throws(PlistError) {
        let start = offset
        let end = try find("?>", from: start + 2, in: "a processing instruction")
        try check(start..<end)
        if hasPrefix("<?xml"), XMLCharacters.isSpace(byte(at: start + 5)) {
            offset = start + 5
            while let attribute = try nextAttribute() {
                guard attribute.value.upperBound <= end else { break }
                if slice(attribute.name).elementsEqual("encoding".utf8) { try checkEncoding(attribute.value) }
            }
        }
        offset = end + 2
    }

    /// Skips a comment or, in the prolog, a document type declaration without an internal subset.
    mutating func skipDeclaration(isProlog: Bool) throws(PlistError) {
        let start = offset
        if hasPrefix("<!--") {
            let end = try find("-->", from: start + 4, in: "a comment")
            try check(start..<end)
            offset = end + 3
        } else if hasPrefix("<!DOCTYPE") {
            guard isProlog else {
                throw failure(.syntax, "a document type declaration after the first element", at: start)
            }
            try skipDocumentType()
            try check(start..<offset)
        } else if hasPrefix("<![CDATA[") {
            throw textFailure()
        } else {
            throw failure(.unsupported, "a declaration that property lists do not support", at: start)
        }
    }

    private mutating func skipDocumentType() throws(PlistError) {
        let start = offset
        offset += 9
        skipSpace()
        guard hasPrefix("plist") else {
            throw failure(.notPropertyList, "not a property list: the document type is not plist", at: start)
        }
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: ">"):
                offset += 1
                return
            case UInt8(ascii: "["), UInt8(ascii: "<"):
                throw failure(
                    .unsupported, "the document type has an internal subset", at: offset,
                    hint: "remove the part between [ and ]; entities can't be declared")
            case let quote where quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"):
                offset += 1
                while offset < bytes.count, bytes[offset] != quote { offset += 1 }
                offset += 1
            default:
                offset += 1
            }
        }
        throw failure(.syntax, "the text ends inside the document type", at: start)
    }

    mutating func nextAttribute() throws(PlistError) -> (name: Range<Int>, value: Range<Int>)? {
        let before = offset
        skipSpace()
        switch byte(at: offset) {
        case UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "?"), 0: return nil
        default: break
        }
        let start = offset
        guard start > before else { throw failure(.syntax, "malformed tag", at: start) }
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "="), !XMLCharacters.endsName(bytes[offset]) { offset += 1 }
        let name = start..<offset
        skipSpace()
        guard !name.isEmpty, byte(at: offset) == UInt8(ascii: "=") else {
            throw failure(.syntax, "an attribute without a value", at: start)
        }
        offset += 1
        skipSpace()
        let quote = byte(at: offset)
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw failure(.syntax, "an attribute value without quotes", at: offset)
        }
        offset += 1
        let valueStart = offset
        while offset < bytes.count, bytes[offset] != quote, bytes[offset] != UInt8(ascii: "<") { offset += 1 }
        guard byte(at: offset) == quote else { throw failure(.syntax, "an unterminated attribute value", at: start) }
        let value = valueStart..<offset
        offset += 1
        try check(start..<offset)
        return (name, value)
    }

    /// Checks a declared encoding. The actual encoding is detected from the bytes, so a declaration can only show that it is not
    /// supported.
    private mutating func checkEncoding(_ range: Range<Int>) throws(PlistError) {
        declaredEncoding = range
        let name = String(decoding: slice(range), as: UTF8.self)
        let unicode = ["UTF-8", "UTF8", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE"]
        guard !unicode.contains(name.uppercased()) else { return }
        declaresOtherEncoding = true
        guard bytes.contains(where: { $0 >= 0x80 }) else { return }
        throw failure(
            .encoding, "the encoding \"\(name.prefix(64))\" is not supported", at: range.lowerBound,
            hint: "convert the file to UTF-8")
    }

    mutating func entity() throws(PlistError) -> Unicode.Scalar {
        let start = offset
        offset += 1
        while offset < bytes.count, offset - start < 32, bytes[offset] != UInt8(ascii: ";") { offset += 1 }
        let name = slice(start + 1..<offset)
        guard byte(at: offset) == UInt8(ascii: ";"), !name.isEmpty else {
            throw failure(.syntax, "an ampersand that does not start an entity", at: start, hint: "write &amp;")
        }
        offset += 1
        if name[0] == UInt8(ascii: "#") { return try character(name, at: start) }
        switch String(decoding: name, as: UTF8.self) {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case let other:
            throw failure(
                .unsupported, "unknown entity &\(other);", at: start,
                hint: "use amp, lt, gt, quot, apos or a character number")
        }
    }

    private func character(_ name: UnsafeRawBufferPointer, at start: Int) throws(PlistError) -> Unicode.Scalar {
        let isHexadecimal = name.count > 1 && name[1] == UInt8(ascii: "x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        var number: UInt32 = 0
        for digit in digits {
            guard let value = XMLPlistScalars.digit(digit, isHexadecimal: isHexadecimal) else {
                throw failure(.syntax, "a character number with a character that is not a digit", at: start)
            }
            // A number outside of Unicode stays outside, and can't overflow.
            number = min(number, 0x11_0000) * (isHexadecimal ? 16 : 10) + UInt32(value)
        }
        return try repairs.scalar(
            digits.isEmpty ? .max : number, isAllowed: XMLCharacters.isAllowed(number),
            failure(.syntax, "the number of a character that XML does not allow", at: start))
    }

    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    func hasPrefix(_ text: StaticString) -> Bool {
        guard bytes.count - offset >= text.utf8CodeUnitCount else { return false }
        for place in 0..<text.utf8CodeUnitCount where bytes[offset + place] != text.utf8Start[place] { return false }
        return true
    }

    func find(_ terminator: StaticString, from start: Int, in what: String) throws(PlistError) -> Int {
        let first = terminator.utf8Start[0]
        let length = terminator.utf8CodeUnitCount
        var place = start
        while place + length <= bytes.count {
            if bytes[place] == first {
                var matched = 1
                while matched < length, bytes[place + matched] == terminator.utf8Start[matched] { matched += 1 }
                if matched == length { return place }
            }
            place += 1
        }
        throw failure(.syntax, "the text ends inside \(what)", at: offset)
    }

    func check(_ range: Range<Int>) throws(PlistError) {
        var start = range.lowerBound
        while let place = XMLCharacters.firstForbidden(in: bytes, start..<range.upperBound) {
            try repairs.accept(characterFailure(at: place))
            start = place + (bytes[place] < 0x20 ? 1 : 3)
        }
    }

    func characterFailure(at place: Int) -> PlistError {
        let byte = bytes[place]
        if byte < 0x20 {
            let hexadecimal = String(byte, radix: 16, uppercase: true)
            let number = String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
            return failure(.syntax, "the control character U+\(number), which XML does not allow", at: place)
        }
        if byte == 0xEF, self.byte(at: place + 1) == 0xBF, self.byte(at: place + 2) >= 0xBE {
            return failure(.syntax, "U+FFFE or U+FFFF, which XML does not allow", at: place)
        }
        return failure(.encoding, "not valid UTF-8", at: place)
    }

    func textFailure() -> PlistError {
        failure(.syntax, "text outside <string>, <key> and other text elements", at: offset)
    }

    func nameFailure(_ range: Range<Int>, at start: Int) -> PlistError {
        let bytes = slice(range.lowerBound..<min(range.upperBound, range.lowerBound + 64))
        let isName = bytes.allSatisfy { $0 >= 0x80 || $0 > 0x20 && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }
        guard isName, !bytes.isEmpty else {
            return failure(.syntax, "malformed tag", at: start)
        }
        let name = String(decoding: bytes, as: UTF8.self)
        return failure(
            .unknownElement, "unknown element <\(name)>", at: start,
            hint: XMLPlistElement.hint(forUnknown: name))
    }
}
