import CapsulePropertyList

/// Merges a truncated property list over another (docs/overlay.md, section 2).
///
/// Dictionaries merge key by key, arrays by their identity, and a scalar takes a scalar's place. Whatever the overlay does not
/// mention stays as it is.
struct DeepMerge {
    /// Visits of values after which a merge gives up: patterns can keep shared objects apart that are one.
    static let visitLimit = 1_000_000
    /// Notes after which no more are kept: objects that are shared can have one note at any number of places.
    static let noteLimit = 1_000

    /// What a merge depends on: what merges with what, and how the arrays at and below the place pair.
    private struct Pair: Hashable {
        let overlay: UInt
        let base: UInt?
        let state: Int
    }

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
    private var memo: [Pair: Merged] = [:]

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
        return try merge(overlay, into: base)
    }

    /// The base's elements in their order, then those that are new.
    mutating func union(
        _ overlay: [PlistValue], with base: [PlistValue], _ place: [PlistString]
    ) throws(OverlayError) -> [PlistValue] {
        start(at: place)
        return try union(overlay, with: base)
    }

    /// Forgets what was merged before, maybe by other rules.
    private mutating func start(at place: [PlistString]) {
        self.place.start(at: place)
        memo = [:]
        visits = 0
    }

    /// The same one step further down.
    mutating func merge(
        _ overlay: PlistValue, into base: PlistValue?, below step: PlistString
    ) throws(OverlayError) -> PlistValue {
        place.push(step)
        let result = try merge(overlay, into: base)
        place.pop()
        return result
    }

    /// Merges the objects that a binary property list names many times once, where they pair alike.
    private mutating func merge(_ overlay: PlistValue, into base: PlistValue?) throws(OverlayError) -> PlistValue {
        visits += 1
        guard visits <= limit else {
            throw OverlayError(.limit, "the overlay expands to more than \(limit) values", at: place.pointer)
        }
        guard let pair = pair(overlay, base) else { return try merged(overlay, base) }
        if let known = memo[pair] { return known.result }
        let noted = notes.count
        let result = try merged(overlay, base)
        // What has notes is looked at in every place, for each to be noted.
        if notes.count == noted { memo[pair] = Merged(overlay: overlay, base: base, result: result) }
        return result
    }

    private mutating func pair(_ overlay: PlistValue, _ base: PlistValue?) -> Pair? {
        // Nothing shares the outermost value.
        guard !place.isStart, let address = overlay.storageAddress else { return nil }
        guard let base else { return Pair(overlay: address, base: nil, state: place.state()) }
        // What is there and empty is not the same as nothing.
        guard let other = base.storageAddress else { return nil }
        return Pair(overlay: address, base: other, state: place.state())
    }

    private mutating func merged(_ overlay: PlistValue, _ base: PlistValue?) throws(OverlayError) -> PlistValue {
        switch overlay {
        case .dictionary(let entries):
            var result = PlistDictionary()
            if let base {
                guard let dictionary = base.dictionary else { throw clash(overlay, base) }
                result = dictionary
            }
            for (key, value) in entries {
                if nullRemoves, value.isNull {
                    result[key] = nil
                } else {
                    result[key] = try merge(value, into: result[key], below: key)
                }
            }
            return .dictionary(result)
        case .array(let elements):
            if let base, base.array == nil { throw clash(overlay, base) }
            return .array(try merge(elements, into: base?.array))
        default:
            return try scalar(overlay, over: base)
        }
    }

    /// Keeps a note, as long as there are not too many.
    mutating func note(_ message: String, hint: String? = nil) {
        if notes.count < Self.noteLimit {
            notes.append(OverlayNote(message, at: place.pointer, hint: hint))
        } else if notes.count == Self.noteLimit {
            notes.append(OverlayNote("there is more to note, and these are the first \(Self.noteLimit)"))
        }
    }

    func clash(_ overlay: PlistValue, _ base: PlistValue) -> OverlayError {
        OverlayError(
            .clash, "the overlay has \(overlay.typeNameWithArticle), and the base \(base.typeNameWithArticle)",
            at: place.pointer, hint: "a document's 'replace' puts one in the place of the other")
    }
}
