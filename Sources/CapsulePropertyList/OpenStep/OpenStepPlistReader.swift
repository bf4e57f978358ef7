/// Builds the value of an OpenStep property list, or of a `.strings` file, from its tokens.
struct OpenStepPlistReader: ~Copyable {
    private var scanner: OpenStepPlistScanner
    private var stack: PlistTextStack
    private var strings = PlistStringCache()

    /// Creates a reader of UTF-8 text without a byte order mark. The text must outlive the reader.
    init(_ text: UnsafeRawBufferPointer, limits: PlistLimits, duplicates: PlistDuplicateKeys) {
        scanner = OpenStepPlistScanner(text, limits: limits)
        scanner.repairs = duplicates.repairs
        stack = PlistTextStack(text, limits: limits, duplicates: duplicates)
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
                value = .dictionary(try stack.closeDictionary())
            case .closeArray:
                value = .array(stack.closeArray())
            case .string:
                value = .string(strings.string(try scanner.string()))
            case .data:
                value = .data(try scanner.data())
            case .shorthand:
                value = .string(stack.lastKey)
            case .end:
                throw scanner.failure(.syntax, "the text ends before a value", at: scanner.tokenStart)
            }
            if stack.isEmpty { return value }
            stack.add(value)
        }
    }
}

/// Splits an OpenStep property list into keys, scalars and brackets in the order that the grammar allows, with their positions.
/// The tokens are well formed, except that the content of strings and data is checked only when it is read. A `.strings` file is a
/// dictionary without its braces. (CoreFoundation CFOldStylePList.c)
struct OpenStepPlistScanner: ~Copyable {
    enum Token {
        /// A bracket. A dictionary without braces begins before the entire text and ends after it.
        case openDictionary, openArray, closeDictionary, closeArray
        /// A key. Equals signs, semicolons and commas are checked and skipped.
        case key
        case string, data
        /// The value of a key without a value, which is the key itself. The token has no bytes.
        case shorthand
        case end
    }

    private enum Expected {
        case root, value, element, separator, key, equals, semicolon, end
    }

    private enum Container {
        case dictionary, array
        case strings
    }

    /// UTF-8 without a byte order mark.
    let bytes: UnsafeRawBufferPointer
    var offset = 0
    private(set) var tokenStart = 0
    private let depth: Int
    private var expected = Expected.root
    private var containers: [Container] = []
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

    func byte(at offset: Int) -> UInt8 {
        offset < bytes.count ? bytes[offset] : 0
    }

    mutating func next() throws(PlistError) -> Token {
        while true {
            let behind = offset
            try skipSpace()
            tokenStart = offset
            guard offset < bytes.count else { return try end() }
            let byte = bytes[offset]
            switch expected {
            case .root:
                expected = .value
                if try isStrings() { return try openStrings() }
            case .value:
                return try value(byte)
            case .element:
                return try byte == UInt8(ascii: ")") ? close() : value(byte)
            case .separator:
                guard byte == UInt8(ascii: ",") else {
                    guard byte == UInt8(ascii: ")") else {
                        throw failure(misplaced: "expected , or ) after an element", at: behind)
                    }
                    return try close()
                }
                offset &+= 1
                expected = .element
            case .key where byte == UInt8(ascii: "}") && containers.last == .dictionary:
                return try close()
            case .key:
                guard OpenStepCharacters.isUnquoted(byte) || OpenStepCharacters.isQuote(byte) else { throw keyFailure(byte) }
                try passString()
                expected = .equals
                return .key
            case .equals:
                if byte == UInt8(ascii: ";") {
                    expected = .semicolon
                    return .shorthand
                }
                guard byte == UInt8(ascii: "=") else { throw failure(misplaced: "neither = nor ; after a key", at: behind) }
                offset &+= 1
                expected = .value
            case .semicolon:
                guard byte == UInt8(ascii: ";") else { throw failure(misplaced: "no semicolon after a value", at: behind) }
                offset &+= 1
                expected = .key
            case .end:
                throw failure(misplaced: "more text after the value")
            }
        }
    }

    private mutating func isStrings() throws(PlistError) -> Bool {
        let start = offset
        guard OpenStepCharacters.isUnquoted(bytes[start]) || OpenStepCharacters.isQuote(bytes[start]) else { return false }
        try passString()
        try skipSpace()
        let next = byte(at: offset)
        offset = start
        return next == UInt8(ascii: "=") || next == UInt8(ascii: ";")
    }

    private mutating func openStrings() throws(PlistError) -> Token {
        try open(.strings)
        // The text before the first key belongs to the dictionary.
        offset = 0
        tokenStart = 0
        return .openDictionary
    }

    private mutating func open(_ container: Container) throws(PlistError) {
        guard containers.count < depth else {
            throw PlistTextStack.depthFailure(depth, at: PlistLocation.inText(bytes, at: offset))
        }
        containers.append(container)
        expected = container == .array ? .element : .key
    }

    private mutating func close() throws(PlistError) -> Token {
        let container = containers.removeLast()
        offset &+= 1
        valueEnds()
        return container == .array ? .closeArray : .closeDictionary
    }

    private mutating func valueEnds() {
        expected =
            switch containers.last {
            case .array: .separator
            case .dictionary, .strings: .semicolon
            case nil: .end
            }
    }

    private mutating func end() throws(PlistError) -> Token {
        switch (expected, containers.last) {
        case (.end, _):
            return .end
        case (.root, _):
            // A text with only space and comments is a dictionary without braces and without entries.
            return try openStrings()
        case (.key, .strings):
            containers.removeLast()
            expected = .end
            return .closeDictionary
        case (_, .strings):
            throw failure(.syntax, "the text ends inside an entry", at: offset)
        case (_, .dictionary):
            throw failure(.syntax, "the text ends inside a dictionary", at: offset)
        case (_, .array):
            throw failure(.syntax, "the text ends inside an array", at: offset)
        case (_, nil):
            throw failure(.syntax, "the text ends before a value", at: offset)
        }
    }

    private mutating func value(_ byte: UInt8) throws(PlistError) -> Token {
        let token: Token
        switch byte {
        case UInt8(ascii: "{"):
            try open(.dictionary)
            offset &+= 1
            return .openDictionary
        case UInt8(ascii: "("):
            try open(.array)
            offset &+= 1
            return .openArray
        case UInt8(ascii: "<"):
            try passData()
            token = .data
        case _ where OpenStepCharacters.isUnquoted(byte) || OpenStepCharacters.isQuote(byte):
            try passString()
            token = .string
        default:
            throw valueFailure(byte)
        }
        valueEnds()
        return token
    }
}

extension OpenStepPlistScanner {
    /// Returns the error for a misplaced character. `place` is the end of the preceding token, if the error belongs there.
    private func failure(misplaced message: String, at place: Int? = nil) -> PlistError {
        let byte = byte(at: offset)
        let isOdd = byte >= 0x80 || byte < 0x20 || Self.oddCharacters.contains(Unicode.Scalar(byte))
        var hint = isOdd ? "quote strings with characters other than letters, digits and _ $ / : . -" : nil
        if bytes[offset...].starts(with: [0xE2, 0x80]), (0x98...0x9F).contains(self.byte(at: offset + 2)) {
            hint = "write straight quotation marks (\") instead of typographic ones"
        } else if place == offset, OpenStepCharacters.isQuote(self.byte(at: offset - 1)) {
            hint = "write a quotation mark in a string as \\\""
        }
        return failure(.syntax, message, at: place ?? offset, hint: hint)
    }

    /// Characters that are often found in unquoted strings, but are not allowed there.
    private static let oddCharacters: [Unicode.Scalar] = [
        "@", "+", "*", "!", "?", "&", "%", "#", "~", "^", "[", "]", "|", "\\", "`",
    ]

    private func keyFailure(_ byte: UInt8) -> PlistError {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "<"):
            failure(.syntax, "a key that is not a string", at: offset)
        case UInt8(ascii: "}"):
            failure(.syntax, "a } without a {", at: offset)
        case UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: ","):
            failure(.syntax, "no key before \(Unicode.Scalar(byte))", at: offset)
        default:
            failure(misplaced: "expected a key or the end of the dictionary")
        }
    }

    private func valueFailure(_ byte: UInt8) -> PlistError {
        switch byte {
        case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            failure(.syntax, "no value before \(Unicode.Scalar(byte))", at: offset)
        case UInt8(ascii: "["):
            failure(.syntax, "not a value", at: offset, hint: "write an array as (a, b)")
        default:
            failure(misplaced: "not a value")
        }
    }
}
