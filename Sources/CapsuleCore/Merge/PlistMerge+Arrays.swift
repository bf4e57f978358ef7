import CapsulePropertyList

extension PlistMerge {
    /// Pairs the elements of two arrays. Returns nil if the arrays have no base and no rule pairs their elements.
    mutating func arrayContents(_ sides: ThreeWayValues) throws(OverlayError) -> PlistMergeFrame.Contents? {
        let arrays = MergedArrays(base: sides.base?.array ?? [], ours: sides.ours?.array ?? [], theirs: sides.theirs?.array ?? [])
        try visit(arrays.count)
        switch try place.identity() {
        case .keyed(let key, let isOptional, let ignoresCase):
            let keyed = KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase)
            if let members = ArrayMembers(arrays, keyed) { return memberContents(members, of: arrays, key: key) }
            addNote(
                "the array is merged as a sequence: \(key.quoted) is missing from some elements, or not unique",
                hint: "give each element its own \(key.string) to merge the elements by it")
            return try sequenceContents(sides, arrays, key: key)
        case .set:
            let members = ArrayMembers(
                arrays, base: try classes(of: arrays.base), ours: try classes(of: arrays.ours),
                theirs: try classes(of: arrays.theirs))
            if let members { return memberContents(members, of: arrays, key: nil) }
            addNote(
                "the array is merged as a sequence: some elements are equal",
                hint: "remove duplicate elements to merge the array as a set")
            return try sequenceContents(sides, arrays, key: nil)
        case .ordered, .replace, nil:
            return try sequenceContents(sides, arrays, key: nil)
        }
    }

    /// Returns the members, which are merged one by one before their order is.
    private func memberContents(
        _ members: ArrayMembers, of arrays: MergedArrays, key: PlistString?
    ) -> PlistMergeFrame.Contents {
        var order = ArrayOrder(members)
        let visited = order.visited
        return .members(
            PlistMergeFrame.Members(
                arrays: arrays, members: members, order: order, visited: visited, steps: MergeElementPointers(arrays, key: key)))
    }

    /// Returns the remaining members in their order.
    mutating func arranged(
        _ merged: [PlistValue?], _ members: PlistMergeFrame.Members, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> [PlistValue] {
        var order = members.order
        let common = try commonOrder(order, members.members, of: members.arrays, &decisions)
        return order.arranged(common) { merged[$0] != nil }.compactMap { merged[$0] }
    }

    /// Returns the order of the members that all three arrays have.
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

    // MARK: Sequences

    private mutating func sequenceContents(
        _ sides: ThreeWayValues, _ arrays: MergedArrays, key: PlistString?
    ) throws(OverlayError) -> PlistMergeFrame.Contents? {
        guard sides.base?.array != nil else { return nil }
        let steps = MergeElementPointers(arrays, key: key)
        return .sequence(
            PlistMergeFrame.Sequence(arrays: arrays, parts: try sequence(sides, arrays).parts, steps: steps))
    }

    /// Returns the next elements to merge, and takes those before them that need no merge; nil at the end.
    mutating func nextElement(
        of sequence: PlistMergeFrame.Sequence, _ frame: inout PlistMergeFrame, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> PlistMergeFrame.Child? {
        let arrays = sequence.arrays
        while frame.next < sequence.parts.count {
            let part = sequence.parts[frame.next]
            if part.change == .conflict, part.pairsByOffset, frame.offset < part.base.count {
                let offset = frame.offset
                frame.offset += 1
                let places = ArrayMembers.Places(
                    base: part.base.lowerBound + offset, ours: part.ours.lowerBound + offset,
                    theirs: part.theirs.lowerBound + offset)
                return PlistMergeFrame.Child(
                    sides: arrays.sides(places), step: sequence.steps.step(places), identity: MergeElementPointers.index(places))
            }
            switch part.change {
            case .none, .ours, .same: frame.elements += arrays.ours[part.ours]
            case .theirs: frame.elements += arrays.theirs[part.theirs]
            case .conflict where part.pairsByOffset: break
            case .conflict: frame.elements += try decided(part, arrays, &decisions)
            }
            frame.next += 1
            frame.offset = 0
        }
        return nil
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

    /// Aligns three arrays. The same three are aligned only once.
    private mutating func sequence(_ sides: ThreeWayValues, _ arrays: MergedArrays) throws(OverlayError) -> SequenceMerge {
        let addresses = sides.addresses
        if let addresses, let known = sequences[addresses] { return known }
        let sequence = SequenceMerge(
            base: try classes(of: arrays.base), ours: try classes(of: arrays.ours), theirs: try classes(of: arrays.theirs))
        if let addresses { sequences[addresses] = sequence }
        return sequence
    }

    /// Returns the numbers of elements. Equal elements have the same number.
    private mutating func classes(of elements: [PlistValue]) throws(OverlayError) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(elements.count)
        for element in elements { result.append(numbers.number(of: element)) }
        guard numbers.isExact else {
            throw OverlayError(
                .limit, "too many elements differ only in deeply nested values to compare them all", at: pointer)
        }
        return result
    }
}
