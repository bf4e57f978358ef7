package import CapsuleCore
package import CapsulePropertyList

/// The smallest partial property list that, merged deeply over one property list, gives another; or the reasons why there is none.
///
/// A deep merge adds and changes values. It removes nothing, and keeps the elements of keyed arrays and sets in their order.
package struct PlainOverlay: Hashable, Sendable {
    static let unmergeableLimit = 100

    package let value: PlistValue?
    /// The changes that only operations can express, with their places in the old property list.
    package let unmergeable: [OverlayNote]

    package init(
        turning old: PlistValue, into new: PlistValue, identities: ArrayIdentities = ArrayIdentities()
    ) throws(OverlayError) {
        var writer = PlainOverlayWriter(identities: identities)
        let value = try DeepThread.run(for: [old, new]) { () throws(OverlayError) in try writer.write(old, new) }
        unmergeable = writer.unmergeable
        self.value = unmergeable.isEmpty ? value : nil
    }
}

/// Writes the partial property list that, merged deeply, turns one property list into another.
struct PlainOverlayWriter {
    let identities: ArrayIdentities
    private(set) var unmergeable: [OverlayNote] = []
    private var classes = ValueInterner()

    init(identities: ArrayIdentities) {
        self.identities = identities
    }

    mutating func write(_ old: PlistValue, _ new: PlistValue) throws(OverlayError) -> PlistValue {
        guard old != new else { return try unchanged(old, .root) }
        let overlay = try fragment(old, new, .root)
        if overlay.dictionary?[Self.documentKey] != nil {
            unmergeable.append(
                OverlayNote("the key 'CapsuleOverlay' would turn it into a document", at: PlistPointer(steps: [Self.documentKey]))
            )
        }
        if unmergeable.isEmpty { try check(overlay, old, new) }
        return overlay
    }

    private static let documentKey: PlistString = "CapsuleOverlay"

    /// Merges the overlay to find obstacles that can't be found earlier: elements that a set has already, a key that two elements
    /// have.
    private mutating func check(_ overlay: PlistValue, _ old: PlistValue, _ new: PlistValue) throws(OverlayError) {
        var merge = DeepMerge(identities: identities)
        let merged: PlistValue
        do throws(OverlayError) {
            merged = try merge.merge(overlay, into: old, at: [])
        } catch {
            unmergeable.append(OverlayNote(error.message, at: error.target))
            return
        }
        guard merged != new else { return }
        let changes = try PlistDiff(merged, new, identities: identities, limit: PlainOverlay.unmergeableLimit).changes
        // A diff may show no change, for example of archives that number the same objects differently.
        for pointer in changes.isEmpty ? [.root] : changes.map(\.pointer) {
            unmergeable.append(OverlayNote("a deep merge would give a different value", at: pointer))
        }
    }

    private mutating func fragment(
        _ old: PlistValue, _ new: PlistValue, _ place: DiffPath
    ) throws(OverlayError) -> PlistValue {
        guard checkParts(old, new, place) else { return new }
        switch (old, new) {
        case (.dictionary(let old), .dictionary(let new)): return .dictionary(try fragment(old, new, place))
        case (.array(let old), .array(let new)): return .array(try fragment(old, new, place))
        default: return new
        }
    }

    /// Returns true if the values may be merged part by part. Reports an obstacle if they must be, but can't.
    private mutating func checkParts(_ old: PlistValue, _ new: PlistValue, _ place: DiffPath) -> Bool {
        guard old.typeName == new.typeName else {
            if old.isContainer || new.isContainer {
                report("\(old.typeNameWithArticle) becomes \(new.typeNameWithArticle)", place)
            }
            return false
        }
        guard !KeyedArchive.isArchive(old), !KeyedArchive.isArchive(new) else {
            report("a keyed archive can only be replaced", place)
            return false
        }
        return true
    }

    private mutating func fragment(
        _ old: PlistDictionary, _ new: PlistDictionary, _ place: DiffPath
    ) throws(OverlayError) -> PlistDictionary {
        for key in old.keys where new[key] == nil { report("removed", place.appending(key)) }
        var entries = PlistDictionary()
        for position in new.indices {
            let (key, value) = new[position]
            if let before = old[key] {
                if before != value, !isFull { entries[key] = try fragment(before, value, place.appending(key)) }
            } else {
                entries[key] = value
            }
        }
        return entries
    }

    private mutating func fragment(
        _ old: [PlistValue], _ new: [PlistValue], _ place: DiffPath
    ) throws(OverlayError) -> [PlistValue] {
        let identity = try identities.identity(at: place.identitySteps)
        if identity == .replace || identity == nil { return new }
        guard canMerge(old, new, identity, place) else { return [] }
        switch identity {
        case .keyed(let key, let isOptional, let ignoresCase):
            let keyed = KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase)
            return try changed(old, new, keyed, place) + new[old.count...]
        case .ordered: return try ordered(old, new, place)
        default: return Array(new[old.count...])
        }
    }

    /// Returns true if a merge can give the new elements in their order. Reports the obstacles otherwise.
    private mutating func canMerge(
        _ old: [PlistValue], _ new: [PlistValue], _ identity: ArrayIdentity?, _ place: DiffPath
    ) -> Bool {
        let pairing = ElementPairing(old, new, identity, &classes)
        let names = ElementPointers(old, new, identity)
        for index in pairing.removed { report("removed", place.appending(names.removed(index))) }
        guard !isFull, pairing.removed.isEmpty else { return false }
        guard pairing.pairs.allSatisfy({ $0.old == $0.new }) else {
            report("reordered", place)
            return false
        }
        return true
    }

    private mutating func changed(
        _ old: [PlistValue], _ new: [PlistValue], _ keyed: KeyedElements, _ place: DiffPath
    ) throws(OverlayError) -> [PlistValue] {
        let names = ElementPointers(old, new, .keyed(keyed.key))
        let known = keyed.index(of: old)
        var elements: [PlistValue] = []
        for number in old.indices where old[number] != new[number] && !isFull {
            let inside = place.appending(names.paired(number, number), index: number)
            guard canMerge(number, old, new, keyed, known, inside) else { continue }
            let part = try fragment(old[number], new[number], inside)
            elements.append(Self.element(part, keyed.key, keyed.value(of: old[number])))
        }
        return elements
    }

    /// Returns true if a merge can change an element that pairs by a key. Reports an obstacle otherwise.
    private mutating func canMerge(
        _ number: Int, _ old: [PlistValue], _ new: [PlistValue], _ keyed: KeyedElements, _ known: [PlistValue: [Int]],
        _ place: DiffPath
    ) -> Bool {
        let key = keyed.value(of: old[number])
        let isAlone = key == nil && !keyed.isOptional && old.count == 1 && new.count == 1
        guard isAlone || key.map({ (try? keyed.partner($0, in: known, at: [])) == number }) == true else {
            report(
                key == nil
                    ? "an element without \(keyed.key.quoted) changes" : "several elements have its \(keyed.key.quoted)",
                place)
            return false
        }
        guard keyed.value(of: new[number]) == key else {
            report("the spelling of \(keyed.key.quoted) changes, but a merge keeps the base's", place)
            return false
        }
        return true
    }

    private static func element(_ part: PlistValue, _ name: PlistString, _ key: PlistValue?) -> PlistValue {
        guard let key, let changed = part.dictionary else { return part }
        return .dictionary(PlistDictionary([(name, key)] + changed.map { ($0.key, $0.value) }))
    }

    /// Returns the parts up to the last change. Elements before a changed one must be written as well, to keep its position.
    private mutating func ordered(
        _ old: [PlistValue], _ new: [PlistValue], _ place: DiffPath
    ) throws(OverlayError) -> [PlistValue] {
        let last = old.indices.last { old[$0] != new[$0] }
        let count = new.count > old.count ? old.count : last.map { $0 + 1 } ?? 0
        var elements: [PlistValue] = []
        for number in 0..<count where !isFull {
            let inside = place.appending(index: number)
            let isSame = old[number] == new[number]
            elements.append(isSame ? try unchanged(old[number], inside) : try fragment(old[number], new[number], inside))
        }
        return elements + new[old.count...]
    }

    /// Returns the smallest value that changes nothing when it is merged.
    private func unchanged(_ value: PlistValue, _ place: DiffPath) throws(OverlayError) -> PlistValue {
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

    private var isFull: Bool { unmergeable.count >= PlainOverlay.unmergeableLimit }

    private mutating func report(_ message: String, _ place: DiffPath) {
        guard !isFull else { return }
        unmergeable.append(OverlayNote(message, at: place.pointer))
    }
}
