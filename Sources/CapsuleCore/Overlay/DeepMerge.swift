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
