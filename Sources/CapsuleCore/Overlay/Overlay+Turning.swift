public import CapsulePropertyList

extension Overlay {
    /// The operations that turn one property list into another, the order of keys aside.
    ///
    /// They hold the old values, so that they test what they change and can be inverted. Elements are added, removed and moved
    /// by index, for one after the other; what changes within a keyed element is reached by its key.
    ///
    /// - Throws: `ambiguous` for an array that rules of two identities fit.
    public init(
        turning old: PlistValue, into new: PlistValue, identities: ArrayIdentities = ArrayIdentities()
    ) throws(OverlayError) {
        var writer = OperationWriter(identities: identities)
        try writer.write(old, new)
        // What `insert` does in an array depends on them.
        self.init(form: .document, arrays: identities.rules, targets: [Target(operations: writer.operations)])
    }

    /// The smallest partial property list that, merged deep over one property list, makes another of it.
    ///
    /// - Throws: `unsupported`, with the first places, where only operations can say what changes. ``PlainOverlay`` has all.
    public init(
        plainTurning old: PlistValue, into new: PlistValue, identities: ArrayIdentities = ArrayIdentities()
    ) throws(OverlayError) {
        let plain = try PlainOverlay(turning: old, into: new, identities: identities)
        guard let value = plain.value else {
            let places = plain.obstacles.prefix(3).map { "\($0.message)\($0.target.map { " at \($0)" } ?? "")" }
            let more = plain.obstacles.count > 3 ? ", and \(plain.obstacles.count - 3) more" : ""
            throw OverlayError(
                .unsupported, "a partial property list can't express every change: \(places.joined(separator: ", "))\(more)",
                hint: "omit '--plain' to write an overlay with operations")
        }
        self.init(form: .plain, targets: [Target(merge: value)])
    }
}

/// Writes the operations that turn one property list into another.
struct OperationWriter {
    /// Elements that operations on one array may move in all, before the array is replaced as a whole.
    static let shiftLimit = 1 << 26

    private enum Step {
        case compare(PlistValue, PlistValue, PlistPlace)
        case perform(PlistOperation)
        /// Begins what changes in an element that its index alone tells, with a test of the whole of it.
        case enter(PlistOperation)
        /// Ends it.
        case leave
    }

    let identities: ArrayIdentities
    /// Operations after which whatever differs is replaced as a whole.
    let operationLimit: Int
    private(set) var operations: [PlistOperation] = []
    private var pending: [Step] = []
    private var memo = EqualityMemo()
    private var classes = ElementClasses()
    /// Of elements that are tested as a whole: the document around a test takes some levels of what a document may have.
    private var depths = PlistDepth(limit: PlistLimits.standard.depth - 16)
    /// Where the test of the element stands that changes now, if its index alone tells it; nil outside of such an element.
    private var guardPlace: Int?
    /// Where the tests of elements stand that are then replaced as a whole, and so tested anyway.
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
                guard !memo.areEqual(old, new) else { continue }
                pending += try steps(old, new, place).reversed()
            }
        }
        guard !needless.isEmpty else { return }
        operations = operations.indices.filter { !needless.contains($0) }.map { operations[$0] }
        needless = []
    }

    private mutating func steps(_ old: PlistValue, _ new: PlistValue, _ place: PlistPlace) throws(OverlayError) -> [Step] {
        let replacement = Self.replacement(old, new, place)
        guard operations.count - needless.count < operationLimit, place.depth < PlistPointer.maximumSteps else {
            return replacement
        }
        // Objects of an archive refer to each other by number, so that no part of it can be changed by itself.
        guard !KeyedArchive.isArchive(old), !KeyedArchive.isArchive(new) else { return replacement }
        switch (old, new) {
        case (.dictionary(let old), .dictionary(let new)): return steps(old, new, place) ?? replacement
        case (.array(let old), .array(let new)): return try steps(old, new, place) ?? replacement
        default: return replacement
        }
    }

    private static func replacement(_ old: PlistValue, _ new: PlistValue, _ place: PlistPlace) -> [Step] {
        [
            .perform(PlistOperation(.test(old), at: place.pointer)),
            .perform(PlistOperation(.replace(new), at: place.pointer)),
        ]
    }

    /// - Returns: nil where something becomes of an entry whose key is a place if it is taken on an array or on data: one may be there
    ///   instead.
    private mutating func steps(_ old: PlistDictionary, _ new: PlistDictionary, _ place: PlistPlace) -> [Step]? {
        var steps: [Step] = []
        for (key, value) in old {
            let inside = place.appending(key)
            let other = new[key]
            if let other, memo.areEqual(value, other) { continue }
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

    // MARK: Arrays

    /// Changes what both have where it stands, removes from the end, moves, and inserts from the front.
    ///
    /// An array that is not the old one may have something else at an index. So what is moved is tested, and the element that
    /// something is put behind, or is when this is taken back. So is an element in which something changes: what changes may be
    /// the same in another.
    ///
    /// - Returns: nil where replacing the array costs less.
    private mutating func steps(
        _ old: [PlistValue], _ new: [PlistValue], _ place: PlistPlace
    ) throws(OverlayError) -> [Step]? {
        let identity = try identities.identity(at: place.identitySteps)
        let pairing = ElementPairing(old, new, identity, &classes)
        let changed = pairing.pairs.filter { !memo.areEqual(old[$0.old], new[$0.new]) }
        let kept = Set(IncreasingSubsequence.longest(of: pairing.pairs.map(\.new)).map { pairing.pairs[$0].new })
        let shifting = changed.count + pairing.removed.count + pairing.added.count + pairing.pairs.count - kept.count
        guard shifting * max(old.count, new.count) <= Self.shiftLimit else { return nil }
        // Equal elements that were not found to be equal would be inserted, and `insert` finds them.
        guard identity != .set || classes.isExact else { return nil }
        let twins = ElementTwins(old, new, identity, pairing, &classes)
        let names = ElementNames(old, new, identity)
        var steps: [Step] = []
        let array = place.pointer
        for (oldIndex, newIndex) in changed {
            let name = names.paired(oldIndex, newIndex)
            let step = Step.compare(old[oldIndex], new[newIndex], place.appending(name, index: oldIndex))
            // Within an element that is tested as a whole, all is as it was.
            if name.isIndex, guardPlace == nil, depths.isWithinLimit(old[oldIndex]) {
                steps.append(.enter(PlistOperation(.test(old[oldIndex]), at: array.appending(name))))
                steps.append(step)
                steps.append(.leave)
            } else {
                steps.append(step)
            }
        }
        // In a set it means nothing what stands before what.
        let hasOrder = identity != .set
        steps += removals(old, new, pairing, twins, array, identity).map { .perform($0) }
        for move in Self.moves(pairing.pairs.map(\.new), keeping: kept) {
            steps.append(.perform(Self.test(of: new[move.number], in: array, at: move.from, identity)))
            if hasOrder, let (number, index) = move.predecessor {
                steps.append(.perform(Self.test(of: new[number], in: array, at: index, identity)))
            }
            let from = array.appending(index: move.from)
            steps.append(.perform(PlistOperation(.move(from: from), at: array.appending(index: move.to))))
        }
        steps += additions(new, pairing, twins, array, identity).map { .perform($0) }
        return steps
    }

    /// From the end, so that what is in front stands where it stood.
    private func removals(
        _ old: [PlistValue], _ new: [PlistValue], _ pairing: ElementPairing, _ twins: ElementTwins, _ array: PlistPointer,
        _ identity: ArrayIdentity?
    ) -> [PlistOperation] {
        guard !pairing.removed.isEmpty else { return [] }
        let partners = Dictionary(pairing.pairs.map { ($0.old, $0.new) }) { first, _ in first }
        var operations: [PlistOperation] = []
        for index in pairing.removed.reversed() {
            // What goes as well is back before this is put back.
            if identity != .set, let partner = partners[index - 1] {
                operations.append(Self.test(of: new[partner], in: array, at: index - 1, identity))
            }
            // Taken back, it is put beside the other one.
            if let twin = twins.ofRemoved[index] {
                operations.append(Self.test(of: twin.element, in: array, at: twin.index, identity))
            }
            operations.append(PlistOperation(.test(old[index]), at: array.appending(index: index)))
            operations.append(PlistOperation(.remove, at: array.appending(index: index)))
        }
        return operations
    }

    /// From the front, so that each is put where it is to be.
    private func additions(
        _ new: [PlistValue], _ pairing: ElementPairing, _ twins: ElementTwins, _ array: PlistPointer,
        _ identity: ArrayIdentity?
    ) -> [PlistOperation] {
        let isKeyed = if case .keyed = identity { true } else { false }
        var operations: [PlistOperation] = []
        var last: Int?
        for index in pairing.added {
            // What was inserted just now is there, except in a keyed array, where it may have been elsewhere already.
            if identity != .set, index > 0, last != index - 1 {
                operations.append(Self.test(of: new[index - 1], in: array, at: index - 1, identity))
            }
            let place = array.appending(index: index)
            if let twin = twins.ofAdded[index] {
                operations.append(PlistOperation(.add(new[index]), at: place))
                operations.append(Self.test(of: twin.element, in: array, at: twin.index, identity))
            } else {
                operations.append(PlistOperation(.insert(new[index]), at: place))
            }
            last = isKeyed ? nil : index
        }
        return operations
    }

    /// Tests that an element is the one that is meant: by its key if it has one, as the rest of it does not matter.
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
        /// Where it goes after it was taken out (RFC 6902, section 4.4).
        let to: Int
        let number: Int
        /// The number that it goes behind, and where that stands before; nil if there is none, or it was moved just now.
        let predecessor: (number: Int, index: Int)?
    }

    /// Moves that sort numbers: each that is not kept goes behind the next smaller one.
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

/// How deep values nest, each object that is shared looked at once.
struct PlistDepth {
    let limit: Int
    private var known: [UInt: Int] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether no containers nest deeper than the limit.
    mutating func isWithinLimit(_ value: PlistValue) -> Bool { depth(of: value, allowed: limit) != nil }

    /// The levels of containers in a value; nil for more than are allowed.
    private mutating func depth(of value: PlistValue, allowed: Int) -> Int? {
        guard value.isContainer else { return 0 }
        let address = value.storageAddress
        if let address, let depth = known[address] { return depth <= allowed ? depth : nil }
        guard allowed > 0 else { return nil }
        var deepest = 0
        for child in value.array ?? value.dictionary.map({ $0.map(\.value) }) ?? [] {
            guard let depth = depth(of: child, allowed: allowed - 1) else { return nil }
            deepest = max(deepest, depth)
        }
        if let address { known[address] = deepest + 1 }
        return deepest + 1
    }
}
