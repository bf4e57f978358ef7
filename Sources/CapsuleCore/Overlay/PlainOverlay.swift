public import CapsulePropertyList

/// The smallest partial property list that, merged deeply over one property list, gives another; or the reasons why there is none.
///
/// A deep merge adds and changes values. It removes nothing, and keeps the elements of keyed arrays and sets in their order.
public struct PlainOverlay: Hashable, Sendable {
    /// The number of obstacles after which the search for more ends.
    static let unmergeableLimit = 100

    /// The partial property list; nil if there is none.
    public let value: PlistValue?
    /// The changes that only operations can express, with their places in the old property list.
    public let unmergeable: [OverlayNote]

    /// Finds the partial property list, or the obstacles.
    ///
    /// - Throws: `ambiguous` for an array that matches rules with two identities.
    public init(
        turning old: PlistValue, into new: PlistValue, identities: ArrayIdentities = ArrayIdentities()
    ) throws(OverlayError) {
        var writer = PlainOverlayWriter(identities: identities)
        let value = try writer.write(old, new)
        unmergeable = writer.unmergeable
        self.value = unmergeable.isEmpty ? value : nil
    }
}

/// Writes the partial property list that, merged deeply, turns one property list into another.
struct PlainOverlayWriter {
    private static let depthLimit = 512

    let identities: ArrayIdentities
    /// The number of differing pairs of values after which the writer gives up.
    let visitLimit: Int
    /// The changes that a partial property list can't express.
    private(set) var unmergeable: [OverlayNote] = []
    private var visits = 0
    private var memo = EqualityMemo()
    private var classes = ValueInterner()

    init(identities: ArrayIdentities, visitLimit: Int = 1_000_000) {
        self.identities = identities
        self.visitLimit = visitLimit
    }

    /// Returns the partial property list. It is valid only if no obstacle was found.
    mutating func write(_ old: PlistValue, _ new: PlistValue) throws(OverlayError) -> PlistValue {
        guard !memo.areEqual(old, new) else { return try unchanged(old, .root) }
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

    // MARK: Values that differ

    /// Two containers that differ, with the overlay's part for them so far.
    private struct Frame {
        enum Contents {
            case dictionaries(PlistDictionary, PlistDictionary)
            case keyed([PlistValue], [PlistValue], KeyedElements, ElementPointers, index: [PlistValue: [Int]])
            /// `count` is the number of elements to write. Elements before a changed one must be written as well, to keep its
            /// position.
            case ordered([PlistValue], [PlistValue], count: Int)
        }

        let contents: Contents
        let place: DiffPath
        var next = 0
        var entries = PlistDictionary()
        var elements: [PlistValue] = []
        /// The key of the element that was begun last.
        var key: PlistValue?

        init(_ contents: Contents, _ place: DiffPath) {
            self.contents = contents
            self.place = place
        }

        /// Stores the overlay's part for the child that was begun last.
        mutating func append(_ part: PlistValue) {
            switch contents {
            case .dictionaries(_, let new): entries[new[next - 1].key] = part
            case .ordered: elements.append(part)
            case .keyed(_, _, let keyed, _, _):
                guard let key, let changed = part.dictionary else { return elements.append(part) }
                elements.append(.dictionary(PlistDictionary([(keyed.key, key)] + changed.map { ($0.key, $0.value) })))
            }
        }

        /// The overlay's part for the two containers.
        var result: PlistValue {
            switch contents {
            case .dictionaries: .dictionary(entries)
            case .keyed(let old, let new, _, _, _), .ordered(let old, let new, _): .array(elements + new[old.count...])
            }
        }
    }

    private struct Child {
        let old: PlistValue
        let new: PlistValue
        let place: DiffPath
    }

    /// Returns the overlay's part that turns one value into another. The stack is explicit, so that depth costs no call stack.
    private mutating func fragment(
        _ old: PlistValue, _ new: PlistValue, _ place: DiffPath
    ) throws(OverlayError) -> PlistValue {
        var frames: [Frame] = []
        var result = try begin(Child(old: old, new: new, place: place), &frames)
        while let top = frames.indices.last {
            if let child = try child(of: &frames[top]) {
                result = try begin(child, &frames)
            } else {
                result = frames.removeLast().result
            }
            if let finished = result, let outer = frames.indices.last { frames[outer].append(finished) }
        }
        return result ?? new
    }

    /// - Returns: nil for containers whose contents must be compared, which are then on the stack.
    private mutating func begin(_ child: Child, _ frames: inout [Frame]) throws(OverlayError) -> PlistValue? {
        visits += 1
        guard visits <= visitLimit, child.place.depth < Self.depthLimit else {
            report("too many differences, or nested too deep", child.place)
            return child.new
        }
        switch (child.old, child.new) {
        case (.dictionary, .dictionary) where KeyedArchive.isArchive(child.old) || KeyedArchive.isArchive(child.new):
            report("a keyed archive can only be replaced", child.place)
            return child.new
        case (.dictionary(let old), .dictionary(let new)):
            for key in old.keys where new[key] == nil { report("removed", child.place.appending(key)) }
            frames.append(Frame(.dictionaries(old, new), child.place))
            return nil
        case (.array(let old), .array(let new)):
            return try begin(old, new, child.place, &frames).map { .array($0) }
        default:
            if child.old.isContainer || child.new.isContainer {
                report("\(child.old.typeNameWithArticle) becomes \(child.new.typeNameWithArticle)", child.place)
            }
            return child.new
        }
    }

    private mutating func begin(
        _ old: [PlistValue], _ new: [PlistValue], _ place: DiffPath, _ frames: inout [Frame]
    ) throws(OverlayError) -> [PlistValue]? {
        let identity = try identities.identity(at: place.identitySteps)
        if identity == .replace || identity == nil { return new }
        let pairing = ElementPairing(old, new, identity, &classes)
        let names = ElementPointers(old, new, identity)
        for index in pairing.removed { report("removed", place.appending(names.removed(index))) }
        guard !isFull, pairing.removed.isEmpty else { return [] }
        guard pairing.pairs.allSatisfy({ $0.old == $0.new }) else {
            report("reordered", place)
            return []
        }
        switch identity {
        case .keyed(let key, let isOptional, let ignoresCase):
            let keyed = KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase)
            frames.append(Frame(.keyed(old, new, keyed, names, index: keyed.index(of: old)), place))
        case .ordered:
            let last = old.indices.last { !memo.areEqual(old[$0], new[$0]) }
            let count = new.count > old.count ? old.count : last.map { $0 + 1 } ?? 0
            frames.append(Frame(.ordered(old, new, count: count), place))
        default:
            return Array(new[old.count...])
        }
        return nil
    }

    /// Returns the next two values to compare; nil at the end.
    private mutating func child(of frame: inout Frame) throws(OverlayError) -> Child? {
        switch frame.contents {
        case .dictionaries(let old, let new): return value(of: old, new, &frame)
        case .keyed(let old, let new, let keyed, let names, let index):
            return changed(old, new, keyed, names, index, &frame)
        case .ordered(let old, let new, let count): return try ordered(old, new, count, &frame)
        }
    }

    private mutating func value(of old: PlistDictionary, _ new: PlistDictionary, _ frame: inout Frame) -> Child? {
        while frame.next < new.count {
            let (key, value) = new[frame.next]
            frame.next += 1
            guard let before = old[key] else {
                frame.entries[key] = value
                continue
            }
            if !memo.areEqual(before, value), !isFull {
                return Child(old: before, new: value, place: frame.place.appending(key))
            }
        }
        return nil
    }

    /// Returns the next pair of elements that differ. The overlay gets the key of each, and what changes in it.
    private mutating func changed(
        _ old: [PlistValue], _ new: [PlistValue], _ keyed: KeyedElements, _ names: ElementPointers,
        _ known: [PlistValue: [Int]], _ frame: inout Frame
    ) -> Child? {
        while frame.next < old.count {
            let number = frame.next
            let element = old[number]
            frame.next += 1
            guard !memo.areEqual(element, new[number]), !isFull else { continue }
            let inside = frame.place.appending(names.paired(number, number), index: number)
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
                report("the spelling of \(keyed.key.quoted) changes, but a merge keeps the base's", inside)
                continue
            }
            frame.key = key
            return Child(old: element, new: new[number], place: inside)
        }
        return nil
    }

    private mutating func ordered(
        _ old: [PlistValue], _ new: [PlistValue], _ count: Int, _ frame: inout Frame
    ) throws(OverlayError) -> Child? {
        while frame.next < count {
            let number = frame.next
            frame.next += 1
            if isFull { continue }
            let inside = frame.place.appending(index: number)
            guard memo.areEqual(old[number], new[number]) else {
                return Child(old: old[number], new: new[number], place: inside)
            }
            frame.elements.append(try unchanged(old[number], inside))
        }
        return nil
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

    // MARK: Obstacles

    private var isFull: Bool { unmergeable.count >= PlainOverlay.unmergeableLimit }

    private mutating func report(_ message: String, _ place: DiffPath) {
        guard !isFull else { return }
        unmergeable.append(OverlayNote(message, at: place.pointer))
    }
}
