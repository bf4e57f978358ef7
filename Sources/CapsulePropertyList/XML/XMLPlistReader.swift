/// Builds the value of an XML property list from its tags.
///
/// Containers that are open are on an explicit stack, so that depth costs no call stack.
struct XMLPlistReader: ~Copyable {
    /// A container whose end has not come yet. What it holds so far lies on `entries` or `elements` from `base` on.
    private struct Frame {
        var isDictionary: Bool
        var base: Int
        /// True between a key and its value.
        var awaitsValue = false
    }

    private var scanner: XMLPlistScanner
    private let limits: PlistLimits
    private var duplicates: PlistDuplicateKeys
    private var frames: [Frame] = []
    private var entries = MoveStack<PlistDictionary.Entry>()
    /// For each of `entries`, where its `<key>` began.
    private var keyOffsets = MoveStack<Int>()
    private var elements = MoveStack<PlistValue>()
    private var strings = XMLStringCache()

    /// A reader of UTF-8 text without a byte order mark, which must outlive it.
    init(_ text: UnsafeRawBufferPointer, limits: PlistLimits, duplicates: PlistDuplicateKeys) {
        scanner = XMLPlistScanner(text)
        self.limits = limits
        self.duplicates = duplicates
    }

    consuming func read() throws(PlistError) -> (value: PlistValue, warnings: [PlistError]) {
        let value: PlistValue
        do throws(PlistError) {
            value = try document()
        } catch {
            throw error.pointing(to: steps)
        }
        return (value, duplicates.warnings)
    }

    /// The value inside `<plist>`, or one that stands alone, as Apple's reader takes it too.
    private mutating func document() throws(PlistError) -> PlistValue {
        guard case .open(.plist, let isEmpty) = try firstToken() else {
            // Tags are cheap to read again.
            scanner.offset = scanner.tokenStart
            let value = try root()
            try expectEnd()
            return value
        }
        guard !isEmpty else { throw failure(.syntax, "<plist> holds no value") }
        let value = try root()
        switch try scanner.next() {
        case .close(.plist): break
        case .close(let element): throw failure(.syntax, "</\(element.rawValue)> where </plist> is expected")
        case .open: throw failure(.syntax, "a second value in <plist>")
        case .end: throw failure(.syntax, "the text ends inside <plist>")
        }
        try expectEnd()
        return value
    }

    /// The first tag. XML whose first element is of no property list is something else altogether.
    private mutating func firstToken() throws(PlistError) -> XMLPlistScanner.Token {
        do throws(PlistError) {
            return try scanner.next()
        } catch {
            guard error.code == .unknownElement else { throw error }
            throw PlistError(.notPropertyList, "not a property list: \(error.message)", at: error.location, hint: error.hint)
        }
    }

    private mutating func expectEnd() throws(PlistError) {
        guard case .end = try scanner.next() else { throw failure(.syntax, "an element after the property list's end") }
    }

    /// Reads one value with all that is in it.
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
                    try checkDepth()
                    if !isEmpty {
                        open(element)
                        continue
                    }
                }
                value = try scalar(element, isEmpty: isEmpty)
            case .close(let element):
                value = try close(element)
            case .end:
                throw failure(.syntax, frames.isEmpty ? "the text ends before a value" : "the text ends inside <\(openElement)>")
            }
            guard let top = frames.indices.last else { return value }
            if frames[top].isDictionary {
                entries[entries.count - 1].value = value
                frames[top].awaitsValue = false
            } else {
                elements.push(value)
            }
        }
    }

    // MARK: Containers

    private func checkDepth() throws(PlistError) {
        guard frames.count < limits.depth else {
            throw failure(.limitExceeded, "containers nest deeper than \(limits.depth) levels")
        }
    }

    private mutating func open(_ element: XMLPlistElement) {
        let isDictionary = element == .dict
        let base = isDictionary ? entries.count : elements.count
        frames.append(Frame(isDictionary: isDictionary, base: base))
    }

    private mutating func close(_ element: XMLPlistElement) throws(PlistError) -> PlistValue {
        guard let frame = frames.last else {
            throw failure(.syntax, "</\(element.rawValue)> where a value is expected")
        }
        guard element == (frame.isDictionary ? .dict : .array) else {
            throw failure(.syntax, "</\(element.rawValue)> where </\(openElement)> is expected")
        }
        guard !frame.awaitsValue else {
            throw failure(.syntax, "the key \(entries[entries.count - 1].key.quoted) has no value")
        }
        guard frame.isDictionary else {
            frames.removeLast()
            return .array(elements.pop(from: frame.base))
        }
        let value = try dictionary(from: frame.base)
        frames.removeLast()
        return value
    }

    /// What the entries from `base` on make: a dictionary, or the UID that it stands for.
    private mutating func dictionary(from base: Int) throws(PlistError) -> PlistValue {
        let pairs = entries.pop(from: base)
        let offsets = keyOffsets.pop(from: base)
        let dictionary = try PlistDictionary(read: pairs) { first, second throws(PlistError) in
            guard duplicates.wantsMore else { return }
            try duplicates.found(
                pairs[second].key, at: scanner.location(at: offsets[second]), first: scanner.location(at: offsets[first]),
                in: steps)
        }
        if dictionary.count == 1, let (key, value) = dictionary.first, key == XMLPlistWriter.uidKey,
            let uid = value.integer?.uint64
        {
            return .uid(uid)
        }
        return .dictionary(dictionary)
    }

    private mutating func readKey(isEmpty: Bool) throws(PlistError) {
        let start = scanner.tokenStart
        guard let top = frames.indices.last, frames[top].isDictionary else {
            throw failure(.syntax, "<key> outside a dictionary")
        }
        guard !frames[top].awaitsValue else {
            throw failure(.syntax, "the key \(entries[entries.count - 1].key.quoted) has no value")
        }
        let key = isEmpty ? "" : try string(.key)
        entries.push((key: key, value: .boolean(false)))
        keyOffsets.push(start)
        frames[top].awaitsValue = true
    }

    private func expectValue(_ element: XMLPlistElement) throws(PlistError) {
        if let frame = frames.last, frame.isDictionary, !frame.awaitsValue {
            throw failure(.syntax, "<\(element.rawValue)> without a key in front of it")
        }
    }

    // MARK: Scalars

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
            return .integer(try number(XMLPlistScalars.integer(try text(element, isEmpty)), "integer", from: start))
        case .real:
            return .real(try number(XMLPlistScalars.real(try text(element, isEmpty)), "real", from: start))
        case .date:
            guard let seconds = XMLPlistScalars.date(try text(element, isEmpty)) else {
                throw scanner.failure(
                    .invalidScalar, "not a date", at: start, hint: "a date is written 2001-12-31T23:59:59Z")
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

    // MARK: Errors

    /// The name of the innermost container that is open.
    private var openElement: String {
        frames.last?.isDictionary == true ? "dict" : "array"
    }

    private func failure(_ code: PlistError.Code, _ message: String) -> PlistError {
        scanner.failure(code, message, at: scanner.tokenStart)
    }

    /// The way to the value being read.
    private var steps: [PlistPointerStep] {
        var steps: [PlistPointerStep] = []
        var elementEnd = elements.count
        var entryEnd = entries.count
        for frame in frames.reversed() {
            if frame.isDictionary {
                if frame.awaitsValue { steps.append(.key(entries[entryEnd - 1].key)) }
                entryEnd = frame.base
            } else {
                steps.append(.index(elementEnd - frame.base))
                elementEnd = frame.base
            }
        }
        return steps.reversed()
    }
}
