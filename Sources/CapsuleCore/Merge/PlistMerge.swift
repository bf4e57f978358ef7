public import CapsulePropertyList

/// Merges the changes that two sides made to a property list, by pointer (docs/merge.md).
///
/// Dictionaries merge key by key, and arrays by their identity. Anything else that both sides changed is a conflict. So are keyed
/// archives, property lists in data, and containers that both sides put in place of another kind of value. Swapping the sides swaps
/// them in the conflicts and changes nothing else.
public struct PlistMerge: Sendable {
    /// The number of visited values after which a merge fails. A shared object may have to be merged separately in each place.
    static let visitLimit = 1 << 24
    /// The number of bytes of values in conflict after which a merge fails. Other property lists of the same merge count, too.
    /// Objects that a binary property list shares are written out in each place.
    static let shownLimit = 64 << 20
    /// The number of conflicts after which a merge fails.
    static let conflictLimit = PlistDiff.changeLimit

    /// Notes for the user on all merges so far; at most about 1000.
    public private(set) var notes: [OverlayNote] = []

    let path: RelativePath?
    private let identities: ArrayIdentities
    /// The number of values that may be visited before the merge fails.
    var limit = PlistMerge.visitLimit
    /// The number of conflicts that may be found before the merge fails.
    var mostConflicts = PlistMerge.conflictLimit
    /// The current place of the merge, with elements by their index.
    var place: MergePath
    /// The current place as it is shown.
    private var pointerSteps: [PlistString] = []
    /// Numbers the elements of arrays: equal elements have the same number.
    var numbers = ElementInterner()
    /// The aligned arrays, by the addresses of their values.
    var sequences: [ThreeWayValues.Addresses: SequenceMerge] = [:]
    private var equality = EqualityMemo()
    private var results: [PlistMergeFrame.MergeIdentity: PlistValue?] = [:]
    private var visits = 0
    private var conflicts = 0

    /// - Parameters:
    ///   - identities: the rules for pairing the elements of arrays.
    ///   - path: the path to record in conflicts; nil if files are merged and not containers.
    public init(identities: ArrayIdentities = ArrayIdentities(), path: RelativePath? = nil) {
        self.identities = identities
        self.path = path
        place = MergePath(identities)
    }

    /// Merges two sides. A conflict that is not decided keeps ours.
    ///
    /// - Parameters:
    ///   - base: the base; nil if both sides added the property list.
    ///   - ours: the side whose order of keys is kept.
    ///   - theirs: the other side.
    ///   - decisions: settles each conflict once. It is unchanged if this function throws.
    /// - Throws: `limit` for too many values or conflicts, `ambiguous` for an array that matches rules with two identities,
    ///   `invalid` for a resolution that is not valid at its place.
    public mutating func merge(
        base: PlistValue?, ours: PlistValue, theirs: PlistValue, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> PlistValue {
        start()
        // Results that are stored by the addresses of objects must not outlive the objects.
        defer { start() }
        let before = decisions
        do throws(OverlayError) {
            if let result = try merge(ThreeWayValues(base, ours, theirs), &decisions) { return result }
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
        numbers = ElementInterner()
        sequences = [:]
        equality = EqualityMemo()
        results = [:]
        visits = 0
        conflicts = 0
    }

    var pointer: PlistPointer { PlistPointer(steps: pointerSteps) }

    // MARK: Nested values

    /// Merges containers on an explicit stack, so that depth costs no call stack.
    private mutating func merge(
        _ sides: ThreeWayValues, _ decisions: inout MergeDecisions
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
            frames[outer].store(value)
            pointerSteps.removeLast()
            place.pop()
        }
        guard case .value(let value) = result else { return nil }
        return value
    }

    /// The result of beginning to merge a place.
    private enum BeginResult {
        /// The merged value; nil if there is none.
        case value(PlistValue?)
        /// A container, which is now on the stack.
        case pending
    }

    /// Begins to merge a place. A value that only one side changed, and a shared object that was merged before, need no further
    /// work.
    private mutating func begin(
        _ sides: ThreeWayValues, _ frames: inout [PlistMergeFrame], _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> BeginResult {
        try visit(1)
        if areEqual(sides.base, sides.ours) { return .value(sides.theirs) }
        if areEqual(sides.base, sides.theirs) || areEqual(sides.ours, sides.theirs) { return .value(sides.ours) }
        let key = sides.addresses.map { PlistMergeFrame.MergeIdentity(addresses: $0, state: place.state()) }
        if let key, let known = results[key] { return .value(known) }
        let before = (notes.count, conflicts)
        guard let contents = try contents(sides) else {
            let conflict = conflict(.value, sides, reason: sides.reason)
            let value = sides.value(try resolve(conflict, &decisions))
            remember(value, key, before)
            return .value(value)
        }
        frames.append(PlistMergeFrame(sides: sides, contents: contents, key: key, notes: before.0, conflicts: before.1))
        return .pending
    }

    /// Stores a result without conflicts and notes. Other values are merged in every place, so that each place is reported.
    private mutating func remember(_ value: PlistValue?, _ key: PlistMergeFrame.MergeIdentity?, _ before: (Int, Int)) {
        guard let key, before == (notes.count, conflicts) else { return }
        results.updateValue(value, forKey: key)
    }

    /// Returns the contents to merge one by one; nil for values that merge as a whole.
    private mutating func contents(_ sides: ThreeWayValues) throws(OverlayError) -> PlistMergeFrame.Contents? {
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

    /// Returns the keys to merge: the base's in order, then those that both sides added.
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

    /// Returns the container of the values that were merged in it.
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

    // MARK: Also for arrays

    /// Counts visited values.
    mutating func visit(_ count: Int) throws(OverlayError) {
        visits += count
        guard visits <= limit else {
            throw OverlayError(.limit, "the merge has more than \(limit) values", at: pointer)
        }
    }

    /// Returns a conflict at the current place.
    func conflict(_ kind: Conflict.Kind, _ sides: ThreeWayValues, reason: String) -> Conflict {
        Conflict(
            kind, path: path, pointer: pointer, base: sides.base, ours: sides.ours, theirs: sides.theirs, reason: reason)
    }

    mutating func resolve(_ conflict: Conflict, _ decisions: inout MergeDecisions) throws(OverlayError) -> Resolution? {
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
        return decisions.resolve(conflict)
    }

    /// Returns the error for a decision on the last conflict that is not valid here.
    func unfit(_ message: String, hint: String, _ decisions: MergeDecisions) -> OverlayError {
        OverlayError(
            .invalid, "the value chosen for conflict '\(decisions.conflicts.last?.id ?? "")' is not valid here: \(message)",
            at: pointer, hint: hint)
    }

    /// Adds a note, up to ``DeepMerge/noteLimit``.
    mutating func addNote(_ message: String, hint: String? = nil) {
        if notes.count < DeepMerge.noteLimit {
            notes.append(OverlayNote(message, at: pointer, hint: hint))
        } else if notes.count == DeepMerge.noteLimit {
            notes.append(OverlayNote("more notes follow; only the first \(DeepMerge.noteLimit) are shown"))
        }
    }
}

extension PlistValue {
    /// Returns the approximate size of the value in bytes, written out with each shared object in every place; at most `limit`. No
    /// more values are visited beyond it.
    func weight(upTo limit: Int) -> Int {
        var weight = 0
        var rest: [PlistValue] = [self]
        while weight < limit, let value = rest.popLast() {
            // The name in both tags of an element, and the white space before it.
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
