package import CapsulePropertyList

/// The pairs of elements that correspond in two arrays (docs/overlay.md, section 2).
package struct ElementPairing {
    package let pairs: [(old: Int, new: Int)]
    package let removed: [Int]
    package let added: [Int]

    package init(_ old: [PlistValue], _ new: [PlistValue], _ identity: ArrayIdentity?, _ classes: inout ValueInterner) {
        let partners: [Int?] =
            switch identity {
            case .keyed(let key, let isOptional, let ignoresCase):
                Self.keyed(old, new, KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase), &classes)
            case .set: Self.equals(old, new, &classes)
            case .ordered: old.indices.map { $0 < new.count ? $0 : nil }
            case .replace, nil: Self.sequence(old, new, &classes)
            }
        var isNew = Array(repeating: true, count: new.count)
        for case let partner? in partners { isNew[partner] = false }
        pairs = partners.enumerated().compactMap { place, partner in partner.map { (place, $0) } }
        removed = partners.indices.filter { partners[$0] == nil }
        added = isNew.indices.filter { isNew[$0] }
    }

    var order: (old: [Int], new: [Int])? {
        guard zip(pairs, pairs.dropFirst()).contains(where: { $0.new > $1.new }) else { return nil }
        return (pairs.map(\.old), pairs.map(\.new).sorted())
    }

    private static func equals(_ old: [PlistValue], _ new: [PlistValue], _ classes: inout ValueInterner) -> [Int?] {
        var places: [Int: [Int]] = [:]
        for (place, number) in classes.numbers(of: new).enumerated().reversed() { places[number, default: []].append(place) }
        return classes.numbers(of: old).map { places[$0]?.popLast() }
    }

    /// Pairs elements along the longest alignment. Elements between its runs are paired from the front, so that a changed
    /// element is reported at its place.
    private static func sequence(_ old: [PlistValue], _ new: [PlistValue], _ classes: inout ValueInterner) -> [Int?] {
        let (oldNumbers, newNumbers) = (classes.numbers(of: old), classes.numbers(of: new))
        var partners: [Int?] = Array(repeating: nil, count: old.count)
        var (oldStart, newStart) = (0, 0)
        func pairGap(upTo oldEnd: Int, _ newEnd: Int) {
            for step in 0..<min(oldEnd - oldStart, newEnd - newStart) { partners[oldStart + step] = newStart + step }
        }
        for run in SequenceDiff(oldNumbers, newNumbers).runs {
            pairGap(upTo: run.old, run.new)
            for step in 0..<run.count { partners[run.old + step] = run.new + step }
            (oldStart, newStart) = (run.old + run.count, run.new + run.count)
        }
        pairGap(upTo: old.count, new.count)
        return partners
    }

    /// Pairs elements by key. Elements that share a key, or have none, are paired among themselves as a sequence, so that a
    /// changed element is reported at its place.
    private static func keyed(
        _ old: [PlistValue], _ new: [PlistValue], _ keyed: KeyedElements, _ classes: inout ValueInterner
    ) -> [Int?] {
        var partners: [Int?] = Array(repeating: nil, count: old.count)
        func pair(_ oldPlaces: [Int], _ newPlaces: [Int]) {
            if oldPlaces.count == 1, newPlaces.count == 1 {
                partners[oldPlaces[0]] = newPlaces[0]
                return
            }
            let found = sequence(oldPlaces.map { old[$0] }, newPlaces.map { new[$0] }, &classes)
            for (place, partner) in zip(oldPlaces, found) { partners[place] = partner.map { newPlaces[$0] } }
        }
        let newIndex = keyed.index(of: new)
        for (value, places) in keyed.index(of: old) { pair(places, newIndex[value] ?? []) }
        pair(old.indices.filter { keyed.value(of: old[$0]) == nil }, new.indices.filter { keyed.value(of: new[$0]) == nil })
        return partners
    }
}

/// Finds elements of an array that `insert` treats as the same: those that share a KEY in a keyed array, and equal ones in a set.
///
/// If the array already has such an element, `insert` does not add another. So an operation that adds one beside it, or removes
/// it, must say that this is intended.
package struct DuplicateElements {
    /// Another element that `insert` treats as the same, with its index when the element in question is added or removed.
    package struct Duplicate {
        package let element: PlistValue
        package let index: Int
    }

    /// The duplicates by an element's index in the new array: after it was added, and before the elements behind it are.
    package let ofAdded: [Int: Duplicate]
    /// The duplicates by an element's index in the old array: before it is removed, and after the removed elements behind it are gone.
    package let ofRemoved: [Int: Duplicate]

    package init(
        _ old: [PlistValue], _ new: [PlistValue], _ identity: ArrayIdentity?, _ pairing: ElementPairing,
        _ classes: inout ValueInterner
    ) {
        // The elements of the old array after all pairs were changed.
        var current = old
        for pair in pairing.pairs { current[pair.old] = new[pair.new] }
        switch identity {
        case .keyed(let key, let isOptional, let ignoresCase):
            let keyed = KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase)
            ofAdded = Self.duplicates(in: new, keyed.numbers(of: new), passing: pairing.added)
            ofRemoved = Self.duplicates(in: current, keyed.numbers(of: current), passing: pairing.removed)
        case .set:
            ofAdded = Self.duplicates(in: new, classes.numbers(of: new), passing: pairing.added)
            ofRemoved = Self.duplicates(in: current, classes.numbers(of: current), passing: pairing.removed)
        case .ordered, .replace, nil:
            (ofAdded, ofRemoved) = ([:], [:])
        }
    }

    /// - Parameter passing: the indices of the elements that are added from the front, or removed from the end. When it is the
    ///   turn of such an element, all elements in front of it are present, but behind it only those that stay.
    private static func duplicates(in elements: [PlistValue], _ numbers: [Int?], passing: [Int]) -> [Int: Duplicate] {
        guard !passing.isEmpty else { return [:] }
        let passing = Set(passing)
        var duplicates: [Int: Duplicate] = [:]
        var nearest: [Int: Int] = [:]
        for (place, number) in numbers.enumerated() {
            guard let number else { continue }
            if passing.contains(place), let duplicate = nearest[number] {
                duplicates[place] = Duplicate(element: elements[duplicate], index: duplicate)
            }
            nearest[number] = place
        }
        // The number of staying elements behind the place. For each number, the nearest staying element, and how many are behind it.
        var staying = 0
        var behind: [Int: (place: Int, staying: Int)] = [:]
        for (place, number) in numbers.enumerated().reversed() {
            if passing.contains(place) {
                guard let number, duplicates[place] == nil, let duplicate = behind[number] else { continue }
                let between = staying - duplicate.staying - 1
                duplicates[place] = Duplicate(element: elements[duplicate.place], index: place + 1 + between)
            } else {
                if let number { behind[number] = (place, staying) }
                staying += 1
            }
        }
        return duplicates
    }
}

/// The pointer steps that name the elements of two arrays. A step is `[KEY=VALUE]` or `[=VALUE]` if it selects only one element
/// on each side, otherwise the index.
package struct ElementPointers {
    private struct Count {
        var old = 0
        var new = 0
    }

    private let key: PlistString?
    private let oldSelectors: [PlistString?]
    private let newSelectors: [PlistString?]
    private var counts: [PlistString: Count] = [:]

    package init(_ old: [PlistValue], _ new: [PlistValue], _ identity: ArrayIdentity?) {
        var isNamed = false
        var key: PlistString?
        switch identity {
        case .keyed(let name, _, _): (isNamed, key) = (true, name)
        case .set: isNamed = true
        case .ordered, .replace, nil: break
        }
        self.key = key
        oldSelectors = isNamed ? old.map { $0.selector(key: key) } : []
        newSelectors = isNamed ? new.map { $0.selector(key: key) } : []
        for case let step? in oldSelectors { counts[step, default: Count()].old += 1 }
        for case let step? in newSelectors { counts[step, default: Count()].new += 1 }
    }

    package func paired(_ old: Int, _ new: Int) -> PlistString {
        guard let step = selector(oldSelectors, old), step == selector(newSelectors, new), let count = counts[step],
            count.old == 1, count.new == 1
        else { return Self.index(old) }
        return step
    }

    package func removed(_ old: Int) -> PlistString {
        guard let step = selector(oldSelectors, old), let count = counts[step], count.old == 1, count.new == 0 else {
            return Self.index(old)
        }
        return step
    }

    func added(_ new: Int) -> PlistString {
        guard let step = selector(newSelectors, new), let count = counts[step], count.old == 0, count.new == 1 else {
            return Self.index(new)
        }
        return step
    }

    /// Returns the value that represents an element when the order is reported: the value of its key, or the element itself.
    func label(of element: PlistValue) -> PlistValue {
        key.flatMap { element.dictionary?[$0] } ?? element
    }

    private func selector(_ selectors: [PlistString?], _ place: Int) -> PlistString? {
        place < selectors.count ? selectors[place] : nil
    }

    private static func index(_ place: Int) -> PlistString { PlistString(String(place)) }
}
