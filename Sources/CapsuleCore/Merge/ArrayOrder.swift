import CapsulePropertyList

/// In which order a merged array has its members (docs/merge.md).
///
/// What all three have stands as in the base, or as the one side that moved it has it. What a side added follows its nearest
/// surviving predecessor; where both added in one place, names decide, so that swapping the sides changes nothing.
struct ArrayOrder {
    private let members: ArrayMembers
    /// Members that all three have, in the order of each.
    let base: [Int]
    let ours: [Int]
    let theirs: [Int]
    private var names = NameOrder()

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

    /// What is merged, one after the other: the base's members, what both added by name, then what one side alone has.
    var visited: [Int] {
        mutating get {
            let added = members.ours.filter { members.places[$0].base == nil }
            let both = added.filter { members.places[$0].theirs != nil }
            let theirs = members.theirs.filter { members.places[$0].base == nil && members.places[$0].ours == nil }
            return members.base + sorted(both) + added.filter { members.places[$0].theirs == nil } + theirs
        }
    }

    /// The order of what all three have; nil if both sides changed it, and not to the same.
    var agreed: [Int]? {
        if ours == base { return theirs }
        return theirs == base || ours == theirs ? ours : nil
    }

    /// All members that stay.
    ///
    /// - Parameters:
    ///   - common: those that all three have, in their order.
    ///   - stays: of the others, and of these.
    mutating func arranged(_ common: [Int], stays: (Int) -> Bool) -> [Int] {
        // The place of each in the order, from 1 on; nil for the others.
        var ranks: [Int?] = Array(repeating: nil, count: members.count)
        for (rank, member) in common.enumerated() { ranks[member] = rank + 1 }
        // Where the others follow: 0 is in front of all.
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

    /// What both sides put in one place: each keeps its order as far as that can be.
    private mutating func joined(_ ours: [Int], _ theirs: [Int]) -> [Int] {
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

    private mutating func sorted(_ numbers: [Int]) -> [Int] {
        var names = self.names
        defer { self.names = names }
        return numbers.sorted { Self.precedes($0, $1, members, &names) }
    }

    private mutating func precedes(_ left: Int, _ right: Int) -> Bool { Self.precedes(left, right, members, &names) }

    private static func precedes(_ left: Int, _ right: Int, _ members: ArrayMembers, _ names: inout NameOrder) -> Bool {
        names.compare(members.names[left], members.names[right]) == .less
    }
}
