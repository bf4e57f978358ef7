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
