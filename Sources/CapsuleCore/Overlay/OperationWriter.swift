import CapsulePropertyList

/// Writes the operations that turn one property list into another.
struct OperationWriter {
    /// Elements that operations on one array may move in all, before the array is replaced as a whole.
    static let shiftLimit = 1 << 26

    private enum Step {
        case compare(PlistValue, PlistValue, PlistPlace)
        case perform(PlistOperation)
    }

    let identities: ArrayIdentities
    /// Operations after which whatever differs is replaced as a whole.
    let operationLimit: Int
    private(set) var operations: [PlistOperation] = []
    private var pending: [Step] = []
    private var memo = EqualityMemo()
    private var classes = ElementClasses()

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
            case .compare(let old, let new, let place):
                guard !memo.areEqual(old, new) else { continue }
                pending += try steps(old, new, place).reversed()
            }
        }
    }

    private mutating func steps(_ old: PlistValue, _ new: PlistValue, _ place: PlistPlace) throws(OverlayError) -> [Step] {
        let replacement = Self.replacement(old, new, place)
        guard operations.count < operationLimit, place.depth < PlistPointer.maximumSteps else { return replacement }
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

    /// - Returns: nil where an entry is added whose key looks like a place in an array: `add` there can't be inverted.
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
            steps.append(.perform(PlistOperation(.add(value), at: place.appending(key).pointer)))
        }
        return steps
    }

    // MARK: Arrays

    /// Changes what both have where it stands, removes from the end, moves, and adds from the front.
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
        for (oldIndex, newIndex) in changed {
            let inside = place.appending(names.paired(oldIndex, newIndex), index: oldIndex)
            steps.append(.compare(old[oldIndex], new[newIndex], inside))
        }
        let array = place.pointer
        for index in pairing.removed.reversed() {
            steps.append(.perform(PlistOperation(.test(old[index]), at: array.appending(index: index))))
            steps.append(.perform(PlistOperation(.remove, at: array.appending(index: index))))
        }
        for (from, to, index) in Self.moves(pairing.pairs.map(\.new), keeping: kept) {
            // In an array that is not the old one something else may stand there.
            steps.append(.perform(Self.test(of: new[index], in: array, at: from, identity)))
            steps.append(
                .perform(PlistOperation(.move(from: array.appending(index: from)), at: array.appending(index: to))))
        }
        for index in pairing.added {
            steps.append(.perform(PlistOperation(.add(new[index]), at: array.appending(index: index))))
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

    /// Moves that sort numbers: each that is not kept goes behind the next smaller one. The second index of a move is that
    /// after the element was taken out (RFC 6902, section 4.4).
    private static func moves(_ numbers: [Int], keeping kept: Set<Int>) -> [(from: Int, to: Int, number: Int)] {
        guard kept.count < numbers.count else { return [] }
        var numbers = numbers
        var moves: [(from: Int, to: Int, number: Int)] = []
        var before: Int?
        for number in numbers.sorted() {
            defer { before = number }
            guard !kept.contains(number), let from = numbers.firstIndex(of: number) else { continue }
            numbers.remove(at: from)
            let to = before.flatMap { numbers.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
            numbers.insert(number, at: to)
            if from != to { moves.append((from, to, number)) }
        }
        return moves
    }
}
