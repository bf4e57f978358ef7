/// Builds the value of an OpenStep property list, or of a `.strings` file, from its tokens.
struct OpenStepPlistReader: ~Copyable {
    private var scanner: OpenStepPlistScanner
    private var stack: PlistTextStack
    private var strings = PlistStringCache()

    /// A reader of UTF-8 text without a byte order mark, which must outlive it.
    init(_ text: UnsafeRawBufferPointer, limits: PlistLimits, duplicates: PlistDuplicateKeys) {
        scanner = OpenStepPlistScanner(text, limits: limits)
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
