/// Cuts JSON into keys, scalars and brackets in the order that the grammar allows, and knows the place of everything.
///
/// What comes out is well formed but for the insides of strings, which are checked when they are asked for.
/// (RFC 8259)
struct JSONPlistScanner: ~Copyable {
    enum Token {
        case openDictionary, openArray, closeDictionary, closeArray
        /// Colons and commas are checked and passed.
        case key
        case string, integer, real
        case `true`, `false`, null
        case end
    }

    private enum Expected {
        case value, firstElement, firstKey, key, colon, separator, end
    }

    /// UTF-8 without a byte order mark.
    let bytes: UnsafeRawBufferPointer
    /// Behind the last token.
    var offset = 0
    /// Where the last token began.
    private(set) var tokenStart = 0
    private let depth: Int
    private var expected = Expected.value
    /// True for each open dictionary, false for each open array.
    private var containers: [Bool] = []
    var hasEscapes = false
    /// The last string, if it is not one plain run of the text.
    var assembled = TextBuffer(capacity: 256)

    init(_ bytes: UnsafeRawBufferPointer, limits: PlistLimits) {
        self.bytes = bytes
        depth = limits.depth
    }

    /// The bytes of the last token.
    var token: Range<Int> { tokenStart..<offset }

    func failure(_ code: PlistError.Code, _ message: String, at offset: Int, hint: String? = nil) -> PlistError {
        PlistError(code, message, at: PlistLocation.inText(bytes, at: offset), hint: hint)
    }

    /// The next token; `end` once the document has ended.
    mutating func next() throws(PlistError) -> Token {
        while true {
            while offset < bytes.count, XMLCharacters.isSpace(bytes[offset]) { offset &+= 1 }
            tokenStart = offset
            guard offset < bytes.count else { return try end() }
            let byte = bytes[offset]
            switch expected {
            case .separator:
                guard byte == UInt8(ascii: ",") else { return try close(byte) }
                offset &+= 1
                expected = containers.last == true ? .key : .value
            case .colon:
                guard byte == UInt8(ascii: ":") else { throw failure(.syntax, "no colon after a key", at: offset) }
                offset &+= 1
                expected = .value
            case .firstElement where byte == UInt8(ascii: "]"), .firstKey where byte == UInt8(ascii: "}"):
                return try close(byte)
            case .firstKey, .key:
                guard byte == UInt8(ascii: "\"") else { throw keyFailure(byte) }
                try passString()
                expected = .colon
                return .key
            case .firstElement, .value:
                return try value(byte)
            case .end:
                throw failure(.syntax, "more text after the value", at: offset)
            }
        }
    }

    // MARK: Brackets

    private mutating func open(isDictionary: Bool) throws(PlistError) {
        guard containers.count < depth else {
            throw PlistTextStack.depthFailure(depth, at: PlistLocation.inText(bytes, at: offset))
        }
        containers.append(isDictionary)
        expected = isDictionary ? .firstKey : .firstElement
        offset &+= 1
    }

    private mutating func close(_ byte: UInt8) throws(PlistError) -> Token {
        let isDictionary = containers.last == true
        guard byte == (isDictionary ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
            throw failure(.syntax, isDictionary ? "expected , or } after a value" : "expected , or ] after a value", at: offset)
        }
        containers.removeLast()
        offset &+= 1
        valueEnds()
        return isDictionary ? .closeDictionary : .closeArray
    }

    private mutating func valueEnds() {
        expected = containers.isEmpty ? .end : .separator
    }

    private func end() throws(PlistError) -> Token {
        guard let isDictionary = containers.last else {
            guard case .end = expected else { throw failure(.syntax, "the text ends before a value", at: offset) }
            return .end
        }
        throw failure(.syntax, "the text ends inside \(isDictionary ? "an object" : "an array")", at: offset)
    }

    // MARK: Values

    private mutating func value(_ byte: UInt8) throws(PlistError) -> Token {
        let token: Token
        switch byte {
        case UInt8(ascii: "{"):
            try open(isDictionary: true)
            return .openDictionary
        case UInt8(ascii: "["):
            try open(isDictionary: false)
            return .openArray
        case UInt8(ascii: "\""):
            try passString()
            token = .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            token = try number()
        case UInt8(ascii: "t") where passes("true"): token = .true
        case UInt8(ascii: "f") where passes("false"): token = .false
        case UInt8(ascii: "n") where passes("null"): token = .null
        default: throw valueFailure(byte)
        }
        valueEnds()
        return token
    }

    /// Passes a word if it comes next and does not go on.
    private mutating func passes(_ word: StaticString) -> Bool {
        let end = offset + word.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        for place in 0..<word.utf8CodeUnitCount where bytes[offset + place] != word.utf8Start[place] { return false }
        if end < bytes.count, Self.isWord(bytes[end]) { return false }
        offset = end
        return true
    }

    private mutating func number() throws(PlistError) -> Token {
        let bytes = bytes
        var place = offset
        func byte() -> UInt8 { place < bytes.count ? bytes[place] : 0 }
        func passDigits() -> Bool {
            let start = place
            while place < bytes.count, XMLPlistScalars.digit(bytes[place], isHexadecimal: false) != nil { place &+= 1 }
            return place > start
        }
        if byte() == UInt8(ascii: "-") { place += 1 }
        let hasLeadingZero = byte() == UInt8(ascii: "0")
        let wholeStart = place
        var isWell = passDigits() && !(hasLeadingZero && place > wholeStart + 1)
        var token = Token.integer
        if byte() == UInt8(ascii: ".") {
            token = .real
            place += 1
            isWell = passDigits() && isWell
        }
        if byte() | 0x20 == UInt8(ascii: "e") {
            token = .real
            place += 1
            if byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-") { place += 1 }
            isWell = passDigits() && isWell
        }
        guard isWell, !Self.isWord(byte()) else {
            throw failure(
                .invalidScalar, "not a valid JSON number", at: offset,
                hint: "write a decimal number without leading zeros, with digits on both sides of the point")
        }
        offset = place
        return token
    }
}
