public import CapsulePropertyList

/// Merges what two sides made of a property list, by pointer (docs/merge.md).
///
/// Dictionaries merge key by key and arrays by their identity; anything else that both sides changed is a conflict, and so are
/// keyed archives, property lists in data, and containers that both put in place of another kind of value. Swapping the sides swaps them in the conflicts and changes nothing else.
public struct PlistMerge: Sendable {
    /// Values that are looked at before a merge gives up: places can keep shared objects apart that are one.
    static let visitLimit = 1 << 24
    /// Bytes of values in conflict, those of other property lists of the merge among them, after which one gives up: objects that a
    /// binary property list shares are written out.
    static let shownLimit = 64 << 20
    /// Conflicts after which a merge gives up.
    static let conflictLimit = PlistDiff.changeLimit

    /// What was done that is worth a word, by all merges so far; at most about 1000.
    public private(set) var notes: [OverlayNote] = []

    let path: RelativePath?
    private let identities: ArrayIdentities
    /// How many values are visited before the merge gives up.
    var limit = PlistMerge.visitLimit
    /// How many conflicts there are before it does.
    var mostConflicts = PlistMerge.conflictLimit
    /// Where the merge is, with elements by their index.
    var place: MergePlace
    /// The same as it is shown.
    private var pointerSteps: [PlistString] = []
    /// Tells elements of arrays apart.
    var numbers = ElementNumbers()
    /// The sequences that were merged, by what they were.
    var sequences: [MergeSides.Addresses: SequenceMerge] = [:]
    private var equality = EqualityMemo()
    private var results: [PlistMergeFrame.Key: PlistValue?] = [:]
    private var visits = 0
    private var conflicts = 0

    /// - Parameters:
    ///   - identities: how the elements of arrays pair.
    ///   - path: what the conflicts are told to be in; nil where two files are merged and not containers.
    public init(identities: ArrayIdentities = ArrayIdentities(), path: RelativePath? = nil) {
        self.identities = identities
        self.path = path
        place = MergePlace(identities)
    }

    /// Merges two sides; what is in conflict and not decided stays as ours has it.
    ///
    /// - Parameters:
    ///   - base: nil if both sides were made where there was nothing.
    ///   - ours: the side whose order of keys stays.
    ///   - theirs: the other side.
    ///   - decisions: settles each conflict once; where this throws, nothing was settled.
    /// - Throws: `limit` for too much of something, `ambiguous` for an array that rules of two identities fit, `invalid` for a
    ///   resolution that says what can't be there.
    public mutating func merge(
        base: PlistValue?, ours: PlistValue, theirs: PlistValue, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> PlistValue {
        start()
        // What is known of objects by where they are must not outlive them.
        defer { start() }
        let before = decisions
        do throws(OverlayError) {
            if let result = try merge(MergeSides(base, ours, theirs), &decisions) { return result }
            throw unfit(
                "the whole property list can't be absent",
                hint: "take a side or a value; deleting the file does not resolve this conflict", decisions)
        } catch {
            decisions = before
            throw error
        }
    }

    private mutating func start() {
        place.start(at: [])
        pointerSteps = []
        numbers = ElementNumbers()
        sequences = [:]
        equality = EqualityMemo()
        results = [:]
        visits = 0
        conflicts = 0
    }

    var pointer: PlistPointer { PlistPointer(steps: pointerSteps) }

    // MARK: Values in each other

    /// Goes down into containers on a stack of its own, so that depth costs no call stack.
    private mutating func merge(
        _ sides: MergeSides, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> PlistValue? {
        var frames: [PlistMergeFrame] = []
        var result = try begin(sides, &frames, &decisions)
        while let top = frames.indices.last {
            if let child = try child(of: &frames[top], &decisions) {
                place.push(child.identity)
                pointerSteps.append(child.step)
                result = try begin(child.sides, &frames, &decisions)
            } else {
                let frame = frames.removeLast()
                result = .value(try finished(frame, &decisions))
            }
            guard case .value(let value) = result, let outer = frames.indices.last else { continue }
            frames[outer].take(value)
            pointerSteps.removeLast()
            place.pop()
        }
        guard case .value(let value) = result else { return nil }
        return value
    }

    /// The outcome of beginning a place.
    private enum Begun {
        /// It is merged; nil where nothing is to be.
        case value(PlistValue?)
        /// It is a container, which is on the stack now.
        case pending
    }

    /// Merges what one side alone changed, and the objects that a binary property list names many times once.
    private mutating func begin(
        _ sides: MergeSides, _ frames: inout [PlistMergeFrame], _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> Begun {
        try visit(1)
        if areEqual(sides.base, sides.ours) { return .value(sides.theirs) }
        if areEqual(sides.base, sides.theirs) || areEqual(sides.ours, sides.theirs) { return .value(sides.ours) }
        let key = sides.addresses.map { PlistMergeFrame.Key(addresses: $0, state: place.state()) }
        if let key, let known = results[key] { return .value(known) }
        let before = (notes.count, conflicts)
        guard let contents = try contents(sides) else {
            let conflict = conflict(.value, sides, reason: sides.reason)
            let value = sides.value(try settle(conflict, &decisions))
            remember(value, key, before)
            return .value(value)
        }
        frames.append(PlistMergeFrame(sides: sides, contents: contents, key: key, notes: before.0, conflicts: before.1))
        return .pending
    }

    /// Keeps a result without conflicts and notes. Other values are merged in every place, so that each place is reported.
    private mutating func remember(_ value: PlistValue?, _ key: PlistMergeFrame.Key?, _ before: (Int, Int)) {
        guard let key, before == (notes.count, conflicts) else { return }
        results.updateValue(value, forKey: key)
    }

    /// Returns the contents to merge one by one; nil for values that merge as a whole.
    private mutating func contents(_ sides: MergeSides) throws(OverlayError) -> PlistMergeFrame.Contents? {
        guard pointerSteps.count < PlistPointer.maximumSteps, !sides.hasArchive else { return nil }
        // A base of another kind has no part that a side could have kept: each side replaced it as a whole.
        if let ours = sides.ours?.dictionary, let theirs = sides.theirs?.dictionary {
            guard sides.base == nil || sides.base?.dictionary != nil else { return nil }
            return .dictionary(try keys(sides.base?.dictionary ?? PlistDictionary(), ours, theirs))
        }
        guard sides.ours?.array != nil, sides.theirs?.array != nil else { return nil }
        guard sides.base == nil || sides.base?.array != nil else { return nil }
        return try arrayContents(sides)
    }

    /// The base's keys in order, then those that both added.
    private mutating func keys(
        _ base: PlistDictionary, _ ours: PlistDictionary, _ theirs: PlistDictionary
    ) throws(OverlayError) -> PlistMergeFrame.Keys {
        try visit(ours.count + theirs.count)
        let added = ours.keys.filter { base[$0] == nil && theirs[$0] != nil }
        return PlistMergeFrame.Keys(base: base, ours: ours, theirs: theirs, merged: Array(base.keys) + added.sorted())
    }

    /// Returns the next value to merge in a container; nil at the end.
    private mutating func child(
        of frame: inout PlistMergeFrame, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> PlistMergeFrame.Child? {
        switch frame.contents {
        case .dictionary(let keys): return frame.nextValue(of: keys)
        case .members(let members): return frame.nextMember(of: members)
        case .sequence(let sequence): return try nextElement(of: sequence, &frame, &decisions)
        }
    }

    /// The container of what was merged in it.
    private mutating func finished(
        _ frame: PlistMergeFrame, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> PlistValue {
        let value: PlistValue
        switch frame.contents {
        case .dictionary(let keys): value = .dictionary(frame.dictionary(keys))
        case .members(let members): value = .array(try arranged(frame.values, members, &decisions))
        case .sequence: value = .array(frame.elements)
        }
        remember(value, frame.key, (frame.notes, frame.conflicts))
        return value
    }

    private mutating func areEqual(_ left: PlistValue?, _ right: PlistValue?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return equality.areEqual(left, right)
    }

    // MARK: What arrays need, too

    /// Counts values that are looked at.
    mutating func visit(_ count: Int) throws(OverlayError) {
        visits += count
        guard visits <= limit else {
            throw OverlayError(.limit, "the merge has more than \(limit) values", at: pointer)
        }
    }

    /// A conflict here.
    func conflict(_ kind: Conflict.Kind, _ sides: MergeSides, reason: String) -> Conflict {
        Conflict(
            kind, path: path, pointer: pointer, base: sides.base, ours: sides.ours, theirs: sides.theirs, reason: reason)
    }

    mutating func settle(_ conflict: Conflict, _ decisions: inout MergeDecisions) throws(OverlayError) -> Resolution? {
        conflicts += 1
        guard conflicts <= mostConflicts else {
            throw OverlayError(.limit, "there are more than \(mostConflicts) conflicts", at: conflict.pointer)
        }
        for side in [conflict.base, conflict.ours, conflict.theirs] {
            decisions.shown += side?.weight(upTo: Self.shownLimit - decisions.shown) ?? 0
        }
        guard decisions.shown < Self.shownLimit else {
            throw OverlayError(
                .limit, "the conflicting values take more than \(Self.shownLimit >> 20) MiB", at: conflict.pointer)
        }
        return decisions.settle(conflict)
    }

    /// What was decided about the last conflict and can't be there.
    func unfit(_ message: String, hint: String, _ decisions: MergeDecisions) -> OverlayError {
        OverlayError(
            .invalid, "the value chosen for conflict '\(decisions.conflicts.last?.id ?? "")' is not valid here: \(message)",
            at: pointer, hint: hint)
    }

    /// Keeps a note, as long as there are not too many.
    mutating func note(_ message: String, hint: String? = nil) {
        if notes.count < DeepMerge.noteLimit {
            notes.append(OverlayNote(message, at: pointer, hint: hint))
        } else if notes.count == DeepMerge.noteLimit {
            notes.append(OverlayNote("more notes follow; only the first \(DeepMerge.noteLimit) are shown"))
        }
    }
}

extension PlistValue {
    /// About how many bytes the value is, written out with each shared object in every place; at most `limit`, beyond which
    /// nothing is looked at.
    func weight(upTo limit: Int) -> Int {
        var weight = 0
        var rest: [PlistValue] = [self]
        while weight < limit, let value = rest.popLast() {
            // An element's name, twice, and the space before it.
            weight += 32
            switch value {
            case .string(let text): weight += text.utf8.count
            case .data(let bytes): weight += bytes.count
            case .array(let elements): rest += elements.prefix(limit)
            case .dictionary(let entries):
                for (key, value) in entries {
                    weight += key.utf8.count
                    rest.append(value)
                }
            default: break
            }
        }
        return min(weight, limit)
    }
}
