import CapsuleCore
import CapsulePropertyList

extension PlistMerge {
    /// Returns the merged array. Returns nil if the arrays have no base and no rule pairs their elements.
    mutating func merged(
        _ arrays: MergedArrays, hasBase: Bool, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> [PlistValue]? {
        var key: PlistString?
        switch try identities.identity(at: place) {
        case .keyed(let name, let isOptional, let ignoresCase):
            let keyed = KeyedElements(key: name, isOptional: isOptional, ignoresCase: ignoresCase)
            if let members = ArrayMembers(arrays, keyed) { return try merged(members, of: arrays, key: name, &decisions) }
            addNote(
                "the array is merged as a sequence: \(name.quoted) is missing from some elements, or not unique",
                hint: "give each element its own \(name.string) to merge the elements by it")
            key = name
        case .set:
            if let members = ArrayMembers(arrays, nil) { return try merged(members, of: arrays, key: nil, &decisions) }
            addNote(
                "the array is merged as a sequence: some elements are equal",
                hint: "remove duplicate elements to merge the array as a set")
        case .ordered, .replace, nil: break
        }
        return hasBase ? try sequence(arrays, key: key, &decisions) : nil
    }

    private mutating func merged(
        _ members: ArrayMembers, of arrays: MergedArrays, key: PlistString?, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> [PlistValue] {
        let order = ArrayOrder(members)
        let steps = MergeElementPointers(arrays, key: key)
        var values: [PlistValue?] = Array(repeating: nil, count: members.count)
        for member in order.visited {
            values[member] = try element(members.places[member], of: arrays, steps, &decisions)
        }
        let common = try commonOrder(order, members, of: arrays, &decisions)
        return order.arranged(common) { values[$0] != nil }.compactMap { values[$0] }
    }

    private mutating func element(
        _ places: ArrayMembers.Places, of arrays: MergedArrays, _ steps: MergeElementPointers, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> PlistValue? {
        try merged(arrays.sides(places), at: steps.step(places), identity: MergeElementPointers.index(places), &decisions)
    }

    private mutating func commonOrder(
        _ order: ArrayOrder, _ members: ArrayMembers, of arrays: MergedArrays, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> [Int] {
        if let agreed = order.agreed { return agreed }
        let sides = ThreeWayValues(
            .array(order.base.compactMap { members.label($0, arrays.base, \.base) }),
            .array(order.ours.compactMap { members.label($0, arrays.ours, \.ours) }),
            .array(order.theirs.compactMap { members.label($0, arrays.theirs, \.theirs) }))
        let conflict = conflict(.order, sides, reason: "both reordered the elements differently")
        switch try resolve(conflict, &decisions) {
        case nil, .ours?: return order.ours
        case .base?: return order.base
        case .theirs?: return order.theirs
        case .absent?: throw wrongOrder("an order can't be absent", decisions)
        case .value(let value)?:
            guard let labels = value.array else {
                throw wrongOrder("an order must be an array, not \(value.typeNameWithArticle)", decisions)
            }
            guard let chosen = members.members(labels, among: order.base) else {
                throw wrongOrder("an order must list each element common to all three exactly once, and nothing else", decisions)
            }
            return chosen
        }
    }

    private func wrongOrder(_ message: String, _ decisions: MergeDecisions) -> OverlayError {
        unfit(message, hint: "write the elements of 'Ours' in the order you want", decisions)
    }

    private mutating func sequence(
        _ arrays: MergedArrays, key: PlistString?, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> [PlistValue] {
        let steps = MergeElementPointers(arrays, key: key)
        var elements: [PlistValue] = []
        for part in Self.hunks(of: arrays) {
            switch part.change {
            case .none, .ours, .same: elements += arrays.ours[part.ours]
            case .theirs: elements += arrays.theirs[part.theirs]
            case .conflict where part.pairsByOffset:
                for offset in 0..<part.base.count {
                    let places = ArrayMembers.Places(
                        base: part.base.lowerBound + offset, ours: part.ours.lowerBound + offset,
                        theirs: part.theirs.lowerBound + offset)
                    if let element = try element(places, of: arrays, steps, &decisions) { elements.append(element) }
                }
            case .conflict: elements += try decided(part, arrays, &decisions)
            }
        }
        return elements
    }

    private static func hunks(of arrays: MergedArrays) -> [SequenceMerge.Hunk] {
        var interner = ValueInterner()
        return SequenceMerge(
            base: interner.numbers(of: arrays.base), ours: interner.numbers(of: arrays.ours),
            theirs: interner.numbers(of: arrays.theirs)
        ).parts
    }

    /// Returns the elements for a part that both sides changed, and whose elements don't pair.
    private mutating func decided(
        _ part: SequenceMerge.Hunk, _ arrays: MergedArrays, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> [PlistValue] {
        let sides = ThreeWayValues(
            .array(Array(arrays.base[part.base])), .array(Array(arrays.ours[part.ours])),
            .array(Array(arrays.theirs[part.theirs])))
        var conflict = conflict(.sequence, sides, reason: "edits overlap")
        conflict.range = part.base
        guard let value = sides.value(try resolve(conflict, &decisions)) else { return [] }
        guard let elements = value.array else {
            throw unfit(
                "elements of an array can't be \(value.typeNameWithArticle)",
                hint: "write an array of the elements you want", decisions)
        }
        return elements
    }
}
