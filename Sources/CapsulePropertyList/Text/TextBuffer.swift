/// The text that a writer creates line by line, with a check of its size.
struct PlistTextOutput: ~Copyable {
    /// The size from which the total size is computed in advance, before more memory is used.
    private static let measuredSize = 16 << 20
    /// The minimum number of bytes of a key or value in JSON and OpenStep, with its separator.
    private static let elementBytes = 2

    let root: PlistValue
    let style: PlistTextStyle
    private let limits: PlistLimits
    private var isMeasured = false
    var trail = PlistTrail()
    var text = TextBuffer(capacity: 4096)

    init(_ root: PlistValue, style: PlistTextStyle, limits: PlistLimits) {
        self.root = root
        self.style = style
        self.limits = limits
    }

    var steps: [PlistPointerStep] { trail.steps(from: root) }

    /// Ends the line and indents the next one for a number of containers around it. On one line, appends a blank or nothing
    /// instead.
    /// - Parameter depth: the number of containers around the value on the line, if that is deeper than the line itself.
    mutating func newLine(level: Int, depth: Int? = nil, hasBlank: Bool) {
        guard !style.isInline, (depth ?? level) <= style.lineDepth ?? .max else {
            if hasBlank { text.append(style.blank) }
            return
        }
        text.append(style.newline)
        text.append(style.indentation)
        if style.unit.count == 1 {
            text.append(repeating: style.unit[0], count: level)
        } else {
            for _ in 0..<level { text.append(style.unit) }
        }
    }

    mutating func append(_ string: String) {
        for byte in string.utf8 { text.append(byte) }
    }

    /// - Throws: `limitExceeded` if the text is, or will be, larger than allowed.
    mutating func checkSize() throws(PlistError) {
        if text.count > min(limits.outputBytes - style.precedingBytes, Self.measuredSize) { try checkLargeSize() }
    }

    private mutating func checkLargeSize() throws(PlistError) {
        var size = text.count
        if !isMeasured {
            isMeasured = true
            let measure = PlistTextMeasure(depth: limits.depth, elementBytes: Self.elementBytes)
            size = max(size, measure.minimumBytes(of: root))
        }
        guard size <= limits.outputBytes - style.precedingBytes else {
            throw PlistError(
                .limitExceeded, "the text would be larger than \(limits.outputBytes) bytes", pointer: "",
                hint: "text repeats values that a binary property list stores once")
        }
    }
}

/// The layout of text that a writer creates for a document, or for a value inside a document.
struct PlistTextStyle: Hashable, Sendable {
    var newline: [UInt8] = [0x0A]
    /// The beginning of every line except the first.
    var indentation: [UInt8] = []
    /// The additional indentation of a line for each container around it in the value.
    var unit: [UInt8] = []
    var isInline = false
    /// The maximum number of containers around a value with lines of its own. Deeper values stay on the line of their container.
    /// Nil for no limit.
    var lineDepth: Int?
    /// The text between elements on one line, after the comma. Not used in XML.
    var blank: [UInt8] = [0x20]
    /// The text between a key and its value; nil for the writer's default. Not used in XML.
    var joint: [UInt8]?
    /// True if the brackets of an empty object are on lines of their own, around an empty line, as Apple's JSON writer puts them.
    var opensEmptyObjects = false
    var depth = 0
    /// The number of bytes of the document that were written before, which count towards its size.
    var precedingBytes = 0
}

/// Computes the minimum length of a value's text.
struct PlistTextMeasure {
    let depth: Int
    let elementBytes: Int

    func minimumBytes(of value: PlistValue, level: Int = 0) -> Int {
        switch value {
        case .array(let elements) where level < depth: minimumBytes(of: elements, level: level)
        case .dictionary(let dictionary) where level < depth: minimumBytes(of: dictionary, level: level)
        case .string(let string): elementBytes + string.utf8.count
        case .data(let bytes): elementBytes + bytes.count
        default: elementBytes
        }
    }

    private func minimumBytes(of elements: [PlistValue], level: Int) -> Int {
        var size = elementBytes
        for position in 0..<elements.count { size += minimumBytes(of: elements[position], level: level + 1) }
        return size
    }

    private func minimumBytes(of dictionary: PlistDictionary, level: Int) -> Int {
        var size = elementBytes
        for position in 0..<dictionary.count {
            size += elementBytes + dictionary.entries[position].key.utf8.count
            size += minimumBytes(of: dictionary.entries[position].value, level: level + 1)
        }
        return size
    }
}

/// The open containers of a text reader, with their content so far.
/// The stack is explicit, so that depth uses no call stack.
struct PlistTextStack: ~Copyable {
    /// An open container. Its content so far is in `entries` or `elements`, starting at `base`.
    private struct Frame {
        var isDictionary: Bool
        var base: Int
        var start: Int
        var awaitsValue = false
    }

    private let text: UnsafeRawBufferPointer
    private let depth: Int
    private var duplicates: PlistDuplicateKeys
    private var frames: [Frame] = []
    private var entries = MoveStack<PlistDictionary.Entry>()
    private var keyOffsets = MoveStack<Int>()
    private var elements = MoveStack<PlistValue>()

    init(_ text: UnsafeRawBufferPointer, limits: PlistLimits, duplicates: PlistDuplicateKeys) {
        self.text = text
        depth = limits.depth
        self.duplicates = duplicates
    }

    var warnings: [PlistError] { duplicates.warnings }
    var isEmpty: Bool { frames.isEmpty }

    /// True if the innermost container is a dictionary, false if it is an array; nil if none is open.
    var isInDictionary: Bool? { frames.last?.isDictionary }

    var awaitsValue: Bool { frames.last?.awaitsValue ?? false }
    var start: Int { frames.last?.start ?? 0 }
    var lastKey: PlistString { entries[entries.count - 1].key }

    func checkDepth(at offset: Int) throws(PlistError) {
        guard frames.count < depth else { throw Self.depthFailure(depth, at: PlistLocation.inText(text, at: offset)) }
    }

    static func depthFailure(_ depth: Int, at location: PlistLocation?) -> PlistError {
        PlistError(.limitExceeded, "containers nest deeper than \(depth) levels", at: location)
    }

    mutating func open(isDictionary: Bool, at offset: Int) {
        frames.append(Frame(isDictionary: isDictionary, base: isDictionary ? entries.count : elements.count, start: offset))
    }

    mutating func add(key: PlistString, at offset: Int) {
        entries.push(PlistDictionary.Entry(key: key, value: .boolean(false)))
        keyOffsets.push(offset)
        frames[frames.count - 1].awaitsValue = true
    }

    mutating func add(_ value: PlistValue) {
        let top = frames.count - 1
        if frames[top].isDictionary {
            entries[entries.count - 1].value = value
            frames[top].awaitsValue = false
        } else {
            elements.push(value)
        }
    }

    mutating func closeArray() -> [PlistValue] {
        let frame = frames.removeLast()
        return elements.pop(from: frame.base)
    }

    /// Closes the innermost container, which must be a dictionary. Records a warning, or throws an error, for keys that occur
    /// twice.
    mutating func closeDictionary() throws(PlistError) -> PlistDictionary {
        let base = frames[frames.count - 1].base
        let pairs = entries.pop(from: base)
        let dictionary = try PlistDictionary(read: pairs) { first, second throws(PlistError) in
            guard duplicates.wantsMore else { return }
            try duplicates.found(
                pairs[second].key, at: PlistLocation.inText(text, at: keyOffsets[base + second]),
                first: PlistLocation.inText(text, at: keyOffsets[base + first]), in: steps)
        }
        keyOffsets.remove(from: base)
        frames.removeLast()
        return dictionary
    }

    var steps: [PlistPointerStep] {
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

/// The handling of keys that occur twice in a dictionary, with the warnings so far.
struct PlistDuplicateKeys {
    /// The encodings in which the last value of such a key counts.
    enum Policy {
        /// None: such a key is an error. Used for documents in Capsule's own formats.
        case refused
        /// XML and OpenStep, as in Apple's parsers: `CFPropertyList.c` and `CFOldStylePList.c` set the value again.
        case lastAsByApple
        case last
        /// As ``last``. Other errors are repaired where that is possible.
        case repaired(PlistRepairs)

        fileprivate func isLenient(in format: PlistFormat) -> Bool {
            switch self {
            case .refused: false
            case .lastAsByApple: format == .xml || format == .openStep
            case .last, .repaired: true
            }
        }
    }

    /// True to keep the last value and warn; false to fail.
    let isLenient: Bool
    let repairs: PlistRepairs?
    let limit: Int
    private(set) var warnings: [PlistError] = []

    init(_ policy: Policy, in format: PlistFormat, limits: PlistLimits) {
        isLenient = policy.isLenient(in: format)
        repairs = if case .repaired(let repairs) = policy { repairs } else { nil }
        limit = max(limits.warnings, 0)
    }

    /// False if there are enough warnings. Finding the lines of more would only take time.
    var wantsMore: Bool { warnings.count <= limit }

    mutating func found(
        _ key: PlistString, at second: PlistLocation, first: PlistLocation, in pointer: [PlistPointerStep]
    ) throws(PlistError) {
        let error = PlistError(
            .duplicateKey, "duplicate key \(key.quoted), first at \(first)", at: second, related: first,
            pointer: PlistPointerStep.pointer(pointer + [.key(key)]),
            hint: isLenient ? "the last value is used: remove the others" : nil)
        guard isLenient else { throw error }
        warnings.append(warnings.count < limit ? error : PlistError(.duplicateKey, "more duplicate keys follow"))
    }
}

/// Recently read strings, so that a key in every element of an array is created and stored once.
struct PlistStringCache {
    /// The lengths of cached strings. Longer strings are seldom repeated, and strings of up to 15 bytes have no storage to share.
    private static let lengths = 16...64
    private static let size = 256

    private var strings = [PlistString](repeating: "", count: size)

    /// Returns a string of these bytes, which must be valid UTF-8.
    mutating func string(_ utf8: UnsafeRawBufferPointer) -> PlistString {
        guard Self.lengths.contains(utf8.count) else { return PlistString(valid: utf8) }
        // The quality of this hash affects only the speed.
        let head = utf8.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        let tail = utf8.loadUnaligned(fromByteOffset: utf8.count - 8, as: UInt64.self)
        let mixed = (head &* 0x9E37_79B9_7F4A_7C15) ^ (tail &* 0xC2B2_AE3D_27D4_EB4F) &+ UInt64(utf8.count)
        let slot = Int((mixed ^ mixed >> 32) >> 24 & UInt64(Self.size - 1))
        if strings[slot].utf8.count == utf8.count {
            let isSame = strings[slot].withUTF8 { known in
                known.firstDifference(from: utf8.assumingMemoryBound(to: UInt8.self)) == nil
            }
            if isSame { return strings[slot] }
        }
        let string = PlistString(valid: utf8)
        strings[slot] = string
        return string
    }
}

/// A growing buffer of UTF-8 text. Writers fill it, and readers use it for text that is not one contiguous range of the document.
struct TextBuffer: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        base = .allocate(capacity: self.capacity)
    }

    deinit {
        base.deallocate()
    }

    /// The bytes so far, valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    var array: [UInt8] { [UInt8](bytes) }

    mutating func removeAll() {
        count = 0
    }

    mutating func truncate(to length: Int) {
        precondition(length >= 0 && length <= count)
        count = length
    }

    mutating func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count &+= 1
    }

    mutating func append(_ scalar: Unicode.Scalar) {
        guard scalar.value >= 0x80 else { return append(UInt8(truncatingIfNeeded: scalar.value)) }
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        UnsafeMutableRawPointer(base + count).copyMemory(from: source, byteCount: bytes.count)
        count &+= bytes.count
    }

    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    mutating func append(repeating byte: UInt8, count repeats: Int) {
        reserve(repeats)
        (base + count).update(repeating: byte, count: repeats)
        count &+= repeats
    }

    mutating func append(atMost size: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        reserve(size)
        count &+= body(base + count)
    }

    private mutating func reserve(_ more: Int) {
        guard capacity &- count < more else { return }
        let wanted = max(capacity * 2, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
        capacity = wanted
    }
}

/// A stack from which elements can be moved into an array of exactly their number.
/// Readers collect the children of all open containers on one stack, so that a container needs one allocation, whatever its size.
struct MoveStack<Element>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 64) {
        base = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit {
        base.deinitialize(count: count)
        base.deallocate()
    }

    mutating func push(_ element: consuming Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count += 1
    }

    subscript(position: Int) -> Element {
        _read {
            precondition(position >= 0 && position < count)
            yield base[position]
        }
        _modify {
            precondition(position >= 0 && position < count)
            yield &base[position]
        }
    }

    mutating func pop(from start: Int) -> [Element] {
        precondition(start >= 0 && start <= count)
        let number = count - start
        count = start
        return [Element](unsafeUninitializedCapacity: number) { buffer, initialized in
            buffer.baseAddress?.moveInitialize(from: base + start, count: number)
            initialized = number
        }
    }

    mutating func remove(from start: Int) {
        precondition(start >= 0 && start <= count)
        (base + start).deinitialize(count: count - start)
        count = start
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
        capacity *= 2
    }
}
