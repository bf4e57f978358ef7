import CapsulePropertyList

/// Merges a truncated property list over another (design: overlay.md, "Deep merge").
///
/// Dictionaries merge key by key, arrays by their identity, and a scalar takes a scalar's place. Whatever the overlay does not
/// mention stays as it is.
struct DeepMerge {
    /// Visits of values after which a merge gives up: shared objects of a binary property list can expand without end.
    static let visitLimit = 10_000_000

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
    private var visits = 0

    init(identities: ArrayIdentities) {
        self.identities = identities
    }

    /// What the overlay makes of the base.
    ///
    /// - Parameters:
    ///   - base: nil where there is nothing yet.
    ///   - place: where in the whole property list this is.
    mutating func merge(
        _ overlay: PlistValue, into base: PlistValue?, at place: [PlistString]
    ) throws(OverlayError) -> PlistValue {
        try visit(place)
        switch overlay {
        case .dictionary(let entries):
            var result = try Self.dictionary(base, place)
            for (key, value) in entries {
                if nullRemoves, value.isNull {
                    result[key] = nil
                } else {
                    result[key] = try merge(value, into: result[key], at: place + [key])
                }
            }
            return .dictionary(result)
        case .array(let elements):
            return .array(try merge(elements, into: try Self.elements(base, place), at: place))
        default:
            return try scalar(overlay, over: base, place)
        }
    }

    private mutating func visit(_ place: [PlistString]) throws(OverlayError) {
        visits += 1
        guard visits <= limit else {
            throw OverlayError(
                .limit, "the overlay expands to more than \(limit) values", at: PlistPointer(steps: place))
        }
    }

    // MARK: Scalars

    private mutating func scalar(
        _ overlay: PlistValue, over base: PlistValue?, _ place: [PlistString]
    ) throws(OverlayError) -> PlistValue {
        var value = try expanded(overlay, place)
        guard let base else { return value }
        guard !base.isContainer else { throw Self.clash(overlay, base, place) }
        if stringsTakeBaseType, let text = value.string { value = try Self.typed(text, as: base, place) }
        if value.typeName != base.typeName {
            notes.append(
                OverlayNote(
                    "\(base.typeNameWithArticle) becomes \(value.typeNameWithArticle)", at: PlistPointer(steps: place)))
        }
        return value
    }

    /// The overlay's value with its names expanded.
    private mutating func expanded(_ value: PlistValue, _ place: [PlistString]) throws(OverlayError) -> PlistValue {
        guard !value.isNull else {
            throw OverlayError(
                .invalid, "null is no value of a property list", at: PlistPointer(steps: place),
                hint: "with '--deep' it takes a key away; in a document write the pointer under 'Remove'")
        }
        guard let expansion, let text = value.string else { return value }
        return .string(PlistString(try expansion.expand(text.string, at: PlistPointer(steps: place))))
    }

    private static func typed(
        _ text: PlistString, as base: PlistValue, _ place: [PlistString]
    ) throws(OverlayError) -> PlistValue {
        guard let value = UntypedScalar.value(of: text, as: base) else {
            throw OverlayError(
                .clash, "\(text.quoted) does not read as \(base.typeNameWithArticle), which the base has",
                at: PlistPointer(steps: place), hint: "write the overlay as XML to change the type")
        }
        return value
    }

    // MARK: Arrays

    private mutating func merge(
        _ overlay: [PlistValue], into base: [PlistValue]?, at place: [PlistString]
    ) throws(OverlayError) -> [PlistValue] {
        switch try identities.identity(at: place) {
        case .keyed(let key, let isOptional, let ignoresCase):
            return try mergeKeyed(
                overlay, into: base ?? [], KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase), place)
        case .set:
            return try union(overlay, with: base ?? [], place)
        case .ordered:
            var result = base ?? []
            for (number, element) in overlay.enumerated() {
                let at = place + [Self.step(number)]
                if number < result.count {
                    result[number] = try merge(element, into: result[number], at: at)
                } else {
                    result.append(try merge(element, into: nil, at: at))
                }
            }
            return result
        case .replace:
            return try fresh(overlay, place)
        case nil:
            let result = try fresh(overlay, place)
            if let base, base != result { noteUnknown(place) }
            return result
        }
    }

    private mutating func noteUnknown(_ place: [PlistString]) {
        let name = place.last?.string ?? "/"
        notes.append(
            OverlayNote(
                "the overlay's array takes the place of the base's: how their elements pair is not known",
                at: PlistPointer(steps: place),
                hint: "'--arrays \(name)=set' adds what is missing; 'keyed(KEY)' and 'ordered' pair"))
    }

    /// Elements that are merged into nothing.
    private mutating func fresh(_ elements: [PlistValue], _ place: [PlistString]) throws(OverlayError) -> [PlistValue] {
        var result: [PlistValue] = []
        result.reserveCapacity(elements.count)
        for (number, element) in elements.enumerated() {
            result.append(try merge(element, into: nil, at: place + [Self.step(number)]))
        }
        return result
    }

    /// The base's elements in their order, then those that are new.
    mutating func union(
        _ overlay: [PlistValue], with base: [PlistValue], _ place: [PlistString]
    ) throws(OverlayError) -> [PlistValue] {
        var result = base
        var known = Set(base)
        for (number, element) in overlay.enumerated() {
            // What the base spells unexpanded is there already.
            if known.contains(element) { continue }
            let new = try merge(element, into: nil, at: place + [Self.step(number)])
            if known.insert(new).inserted { result.append(new) }
        }
        return result
    }

    private mutating func mergeKeyed(
        _ overlay: [PlistValue], into base: [PlistValue], _ keyed: KeyedElements, _ place: [PlistString]
    ) throws(OverlayError) -> [PlistValue] {
        try keyed.checkUnique(overlay, place)
        let known = keyed.index(of: base)
        var result = base
        for (number, element) in overlay.enumerated() {
            let partner = try partner(of: element, number, among: overlay, base, known, keyed, place)
            if let partner {
                result[partner] = try merge(
                    keyed.withoutKey(element), into: result[partner], at: place + [Self.step(partner)])
            } else {
                let new = try merge(element, into: nil, at: place + [Self.step(result.count)])
                // An element without a key that stands there already was added before.
                if keyed.value(of: element) == nil, result.contains(new) { continue }
                result.append(new)
            }
        }
        return result
    }

    /// The base's element that one of the overlay's pairs with; nil for one that is to be appended.
    private func partner(
        of element: PlistValue, _ number: Int, among overlay: [PlistValue], _ base: [PlistValue], _ known: [PlistValue: [Int]],
        _ keyed: KeyedElements, _ place: [PlistString]
    ) throws(OverlayError) -> Int? {
        guard let key = keyed.value(of: element) else {
            if keyed.isOptional { return nil }
            guard overlay.count == 1, base.count == 1 else {
                throw keyed.unpaired(number, base: base.count, at: place)
            }
            return 0
        }
        if let found = try keyed.partner(key, in: known, at: place) { return found }
        // An identity pairs by its unexpanded spelling first.
        guard let expansion, let text = key.string else { return nil }
        let spelled = PlistValue.string(PlistString(try expansion.expand(text.string, at: PlistPointer(steps: place))))
        return try keyed.partner(spelled, in: known, at: place)
    }

    // MARK: Types

    private static func dictionary(_ base: PlistValue?, _ place: [PlistString]) throws(OverlayError) -> PlistDictionary {
        guard let base else { return PlistDictionary() }
        guard let dictionary = base.dictionary else { throw clash(.dictionary(PlistDictionary()), base, place) }
        return dictionary
    }

    private static func elements(_ base: PlistValue?, _ place: [PlistString]) throws(OverlayError) -> [PlistValue]? {
        guard let base else { return nil }
        guard let elements = base.array else { throw clash(.array([]), base, place) }
        return elements
    }

    private static func clash(_ overlay: PlistValue, _ base: PlistValue, _ place: [PlistString]) -> OverlayError {
        OverlayError(
            .clash, "the overlay has \(overlay.typeNameWithArticle), and the base \(base.typeNameWithArticle)",
            at: PlistPointer(steps: place), hint: "a document's 'replace' puts one in the place of the other")
    }

    private static func step(_ index: Int) -> PlistString { PlistString(String(index)) }
}
