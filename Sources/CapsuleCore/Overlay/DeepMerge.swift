import CapsulePropertyList

/// Merges a partial property list over another (docs/overlay.md, section 2).
///
/// Dictionaries merge key by key, arrays by their identity, and a scalar takes a scalar's place. Whatever the overlay does not
/// mention stays as it is.
struct DeepMerge {
    /// The number of visited values after which a merge fails. Patterns can make a shared object merge differently in each place.
    static let visitLimit = 1_000_000
    /// The number of notes after which no more are kept. A shared object can have the same note in any number of places.
    static let noteLimit = 1_000

    /// The result of merging a pair. It holds the pair, so that no other value gets the same addresses.
    private struct Merged {
        let overlay: PlistValue
        let base: PlistValue?
        let result: PlistValue
    }

    let identities: ArrayIdentities
    /// The expansion of names in the overlay's strings; nil if they are not expanded.
    var expansion: Expansion?
    /// True if null removes a key.
    var nullRemoves = false
    /// True if a string is converted to the type of the base's value, because OpenStep has no other scalars.
    var stringsTakeBaseType = false
    /// The number of values that may be visited before the merge fails.
    var limit = DeepMerge.visitLimit
    private(set) var notes: [OverlayNote] = []
    /// The current place of the merge.
    var place: MergePath
    /// Numbers the elements of arrays: equal elements have the same number.
    var numbers = ElementInterner()
    private var visits = 0
    private var memo: [DeepMergeFrame.Pair: Merged] = [:]

    init(identities: ArrayIdentities) {
        self.identities = identities
        place = MergePath(identities)
    }

    /// Returns the result of merging the overlay over the base.
    ///
    /// - Parameters:
    ///   - base: the value to merge into; nil if there is none yet.
    ///   - place: the place of the base in the whole property list.
    mutating func merge(
        _ overlay: PlistValue, into base: PlistValue?, at place: [PlistString]
    ) throws(OverlayError) -> PlistValue {
        start(at: place)
        var frames: [DeepMergeFrame] = []
        if let result = try begin(overlay, base, &frames) { return result }
        return try run(&frames)
    }

    /// Returns the base's elements in their order, followed by the new ones.
    mutating func union(
        _ overlay: [PlistValue], with base: [PlistValue], _ place: [PlistString]
    ) throws(OverlayError) -> [PlistValue] {
        start(at: place)
        var frames: [DeepMergeFrame] = []
        try openUnion(.array(overlay), overlay, with: base, &frames)
        return try run(&frames).array ?? []
    }

    /// Discards earlier results, which may come from other rules.
    private mutating func start(at place: [PlistString]) {
        self.place.start(at: place)
        memo = [:]
        visits = 0
    }

    // MARK: Nested values

    /// Merges everything in the containers on the stack. The stack is explicit, so that depth costs no call stack.
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
            try store(finished, into: &frames[frames.count - 1])
        }
    }

    /// Begins to merge a value. Objects that a binary property list references many times are merged once for all places where they
    /// pair alike.
    ///
    /// - Returns: nil for a container, which is then on the stack.
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
        // The outermost value is not shared.
        guard !place.isStart, let address = overlay.storageAddress else { return nil }
        guard let base else { return DeepMergeFrame.Pair(overlay: address, base: nil, state: place.state()) }
        // An empty value differs from a missing one.
        guard let other = base.storageAddress else { return nil }
        return DeepMergeFrame.Pair(overlay: address, base: other, state: place.state())
    }

    /// Returns the next value to merge in a container; nil at its end.
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

    /// Stores the result of the child that was begun last.
    private mutating func store(_ value: PlistValue, into frame: inout DeepMergeFrame) throws(OverlayError) {
        guard case .dictionary(let entries) = frame.contents else { return try storeElement(value, into: &frame) }
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
        // A result with notes is not reused, so that each place gets its notes.
        if let pair = frame.pair, notes.count == frame.noted {
            memo[pair] = Merged(overlay: frame.overlay, base: frame.base, result: result)
        }
        return result
    }

    /// Adds a note, up to ``noteLimit``.
    mutating func addNote(_ message: String, hint: String? = nil) {
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
        /// The elements replace those of the base. `isKnown` is true if a rule says so.
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
    /// For a set: the numbers of its elements.
    var known: Set<Int> = []

    /// For elements that pair by a key: the indices of each key in the base.
    var index: [PlistValue: [Int]] = [:]
    var taken = KeyedElements.UsedKeys()
    /// The numbers of the elements without a key; nil until the first one is needed.
    var keyless: Set<Int>?
    /// The index in the base of the current element's partner. `hasKey` is true if the element has the key.
    var partner: Int?
    var hasKey = false

    init(_ overlay: PlistValue, _ base: PlistValue?, _ contents: Contents) {
        self.overlay = overlay
        self.base = base
        self.contents = contents
    }

    /// Returns the next element in order; nil at the end.
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
        if let change = base.typeChange(to: value) { addNote(change) }
        return value
    }

    /// Returns the overlay's value with its names expanded.
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

/// Converts strings of an OpenStep property list, which has no other scalars except data.
private enum UntypedScalar {
    /// Returns the text as a value of the type that `base` has; nil if it can't be read as one.
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
    /// Merges two dictionaries if one of them is a keyed archive. Its objects refer to each other by number, so no part of it can
    /// be changed alone.
    ///
    /// - Returns: nil if neither is an archive, or if the base is empty.
    /// - Throws: `clash`, unless the overlay equals the base's archive or is empty.
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

extension DeepMerge {
    /// Puts an array on the stack, according to the identity of its elements.
    mutating func open(
        _ overlay: PlistValue, _ elements: [PlistValue], _ base: PlistValue?, _ frames: inout [DeepMergeFrame]
    ) throws(OverlayError) {
        switch try place.identity() {
        case .keyed(let key, let isOptional, let ignoresCase):
            let keyed = KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase)
            try keyed.checkUnique(elements, place.steps)
            frames.append(DeepMergeFrame(overlay, base, .keyed(elements, keyed)))
            frames[frames.count - 1].elements = base?.array ?? []
            frames[frames.count - 1].index = keyed.index(of: base?.array ?? [])
        case .set:
            try openUnion(overlay, elements, with: base?.array ?? [], &frames)
        case .ordered:
            frames.append(DeepMergeFrame(overlay, base, .ordered(elements)))
            frames[frames.count - 1].elements = base?.array ?? []
        case .replace:
            frames.append(DeepMergeFrame(overlay, base, .fresh(elements, isKnown: true)))
        case nil:
            frames.append(DeepMergeFrame(overlay, base, .fresh(elements, isKnown: false)))
        }
    }

    /// Puts an array that merges as a set on the stack.
    mutating func openUnion(
        _ overlay: PlistValue, _ elements: [PlistValue], with base: [PlistValue], _ frames: inout [DeepMergeFrame]
    ) throws(OverlayError) {
        let known = try numbered(base)
        frames.append(DeepMergeFrame(overlay, .array(base), .set(elements)))
        frames[frames.count - 1].elements = base
        frames[frames.count - 1].known = known
    }

    /// Returns the next element, to be merged into another one or into nothing; nil at the end of the array.
    mutating func element(of frame: inout DeepMergeFrame) throws(OverlayError) -> DeepMergeFrame.Child? {
        switch frame.contents {
        case .dictionary: return nil
        case .ordered(let elements):
            return frame.nextElement(elements, into: frame.next < frame.elements.count ? frame.elements[frame.next] : nil)
        case .fresh(let elements, _):
            return frame.nextElement(elements, into: nil)
        case .set(let elements):
            // An element that the base has in unexpanded spelling is already there.
            while frame.next < elements.count, frame.known.contains(try number(of: elements[frame.next])) { frame.next += 1 }
            return frame.nextElement(elements, into: nil)
        case .keyed(let elements, let keyed):
            return try pairedElement(of: elements, keyed, &frame)
        }
    }

    /// Stores the merged value of the current element.
    mutating func storeElement(_ value: PlistValue, into frame: inout DeepMergeFrame) throws(OverlayError) {
        switch frame.contents {
        case .dictionary: break
        case .fresh: frame.elements.append(value)
        case .ordered:
            if frame.next <= frame.elements.count {
                frame.elements[frame.next - 1] = value
            } else {
                frame.elements.append(value)
            }
        case .set:
            if frame.known.insert(try number(of: value)).inserted { frame.elements.append(value) }
        case .keyed(_, let keyed):
            try storeKeyedElement(value, keyed, &frame)
        }
    }

    mutating func closeArray(_ frame: DeepMergeFrame) {
        guard case .fresh(_, isKnown: false) = frame.contents else { return }
        guard let base = frame.base?.array, base != frame.elements else { return }
        let name = place.steps.last?.string ?? "/"
        addNote(
            "the overlay's array replaces the base's: their elements have no known identity",
            hint: "'--arrays \(name)=set' adds missing elements; 'keyed(KEY)' and 'ordered' merge elements")
    }

    // MARK: Elements that pair by a key

    private mutating func pairedElement(
        of overlay: [PlistValue], _ keyed: KeyedElements, _ frame: inout DeepMergeFrame
    ) throws(OverlayError) -> DeepMergeFrame.Child? {
        guard frame.next < overlay.count else { return nil }
        let number = frame.next
        let element = overlay[number]
        let key = try pairingKey(of: element, frame.index, keyed)
        let partner: Int?
        if let key {
            try keyed.claim(key, by: number, &frame.taken, place.steps)
            partner = try keyed.partner(key, in: frame.index, at: place.steps)
        } else if keyed.isOptional {
            partner = nil
        } else {
            let count = frame.base?.array?.count ?? 0
            guard overlay.count == 1, count == 1 else { throw keyed.unpaired(number, base: count, at: place.steps) }
            partner = 0
        }
        frame.next += 1
        frame.partner = partner
        frame.hasKey = key != nil
        guard let partner else {
            return DeepMergeFrame.Child(overlay: element, base: nil, step: DeepMergeFrame.step(frame.elements.count))
        }
        return DeepMergeFrame.Child(
            overlay: keyed.withoutKey(element), base: frame.elements[partner], step: DeepMergeFrame.step(partner))
    }

    private mutating func storeKeyedElement(
        _ value: PlistValue, _ keyed: KeyedElements, _ frame: inout DeepMergeFrame
    ) throws(OverlayError) {
        if let partner = frame.partner {
            frame.elements[partner] = value
            return
        }
        if !frame.hasKey {
            if frame.keyless == nil {
                frame.keyless = try numbered((frame.base?.array ?? []).filter { keyed.value(of: $0) == nil })
            }
            // An equal element that is already there was added before.
            let isNew = frame.keyless?.insert(try number(of: value)).inserted == true
            guard isNew else { return }
        }
        frame.elements.append(value)
    }

    /// Returns the key that pairs an element of the overlay: as it is spelled if the base has that key, expanded otherwise; nil if
    /// the element has no key.
    private func pairingKey(
        of element: PlistValue, _ known: [PlistValue: [Int]], _ keyed: KeyedElements
    ) throws(OverlayError) -> PlistValue? {
        guard let key = keyed.value(of: element) else { return nil }
        guard expansion != nil, key.string != nil else { return key }
        if try keyed.partner(key, in: known, at: place.steps) != nil { return key }
        let spelled = try expanded(key)
        return spelled.string?.isEmpty == true ? nil : spelled
    }

    // MARK: Equal elements

    private mutating func numbered(_ elements: [PlistValue]) throws(OverlayError) -> Set<Int> {
        var result: Set<Int> = []
        for element in elements { result.insert(try number(of: element)) }
        return result
    }

    private mutating func number(of element: PlistValue) throws(OverlayError) -> Int {
        let number = numbers.number(of: element)
        guard numbers.isExact else {
            throw OverlayError(
                .limit, "too many elements differ only in deeply nested values to compare them all", at: place.pointer)
        }
        return number
    }
}
