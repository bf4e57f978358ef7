import CapsuleCore
import CapsulePropertyList

/// Merges a partial property list over another (docs/overlay.md, section 2).
///
/// Dictionaries merge key by key, arrays by their identity, and a scalar takes a scalar's place. Whatever the overlay does not
/// mention stays as it is.
package struct DeepMerge {
    package static let noteLimit = 1_000

    let identities: ArrayIdentities
    /// The expansion of names in the overlay's strings; nil if they are not expanded.
    var expansion: Expansion?
    var nullRemoves = false
    /// True if a string is converted to the type of the base's value, because OpenStep has no other scalars.
    var stringsTakeBaseType = false
    private(set) var notes: [OverlayNote] = []
    private var place: [PlistString] = []

    init(identities: ArrayIdentities) {
        self.identities = identities
    }

    /// - Parameters:
    ///   - base: the value to merge into; nil if there is none yet.
    ///   - place: the place of the base in the whole property list.
    mutating func merge(
        _ overlay: PlistValue, into base: PlistValue?, at place: [PlistString]
    ) throws(OverlayError) -> PlistValue {
        self.place = place
        return try merged(overlay, base)
    }

    /// Returns the base's elements in their order, followed by the new ones.
    mutating func union(
        _ overlay: [PlistValue], with base: [PlistValue], _ place: [PlistString]
    ) throws(OverlayError) -> [PlistValue] {
        self.place = place
        return try union(overlay, base)
    }

    private var pointer: PlistPointer { PlistPointer(steps: place) }

    private mutating func merged(_ overlay: PlistValue, _ base: PlistValue?) throws(OverlayError) -> PlistValue {
        switch overlay {
        case .dictionary(let entries): try merged(entries, base)
        case .array(let elements): try merged(elements, base)
        default: try scalar(overlay, over: base)
        }
    }

    private mutating func merged(
        _ overlay: PlistValue, _ base: PlistValue?, at step: PlistString
    ) throws(OverlayError) -> PlistValue {
        place.append(step)
        let result = try merged(overlay, base)
        place.removeLast()
        return result
    }

    private mutating func merged(_ overlay: PlistDictionary, _ base: PlistValue?) throws(OverlayError) -> PlistValue {
        if let replacement = try whole(overlay, over: base) { return replacement }
        var result = base?.dictionary ?? PlistDictionary()
        for position in overlay.indices { try merge(overlay[position], into: &result) }
        return .dictionary(result)
    }

    private mutating func merge(
        _ entry: PlistDictionary.Element, into result: inout PlistDictionary
    ) throws(OverlayError) {
        result[entry.key] =
            nullRemoves && entry.value.isNull ? nil : try merged(entry.value, result[entry.key], at: entry.key)
    }

    private mutating func merged(_ overlay: [PlistValue], _ base: PlistValue?) throws(OverlayError) -> PlistValue {
        let elements = try elements(of: base, under: overlay)
        switch try identities.identity(at: place) {
        case .keyed(let key, let isOptional, let ignoresCase):
            let keyed = KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase)
            return .array(try merged(overlay, elements ?? [], keyed))
        case .set: return .array(try union(overlay, elements ?? []))
        case .ordered: return .array(try ordered(overlay, elements ?? []))
        case .replace: return .array(try ordered(overlay, []))
        case nil:
            let result = try ordered(overlay, [])
            if let elements, elements != result { addReplacementNote() }
            return .array(result)
        }
    }

    private mutating func addNote(_ message: String, hint: String? = nil) {
        if notes.count < Self.noteLimit {
            notes.append(OverlayNote(message, at: pointer, hint: hint))
        } else if notes.count == Self.noteLimit {
            notes.append(OverlayNote("more notes follow; only the first \(Self.noteLimit) are shown"))
        }
    }

    private mutating func addReplacementNote() {
        let name = place.last?.string ?? "/"
        addNote(
            "the overlay's array replaces the base's: their elements have no known identity",
            hint: "'--arrays \(name)=set' adds missing elements; 'keyed(KEY)' and 'ordered' merge elements")
    }

    private func clash(_ overlay: PlistValue, _ base: PlistValue) -> OverlayError {
        OverlayError(
            .clash, "the overlay has \(overlay.typeNameWithArticle), but the base has \(base.typeNameWithArticle)",
            at: pointer, hint: "use 'replace' in an overlay document")
    }
}

extension DeepMerge {
    private mutating func scalar(_ overlay: PlistValue, over base: PlistValue?) throws(OverlayError) -> PlistValue {
        var value = try expanded(overlay)
        guard let base else { return value }
        guard !base.isContainer else { throw clash(overlay, base) }
        if stringsTakeBaseType, let text = value.string { value = try typed(text, as: base) }
        if let change = base.typeChange(to: value) { addNote(change) }
        return value
    }

    private func expanded(_ value: PlistValue) throws(OverlayError) -> PlistValue {
        guard !value.isNull else {
            throw OverlayError(
                .invalid, "property lists have no null", at: pointer,
                hint: "with '--deep', null removes a key; in a document, list the pointer under 'Remove'")
        }
        guard let expansion, let text = value.string else { return value }
        return .string(PlistString(try expansion.expand(text.string, at: pointer)))
    }

    private func typed(_ text: PlistString, as base: PlistValue) throws(OverlayError) -> PlistValue {
        guard let value = UntypedScalar.value(of: text, as: base) else {
            throw OverlayError(
                .clash, "\(text.quoted) can't be read as \(base.typeNameWithArticle), the type in the base",
                at: pointer, hint: "write the overlay as XML to change the type")
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
    /// Returns the result for dictionaries that can't be merged key by key, because one of them is a keyed archive. Its objects
    /// refer to each other by number, so no part of it can be changed alone.
    ///
    /// - Returns: nil if neither is an archive, or if the base is empty.
    private func whole(_ overlay: PlistDictionary, over base: PlistValue?) throws(OverlayError) -> PlistValue? {
        guard let base else { return nil }
        let overlay = PlistValue.dictionary(overlay)
        guard let entries = base.dictionary else { throw clash(overlay, base) }
        let (isArchive, isBaseArchive) = (KeyedArchive.isArchive(overlay), KeyedArchive.isArchive(base))
        guard isArchive || isBaseArchive, !entries.isEmpty else { return nil }
        if overlay.dictionary?.isEmpty == true { return base }
        if isArchive, isBaseArchive, try expansion?.expanded(overlay, at: pointer) ?? overlay == base { return base }
        let name = isArchive ? "a keyed archive" : "a dictionary"
        let baseName = isBaseArchive ? isArchive ? "a different one" : "a keyed archive" : "a dictionary"
        throw OverlayError(
            .clash, "the overlay has \(name), but the base has \(baseName): a keyed archive can only be replaced",
            at: pointer,
            hint: "use 'replace' in an overlay document")
    }
}

/// Merges arrays by the identity of their elements.
extension DeepMerge {
    private func elements(of base: PlistValue?, under overlay: [PlistValue]) throws(OverlayError) -> [PlistValue]? {
        guard let base else { return nil }
        guard let elements = base.array else { throw clash(.array(overlay), base) }
        return elements
    }

    private mutating func ordered(_ overlay: [PlistValue], _ base: [PlistValue]) throws(OverlayError) -> [PlistValue] {
        var result = base
        for number in overlay.indices {
            let isNew = number >= base.count
            let value = try merged(overlay[number], isNew ? nil : base[number], at: Self.step(number))
            if isNew { result.append(value) } else { result[number] = value }
        }
        return result
    }

    /// Adds the elements that the base doesn't have, as they are spelled or expanded.
    private mutating func union(_ overlay: [PlistValue], _ base: [PlistValue]) throws(OverlayError) -> [PlistValue] {
        var result = base
        var known = Set(base)
        for number in overlay.indices where !known.contains(overlay[number]) {
            let value = try merged(overlay[number], nil, at: Self.step(number))
            if known.insert(value).inserted { result.append(value) }
        }
        return result
    }

    private mutating func merged(
        _ overlay: [PlistValue], _ base: [PlistValue], _ keyed: KeyedElements
    ) throws(OverlayError) -> [PlistValue] {
        try keyed.checkUnique(overlay, place)
        var array = KeyedArray(elements: base, keyed: keyed)
        for number in overlay.indices {
            let partner = try partner(of: number, in: overlay, &array)
            let value = try merged(
                partner == nil ? overlay[number] : keyed.withoutKey(overlay[number]), partner.map { array.elements[$0] },
                at: Self.step(partner ?? array.elements.count))
            array.store(value, at: partner)
        }
        return array.elements
    }

    /// Returns the index in the base of the element that an element of the overlay merges into; nil for a new element.
    private func partner(
        of number: Int, in overlay: [PlistValue], _ array: inout KeyedArray
    ) throws(OverlayError) -> Int? {
        let key = try pairingKey(of: overlay[number], array)
        array.hasKey = key != nil
        if let key {
            try array.keyed.claim(key, by: number, &array.taken, place)
            return try array.keyed.partner(key, in: array.index, at: place)
        }
        guard !array.keyed.isOptional else { return nil }
        guard overlay.count == 1, array.base.count == 1 else {
            throw array.keyed.unpaired(number, base: array.base.count, at: place)
        }
        return 0
    }

    /// Returns the key that pairs an element of the overlay: as it is spelled if the base has that key, expanded otherwise; nil if
    /// the element has no key.
    private func pairingKey(of element: PlistValue, _ array: KeyedArray) throws(OverlayError) -> PlistValue? {
        guard let key = array.keyed.value(of: element) else { return nil }
        guard expansion != nil, key.string != nil else { return key }
        if try array.keyed.partner(key, in: array.index, at: place) != nil { return key }
        let spelled = try expanded(key)
        return spelled.string?.isEmpty == true ? nil : spelled
    }

    private static func step(_ index: Int) -> PlistString { PlistString(String(index)) }
}

/// An array whose elements pair by a key, while an overlay's elements are merged into it.
private struct KeyedArray {
    let keyed: KeyedElements
    let base: [PlistValue]
    let index: [PlistValue: [Int]]
    private(set) var elements: [PlistValue]
    var taken = KeyedElements.UsedKeys()
    var hasKey = false
    /// The elements without a key; nil until the first one is needed.
    private var keyless: Set<PlistValue>?

    init(elements: [PlistValue], keyed: KeyedElements) {
        self.keyed = keyed
        base = elements
        index = keyed.index(of: elements)
        self.elements = elements
    }

    /// Stores the merged value of the overlay's current element. An equal element without a key that is already there was added
    /// before.
    mutating func store(_ value: PlistValue, at partner: Int?) {
        if let partner {
            elements[partner] = value
        } else if hasKey || isNew(value) {
            elements.append(value)
        }
    }

    private mutating func isNew(_ value: PlistValue) -> Bool {
        var known = keyless ?? Set(base.filter { keyed.value(of: $0) == nil })
        keyless = nil
        defer { keyless = known }
        return known.insert(value).inserted
    }
}
