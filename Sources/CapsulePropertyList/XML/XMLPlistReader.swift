/// Builds the value of an XML property list from its tags.
struct XMLPlistReader: ~Copyable {
    private var scanner: XMLPlistScanner
    private var stack: PlistTextStack
    private var strings = PlistStringCache()

    /// Creates a reader of UTF-8 text without a byte order mark. The text must outlive the reader.
    init(_ text: UnsafeRawBufferPointer, limits: PlistLimits, duplicates: PlistDuplicateKeys) {
        scanner = XMLPlistScanner(text)
        scanner.repairs = duplicates.repairs
        stack = PlistTextStack(text, limits: limits, duplicates: duplicates)
    }

    consuming func read() throws(PlistError) -> (value: PlistValue, warnings: [PlistError]) {
        let value: PlistValue
        do throws(PlistError) {
            value = try document()
        } catch {
            throw error.pointing(to: stack.steps)
        }
        return (value, stack.warnings)
    }

    /// Reads the value inside `<plist>`, or a value without `<plist>`, which Apple's reader also accepts.
    private mutating func document() throws(PlistError) -> PlistValue {
        guard case .open(.plist, let isEmpty) = try firstToken() else {
            // Reading the tag again is cheap.
            scanner.offset = scanner.tokenStart
            let value = try root()
            try expectEnd()
            return value
        }
        guard !isEmpty else { throw failure(.syntax, "<plist> contains no value") }
        let value = try root()
        switch try scanner.next() {
        case .close(.plist): break
        case .close(let element): throw failure(.syntax, "expected </plist>, found </\(element.rawValue)>")
        case .open: throw failure(.syntax, "a second value in <plist>")
        case .end: throw failure(.syntax, "the text ends inside <plist>")
        }
        try expectEnd()
        return value
    }

    /// Returns the first tag. XML whose first element is unknown is not a property list at all.
    private mutating func firstToken() throws(PlistError) -> XMLPlistScanner.Token {
        do throws(PlistError) {
            return try scanner.next()
        } catch {
            guard error.code == .unknownElement else { throw error }
            throw PlistError(.notPropertyList, "not a property list: \(error.message)", at: error.location, hint: error.hint)
        }
    }

    private mutating func expectEnd() throws(PlistError) {
        guard case .end = try scanner.next() else { throw failure(.syntax, "an element after the end of the property list") }
    }

    private mutating func root() throws(PlistError) -> PlistValue {
        while true {
            let value: PlistValue
            switch try scanner.next() {
            case .open(.key, let isEmpty):
                try readKey(isEmpty: isEmpty)
                continue
            case .open(let element, let isEmpty):
                try expectValue(element)
                if element == .dict || element == .array {
                    try stack.checkDepth(at: scanner.tokenStart)
                    if !isEmpty {
                        stack.open(isDictionary: element == .dict, at: scanner.tokenStart)
                        continue
                    }
                }
                value = try scalar(element, isEmpty: isEmpty)
            case .close(let element):
                value = try close(element)
            case .end:
                throw failure(.syntax, stack.isEmpty ? "the text ends before a value" : "the text ends inside <\(openElement)>")
            }
            if stack.isEmpty { return value }
            stack.add(value)
        }
    }

    private mutating func close(_ element: XMLPlistElement) throws(PlistError) -> PlistValue {
        guard let isDictionary = stack.isInDictionary else {
            throw failure(.syntax, "expected a value, found </\(element.rawValue)>")
        }
        guard element == (isDictionary ? .dict : .array) else {
            throw failure(.syntax, "expected </\(openElement)>, found </\(element.rawValue)>")
        }
        guard !stack.awaitsValue else {
            throw failure(.syntax, "the key \(stack.lastKey.quoted) has no value")
        }
        guard isDictionary else { return .array(stack.closeArray()) }
        let dictionary = try stack.closeDictionary()
        if dictionary.count == 1, let (key, value) = dictionary.first, key == XMLPlistWriter.uidKey,
            let uid = value.integer?.uint64
        {
            return .uid(uid)
        }
        return .dictionary(dictionary)
    }

    private mutating func readKey(isEmpty: Bool) throws(PlistError) {
        let start = scanner.tokenStart
        guard stack.isInDictionary == true else {
            throw failure(.syntax, "<key> outside a dictionary")
        }
        guard !stack.awaitsValue else {
            throw failure(.syntax, "the key \(stack.lastKey.quoted) has no value")
        }
        stack.add(key: isEmpty ? "" : try string(.key), at: start)
    }

    private func expectValue(_ element: XMLPlistElement) throws(PlistError) {
        if stack.isInDictionary == true, !stack.awaitsValue {
            throw failure(.syntax, "<\(element.rawValue)> without a key before it")
        }
    }

    private mutating func scalar(_ element: XMLPlistElement, isEmpty: Bool) throws(PlistError) -> PlistValue {
        let start = scanner.tokenStart
        switch element {
        case .string:
            return .string(isEmpty ? "" : try string(.string))
        case .dict:
            return .dictionary(PlistDictionary())
        case .array:
            return .array([])
        case .true, .false:
            guard try text(element, isEmpty).isEmpty else {
                throw scanner.failure(.syntax, "<\(element.rawValue)> with text in it", at: start)
            }
            return .boolean(element == .true)
        case .integer:
            let text = try text(element, isEmpty)
            if let real = scanner.repairs.real(forInteger: text, at: scanner.location(at: start)) { return real }
            return .integer(try number(XMLPlistScalars.integer(text), "integer", from: start))
        case .real:
            return .real(try number(XMLPlistScalars.real(try text(element, isEmpty)), "real", from: start))
        case .date:
            guard let seconds = XMLPlistScalars.date(try text(element, isEmpty)) else {
                throw scanner.failure(.invalidScalar, "not a date", at: start, hint: "write a date as 2001-12-31T23:59:59Z")
            }
            return .date(seconds)
        case .data:
            guard let data = Base64.decode(try text(element, isEmpty)) else {
                throw scanner.failure(.invalidScalar, "not valid base64", at: start)
            }
            return .data(data)
        case .plist:
            throw scanner.failure(.syntax, "<plist> inside <plist>", at: start)
        case .key:
            throw scanner.failure(.syntax, "<key> outside a dictionary", at: start)
        }
    }

    private mutating func text(_ element: XMLPlistElement, _ isEmpty: Bool) throws(PlistError) -> UnsafeRawBufferPointer {
        isEmpty ? UnsafeRawBufferPointer(start: nil, count: 0) : try scanner.text(of: element)
    }

    private func number<Value>(
        _ number: XMLPlistScalars.Number<Value>, _ type: String, from start: Int
    ) throws(PlistError) -> Value {
        switch number {
        case .value(let value): return value
        case .outOfRange: throw scanner.failure(.outOfRange, "the \(type) is out of range", at: start)
        case .misspelled: throw scanner.failure(.invalidScalar, "not a valid \(type)", at: start)
        }
    }

    private mutating func string(_ element: XMLPlistElement) throws(PlistError) -> PlistString {
        strings.string(try scanner.text(of: element))
    }

    private var openElement: String { stack.isInDictionary == true ? "dict" : "array" }

    private func failure(_ code: PlistError.Code, _ message: String) -> PlistError {
        scanner.failure(code, message, at: scanner.tokenStart)
    }
}
