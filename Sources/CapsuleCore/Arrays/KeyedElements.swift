import CapsulePropertyList

/// Pairs the elements of arrays by the value of a key (docs/overlay.md, section 2).
struct KeyedElements {
    let key: PlistString
    /// True if elements may lack the key. Such elements are not paired.
    let isOptional: Bool
    let ignoresCase: Bool

    /// The elements of an overlay's array by their values.
    struct UsedKeys {
        fileprivate var elements: [PlistValue: Int] = [:]
    }

    /// Returns the value that an element is paired by. Returns nil if the key is missing or empty, or if the element is not a
    /// dictionary.
    func value(of element: PlistValue) -> PlistValue? {
        guard let value = element.dictionary?[key] else { return nil }
        return value.string?.isEmpty == true ? nil : value
    }

    /// Returns the indices of the elements that have each value.
    func index(of elements: [PlistValue]) -> [PlistValue: [Int]] {
        var index: [PlistValue: [Int]] = [:]
        for (number, element) in elements.enumerated() {
            if let value = value(of: element) { index[folded(value), default: []].append(number) }
        }
        return index
    }

    /// Returns the same number for elements that are paired with each other, and nil for elements that can't be paired.
    func numbers(of elements: [PlistValue]) -> [Int?] {
        var numbers: [PlistValue: Int] = [:]
        return elements.map { element in
            guard let value = value(of: element).map(folded) else { return nil }
            let number = numbers[value] ?? numbers.count
            numbers[value] = number
            return number
        }
    }

    /// Throws an error if two elements have the same value.
    ///
    /// - Throws: `ambiguous`, with both places.
    func checkUnique(_ elements: [PlistValue], _ place: [PlistString]) throws(OverlayError) {
        var taken = UsedKeys()
        for (number, element) in elements.enumerated() {
            if let value = value(of: element) { try claim(value, by: number, &taken, place) }
        }
    }

    /// Records that an element of the overlay has a value, as it is written or expanded.
    ///
    /// - Throws: `ambiguous`, with both places, if another element already has the value.
    func claim(_ value: PlistValue, by number: Int, _ taken: inout UsedKeys, _ place: [PlistString]) throws(OverlayError) {
        guard let other = taken.elements.updateValue(number, forKey: folded(value)) else { return }
        throw OverlayError(
            .ambiguous, "elements \(other) and \(number) of the overlay's array both have \(named(value))",
            at: PlistPointer(steps: place), hint: "combine them into one element")
    }

    /// Returns the only element with a value, or nil if there is none.
    ///
    /// - Throws: `ambiguous`, with the places, if there are several.
    func partner(_ value: PlistValue, in index: [PlistValue: [Int]], at place: [PlistString]) throws(OverlayError) -> Int? {
        guard let found = index[folded(value)], let first = found.first else { return nil }
        guard found.count == 1 else {
            let list = found.prefix(8).map(String.init).joined(separator: " and ")
            throw OverlayError(
                .ambiguous, "elements \(list) of the base's array all have \(named(value))", at: PlistPointer(steps: place),
                hint: "choose one by its index, with an operation at '…/\(first)'")
        }
        return first
    }

    /// Returns the element without its key, so that the base's spelling of the value is kept.
    func withoutKey(_ element: PlistValue) -> PlistValue {
        guard var dictionary = element.dictionary, value(of: element) != nil else { return element }
        dictionary[key] = nil
        return .dictionary(dictionary)
    }

    /// Returns the error for an element without the key that can't be placed.
    func unpaired(_ number: Int, base count: Int, at place: [PlistString]) -> OverlayError {
        let pointer = PlistPointer(steps: place)
        if count == 0 {
            return OverlayError(
                .unpaired,
                "element \(number) of the overlay's array has no \(key.quoted), and the base's array has no element to match",
                at: pointer, hint: "write \(key) to add an element")
        }
        return OverlayError(
            .unpaired,
            "element \(number) of the overlay's array has no \(key.quoted), and the base has \(count) element\(count == 1 ? "" : "s")",
            at: pointer, hint: "write \(key) to choose an element")
    }

    /// Returns the key and its value, for messages.
    func named(_ value: PlistValue) -> String {
        "\(key.quoted) = \(value.string?.quoted ?? value.description)"
    }

    /// Returns the form of a value that is the same for all values that are paired with it.
    func folded(_ value: PlistValue) -> PlistValue {
        guard ignoresCase, let text = value.string else { return value }
        return .string(PlistString(text.string.lowercased()))
    }
}

/// Finds out if an array already has an element that is to be inserted. Each lookup is fast, even if there are many.
struct ElementLookup {
    enum LookupResult {
        case nothing
        case equal
        /// Another element has the key. The text names the key and its value.
        case other(PlistValue, String)
    }

    /// The place of the array.
    let place: PlistPointer
    private let identity: ArrayIdentity?
    private var byKey: [PlistValue: [PlistValue]] = [:]
    /// The elements of a set.
    private var known: Set<PlistValue> = []

    init(_ elements: [PlistValue], at place: PlistPointer, _ identity: ArrayIdentity?) {
        self.place = place
        self.identity = identity
        for element in elements { add(element) }
    }

    private var keyed: KeyedElements? {
        guard case .keyed(let key, let isOptional, let ignoresCase) = identity else { return nil }
        return KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase)
    }

    mutating func add(_ element: PlistValue) {
        if let keyed {
            if let value = keyed.value(of: element) { byKey[keyed.folded(value), default: []].append(element) }
        } else if identity == .set {
            known.insert(element)
        }
    }

    mutating func find(_ new: PlistValue) -> LookupResult {
        if let keyed {
            guard let value = keyed.value(of: new), let found = byKey[keyed.folded(value)], let first = found.first else {
                return .nothing
            }
            return found.contains(new) ? .equal : .other(first, keyed.named(value))
        }
        return known.contains(new) ? .equal : .nothing
    }
}

/// Assigns numbers to values, the same number to equal values, so that comparing two values takes constant time.
struct ValueInterner {
    private var known: [PlistValue: Int] = [:]

    mutating func number(of value: PlistValue) -> Int {
        let next = known.count
        return known.withDefault(next, for: value)
    }

    mutating func numbers(of values: [PlistValue]) -> [Int] {
        var numbers: [Int] = []
        numbers.reserveCapacity(values.count)
        for value in values { numbers.append(number(of: value)) }
        return numbers
    }
}

extension [PlistValue: Int] {
    /// Returns the value of a key, after setting it to a default if there is none. The key is hashed once.
    fileprivate mutating func withDefault(_ number: Int, for key: PlistValue) -> Int {
        func keep(_ slot: inout Int) -> Int { slot }
        return keep(&self[key, default: number])
    }
}
