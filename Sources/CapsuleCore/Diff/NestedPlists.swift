import CapsulePropertyList

/// Property lists and keyed archives in the data of two others.
struct NestedPlists {
    /// What data holds on both sides.
    enum Pair {
        /// What is compared as data, and why a property list in it is not compared as one; nil where there is none, and where a
        /// limit was met.
        case data(NestedGap?)
        /// Property lists, and why keyed archives that they are were not compared as such.
        case plists(old: Document, new: Document, archives: NestedGap?)
        /// Keyed archives, as the trees of their graphs, and whether they differ in their numbers alone.
        case archives(old: Document, new: Document, areRenumbered: Bool)
    }

    typealias Document = (value: PlistValue, format: PlistFormat)

    private static let classKey: PlistString = "$class"

    /// Documents within each other that are looked into.
    static let depthLimit = 4
    /// Bytes of documents that are read in one comparison.
    static let byteLimit = 1 << 28
    /// What a keyed archive's graph may come to: less than a document, as each is made out of a few bytes.
    private static let archiveLimits = PlistLimits(binaryKeyBytes: 1 << 28, outputBytes: 1 << 28)

    /// Graphs that are made in one comparison, and those that are given up for their size: each took long.
    static let graphLimit = 1 << 14
    static let failureLimit = 8

    private var bytes = 0
    private var graphs = 0
    private var failures = 0
    /// All that were read: a memo of what is equal knows them by their addresses.
    private var held: [PlistValue] = []
    /// Whether there was one that was not looked into for a limit.
    private(set) var isCutShort = false

    /// What both hold: property lists in a binary or XML encoding. Other text is anything's.
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
        let graphs = archives(old.value, new.value, depth: depth)
        if case .trees(let oldTree, let newTree) = graphs {
            return .archives(
                old: (oldTree, old.format), new: (newTree, new.format),
                areRenumbered: Self.areRenumbered(old.value, new.value))
        }
        held += [old.value, new.value]
        return .plists(old: old, new: new, archives: graphs.gap)
    }

    /// Whether two keyed archives differ in their numbers alone.
    private static func areRenumbered(_ old: PlistValue, _ new: PlistValue) -> Bool {
        guard let old = old.dictionary, let new = new.dictionary else { return false }
        return KeyedArchive.areRenumbered(old, new)
    }

    /// The property list that data holds.
    static func content(of bytes: [UInt8]) -> PlistValue? { contents(of: bytes)?.value }

    /// The graph of a keyed archive as a tree; nil if it can't be resolved within the limits.
    static func graph(of dictionary: PlistDictionary) -> PlistValue? {
        try? tree(of: dictionary)
    }

    private static func contents(of bytes: [UInt8]) -> (value: PlistValue, format: PlistFormat)? {
        (try? PlistDocument.read(bytes)).map { ($0.value, $0.format) }
    }

    /// The graphs of two values as keyed archives.
    enum Graphs {
        /// Neither is an archive, or a limit was met.
        case none
        /// They can't be compared as archives.
        case unresolved(NestedGap)
        /// Their graphs, as trees.
        case trees(old: PlistValue, new: PlistValue)

        /// Why archives are not compared as such.
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
            let trees = try (Self.tree(of: old), Self.tree(of: new))
            held += [trees.0, trees.1]
            return .trees(old: trees.0, new: trees.1)
        } catch {
            guard error.code == .limitExceeded else { return .unresolved(.unreadable) }
            isCutShort = true
            failures += 1
            return .none
        }
    }

    /// The class of two archived objects; nil if they have none in common.
    static func className(_ old: PlistDictionary, _ new: PlistDictionary) -> PlistString? {
        guard let name = old[classKey]?.string, new[classKey]?.string == name else { return nil }
        return name
    }

    /// Whether two archived objects are of two classes, so that what they hold can't be compared field by field.
    static func areOfTwoClasses(_ old: PlistDictionary, _ new: PlistDictionary) -> Bool {
        old[classKey] != new[classKey]
    }

    /// The graph, and beside it what else the archive's own dictionary has.
    private static func tree(of archive: PlistDictionary) throws(PlistError) -> PlistValue {
        let tree = try KeyedArchive(.dictionary(archive)).resolved(limits: archiveLimits)
        guard var entries = tree.dictionary else { return tree }
        for (key, value) in archive where key != "$objects" && key != "$top" && entries[key] == nil { entries[key] = value }
        return .dictionary(entries)
    }

    /// Why data that is not compared as property lists may be some.
    private static func gap(_ old: [UInt8], _ new: [UInt8]) -> NestedGap? {
        let found = [old, new].count { ContentKind.isEncodedPlist(Array($0.prefix(ContentKind.headBytes))) }
        return found == 0 ? nil : found == 1 ? .oneSided : .unreadable
    }

    /// Whether data begins as a property list in a binary or XML encoding.
    static func isDocument(_ bytes: [UInt8]) -> Bool {
        switch PlistFormat.sniff(bytes) {
        case .binary, .xml: true
        default: false
        }
    }
}
