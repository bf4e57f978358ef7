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
    private var numbers = ElementInterner()
    private var known: Set<Int> = []
    /// The elements of a set, needed if equal elements may have different numbers.
    private var elements: [PlistValue] = []

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
            known.insert(numbers.number(of: element))
            elements.append(element)
        }
    }

    mutating func find(_ new: PlistValue) -> LookupResult {
        if let keyed {
            guard let value = keyed.value(of: new), let found = byKey[keyed.folded(value)], let first = found.first else {
                return .nothing
            }
            return found.contains(new) ? .equal : .other(first, keyed.named(value))
        }
        guard identity == .set else { return .nothing }
        let isKnown = known.contains(numbers.number(of: new)) || (!numbers.isExact && elements.contains(new))
        return isKnown ? .equal : .nothing
    }
}

/// Assigns numbers to values, the same number to equal values, so that comparing two values takes constant time.
///
/// The caller must keep the numbered values alive as long as this value is used, because containers are recognized by their addresses.
struct ValueInterner {
    /// The number of comparisons of unequal values with the same hash after which a value counts as new without a comparison.
    private let missLimit: Int
    /// The number of values within a value that contribute to its hash.
    private static let hashedValues = 512
    /// The number of elements of an array that contribute to its hash.
    private static let hashedElements = 32

    private var buckets: [Int: [Int]] = [:]
    private var values: [PlistValue] = []
    private var known: [UInt: Int] = [:]
    private var misses = 0
    /// False if equal values may have received different numbers.
    private(set) var isExact = true

    init(missLimit: Int = 1 << 14) {
        self.missLimit = missLimit
    }

    mutating func number(of value: PlistValue) -> Int {
        guard let address = value.storageAddress else { return search(value) }
        if let number = known[address] { return number }
        let number = search(value)
        known[address] = number
        return number
    }

    private mutating func search(_ value: PlistValue) -> Int {
        let hash = Self.hash(value, Self.hashedValues)
        for number in buckets[hash] ?? [] {
            guard misses < missLimit else {
                isExact = false
                break
            }
            if values[number] == value { return number }
            misses += 1
        }
        values.append(value)
        buckets[hash, default: []].append(values.count - 1)
        return values.count - 1
    }

    mutating func numbers(of values: [PlistValue]) -> [Int] {
        var numbers: [Int] = []
        numbers.reserveCapacity(values.count)
        for value in values { numbers.append(number(of: value)) }
        return numbers
    }

    /// A container that is being hashed, and those of its children that contribute to the hash.
    private struct Frame {
        let children: [PlistValue]
        /// The keys of a dictionary's children, whose order does not matter, or nil for an array.
        let keys: [PlistString]?
        /// The number of values that the hash of one child may visit.
        let share: Int
        var next = 0
        var sum = 0
        var hasher: Hasher

        init(_ elements: [PlistValue], _ fuel: Int) {
            hasher = Hasher()
            hasher.combine(0 as UInt8)
            hasher.combine(elements.count)
            let looked = min(elements.count, ValueInterner.hashedElements)
            share = (fuel - 1) / max(looked, 1)
            children = share > 0 ? elements.prefix(looked / 2) + elements.suffix(looked - looked / 2) : []
            keys = nil
        }

        init(_ dictionary: PlistDictionary, _ fuel: Int) {
            hasher = Hasher()
            hasher.combine(1 as UInt8)
            hasher.combine(dictionary.count)
            share = (fuel - 1) / max(dictionary.count, 1)
            children = share > 0 ? dictionary.map(\.value) : []
            keys = share > 0 ? Array(dictionary.keys) : []
        }

        /// Adds the hash of the child that was started last.
        mutating func combine(_ hash: Int) {
            guard let keys else { return hasher.combine(hash) }
            var entry = Hasher()
            entry.combine(keys[next - 1])
            entry.combine(hash)
            sum &+= entry.finalize()
        }

        var hash: Int {
            var hasher = hasher
            hasher.combine(sum)
            return hasher.finalize()
        }
    }

    /// Returns the hash of a value. It looks deeper than the hash of `PlistValue`, which the dictionaries of one array often share,
    /// but still visits a limited number of values. Each container divides its share among its children, regardless of their order.
    ///
    /// The stack is explicit, so that deep values don't use the call stack.
    private static func hash(_ value: PlistValue, _ fuel: Int) -> Int {
        var frames: [Frame] = []
        var result = begin(value, fuel, &frames)
        while let top = frames.indices.last {
            if frames[top].next < frames[top].children.count {
                frames[top].next += 1
                result = begin(frames[top].children[frames[top].next - 1], frames[top].share, &frames)
            } else {
                result = frames.removeLast().hash
            }
            if let finished = result, let outer = frames.indices.last { frames[outer].combine(finished) }
        }
        return result ?? 0
    }

    /// Starts hashing a value.
    ///
    /// - Returns: the hash, or nil for a container, which is pushed onto the stack.
    private static func begin(_ value: PlistValue, _ fuel: Int, _ frames: inout [Frame]) -> Int? {
        switch value {
        case .array(let elements): frames.append(Frame(elements, fuel))
        case .dictionary(let dictionary): frames.append(Frame(dictionary, fuel))
        default:
            var hasher = Hasher()
            hasher.combine(value)
            return hasher.finalize()
        }
        return nil
    }
}

/// Assigns numbers to elements, the same number to equal elements, and keeps the elements alive.
struct ElementInterner {
    /// The limit is higher than that of a diff, because a merge has to be exact.
    private static let missLimit = 1 << 20

    private var classes = ValueInterner(missLimit: ElementInterner.missLimit)
    private var held: [PlistValue] = []

    /// False if equal elements may have received different numbers.
    var isExact: Bool { classes.isExact }

    mutating func number(of element: PlistValue) -> Int {
        // Containers are recognized by their addresses, which must not be reused.
        if element.storageAddress != nil { held.append(element) }
        return classes.number(of: element)
    }
}

/// Compares values and remembers the results for containers.
///
/// Objects that a binary property list refers to many times are compared once. So are the containers on the path to a change
/// deep inside. The caller must keep the compared values alive as long as the memo is used.
struct EqualityMemo {
    private struct Pair: Hashable {
        let old: UInt
        let new: UInt
    }

    private var known: [Pair: Bool] = [:]

    mutating func areEqual(_ old: PlistValue, _ new: PlistValue) -> Bool {
        guard let oldAddress = old.storageAddress, let newAddress = new.storageAddress else { return old == new }
        if oldAddress == newAddress { return true }
        let pair = Pair(old: oldAddress, new: newAddress)
        if let known = known[pair] { return known }
        let areEqual = old == new
        known[pair] = areEqual
        return areEqual
    }
}
