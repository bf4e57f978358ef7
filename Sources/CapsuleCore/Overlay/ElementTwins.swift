import CapsulePropertyList

/// Which elements of an array `insert` takes for the same: in a keyed array those that share a KEY, in a set equal ones.
///
/// Where one such element stands already, `insert` adds no other. So what puts one beside it, or takes it away, has to say that
/// this is meant.
struct ElementTwins {
    /// Another one of the same, and where it stands while one of them is added or taken out.
    struct Twin {
        let element: PlistValue
        let index: Int
    }

    /// By an element's place in the new array: after it was added, and nothing behind it was.
    let ofAdded: [Int: Twin]
    /// By an element's place in the old array: before it is taken out, and when all behind it that goes is gone.
    let ofRemoved: [Int: Twin]

    init(
        _ old: [PlistValue], _ new: [PlistValue], _ identity: ArrayIdentity?, _ pairing: ElementPairing,
        _ classes: inout ElementClasses
    ) {
        // What the old array holds once all that stays was changed.
        var current = old
        for pair in pairing.pairs { current[pair.old] = new[pair.new] }
        switch identity {
        case .keyed(let key, let isOptional, let ignoresCase):
            let keyed = KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase)
            ofAdded = Self.twins(in: new, keyed.numbers(of: new), passing: pairing.added)
            ofRemoved = Self.twins(in: current, keyed.numbers(of: current), passing: pairing.removed)
        case .set:
            ofAdded = Self.twins(in: new, classes.numbers(of: new), passing: pairing.added)
            ofRemoved = Self.twins(in: current, classes.numbers(of: current), passing: pairing.removed)
        case .ordered, .replace, nil:
            (ofAdded, ofRemoved) = ([:], [:])
        }
    }

    /// - Parameter passing: what comes from the front, or goes from the end. In front of such an element all others are there,
    ///   behind it those that stay.
    private static func twins(in elements: [PlistValue], _ numbers: [Int?], passing: [Int]) -> [Int: Twin] {
        guard !passing.isEmpty else { return [:] }
        let passing = Set(passing)
        var twins: [Int: Twin] = [:]
        var nearest: [Int: Int] = [:]
        for (place, number) in numbers.enumerated() {
            guard let number else { continue }
            if passing.contains(place), let twin = nearest[number] { twins[place] = Twin(element: elements[twin], index: twin) }
            nearest[number] = place
        }
        // How many that stay are behind the place; of each number the nearest that stays, and how many that stay are behind it.
        var staying = 0
        var behind: [Int: (place: Int, staying: Int)] = [:]
        for (place, number) in numbers.enumerated().reversed() {
            if passing.contains(place) {
                guard let number, twins[place] == nil, let twin = behind[number] else { continue }
                let between = staying - twin.staying - 1
                twins[place] = Twin(element: elements[twin.place], index: place + 1 + between)
            } else {
                if let number { behind[number] = (place, staying) }
                staying += 1
            }
        }
        return twins
    }
}
