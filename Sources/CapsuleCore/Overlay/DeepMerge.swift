import CapsulePropertyList

/// Merges a partial property list over another (docs/overlay.md, section 2).
///
/// Dictionaries merge key by key, arrays by their identity, and a scalar takes a scalar's place. Whatever the overlay does not
/// mention stays as it is.
struct DeepMerge {
    /// Visits of values after which a merge gives up: patterns can keep shared objects apart that are one.
    static let visitLimit = 1_000_000
    /// Notes after which no more are kept: objects that are shared can have one note at any number of places.
    static let noteLimit = 1_000

    /// What a pair was merged to; the pair is held, so that its addresses stand for nothing else.
    private struct Merged {
        let overlay: PlistValue
        let base: PlistValue?
        let result: PlistValue
    }

    let identities: ArrayIdentities
    /// How names in the overlay's strings are expanded; nil if they are not.
    var expansion: Expansion?
    /// Whether null takes a key away.
    var nullRemoves = false
    /// Whether a string stands for a value of the type that the base has: OpenStep has no other scalars.
    var stringsTakeBaseType = false
    /// How many values are visited before the merge gives up.
    var limit = DeepMerge.visitLimit
    private(set) var notes: [OverlayNote] = []
    /// Where the merge is.
    var place: MergePlace
    /// Tells elements of arrays apart.
    var numbers = ElementNumbers()
    private var visits = 0
    private var memo: [DeepMergeFrame.Pair: Merged] = [:]

    init(identities: ArrayIdentities) {
        self.identities = identities
        place = MergePlace(identities)
    }

    /// What the overlay makes of the base.
    ///
    /// - Parameters:
    ///   - base: nil where there is nothing yet.
    ///   - place: where in the whole property list this is.
    mutating func merge(
        _ overlay: PlistValue, into base: PlistValue?, at place: [PlistString]
    ) throws(OverlayError) -> PlistValue {
        start(at: place)
        var frames: [DeepMergeFrame] = []
        if let result = try begin(overlay, base, &frames) { return result }
        return try run(&frames)
    }

    /// The base's elements in their order, then those that are new.
    mutating func union(
        _ overlay: [PlistValue], with base: [PlistValue], _ place: [PlistString]
    ) throws(OverlayError) -> [PlistValue] {
        start(at: place)
        var frames: [DeepMergeFrame] = []
        try openUnion(.array(overlay), overlay, with: base, &frames)
        return try run(&frames).array ?? []
    }

    /// Forgets what was merged before, maybe by other rules.
    private mutating func start(at place: [PlistString]) {
        self.place.start(at: place)
        memo = [:]
        visits = 0
    }

    // MARK: Values in each other

    /// Merges all that is in the containers on the stack, which is an explicit one, so that depth costs no call stack.
    private mutating func run(_ frames: inout [DeepMergeFrame]) throws(OverlayError) -> PlistValue {
        while true {
            let top = frames.count - 1
            let finished: PlistValue?
            if let child = try child(of: &frames[top]) {
                place.push(child.step)
                finished = try begin(child.overlay, child.base, &frames)
            } else {
                finished = close(frames.removeLast())
            }
            guard let finished else { continue }
            guard !frames.isEmpty else { return finished }
            place.pop()
            try take(finished, into: &frames[frames.count - 1])
        }
    }

    /// Merges the objects that a binary property list names many times once, where they pair alike.
    ///
    /// - Returns: nil for a container, which is on the stack now.
    private mutating func begin(
        _ overlay: PlistValue, _ base: PlistValue?, _ frames: inout [DeepMergeFrame]
    ) throws(OverlayError) -> PlistValue? {
        visits += 1
        guard visits <= limit else {
            throw OverlayError(.limit, "the overlay expands to more than \(limit) values", at: place.pointer)
        }
        let pair = pair(overlay, base)
        if let pair, let known = memo[pair] { return known.result }
        let noted = notes.count
        switch overlay {
        case .dictionary(let entries):
            if let base, base.dictionary == nil { throw clash(overlay, base) }
            if let base, let archive = try archive(overlay, over: base) { return archive }
            frames.append(DeepMergeFrame(overlay, base, .dictionary(entries)))
            frames[frames.count - 1].entries = base?.dictionary ?? PlistDictionary()
        case .array(let elements):
            if let base, base.array == nil { throw clash(overlay, base) }
            try open(overlay, elements, base, &frames)
        default:
            // A scalar has no address, so its result is not kept.
            return try scalar(overlay, over: base)
        }
        frames[frames.count - 1].pair = pair
        frames[frames.count - 1].noted = noted
        return nil
    }

    private mutating func pair(_ overlay: PlistValue, _ base: PlistValue?) -> DeepMergeFrame.Pair? {
        // Nothing shares the outermost value.
        guard !place.isStart, let address = overlay.storageAddress else { return nil }
        guard let base else { return DeepMergeFrame.Pair(overlay: address, base: nil, state: place.state()) }
        // What is there and empty is not the same as nothing.
        guard let other = base.storageAddress else { return nil }
        return DeepMergeFrame.Pair(overlay: address, base: other, state: place.state())
    }

    /// What is to be merged next in a container; nil at its end.
    private mutating func child(of frame: inout DeepMergeFrame) throws(OverlayError) -> DeepMergeFrame.Child? {
        guard case .dictionary(let entries) = frame.contents else { return try element(of: &frame) }
        while frame.next < entries.count {
            let (key, value) = entries[frame.next]
            frame.next += 1
            guard nullRemoves, value.isNull else {
                return DeepMergeFrame.Child(overlay: value, base: frame.entries[key], step: key)
            }
            frame.entries[key] = nil
        }
        return nil
    }

    /// Keeps what came of the child that was begun last.
    private mutating func take(_ value: PlistValue, into frame: inout DeepMergeFrame) throws(OverlayError) {
        guard case .dictionary(let entries) = frame.contents else { return try takeElement(value, into: &frame) }
        frame.entries[entries[frame.next - 1].key] = value
    }

    private mutating func close(_ frame: DeepMergeFrame) -> PlistValue {
        let result: PlistValue
        if case .dictionary = frame.contents {
            result = .dictionary(frame.entries)
        } else {
            closeArray(frame)
            result = .array(frame.elements)
        }
        // What has notes is looked at in every place, for each to be noted.
        if let pair = frame.pair, notes.count == frame.noted {
            memo[pair] = Merged(overlay: frame.overlay, base: frame.base, result: result)
        }
        return result
    }

    /// Keeps a note, as long as there are not too many.
    mutating func note(_ message: String, hint: String? = nil) {
        if notes.count < Self.noteLimit {
            notes.append(OverlayNote(message, at: place.pointer, hint: hint))
        } else if notes.count == Self.noteLimit {
            notes.append(OverlayNote("more notes follow; only the first \(Self.noteLimit) are shown"))
        }
    }

    func clash(_ overlay: PlistValue, _ base: PlistValue) -> OverlayError {
        OverlayError(
            .clash, "the overlay has \(overlay.typeNameWithArticle), but the base has \(base.typeNameWithArticle)",
            at: place.pointer, hint: "use 'replace' in an overlay document")
    }
}

/// A container of an overlay that a ``DeepMerge`` merges value by value.
struct DeepMergeFrame {
    /// Identifies a merge: the two values, and the rules for arrays at and below the place.
    struct Pair: Hashable {
        let overlay: UInt
        let base: UInt?
        let state: Int
    }

    /// The overlay's entries or elements.
    enum Contents {
        case dictionary(PlistDictionary)
        case ordered([PlistValue])
        case set([PlistValue])
        case keyed([PlistValue], KeyedElements)
        /// They take the place of the base's; `isKnown` where a rule says so.
        case fresh([PlistValue], isKnown: Bool)
    }

    /// A value in the container.
    struct Child {
        let overlay: PlistValue
        let base: PlistValue?
        let step: PlistString
    }

    let overlay: PlistValue
    let base: PlistValue?
    let contents: Contents
    /// The key under which the result is kept; nil if it is not kept.
    var pair: Pair?
    /// The number of notes before this container.
    var noted = 0
    /// The number of entries or elements that have begun.
    var next = 0
    /// The result of a dictionary so far.
    var entries = PlistDictionary()
    /// The result of an array so far.
    var elements: [PlistValue] = []
    /// Of a set, the numbers of what it holds.
    var known: Set<Int> = []

    /// Of elements that pair by a key, where each is in the base.
    var index: [PlistValue: [Int]] = [:]
    var taken = KeyedElements.Taken()
    /// Those without a key; nil as long as none is looked for.
    var keyless: Set<Int>?
    /// The partner of the current element in the base, and whether the element has the key.
    var partner: Int?
    var hasKey = false

    init(_ overlay: PlistValue, _ base: PlistValue?, _ contents: Contents) {
        self.overlay = overlay
        self.base = base
        self.contents = contents
    }

    /// The next element in order; nil at the end.
    mutating func nextElement(_ elements: [PlistValue], into base: PlistValue?) -> Child? {
        guard next < elements.count else { return nil }
        next += 1
        return Child(overlay: elements[next - 1], base: base, step: Self.step(next - 1))
    }

    static func step(_ index: Int) -> PlistString { PlistString(String(index)) }
}

extension DeepMerge {
    mutating func scalar(_ overlay: PlistValue, over base: PlistValue?) throws(OverlayError) -> PlistValue {
        var value = try expanded(overlay)
        guard let base else { return value }
        guard !base.isContainer else { throw clash(overlay, base) }
        if stringsTakeBaseType, let text = value.string { value = try typed(text, as: base) }
        if let change = base.typeChange(to: value) { note(change) }
        return value
    }

    /// The overlay's value with its names expanded.
    func expanded(_ value: PlistValue) throws(OverlayError) -> PlistValue {
        guard !value.isNull else {
            throw OverlayError(
                .invalid, "property lists have no null", at: place.pointer,
                hint: "with '--deep', null removes a key; in a document, list the pointer under 'Remove'")
        }
        guard let expansion, let text = value.string else { return value }
        return .string(PlistString(try expansion.expand(text.string, at: place.pointer)))
    }

    private func typed(_ text: PlistString, as base: PlistValue) throws(OverlayError) -> PlistValue {
        guard let value = UntypedScalar.value(of: text, as: base) else {
            throw OverlayError(
                .clash, "\(text.quoted) can't be read as \(base.typeNameWithArticle), the type in the base",
                at: place.pointer, hint: "write the overlay as XML to change the type")
        }
        return value
    }
}

/// What the strings of an OpenStep property list stand for: it has no other scalars but data.
private enum UntypedScalar {
    /// The text as a value of the type that `base` has; nil if it does not read as one.
    static func value(of text: PlistString, as base: PlistValue) -> PlistValue? {
        switch base {
        case .string:
            return .string(text)
        case .boolean:
            switch text.string {
            case "YES", "true", "1": return .boolean(true)
            case "NO", "false", "0": return .boolean(false)
            default: return nil
            }
        case .integer:
            if let value = Int64(text.string) { return .integer(PlistInteger(value)) }
            return UInt64(text.string).map { .integer(PlistInteger($0)) }
        case .real:
            return Double(text.string).flatMap { $0.isNaN ? nil : .real($0) }
        default:
            return nil
        }
    }
}

extension DeepMerge {
    /// What comes of two dictionaries of which one is a keyed archive: its objects refer to each other by number, so that no part
    /// of it can be changed by itself.
    ///
    /// - Returns: nil if neither is one, or the base is empty.
    /// - Throws: `clash` unless the overlay has the base's archive, or changes nothing.
    func archive(_ overlay: PlistValue, over base: PlistValue) throws(OverlayError) -> PlistValue? {
        let (isArchive, isBaseArchive) = (KeyedArchive.isArchive(overlay), KeyedArchive.isArchive(base))
        guard isArchive || isBaseArchive, base.dictionary?.isEmpty == false else { return nil }
        if overlay.dictionary?.isEmpty == true { return base }
        if isArchive, isBaseArchive, try expansion?.expanded(overlay, at: place.pointer) ?? overlay == base { return base }
        let name = isArchive ? "a keyed archive" : "a dictionary"
        let baseName = isBaseArchive ? isArchive ? "a different one" : "a keyed archive" : "a dictionary"
        throw OverlayError(
            .clash, "the overlay has \(name), but the base has \(baseName): a keyed archive can only be replaced",
            at: place.pointer,
            hint: "use 'replace' in an overlay document")
    }
}
