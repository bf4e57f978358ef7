package import CapsuleCore
import CapsuleOverlay
package import CapsulePropertyList

/// Merges the changes that two sides made to a property list, by pointer (docs/merge.md).
///
/// Dictionaries merge key by key, and arrays by their identity. In a string catalog, a text and its state are one value. Property lists in data merge if their changes don't conflict. Anything
/// else that both sides changed is a conflict. So are keyed archives, and containers that both sides put in place of another kind of
/// value. Swapping the sides swaps them in the conflicts and changes nothing else.
package struct PlistMerge: Sendable {
    /// The number of bytes of values in conflict after which a merge fails. Other property lists of the same merge count, too.
    static let shownLimit = 64 << 20
    static let conflictLimit = PlistDiff.changeLimit

    /// Notes for the user on all merges so far; at most about 1000.
    package private(set) var notes: [OverlayNote] = []
    let path: RelativePath?
    let identities: ArrayIdentities
    /// The number of conflicts that may be found before the merge fails.
    var mostConflicts = PlistMerge.conflictLimit
    /// The current place of the merge, with elements by their index.
    private(set) var place: [PlistString] = []
    /// The place of the whole property list in the data of others.
    var outerPlace: [PlistString] = []
    private var pointerSteps: [PlistString] = []
    private var conflicts = 0
    private var isCatalog = false

    /// - Parameters:
    ///   - identities: the rules for pairing the elements of arrays.
    ///   - path: the path to record in conflicts; nil if files are merged and not containers.
    package init(identities: ArrayIdentities = ArrayIdentities(), path: RelativePath? = nil) {
        self.identities = identities
        self.path = path
    }

    /// Merges two sides. A conflict that is not decided keeps ours.
    ///
    /// - Parameters:
    ///   - base: the base; nil if both sides added the property list.
    ///   - ours: the side whose order of keys is kept.
    ///   - decisions: settles each conflict once. It is unchanged if this function throws.
    package mutating func merge(
        base: PlistValue?, ours: PlistValue, theirs: PlistValue, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> PlistValue {
        (place, pointerSteps, conflicts) = (outerPlace, [], 0)
        isCatalog = StringCatalog.isCatalog(ours) && StringCatalog.isCatalog(theirs)
        let before = decisions
        do throws(OverlayError) {
            let result = try DeepThread.run(for: [base, ours, theirs]) { () throws(OverlayError) in
                try merged(ThreeWayValues(base, ours, theirs), &decisions)
            }
            if let result { return result }
            throw unfit(
                "the whole property list can't be absent",
                hint: "take a side or a value; deleting the file does not resolve this conflict", decisions)
        } catch {
            decisions = before
            throw error
        }
    }

    var pointer: PlistPointer { PlistPointer(steps: pointerSteps) }

    private mutating func merged(
        _ sides: ThreeWayValues, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> PlistValue? {
        if sides.base == sides.ours { return sides.theirs }
        if sides.base == sides.theirs || sides.ours == sides.theirs { return sides.ours }
        if sides.hasArchive || isCatalog && StringCatalog.isUnit(pointerSteps) { return try decided(sides, &decisions) }
        // A base of another kind has no part that a side could have kept: each side replaced it as a whole.
        if let dictionaries = sides.dictionaries {
            return .dictionary(try merged(dictionaries, &decisions))
        } else if let arrays = sides.arrays, let elements = try merged(arrays, hasBase: sides.base != nil, &decisions) {
            return .array(elements)
        }
        if let bytes = mergedData(sides) { return .data(bytes) }
        return try decided(sides, &decisions)
    }

    /// Returns the merged property list if all three are property lists in data whose changes don't conflict.
    private mutating func mergedData(_ sides: ThreeWayValues) -> [UInt8]? {
        let contents = [sides.base, sides.ours, sides.theirs].compactMap { $0?.data }.filter(NestedPlists.isDocument)
        let depth = place.count { $0 == DiffPath.plistStep }
        guard contents.count == 3, depth < NestedPlists.depthLimit else { return nil }
        let documents = contents.compactMap { try? PlistDocument.read($0) }
        guard documents.count == 3 else { return nil }
        var merge = PlistDocumentMerge(identities: identities, path: path)
        merge.place = place + [DiffPath.plistStep]
        var decisions = MergeDecisions()
        let outcome = try? merge.merge(base: documents[0], ours: documents[1], theirs: documents[2], &decisions)
        guard let outcome, decisions.conflicts.isEmpty else { return nil }
        for note in outcome.notes { addNote(note.message, hint: note.hint) }
        return outcome.bytes
    }

    /// - Parameters:
    ///   - step: the step as it is shown.
    ///   - identity: the step that rules of identity are matched with.
    mutating func merged(
        _ sides: ThreeWayValues, at step: PlistString, identity: PlistString, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> PlistValue? {
        place.append(identity)
        pointerSteps.append(step)
        let result = try merged(sides, &decisions)
        pointerSteps.removeLast()
        place.removeLast()
        return result
    }

    /// Merges the keys of the base in their order, then those that both sides added.
    ///
    /// The result has the keys of ours, then the other keys of theirs. Values that only one side added are taken as they are.
    private mutating func merged(
        _ sides: MergedDictionaries, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> PlistDictionary {
        var merged: [PlistString: PlistValue] = [:]
        for key in sides.keys {
            merged[key] = try self.merged(sides.values(for: key), at: key, identity: key, &decisions)
        }
        return sides.combined(merged)
    }

    private mutating func decided(
        _ sides: ThreeWayValues, _ decisions: inout MergeDecisions
    ) throws(OverlayError) -> PlistValue? {
        sides.value(try resolve(conflict(.value, sides, reason: sides.reason), &decisions))
    }

    func conflict(_ kind: Conflict.Kind, _ sides: ThreeWayValues, reason: String) -> Conflict {
        Conflict(kind, path: path, pointer: pointer, base: sides.base, ours: sides.ours, theirs: sides.theirs, reason: reason)
    }

    mutating func resolve(_ conflict: Conflict, _ decisions: inout MergeDecisions) throws(OverlayError) -> Resolution? {
        conflicts += 1
        guard conflicts <= mostConflicts else {
            throw OverlayError(.limit, "there are more than \(mostConflicts) conflicts", at: conflict.pointer)
        }
        for side in [conflict.base, conflict.ours, conflict.theirs] {
            decisions.shown += side?.shownBytes ?? 0
        }
        guard decisions.shown < Self.shownLimit else {
            throw OverlayError(.limit, "the conflicting values take more than \(Self.shownLimit >> 20) MiB", at: conflict.pointer)
        }
        return decisions.resolve(conflict)
    }

    /// Returns the error for a decision on the last conflict that is not valid here.
    func unfit(_ message: String, hint: String, _ decisions: MergeDecisions) -> OverlayError {
        OverlayError(
            .invalid, "the value chosen for conflict '\(decisions.conflicts.last?.id ?? "")' is not valid here: \(message)",
            at: pointer, hint: hint)
    }

    mutating func addNote(_ message: String, hint: String? = nil) {
        if notes.count < DeepMerge.noteLimit {
            notes.append(OverlayNote(message, at: pointer, hint: hint))
        } else if notes.count == DeepMerge.noteLimit {
            notes.append(OverlayNote("more notes follow; only the first \(DeepMerge.noteLimit) are shown"))
        }
    }
}

extension PlistValue {
    fileprivate var shownBytes: Int {
        // The name in both tags of an element, and the white space before it.
        switch self {
        case .string(let text): return 32 + text.utf8.count
        case .data(let bytes): return 32 + bytes.count
        case .array(let elements):
            var bytes = 32
            for position in elements.indices { bytes += elements[position].shownBytes }
            return bytes
        case .dictionary(let entries):
            var bytes = 32
            for position in entries.indices { bytes += entries[position].key.utf8.count + entries[position].value.shownBytes }
            return bytes
        default: return 32
        }
    }
}

/// The values of the base and both sides in one place; nil where there is none.
struct ThreeWayValues {
    let base: PlistValue?
    let ours: PlistValue?
    let theirs: PlistValue?

    init(_ base: PlistValue?, _ ours: PlistValue?, _ theirs: PlistValue?) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
    }

    /// The dictionaries, if both sides and the base, if there is one, are dictionaries.
    fileprivate var dictionaries: MergedDictionaries? {
        guard let ours = ours?.dictionary, let theirs = theirs?.dictionary, base == nil || base?.dictionary != nil else {
            return nil
        }
        return MergedDictionaries(base: base?.dictionary ?? PlistDictionary(), ours: ours, theirs: theirs)
    }

    /// The arrays, if both sides and the base, if there is one, are arrays.
    fileprivate var arrays: MergedArrays? {
        guard let ours = ours?.array, let theirs = theirs?.array, base == nil || base?.array != nil else { return nil }
        return MergedArrays(base: base?.array ?? [], ours: ours, theirs: theirs)
    }

    /// True if one of them is a keyed archive. Its objects refer to each other by number, so no part of it can be changed alone.
    var hasArchive: Bool { [base, ours, theirs].contains { $0.map { KeyedArchive.isArchive($0) } ?? false } }

    fileprivate var reason: String {
        if ours == nil { return "ours deleted it" }
        if theirs == nil { return "theirs deleted it" }
        if base == nil { return "both added" }
        return hasArchive ? "both changed a keyed archive, which can't be merged in parts" : "both changed"
    }

    /// Returns the value that a resolution selects; ours for an open conflict.
    func value(_ resolution: Resolution?) -> PlistValue? {
        switch resolution {
        case nil, .ours?: ours
        case .base?: base
        case .theirs?: theirs
        case .absent?: nil
        case .value(let value)?: value
        }
    }
}

/// The dictionaries that the base and both sides have in one place; the base is empty if there is none.
private struct MergedDictionaries {
    let base: PlistDictionary
    let ours: PlistDictionary
    let theirs: PlistDictionary

    var keys: [PlistString] { Array(base.keys) + ours.keys.filter { base[$0] == nil && theirs[$0] != nil }.sorted() }

    func values(for key: PlistString) -> ThreeWayValues { ThreeWayValues(base[key], ours[key], theirs[key]) }

    func combined(_ merged: [PlistString: PlistValue]) -> PlistDictionary {
        var result = PlistDictionary()
        for (key, value) in ours {
            let isAdded = base[key] == nil && theirs[key] == nil
            if let value = isAdded ? value : merged[key] { result[key] = value }
        }
        for (key, value) in theirs where ours[key] == nil {
            if let value = base[key] == nil ? value : merged[key] { result[key] = value }
        }
        return result
    }
}
