import CapsulePropertyList

/// Determines the order of the members of a merged array (docs/merge.md).
///
/// Members that all three arrays have are in the order of the base, or of the only side that changed it. An added member follows
/// its nearest remaining predecessor. If both sides added members in one place, their names decide, so that swapping the sides
/// changes nothing.
struct ArrayOrder {
    private let members: ArrayMembers
    let base: [Int]
    let ours: [Int]
    let theirs: [Int]

    init(_ members: ArrayMembers) {
        self.members = members
        func isCommon(_ member: Int) -> Bool {
            let places = members.places[member]
            return places.base != nil && places.ours != nil && places.theirs != nil
        }
        base = members.base.filter(isCommon)
        ours = members.ours.filter(isCommon)
        theirs = members.theirs.filter(isCommon)
    }

    /// The members in the order in which they are merged: those of the base, those that both sides added, sorted by name, then
    /// those that only one side has.
    var visited: [Int] {
        let added = members.ours.filter { members.places[$0].base == nil }
        let both = added.filter { members.places[$0].theirs != nil }
        let theirs = members.theirs.filter { members.places[$0].base == nil && members.places[$0].ours == nil }
        return members.base + sorted(both) + added.filter { members.places[$0].theirs == nil } + theirs
    }

    /// The order of the members that all three arrays have; nil if both sides changed it differently.
    var agreed: [Int]? {
        if ours == base { return theirs }
        return theirs == base || ours == theirs ? ours : nil
    }

    func arranged(_ common: [Int], stays: (Int) -> Bool) -> [Int] {
        // The rank of each common member, from 1 on; nil for the others.
        var ranks: [Int?] = Array(repeating: nil, count: members.count)
        for (rank, member) in common.enumerated() { ranks[member] = rank + 1 }
        // The rank that each other member follows; 0 is before all.
        var anchors: [Int?] = Array(repeating: nil, count: members.count)
        for side in [members.ours, members.theirs] {
            var anchor = 0
            for member in side {
                if let rank = ranks[member] {
                    anchor = rank
                } else if stays(member) {
                    anchors[member] = min(anchors[member] ?? .max, anchor)
                }
            }
        }
        var groups: [(ours: [Int], theirs: [Int])] = Array(repeating: ([], []), count: common.count + 1)
        for member in members.ours { if let anchor = anchors[member] { groups[anchor].ours.append(member) } }
        for member in members.theirs { if let anchor = anchors[member] { groups[anchor].theirs.append(member) } }
        var result: [Int] = []
        for (rank, group) in groups.enumerated() {
            if rank > 0, stays(common[rank - 1]) { result.append(common[rank - 1]) }
            result += joined(group.ours, group.theirs)
        }
        return result
    }

    /// Joins the members that both sides have in one place. Each side keeps its order if the two orders are compatible.
    private func joined(_ ours: [Int], _ theirs: [Int]) -> [Int] {
        let shared = Set(ours).intersection(theirs)
        guard ours.filter(shared.contains) == theirs.filter(shared.contains) else {
            return sorted(Array(Set(ours).union(theirs)))
        }
        var result: [Int] = []
        var (own, other) = (ours[...], theirs[...])
        while let left = own.first, let right = other.first {
            if left == right {
                result.append(left)
                own.removeFirst()
                other.removeFirst()
            } else if shared.contains(right) || (!shared.contains(left) && precedes(left, right)) {
                result.append(left)
                own.removeFirst()
            } else {
                result.append(right)
                other.removeFirst()
            }
        }
        return result + own + other
    }

    private func sorted(_ numbers: [Int]) -> [Int] { numbers.sorted(by: precedes) }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        NameOrder.compare(members.names[left], members.names[right]) == .less
    }
}

/// A total order of all values that depends only on the values. Strings are ordered by their bytes.
enum NameOrder {
    enum Ordering {
        case less, same, more
    }

    static func compare(_ left: PlistValue, _ right: PlistValue) -> Ordering {
        switch (left, right) {
        case (.array(let left), .array(let right)): compare(left, right)
        case (.dictionary(let left), .dictionary(let right)): compare(left, right)
        default: compareScalars(left, right)
        }
    }

    /// Compares by the first elements that differ, then by length.
    private static func compare(_ left: [PlistValue], _ right: [PlistValue]) -> Ordering {
        for position in 0..<min(left.count, right.count) {
            let order = compare(left[position], right[position])
            if order != .same { return order }
        }
        return compare(left.count, right.count)
    }

    /// Compares by the first keys that differ or have different values, in the order of the keys.
    private static func compare(_ left: PlistDictionary, _ right: PlistDictionary) -> Ordering {
        let (leftKeys, rightKeys) = (left.keys.sorted(), right.keys.sorted())
        for position in 0..<min(leftKeys.count, rightKeys.count) {
            guard leftKeys[position] == rightKeys[position], let one = left[leftKeys[position]],
                let other = right[leftKeys[position]]
            else { break }
            let order = compare(one, other)
            if order != .same { return order }
        }
        return compare(leftKeys, rightKeys)
    }

    private static func compareScalars(_ left: PlistValue, _ right: PlistValue) -> Ordering {
        switch (left, right) {
        case (.string(let left), .string(let right)): compare(left, right)
        case (.integer(let left), .integer(let right)): compare(left, right)
        case (.real(let left), .real(let right)), (.date(let left), .date(let right)):
            compare(left.bitPattern, right.bitPattern)
        case (.boolean(let left), .boolean(let right)): compare(left ? 1 : 0, right ? 1 : 0)
        case (.uid(let left), .uid(let right)): compare(left, right)
        case (.data(let left), .data(let right)):
            left.lexicographicallyPrecedes(right) ? .less : left == right ? .same : .more
        default: compare(rank(left), rank(right))
        }
    }

    private static func compare<Number: Comparable>(_ left: Number, _ right: Number) -> Ordering {
        left < right ? .less : left == right ? .same : .more
    }

    private static func compare(_ left: [PlistString], _ right: [PlistString]) -> Ordering {
        left.lexicographicallyPrecedes(right) ? .less : left == right ? .same : .more
    }

    private static func rank(_ value: PlistValue) -> Int {
        switch value {
        case .null: 0
        case .boolean: 1
        case .integer: 2
        case .real: 3
        case .date: 4
        case .uid: 5
        case .data: 6
        case .string: 7
        case .array: 8
        case .dictionary: 9
        }
    }
}
