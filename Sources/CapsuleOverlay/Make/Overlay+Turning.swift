package import CapsuleCore
package import CapsulePropertyList

extension Overlay {
    /// Creates the overlay with the operations that turn one property list into another. The order of keys is ignored.
    ///
    /// The operations contain the old values, so that they test what they change and can be inverted. They add, remove and move
    /// elements by index, one after the other. A change inside a keyed element is addressed by its key.
    package init(
        turning old: PlistValue, into new: PlistValue, identities: ArrayIdentities = ArrayIdentities()
    ) throws(OverlayError) {
        var writer = OperationWriter(identities: identities)
        try writer.write(old, new)
        // The effect of `insert` in an array depends on the rules.
        self.init(form: .document, arrays: identities.rules, targets: [Target(operations: writer.operations)])
    }

    /// Creates the smallest partial property list that, merged deeply over one property list, gives another.
    ///
    /// - Throws: `unsupported`, with the first places, if only operations can express a change. ``PlainOverlay`` lists more places.
    package init(
        plainTurning old: PlistValue, into new: PlistValue, identities: ArrayIdentities = ArrayIdentities()
    ) throws(OverlayError) {
        let plain = try PlainOverlay(turning: old, into: new, identities: identities)
        guard let value = plain.value else {
            let places = plain.unmergeable.prefix(3).map { "\($0.message)\($0.target.map { " at \($0)" } ?? "")" }
            let more = plain.unmergeable.count > 3 ? ", and \(plain.unmergeable.count - 3) more" : ""
            throw OverlayError(
                .unsupported, "a partial property list can't express every change: \(places.joined(separator: ", "))\(more)",
                hint: "omit '--plain' to write an overlay with operations")
        }
        self.init(form: .plain, targets: [Target(merge: value)])
    }
}

/// Writes the operations that turn one property list into another.
struct OperationWriter {
    /// The maximum number of elements that operations on one array may move in all. Beyond it, the array is replaced as a whole.
    static let shiftLimit = 1 << 26

    private enum WorkItem {
        case compare(PlistValue, PlistValue, DiffPath)
        case perform(PlistOperation)
        /// Begins the changes inside an element that only its index identifies, with a test of the whole element.
        case enter(PlistOperation)
        case leave
    }

    let identities: ArrayIdentities
    /// The number of operations after which each difference is replaced as a whole.
    let operationLimit: Int
    private(set) var operations: [PlistOperation] = []
    private var pending: [WorkItem] = []
    private var classes = ValueInterner()
    /// The maximum depth of elements that are tested as a whole. The document around a test needs some levels of its own.
    private static let testedDepth = PlistLimits.standard.depth - 16
    /// The index in `operations` of the test of the current element, if only its index identifies it; nil outside of such an
    /// element.
    private var guardPlace: Int?
    /// The indices of tests of elements that are then replaced as a whole, and are therefore tested anyway.
    private var needless: Set<Int> = []

    init(identities: ArrayIdentities, operationLimit: Int = 100_000) {
        self.identities = identities
        self.operationLimit = operationLimit
    }

    mutating func write(_ old: PlistValue, _ new: PlistValue) throws(OverlayError) {
        pending = [.compare(old, new, .root)]
        while let step = pending.popLast() {
            switch step {
            case .perform(let operation):
                operations.append(operation)
            case .enter(let test):
                guardPlace = operations.count
                operations.append(test)
            case .leave:
                if let guardPlace, operations.last?.path == operations[guardPlace].path { needless.insert(guardPlace) }
                guardPlace = nil
            case .compare(let old, let new, let place):
                guard old != new else { continue }
                pending += try steps(old, new, place).reversed()
            }
        }
        guard !needless.isEmpty else { return }
        operations = operations.indices.filter { !needless.contains($0) }.map { operations[$0] }
        needless = []
    }

    private mutating func steps(_ old: PlistValue, _ new: PlistValue, _ place: DiffPath) throws(OverlayError) -> [WorkItem] {
        let replacement = Self.replacement(old, new, place)
        guard operations.count - needless.count < operationLimit else { return replacement }
        // Objects of an archive refer to each other by number, so no part of an archive can be changed alone.
        guard !KeyedArchive.isArchive(old), !KeyedArchive.isArchive(new) else { return replacement }
        switch (old, new) {
        case (.dictionary(let old), .dictionary(let new)): return steps(old, new, place) ?? replacement
        case (.array(let old), .array(let new)): return try steps(old, new, place) ?? replacement
        default: return replacement
        }
    }

    private static func replacement(_ old: PlistValue, _ new: PlistValue, _ place: DiffPath) -> [WorkItem] {
        [
            .perform(PlistOperation(.test(old), at: place.pointer)),
            .perform(PlistOperation(.replace(new), at: place.pointer)),
        ]
    }

    /// - Returns: nil if an entry changes whose key is also a valid step in an array or in data. The target may have one of them in
    ///   place of the dictionary.
    private mutating func steps(_ old: PlistDictionary, _ new: PlistDictionary, _ place: DiffPath) -> [WorkItem]? {
        var steps: [WorkItem] = []
        for (key, value) in old {
            let inside = place.appending(key)
            let other = new[key]
            if value == other { continue }
            guard !key.mayLeadElsewhere else { return nil }
            if let other {
                steps.append(.compare(value, other, inside))
            } else {
                steps.append(.perform(PlistOperation(.test(value), at: inside.pointer)))
                steps.append(.perform(PlistOperation(.remove, at: inside.pointer)))
            }
        }
        for (key, value) in new where old[key] == nil {
            guard !key.mayLeadElsewhere else { return nil }
            steps.append(.perform(PlistOperation(.insert(value), at: place.appending(key).pointer)))
        }
        return steps
    }

    /// Changes common elements in place, removes from the end, moves, and inserts from the front.
    ///
    /// An array other than the old one may have another element at an index. So the operations test each element that is moved, and
    /// the element before each insertion, also for the insertions of the inverse overlay. They also test an element in which
    /// something changes, because another element may have the same value there.
    ///
    /// - Returns: nil if the array must be replaced as a whole, because it would move too many elements.
    private mutating func steps(
        _ old: [PlistValue], _ new: [PlistValue], _ place: DiffPath
    ) throws(OverlayError) -> [WorkItem]? {
        let identity = try identities.identity(at: place.identitySteps)
        let pairing = ElementPairing(old, new, identity, &classes)
        let changed = pairing.pairs.filter { old[$0.old] != new[$0.new] }
        let kept = Set(IncreasingSubsequence.longest(of: pairing.pairs.map(\.new)).map { pairing.pairs[$0].new })
        let shifting = changed.count + pairing.removed.count + pairing.added.count + pairing.pairs.count - kept.count
        guard shifting * max(old.count, new.count) <= Self.shiftLimit else { return nil }
        let duplicates = DuplicateElements(old, new, identity, pairing, &classes)
        let names = ElementPointers(old, new, identity)
        var steps: [WorkItem] = []
        let array = place.pointer
        for (oldIndex, newIndex) in changed {
            let name = names.paired(oldIndex, newIndex)
            let step = WorkItem.compare(old[oldIndex], new[newIndex], place.appending(name, index: oldIndex))
            // Inside an element that is tested as a whole, every old value is known to match.
            if name.isIndex, guardPlace == nil, old[oldIndex].depth <= Self.testedDepth {
                steps.append(.enter(PlistOperation(.test(old[oldIndex]), at: array.appending(name))))
                steps.append(step)
                steps.append(.leave)
            } else {
                steps.append(step)
            }
        }
        // The order of a set's elements has no meaning.
        let hasOrder = identity != .set
        steps += removals(old, new, pairing, duplicates, array, identity).map { .perform($0) }
        for move in Self.moves(pairing.pairs.map(\.new), keeping: kept) {
            steps.append(.perform(Self.test(of: new[move.number], in: array, at: move.from, identity)))
            if hasOrder, let (number, index) = move.predecessor {
                steps.append(.perform(Self.test(of: new[number], in: array, at: index, identity)))
            }
            let from = array.appending(index: move.from)
            steps.append(.perform(PlistOperation(.move(from: from), at: array.appending(index: move.to))))
        }
        steps += additions(new, pairing, duplicates, array, identity).map { .perform($0) }
        return steps
    }

    /// Returns the removals, from the end, so that the elements before them keep their indices.
    private func removals(
        _ old: [PlistValue], _ new: [PlistValue], _ pairing: ElementPairing, _ duplicates: DuplicateElements,
        _ array: PlistPointer,
        _ identity: ArrayIdentity?
    ) -> [PlistOperation] {
        guard !pairing.removed.isEmpty else { return [] }
        let partners = Dictionary(pairing.pairs.map { ($0.old, $0.new) }) { first, _ in first }
        var operations: [PlistOperation] = []
        for index in pairing.removed.reversed() {
            // The inverse overlay inserts after this predecessor. A predecessor that is removed, too, is restored first.
            if identity != .set, let partner = partners[index - 1] {
                operations.append(Self.test(of: new[partner], in: array, at: index - 1, identity))
            }
            // The inverse overlay inserts beside an element that equals it or has its key.
            if let duplicate = duplicates.ofRemoved[index] {
                operations.append(Self.test(of: duplicate.element, in: array, at: duplicate.index, identity))
            }
            operations.append(PlistOperation(.test(old[index]), at: array.appending(index: index)))
            operations.append(PlistOperation(.remove, at: array.appending(index: index)))
        }
        return operations
    }

    /// Returns the insertions, from the front, so that each element gets its final index.
    private func additions(
        _ new: [PlistValue], _ pairing: ElementPairing, _ duplicates: DuplicateElements, _ array: PlistPointer,
        _ identity: ArrayIdentity?
    ) -> [PlistOperation] {
        let isKeyed = if case .keyed = identity { true } else { false }
        var operations: [PlistOperation] = []
        var last: Int?
        for index in pairing.added {
            // An element that was just inserted is there, except in a keyed array, where it may already have been elsewhere.
            if identity != .set, index > 0, last != index - 1 {
                operations.append(Self.test(of: new[index - 1], in: array, at: index - 1, identity))
            }
            let place = array.appending(index: index)
            if let duplicate = duplicates.ofAdded[index] {
                operations.append(PlistOperation(.add(new[index]), at: place))
                operations.append(Self.test(of: duplicate.element, in: array, at: duplicate.index, identity))
            } else {
                operations.append(PlistOperation(.insert(new[index]), at: place))
            }
            last = isKeyed ? nil : index
        }
        return operations
    }

    /// Returns a test that an element is the expected one. An element with a key is tested only by its key.
    private static func test(
        of element: PlistValue, in array: PlistPointer, at index: Int, _ identity: ArrayIdentity?
    ) -> PlistOperation {
        let place = array.appending(index: index)
        if case .keyed(let key, _, _) = identity, let name = element.dictionary?[key] {
            return PlistOperation(.test(name), at: place.appending(key))
        }
        return PlistOperation(.test(element), at: place)
    }

    private struct Move {
        let from: Int
        /// The index after the element was taken out (RFC 6902, section 4.4).
        let to: Int
        let number: Int
        /// The number that it follows, with the index of that number before the move; nil if there is none, or if that was just moved.
        let predecessor: (number: Int, index: Int)?
    }

    /// Returns the moves that sort numbers: each number that is not kept moves to the place after the next smaller one.
    private static func moves(_ numbers: [Int], keeping kept: Set<Int>) -> [Move] {
        guard kept.count < numbers.count else { return [] }
        var numbers = numbers
        var moves: [Move] = []
        var before: Int?
        for number in numbers.sorted() {
            defer { before = number }
            guard !kept.contains(number), let from = numbers.firstIndex(of: number) else { continue }
            let predecessor = before.flatMap { before in numbers.firstIndex(of: before).map { (before, $0) } }
            let to = predecessor.map { $0.1 < from ? $0.1 + 1 : $0.1 } ?? 0
            guard from != to else { continue }
            numbers.remove(at: from)
            numbers.insert(number, at: to)
            let isMoved = before != nil && moves.last?.number == before
            moves.append(Move(from: from, to: to, number: number, predecessor: isMoved ? nil : predecessor))
        }
        return moves
    }
}
