/// Builds the value of a binary property list from its objects.
///
/// Every object is decoded once and shared by all references to it. A document whose shared objects multiply is refused, so that a
/// value never expands to much more than the document. Open containers are on an explicit stack. (CoreFoundation CFBinaryPList.c)
struct BinaryPlistReader: ~Copyable {
    /// A container whose children are being decoded. Its content so far is in `entries` or `elements`, starting at `base`. A
    /// dictionary's keys are all added at the start.
    private struct Frame {
        var object: Int
        var isDictionary: Bool
        var base: Int
        var count: Int
        var references: Int
        var next = 0
        var height = 0
        /// The number of values in the container so far, as ``PlistLimits/expandedValues`` counts them.
        var weight: Int
    }

    /// The state of an object: 0 if it was not visited, `isOpen` while it is being decoded, or else 1 + the number of container
    /// levels in it.
    private typealias State = UInt16
    private static let isOpen = State.max

    let bytes: UnsafeRawBufferPointer
    let trailer: BinaryPlistTrailer
    let limits: PlistLimits
    /// The bytes of the objects decoded so far. Objects that don't overlap can't have more bytes than the document.
    var decodedBytes = 0
    private var keyBytes = 0
    /// The range of the key references of the last dictionary whose keys were found to be unique.
    private var lastKeys = 0..<0
    var utf8 = TextBuffer(capacity: 64)
    private var duplicates: PlistDuplicateKeys
    private var states: [State]
    /// The number of values that each object counts for in addition to one; 0 for most scalars.
    private var weights: [UInt32]
    private var decoded: [PlistValue?]
    private var frames: [Frame] = []
    private var entries = MoveStack<PlistDictionary.Entry>()
    private var elements = MoveStack<PlistValue>()

    /// Creates a reader of an entire document, which must outlive the reader.
    /// - Parameter trailer: the document's trailer. The initializer doesn't read it and so can't throw: Swift 6.2 destroys members
    ///   with default values twice when an initializer of a noncopyable type throws.
    init(
        _ bytes: UnsafeRawBufferPointer, trailer: BinaryPlistTrailer, limits: PlistLimits,
        duplicates: PlistDuplicateKeys
    ) {
        self.bytes = bytes
        self.trailer = trailer
        self.limits = limits
        self.duplicates = duplicates
        // The trailer was checked: the table with this many offsets exists.
        states = [State](repeating: 0, count: trailer.objects)
        weights = [UInt32](repeating: 0, count: trailer.objects)
        decoded = [PlistValue?](repeating: nil, count: trailer.objects)
    }

    consuming func read() throws(PlistError) -> (value: PlistValue, warnings: [PlistError]) {
        let value: PlistValue
        do throws(PlistError) {
            value = try root()
        } catch {
            throw error.pointing(to: steps)
        }
        return (value, duplicates.warnings)
    }

    private mutating func root() throws(PlistError) -> PlistValue {
        try visit(trailer.root)
        while var frame = frames.last {
            let top = frames.count - 1
            do throws(PlistError) {
                try fill(&frame)
            } catch {
                frames[top].next = frame.next
                throw error
            }
            if frames.count - 1 == top { try close(frame) } else { frames[top] = frame }
        }
        return decoded[trailer.root].guaranteed("the root is decoded after all that it refers to")
    }

    private mutating func fill(_ frame: inout Frame) throws(PlistError) {
        let depth = frames.count
        while frame.next < frame.count {
            let offset = frame.references + frame.next * trailer.referenceBytes
            let child = try reference(at: offset, object: frame.object)
            if states[child] == 0 || states[child] == Self.isOpen {
                try visit(child)
                // The container is visited again, as a known one, when its own frame is done.
                if frames.count > depth { return }
            }
            try store(child, into: &frame)
        }
    }

    private mutating func visit(_ object: Int) throws(PlistError) {
        guard states[object] != Self.isOpen else {
            throw PlistError(.cycle, "a container that contains itself", at: try location(of: object))
        }
        switch try header(of: object) {
        case .scalar(let value):
            store(scalar: value, as: object)
        case .array(let count, let references):
            try open(
                Frame(
                    object: object, isDictionary: false, base: elements.count, count: count, references: references,
                    weight: count))
        case .dictionary(let count, let references):
            let base = entries.count
            try open(
                Frame(
                    object: object, isDictionary: true, base: base, count: count,
                    references: references + count * trailer.referenceBytes, weight: 2 * count))
            for position in 0..<count {
                let key = try key(at: references + position * trailer.referenceBytes, of: object)
                entries.push(PlistDictionary.Entry(key: key, value: .boolean(false)))
                frames[frames.count - 1].weight += key.weight - 1
            }
        }
    }

    private mutating func open(_ frame: Frame) throws(PlistError) {
        guard frames.count < limits.depth else { throw try depthFailure(frame.object) }
        states[frame.object] = Self.isOpen
        frames.append(frame)
    }

    private mutating func store(_ child: Int, into frame: inout Frame) throws(PlistError) {
        guard let value = decoded[child] else { return }
        let height = Int(states[child]) - 1
        guard frames.count + height <= limits.depth else { throw try depthFailure(child) }
        if frame.isDictionary {
            entries[frame.base + frame.next].value = value
        } else {
            elements.push(value)
        }
        frame.height = max(frame.height, height)
        frame.weight += Int(weights[child])
        frame.next += 1
    }

    private mutating func close(_ frame: Frame) throws(PlistError) {
        if frame.isDictionary {
            let pairs = entries.pop(from: frame.base)
            decoded[frame.object] = .dictionary(try dictionary(pairs, frame))
        } else {
            decoded[frame.object] = .array(elements.pop(from: frame.base))
        }
        states[frame.object] = State(frame.height + 2)
        guard limits.allow(weight: frame.weight, in: trailer.table - BinaryPlistTrailer.headerBytes),
            let weight = UInt32(exactly: frame.weight)
        else {
            throw PlistError(
                .limitExceeded, "shared objects expand to \(frame.weight) values", at: try location(of: frame.object),
                hint: "Apple's frameworks write no such property list: it may have been made to use up memory")
        }
        weights[frame.object] = weight
        frames.removeLast()
    }

    private mutating func store(scalar: PlistValue, as object: Int) {
        decoded[object] = scalar
        states[object] = 1
        weights[object] = UInt32(clamping: scalar.weight - 1)
    }

    private mutating func dictionary(_ pairs: [PlistDictionary.Entry], _ frame: Frame) throws(PlistError) -> PlistDictionary {
        let keys = frame.references - frame.count * trailer.referenceBytes
        if let dictionary = PlistDictionary(few: pairs, areUnique: areLastKeys(keys..<frame.references)) { return dictionary }
        let dictionary = try PlistDictionary(read: pairs) { first, second throws(PlistError) in
            guard duplicates.wantsMore else { return }
            let places = [first, second].map { position in
                let offset = keys + position * trailer.referenceBytes
                let object = bytes.bigEndian(at: offset, bytes: trailer.referenceBytes)
                return PlistLocation.binary(offset: offset, object: object)
            }
            try duplicates.found(pairs[second].key, at: places[1], first: places[0], in: steps)
        }
        if dictionary.count == pairs.count { lastKeys = keys..<frame.references }
        return dictionary
    }

    /// Returns true if these key references equal those of the previous dictionary, as in an array of similar dictionaries.
    private func areLastKeys(_ keys: Range<Int>) -> Bool {
        guard keys.count == lastKeys.count else { return false }
        let old = UnsafeRawBufferPointer(rebasing: bytes[lastKeys])
        let new = UnsafeRawBufferPointer(rebasing: bytes[keys])
        return old.withMemoryRebound(to: UInt8.self) { old in
            new.withMemoryRebound(to: UInt8.self) { old.firstDifference(from: $0) == nil }
        }
    }

    private mutating func key(at offset: Int, of dictionary: Int) throws(PlistError) -> PlistString {
        let object = try reference(at: offset, object: dictionary)
        if states[object] == 0, case .scalar(let value) = try header(of: object) {
            store(scalar: value, as: object)
        }
        guard case .string(let key)? = decoded[object] else {
            throw PlistError(.unsupported, "a key that is not a string", at: try location(of: object))
        }
        keyBytes += key.utf8.count
        guard keyBytes <= limits.binaryKeyBytes else {
            throw PlistError(
                .limitExceeded, "the dictionary keys take more than \(limits.binaryKeyBytes) bytes",
                at: .binary(offset: offset, object: dictionary))
        }
        return key
    }

    private func depthFailure(_ object: Int) throws(PlistError) -> PlistError {
        PlistError(.limitExceeded, "containers nest deeper than \(limits.depth) levels", at: try location(of: object))
    }

    private var steps: [PlistPointerStep] {
        frames.compactMap { frame in
            guard frame.next < frame.count else { return nil }
            guard frame.isDictionary else { return .index(frame.next) }
            let position = frame.base + frame.next
            return position < entries.count ? .key(entries[position].key) : nil
        }
    }
}
