import CapsulePropertyList

/// Finds out whether an array has an element already that is to be inserted, in short time for each of many.
struct ElementLookup {
    enum Finding {
        case nothing
        case equal
        /// Another element has the KEY, which is named.
        case other(PlistValue, String)
    }

    /// The array's.
    let place: PlistPointer
    private let identity: ArrayIdentity?
    private var byKey: [PlistValue: [PlistValue]] = [:]
    private var numbers = ElementNumbers()
    private var known: Set<Int> = []
    /// Elements of a set that may be equal to others with another number.
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

    mutating func find(_ new: PlistValue) -> Finding {
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
