/// Builds the value of a JSON text from its tokens.
struct JSONPlistReader: ~Copyable {
    private var scanner: JSONPlistScanner
    private var stack: PlistTextStack
    private var strings = PlistStringCache()
    private let isTyped: Bool

    /// Creates a reader of UTF-8 text without a byte order mark. The text must outlive the reader.
    init(_ text: UnsafeRawBufferPointer, options: JSONPlistOptions, limits: PlistLimits, duplicates: PlistDuplicateKeys) {
        scanner = JSONPlistScanner(text, limits: limits)
        scanner.repairs = duplicates.repairs
        stack = PlistTextStack(text, limits: limits, duplicates: duplicates)
        isTyped = options.contains(.typed)
    }

    consuming func read() throws(PlistError) -> (value: PlistValue, warnings: [PlistError]) {
        let value: PlistValue
        do throws(PlistError) {
            value = try root()
            // Nothing may follow.
            _ = try scanner.next()
        } catch {
            throw error.pointing(to: stack.steps)
        }
        return (value, stack.warnings)
    }

    private mutating func root() throws(PlistError) -> PlistValue {
        while true {
            let value: PlistValue
            switch try scanner.next() {
            case .openDictionary:
                stack.open(isDictionary: true, at: scanner.tokenStart)
                continue
            case .openArray:
                stack.open(isDictionary: false, at: scanner.tokenStart)
                continue
            case .key:
                stack.add(key: strings.string(try scanner.string()), at: scanner.tokenStart)
                continue
            case .closeDictionary:
                value = try closeDictionary()
            case .closeArray:
                value = .array(stack.closeArray())
            case .string:
                value = .string(strings.string(try scanner.string()))
            case .integer:
                if let real = scanner.repairs.real(forInteger: token, at: .inText(scanner.bytes, at: scanner.tokenStart)) {
                    value = real
                } else {
                    value = .integer(try number(XMLPlistScalars.integer(token), "integer"))
                }
            case .real:
                value = .real(try number(XMLPlistScalars.real(token), "real"))
            case .true:
                value = .boolean(true)
            case .false:
                value = .boolean(false)
            case .null:
                value = .null
            case .end:
                throw scanner.failure(.syntax, "the text ends before a value", at: scanner.tokenStart)
            }
            if stack.isEmpty { return value }
            stack.add(value)
        }
    }

    private mutating func closeDictionary() throws(PlistError) -> PlistValue {
        let start = stack.start
        let dictionary = try stack.closeDictionary()
        guard isTyped else { return .dictionary(dictionary) }
        switch JSONTypedValue.value(of: dictionary) {
        case .plain: return .dictionary(dictionary)
        case .typed(let value): return value
        case .wrong(let code, let message): throw scanner.failure(code, message, at: start)
        }
    }

    private var token: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: scanner.bytes[scanner.token]) }

    private func number<Value>(_ number: XMLPlistScalars.Number<Value>, _ type: String) throws(PlistError) -> Value {
        switch number {
        case .value(let value): return value
        case .outOfRange: throw scanner.failure(.outOfRange, "the \(type) is out of range", at: scanner.tokenStart)
        case .misspelled: throw scanner.failure(.invalidScalar, "not a valid \(type)", at: scanner.tokenStart)
        }
    }
}

/// Splits JSON into keys, scalars and brackets in the order that the grammar allows, with their positions.
/// The tokens are well formed, except that the escapes in strings are checked only when the strings are read. (RFC 8259)
struct JSONPlistScanner: ~Copyable {
    enum Token {
        case openDictionary, openArray, closeDictionary, closeArray
        /// A key. Colons and commas are checked and skipped.
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
    var offset = 0
    private(set) var tokenStart = 0
    private let depth: Int
    private var expected = Expected.value
    private var containers: [Bool] = []
    var hasEscapes = false
    var repairs: PlistRepairs?
    /// The last string, if it is not one contiguous range of the text.
    var assembled = TextBuffer(capacity: 256)

    init(_ bytes: UnsafeRawBufferPointer, limits: PlistLimits) {
        self.bytes = bytes
        depth = limits.depth
    }

    var token: Range<Int> { tokenStart..<offset }

    func failure(_ code: PlistError.Code, _ message: String, at offset: Int, hint: String? = nil) -> PlistError {
        PlistError(code, message, at: PlistLocation.inText(bytes, at: offset), hint: hint)
    }

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

extension JSONPlistScanner {
    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"), 0x80...:
            true
        default: false
        }
    }

    private func keyFailure(_ byte: UInt8) -> PlistError {
        switch byte {
        case UInt8(ascii: "}"):
            failure(.syntax, "a comma before }", at: offset)
        case UInt8(ascii: "/"), UInt8(ascii: "#"):
            commentFailure()
        default:
            failure(.syntax, "a key without double quotes", at: offset)
        }
    }

    private func valueFailure(_ byte: UInt8) -> PlistError {
        switch byte {
        case UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ","):
            failure(.syntax, "no value before \(Unicode.Scalar(byte))", at: offset)
        case UInt8(ascii: "'"):
            failure(.syntax, "a string without double quotes", at: offset)
        case UInt8(ascii: "/"), UInt8(ascii: "#"):
            commentFailure()
        case UInt8(ascii: "."), UInt8(ascii: "+"):
            failure(
                .invalidScalar, "not a valid JSON number", at: offset,
                hint: "write no plus sign, and digits on both sides of the decimal point")
        default:
            wordFailure()
        }
    }

    func controlFailure() -> PlistError {
        let number = String(bytes[offset], radix: 16, uppercase: true)
        return failure(
            .syntax, "the control character U+\(String(repeating: "0", count: 4 - number.count))\(number) in a string",
            at: offset, hint: "write a newline as \\n and a tab as \\t")
    }

    private func commentFailure() -> PlistError {
        failure(.syntax, "JSON has no comments", at: offset)
    }

    private func wordFailure() -> PlistError {
        var end = offset
        while end < min(bytes.count, offset + 32), Self.isWord(bytes[end]), bytes[end] < 0x80 { end += 1 }
        let word = String(decoding: bytes[offset..<end], as: UTF8.self)
        let hint: String? =
            switch word.lowercased() {
            case "true", "yes": "write true"
            case "false", "no": "write false"
            case "null", "nil", "none", "undefined": "write null"
            case "nan", "infinity", "-infinity": "JSON has no such number"
            default: nil
            }
        return failure(.syntax, word.isEmpty ? "not a value" : "\(word) is not a value", at: offset, hint: hint)
    }
}
