/// Builds the value of a JSON text from its tokens.
struct JSONPlistReader: ~Copyable {
    private var scanner: JSONPlistScanner
    private var stack: PlistTextStack
    private var strings = PlistStringCache()
    private let isTyped: Bool

    /// A reader of UTF-8 text without a byte order mark, which must outlive it.
    init(
        _ text: UnsafeRawBufferPointer, options: JSONPlistOptions, limits: PlistLimits, duplicates: PlistDuplicateKeys
    ) {
        scanner = JSONPlistScanner(text, limits: limits)
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
                value = .integer(try number(XMLPlistScalars.integer(token), "integer"))
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

    private var token: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: scanner.bytes[scanner.token])
    }

    private func number<Value>(_ number: XMLPlistScalars.Number<Value>, _ type: String) throws(PlistError) -> Value {
        switch number {
        case .value(let value): return value
        case .outOfRange: throw scanner.failure(.outOfRange, "the \(type) is out of range", at: scanner.tokenStart)
        case .misspelled: throw scanner.failure(.invalidScalar, "not a valid \(type)", at: scanner.tokenStart)
        }
    }
}
