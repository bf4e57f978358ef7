/// The open containers of a text reader, with their content so far.
///
/// The stack is explicit, so that depth uses no call stack.
struct PlistTextStack: ~Copyable {
    /// An open container. Its content so far is in `entries` or `elements`, starting at `base`.
    private struct Frame {
        var isDictionary: Bool
        var base: Int
        /// The offset of the container in the text.
        var start: Int
        /// True between a key and its value.
        var awaitsValue = false
    }

    /// The text that is being read: UTF-8 without a byte order mark.
    private let text: UnsafeRawBufferPointer
    private let depth: Int
    private var duplicates: PlistDuplicateKeys
    private var frames: [Frame] = []
    private var entries = MoveStack<PlistDictionary.Entry>()
    /// The offset of the key of each of `entries`.
    private var keyOffsets = MoveStack<Int>()
    private var elements = MoveStack<PlistValue>()

    init(_ text: UnsafeRawBufferPointer, limits: PlistLimits, duplicates: PlistDuplicateKeys) {
        self.text = text
        depth = limits.depth
        self.duplicates = duplicates
    }

    /// The warnings about duplicate keys so far.
    var warnings: [PlistError] { duplicates.warnings }

    /// True if no container is open.
    var isEmpty: Bool { frames.isEmpty }

    /// True if the innermost container is a dictionary, false if it is an array; nil if none is open.
    var isInDictionary: Bool? { frames.last?.isDictionary }

    /// True if there is a key without its value yet.
    var awaitsValue: Bool { frames.last?.awaitsValue ?? false }

    /// The offset of the innermost container.
    var start: Int { frames.last?.start ?? 0 }

    /// The last key in the innermost dictionary, which must have one.
    var lastKey: PlistString { entries[entries.count - 1].key }

    /// Throws an error if opening another container at an offset would exceed the depth limit.
    func checkDepth(at offset: Int) throws(PlistError) {
        guard frames.count < depth else { throw Self.depthFailure(depth, at: PlistLocation.inText(text, at: offset)) }
    }

    static func depthFailure(_ depth: Int, at location: PlistLocation?) -> PlistError {
        PlistError(.limitExceeded, "containers nest deeper than \(depth) levels", at: location)
    }

    /// Opens a container that begins at an offset.
    mutating func open(isDictionary: Bool, at offset: Int) {
        frames.append(Frame(isDictionary: isDictionary, base: isDictionary ? entries.count : elements.count, start: offset))
    }

    /// Adds a key that begins at an offset to the innermost container, which must be a dictionary.
    mutating func add(key: PlistString, at offset: Int) {
        entries.push(PlistDictionary.Entry(key: key, value: .boolean(false)))
        keyOffsets.push(offset)
        frames[frames.count - 1].awaitsValue = true
    }

    /// Adds an element, or the value of the last key, to the innermost container.
    mutating func add(_ value: PlistValue) {
        let top = frames.count - 1
        if frames[top].isDictionary {
            entries[entries.count - 1].value = value
            frames[top].awaitsValue = false
        } else {
            elements.push(value)
        }
    }

    /// Closes the innermost container, which must be an array.
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

    /// The pointer steps to the value that is being read.
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
        /// XML only, as in Apple's parser: `CFPropertyList.c` sets the value again.
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

    /// False if there are enough warnings. Finding the lines of more would only take time.
    var wantsMore: Bool { warnings.count <= limit }

    /// Records a warning, or throws an error, for a key that occurs twice in the dictionary at the pointer.
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
