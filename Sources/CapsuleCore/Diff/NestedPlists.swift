package import CapsulePropertyList

/// Reads the property lists and keyed archives in the data of two other property lists.
package struct NestedPlists {
    enum Pair {
        /// Data to compare as bytes, with the reason that property lists in it are not compared as such. The reason is nil if
        /// there are none, or if a limit was reached.
        case data(NestedGap?)
        /// Property lists, with the reason that keyed archives among them were not compared as such.
        case plists(old: Document, new: Document, archives: NestedGap?)
        /// Keyed archives as the trees of their graphs. `haveSameObjects` is true if they have the same objects, apart from the numbers.
        case archives(old: Document, new: Document, haveSameObjects: Bool)
    }

    typealias Document = (value: PlistValue, format: PlistFormat)

    private static let classKey: PlistString = "$class"

    package static let depthLimit = 4
    package static let byteLimit = 1 << 28
    /// The maximum size of a keyed archive's graph. It is less than that of a document, because a graph can be made from a few bytes.
    private static let archiveLimits = PlistLimits(binaryKeyBytes: 1 << 28, outputBytes: 1 << 28)

    /// The number of graphs that are created in one comparison, and the number that may fail for their size. Each of those takes long.
    package static let graphLimit = 1 << 14
    package static let failureLimit = 8

    /// The weight of the values that are read in one comparison. Many documents may each expand to many values.
    static let weightLimit = 1 << 25

    private var bytes = 0
    private var weight = 0
    private var graphs = 0
    private var failures = 0
    private(set) var isCutShort = false

    /// Returns the contents of both: property lists in a binary or XML encoding, or else data. Other encodings are not tried,
    /// because any text could look like one.
    mutating func read(_ old: [UInt8], _ new: [UInt8], depth: Int) -> Pair {
        guard Self.isDocument(old), Self.isDocument(new) else { return .data(Self.gap(old, new)) }
        guard depth < Self.depthLimit, bytes + old.count + new.count <= Self.byteLimit else {
            isCutShort = true
            return .data(nil)
        }
        bytes += old.count + new.count
        guard let oldContents = Self.contents(of: old), let newContents = Self.contents(of: new) else {
            return .data(Self.gap(old, new))
        }
        let (old, new) = (oldContents, newContents)
        guard takes(old.value, new.value) else { return .data(nil) }
        let graphs = archives(old.value, new.value, depth: depth)
        if case .trees(let oldTree, let newTree) = graphs {
            return .archives(
                old: (oldTree, old.format), new: (newTree, new.format),
                haveSameObjects: Self.haveSameObjects(old.value, new.value))
        }
        return .plists(old: old, new: new, archives: graphs.gap)
    }

    private static func haveSameObjects(_ old: PlistValue, _ new: PlistValue) -> Bool {
        guard let old = old.dictionary, let new = new.dictionary else { return false }
        return KeyedArchive.haveSameObjects(old, new)
    }

    private mutating func takes(_ old: PlistValue, _ new: PlistValue) -> Bool {
        weight += old.weight + new.weight
        guard weight > Self.weightLimit else { return true }
        isCutShort = true
        return false
    }

    package static func contents(of bytes: [UInt8]) -> (value: PlistValue, format: PlistFormat)? {
        (try? PlistDocument.read(bytes)).map { ($0.value, $0.format) }
    }

    /// The graphs of two values that may be keyed archives.
    enum Graphs {
        case none
        case unresolved(NestedGap)
        case trees(old: PlistValue, new: PlistValue)

        var gap: NestedGap? { if case .unresolved(let gap) = self { gap } else { nil } }
    }

    mutating func archives(_ old: PlistValue, _ new: PlistValue, depth: Int) -> Graphs {
        switch (KeyedArchive.isArchive(old), KeyedArchive.isArchive(new)) {
        case (false, false): return .none
        case (true, true): break
        default: return .unresolved(.oneSided)
        }
        guard let old = old.dictionary, let new = new.dictionary else { return .none }
        guard depth < Self.depthLimit, graphs < Self.graphLimit, failures < Self.failureLimit else {
            isCutShort = true
            return .none
        }
        graphs += 1
        do throws(PlistError) {
            let trees = try (old: Self.tree(of: old), new: Self.tree(of: new))
            return takes(trees.old, trees.new) ? .trees(old: trees.old, new: trees.new) : .none
        } catch {
            guard error.code == .limitExceeded else { return .unresolved(.unreadable) }
            isCutShort = true
            failures += 1
            return .none
        }
    }

    static func className(_ old: PlistDictionary, _ new: PlistDictionary) -> PlistString? {
        guard let name = old[classKey]?.string, new[classKey]?.string == name else { return nil }
        return name
    }

    /// Returns true if two archived objects have different classes, so that their contents can't be compared field by field.
    static func areOfTwoClasses(_ old: PlistDictionary, _ new: PlistDictionary) -> Bool {
        old[classKey] != new[classKey]
    }

    /// Returns the graph, together with the other entries of the archive's own dictionary.
    package static func tree(of archive: PlistDictionary) throws(PlistError) -> PlistValue {
        let tree = try KeyedArchive(.dictionary(archive)).resolved(limits: archiveLimits)
        guard var entries = tree.dictionary else { return tree }
        for (key, value) in archive where key != "$objects" && key != "$top" && entries[key] == nil { entries[key] = value }
        return .dictionary(entries)
    }

    private static func gap(_ old: [UInt8], _ new: [UInt8]) -> NestedGap? {
        let found = [old, new].count { ContentHead.isEncodedPlist(Array($0.prefix(ContentHead.byteCount))) }
        return found == 0 ? nil : found == 1 ? .oneSided : .unreadable
    }

    package static func isDocument(_ bytes: [UInt8]) -> Bool {
        switch PlistFormat.sniff(bytes) {
        case .binary, .xml: true
        default: false
        }
    }
}
