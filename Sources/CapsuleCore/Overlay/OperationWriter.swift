import CapsulePropertyList

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
    /// Where the test of the element stands that changes now, if its index alone tells it; nil outside of such an element.
    private var guardPlace: Int?
    /// Whether something is inserted in it.
    private var isGuardNeeded = false
    /// Where the tests of elements stand in which nothing was inserted.
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
                if case .insert = operation.action { isGuardNeeded = true }
                operations.append(operation)
            case .enter(let test):
                (guardPlace, isGuardNeeded) = (operations.count, false)
                operations.append(test)
            case .leave:
                if let guardPlace, !isGuardNeeded { needless.insert(guardPlace) }
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

    /// - Returns: nil where an entry is added whose key looks like a place in an array: `insert` there can't be inverted.
    private mutating func steps(_ old: PlistDictionary, _ new: PlistDictionary, _ place: PlistPlace) -> [Step]? {
        var steps: [Step] = []
        for (key, value) in old {
            let inside = place.appending(key)
            if let other = new[key] {
                if !memo.areEqual(value, other) { steps.append(.compare(value, other, inside)) }
            } else {
                steps.append(.perform(PlistOperation(.test(value), at: inside.pointer)))
                steps.append(.perform(PlistOperation(.remove, at: inside.pointer)))
            }
        }
        for (key, value) in new where old[key] == nil {
            guard key != "-", key.utf8.first != UInt8(ascii: "[") else { return nil }
            steps.append(.perform(PlistOperation(.insert(value), at: place.appending(key).pointer)))
        }
        return steps
    }

    // MARK: Arrays

    /// Changes what both have where it stands, removes from the end, moves, and inserts from the front.
    ///
    /// An array that is not the old one may have something else at an index. So what is moved is tested, and the element that
    /// something is put behind. So is an element that something is inserted in: any other would take it just as well.
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
        let names = ElementNames(old, new, identity)
        var steps: [Step] = []
        let array = place.pointer
        for (oldIndex, newIndex) in changed {
            let name = names.paired(oldIndex, newIndex)
            let step = Step.compare(old[oldIndex], new[newIndex], place.appending(name, index: oldIndex))
            // Within an element that is tested as a whole, all is as it was.
            if name.isIndex, guardPlace == nil {
                steps.append(.enter(PlistOperation(.test(old[oldIndex]), at: array.appending(name))))
                steps.append(step)
                steps.append(.leave)
            } else {
                steps.append(step)
            }
        }
        for index in pairing.removed.reversed() {
            steps.append(.perform(PlistOperation(.test(old[index]), at: array.appending(index: index))))
            steps.append(.perform(PlistOperation(.remove, at: array.appending(index: index))))
        }
        // In a set it means nothing what stands before what.
        let hasOrder = identity != .set
        for move in Self.moves(pairing.pairs.map(\.new), keeping: kept) {
            steps.append(.perform(Self.test(of: new[move.number], in: array, at: move.from, identity)))
            if hasOrder, let (number, index) = move.predecessor {
                steps.append(.perform(Self.test(of: new[number], in: array, at: index, identity)))
            }
            let from = array.appending(index: move.from)
            steps.append(.perform(PlistOperation(.move(from: from), at: array.appending(index: move.to))))
        }
        var last: Int?
        for index in pairing.added {
            // What was inserted just now is there; at the beginning nothing is before.
            if hasOrder, index > 0, last != index - 1 {
                steps.append(.perform(Self.test(of: new[index - 1], in: array, at: index - 1, identity)))
            }
            steps.append(.perform(PlistOperation(.insert(new[index]), at: array.appending(index: index))))
            last = index
        }
        return steps
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
