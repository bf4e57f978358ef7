/// The containers that a reader of text has open, and what they hold so far.
///
/// The stack is an explicit one, so that depth costs no call stack.
struct PlistTextStack: ~Copyable {
    /// A container whose end has not come yet. What it holds so far lies on `entries` or `elements` from `base` on.
    private struct Frame {
        var isDictionary: Bool
        var base: Int
        /// Where it began in the text.
        var start: Int
        /// True between a key and its value.
        var awaitsValue = false
    }

    /// What is being read: UTF-8 without a byte order mark.
    private let text: UnsafeRawBufferPointer
    private let depth: Int
    private var duplicates: PlistDuplicateKeys
    private var frames: [Frame] = []
    private var entries = MoveStack<PlistDictionary.Entry>()
    /// For each of `entries`, where its key began.
    private var keyOffsets = MoveStack<Int>()
    private var elements = MoveStack<PlistValue>()

    init(_ text: UnsafeRawBufferPointer, limits: PlistLimits, duplicates: PlistDuplicateKeys) {
        self.text = text
        depth = limits.depth
        self.duplicates = duplicates
    }

    /// What has been noted of duplicate keys.
    var warnings: [PlistError] { duplicates.warnings }

    /// Whether no container is open.
    var isEmpty: Bool { frames.isEmpty }

    /// Whether the innermost container is a dictionary; nil if none is open.
    var isInDictionary: Bool? { frames.last?.isDictionary }

    /// Whether a key has come whose value has not.
    var awaitsValue: Bool { frames.last?.awaitsValue ?? false }

    /// Where the innermost container began.
    var start: Int { frames.last?.start ?? 0 }

    /// The key that came last in the innermost dictionary, which has one.
    var lastKey: PlistString { entries[entries.count - 1].key }

    /// Throws unless one more container may be opened where there is one in the text.
    func checkDepth(at offset: Int) throws(PlistError) {
        guard frames.count < depth else { throw Self.depthFailure(depth, at: PlistLocation.inText(text, at: offset)) }
    }

    static func depthFailure(_ depth: Int, at location: PlistLocation?) -> PlistError {
        PlistError(.limitExceeded, "containers nest deeper than \(depth) levels", at: location)
    }

    /// Opens a container that begins at the offset.
    mutating func open(isDictionary: Bool, at offset: Int) {
        frames.append(Frame(isDictionary: isDictionary, base: isDictionary ? entries.count : elements.count, start: offset))
    }

    /// Adds a key that begins at the offset to the innermost container, which is a dictionary.
    mutating func add(key: PlistString, at offset: Int) {
        entries.push(PlistDictionary.Entry(key: key, value: .boolean(false)))
        keyOffsets.push(offset)
        frames[frames.count - 1].awaitsValue = true
    }

    /// Adds an element, or the value of the key that came last, to the innermost container.
    mutating func add(_ value: PlistValue) {
        let top = frames.count - 1
        if frames[top].isDictionary {
            entries[entries.count - 1].value = value
            frames[top].awaitsValue = false
        } else {
            elements.push(value)
        }
    }

    /// Closes the innermost container, which is an array.
    mutating func closeArray() -> [PlistValue] {
        let frame = frames.removeLast()
        return elements.pop(from: frame.base)
    }

    /// Closes the innermost container, which is a dictionary; notes or throws keys that it has twice.
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

    /// The way to the value being read.
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

/// What a reader does about a key that a dictionary holds twice, and what it has noted so far.
struct PlistDuplicateKeys {
    /// The encodings in which the last value of such a key counts.
    enum Policy {
        /// None: such a key is an error. For documents whose format is Capsule's own.
        case refused
        /// XML alone, as Apple's parser takes them there: `CFPropertyList.c` sets the value again.
        case lastOfXML
        case last

        fileprivate func isLenient(in format: PlistFormat) -> Bool {
            switch self {
            case .refused: false
            case .lastOfXML: format == .xml
            case .last: true
            }
        }
    }

    /// True to keep the last value and warn; false to fail.
    let isLenient: Bool
    let limit: Int
    private(set) var warnings: [PlistError] = []

    init(_ policy: Policy, in format: PlistFormat, limits: PlistLimits) {
        isLenient = policy.isLenient(in: format)
        limit = max(limits.warnings, 0)
    }

    /// False once there are enough warnings; finding the lines of another one would only take time.
    var wantsMore: Bool { warnings.count <= limit }

    /// Notes, or throws, that the dictionary at the pointer has a key twice.
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

/// Strings that were read a moment ago, so that a key that every element of an array has is made, and held, once.
struct PlistStringCache {
    /// Longer strings are seldom repeated; up to 15 bytes a string needs no storage that could be shared.
    private static let lengths = 16...64
    private static let size = 256

    private var strings = [PlistString](repeating: "", count: size)

    /// A string of these bytes, which must be valid UTF-8.
    mutating func string(_ utf8: UnsafeRawBufferPointer) -> PlistString {
        guard Self.lengths.contains(utf8.count) else { return PlistString(valid: utf8) }
        // Only the speed depends on how well this spreads.
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
