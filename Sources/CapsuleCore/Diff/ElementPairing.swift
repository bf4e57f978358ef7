import CapsulePropertyList

/// Which elements of two arrays are the same ones (docs/overlay.md, section 2).
struct ElementPairing {
    /// In the order of the old array; equal ones are among them.
    let pairs: [(old: Int, new: Int)]
    /// What only the old array has, ascending.
    let removed: [Int]
    /// What only the new array has, ascending.
    let added: [Int]

    /// - Parameter classes: of all that is compared; where it is not exact, some that are equal may not have been paired.
    init(_ old: [PlistValue], _ new: [PlistValue], _ identity: ArrayIdentity?, _ classes: inout ElementClasses) {
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

    /// The places of the pairs in both arrays; nil if they are in one order.
    var order: (old: [Int], new: [Int])? {
        guard zip(pairs, pairs.dropFirst()).contains(where: { $0.new > $1.new }) else { return nil }
        return (pairs.map(\.old), pairs.map(\.new).sorted())
    }

    /// Each with the first equal one that is not paired yet.
    private static func equals(_ old: [PlistValue], _ new: [PlistValue], _ classes: inout ElementClasses) -> [Int?] {
        var places: [Int: [Int]] = [:]
        for (place, number) in classes.numbers(of: new).enumerated().reversed() { places[number, default: []].append(place) }
        return classes.numbers(of: old).map { places[$0]?.popLast() }
    }

    /// Along the longest alignment; what stands in between pairs from the front, so that what changed is told in place.
    private static func sequence(_ old: [PlistValue], _ new: [PlistValue], _ classes: inout ElementClasses) -> [Int?] {
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

    /// By key; elements that share one, or have none, pair among themselves as a sequence: what changed is told in place.
    private static func keyed(
        _ old: [PlistValue], _ new: [PlistValue], _ keyed: KeyedElements, _ classes: inout ElementClasses
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
        pair(
            old.indices.filter { keyed.value(of: old[$0]) == nil }, new.indices.filter { keyed.value(of: new[$0]) == nil })
        return partners
    }
}
