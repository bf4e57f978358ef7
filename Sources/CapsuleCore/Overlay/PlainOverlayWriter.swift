import CapsulePropertyList

/// Writes the truncated property list that, merged deep, turns one property list into another.
struct PlainOverlayWriter {
    private static let depthLimit = 512

    let identities: ArrayIdentities
    /// Pairs of values that differ, after which it gives up.
    let visitLimit: Int
    /// What can't be said.
    private(set) var obstacles: [OverlayNote] = []
    private var visits = 0
    private var memo = EqualityMemo()
    private var classes = ElementClasses()

    init(identities: ArrayIdentities, visitLimit: Int = 1_000_000) {
        self.identities = identities
        self.visitLimit = visitLimit
    }

    /// The truncated property list; it counts only if no obstacle was found.
    mutating func write(_ old: PlistValue, _ new: PlistValue) throws(OverlayError) -> PlistValue {
        guard !memo.areEqual(old, new) else { return try unchanged(old, .root) }
        let overlay = try fragment(old, new, .root)
        if overlay.dictionary?[Self.documentKey] != nil {
            obstacles.append(OverlayNote("'CapsuleOverlay' makes a document of it", at: PlistPointer(steps: [Self.documentKey])))
        }
        if obstacles.isEmpty { try check(overlay, old, new) }
        return overlay
    }

    private static let documentKey: PlistString = "CapsuleOverlay"

    /// What is not seen beforehand, merging shows: elements that a set has already, a key that two elements have.
    private mutating func check(_ overlay: PlistValue, _ old: PlistValue, _ new: PlistValue) throws(OverlayError) {
        var merge = DeepMerge(identities: identities)
        let merged: PlistValue
        do throws(OverlayError) {
            merged = try merge.merge(overlay, into: old, at: [])
        } catch {
            obstacles.append(OverlayNote(error.message, at: error.target))
            return
        }
        guard merged != new else { return }
        let changes = try PlistDiff(merged, new, identities: identities, limit: PlainOverlay.obstacleLimit).changes
        // There may be none that a diff tells: archives that number their objects in two ways.
        for pointer in changes.isEmpty ? [.root] : changes.map(\.pointer) {
            obstacles.append(OverlayNote("merging deep makes something else of it", at: pointer))
        }
    }

    // MARK: Values that differ

    private mutating func fragment(
        _ old: PlistValue, _ new: PlistValue, _ place: PlistPlace
    ) throws(OverlayError) -> PlistValue {
        visits += 1
        guard visits <= visitLimit, place.depth < Self.depthLimit else {
            report("it differs in too many places, or too deep", place)
            return new
        }
        switch (old, new) {
        case (.dictionary(let old), .dictionary(let new)):
            return .dictionary(try fragment(old, new, place))
        case (.array(let old), .array(let new)):
            return .array(try fragment(old, new, place))
        default:
            if old.isContainer || new.isContainer {
                report("\(old.typeNameWithArticle) becomes \(new.typeNameWithArticle)", place)
            }
            return new
        }
    }

    private mutating func fragment(
        _ old: PlistDictionary, _ new: PlistDictionary, _ place: PlistPlace
    ) throws(OverlayError) -> PlistDictionary {
        for key in old.keys where new[key] == nil { report("it is removed", place.appending(key)) }
        var result = PlistDictionary()
        for (key, value) in new {
            guard let before = old[key] else {
                result[key] = value
                continue
            }
            if !memo.areEqual(before, value), !isFull {
                result[key] = try fragment(before, value, place.appending(key))
            }
        }
        return result
    }

    private mutating func fragment(
        _ old: [PlistValue], _ new: [PlistValue], _ place: PlistPlace
    ) throws(OverlayError) -> [PlistValue] {
        let identity = try identities.identity(at: place.identitySteps)
        if identity == .replace || identity == nil { return new }
        let pairing = ElementPairing(old, new, identity, &classes)
        let names = ElementNames(old, new, identity)
        for index in pairing.removed { report("it is removed", place.appending(names.removed(index))) }
        guard !isFull, pairing.removed.isEmpty else { return [] }
        guard pairing.pairs.allSatisfy({ $0.old == $0.new }) else {
            report("its elements get another order", place)
            return []
        }
        switch identity {
        case .keyed(let key, let isOptional, let ignoresCase):
            let keyed = KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase)
            let changed = try changed(old, new, keyed, names, place)
            return changed + new[old.count...]
        case .ordered:
            return try ordered(old, new, place)
        default:
            return Array(new[old.count...])
        }
    }

    /// Of each element that changes its key and what changes.
    private mutating func changed(
        _ old: [PlistValue], _ new: [PlistValue], _ keyed: KeyedElements, _ names: ElementNames, _ place: PlistPlace
    ) throws(OverlayError) -> [PlistValue] {
        let known = keyed.index(of: old)
        var result: [PlistValue] = []
        for (number, element) in old.enumerated() where !memo.areEqual(element, new[number]) && !isFull {
            let inside = place.appending(names.paired(number, number), index: number)
            let key = keyed.value(of: element)
            let isAlone = key == nil && !keyed.isOptional && old.count == 1 && new.count == 1
            guard isAlone || key.map({ (try? keyed.partner($0, in: known, at: [])) == number }) == true else {
                report(
                    key == nil
                        ? "an element without \(keyed.key.quoted) changes" : "several elements have its \(keyed.key.quoted)",
                    inside)
                continue
            }
            guard keyed.value(of: new[number]) == key else {
                report("\(keyed.key.quoted) is spelled otherwise, and the base's spelling stays", inside)
                continue
            }
            let part = try fragment(element, new[number], inside)
            guard let key, let entries = part.dictionary else {
                result.append(part)
                continue
            }
            result.append(.dictionary(PlistDictionary([(keyed.key, key)] + entries.map { ($0.key, $0.value) })))
        }
        return result
    }

    /// All up to the last that changes: those before it have to stand for themselves.
    private mutating func ordered(
        _ old: [PlistValue], _ new: [PlistValue], _ place: PlistPlace
    ) throws(OverlayError) -> [PlistValue] {
        let last = old.indices.last { !memo.areEqual(old[$0], new[$0]) }
        let count = new.count > old.count ? old.count : last.map { $0 + 1 } ?? 0
        var result: [PlistValue] = []
        for number in 0..<count where !isFull {
            let inside = place.appending(index: number)
            if memo.areEqual(old[number], new[number]) {
                result.append(try unchanged(old[number], inside))
            } else {
                result.append(try fragment(old[number], new[number], inside))
            }
        }
        return result + new[old.count...]
    }

    /// The least that changes nothing of a value.
    private func unchanged(_ value: PlistValue, _ place: PlistPlace) throws(OverlayError) -> PlistValue {
        switch value {
        case .dictionary:
            return .dictionary(PlistDictionary())
        case .array:
            let identity = try identities.identity(at: place.identitySteps)
            return identity == .replace || identity == nil ? value : .array([])
        default:
            return value
        }
    }

    // MARK: Obstacles

    private var isFull: Bool { obstacles.count >= PlainOverlay.obstacleLimit }

    private mutating func report(_ message: String, _ place: PlistPlace) {
        guard !isFull else { return }
        obstacles.append(OverlayNote(message, at: place.pointer))
    }
}
