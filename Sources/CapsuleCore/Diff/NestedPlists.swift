import CapsulePropertyList

/// Property lists and keyed archives in the data of two others.
struct NestedPlists {
    /// What data holds on both sides.
    enum Pair {
        /// What is compared as data, and why a property list in it is not compared as one; nil where there is none, and where a
        /// limit was met.
        case data(NestedGap?)
        /// Property lists.
        case plists(old: Document, new: Document)
        /// Keyed archives, as the trees of their graphs, and whether they differ in their numbers alone.
        case archives(old: Document, new: Document, areRenumbered: Bool)
    }

    typealias Document = (value: PlistValue, format: PlistFormat)

    private static let classKey: PlistString = "$class"

    /// Documents within each other that are looked into.
    private static let depthLimit = 4
    /// Bytes of documents that are read in one comparison.
    private static let byteLimit = 1 << 28
    /// What a keyed archive's graph may come to: less than a document, as each is made out of a few bytes.
    private static let archiveLimits = PlistLimits(binaryKeyBytes: 1 << 28, outputBytes: 1 << 28)

    /// Graphs that are made in one comparison, and those that are given up for their size: each took long.
    private static let graphLimit = 1 << 14
    private static let failureLimit = 8

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
        if case .dictionary(let oldArchive) = old.value, case .dictionary(let newArchive) = new.value,
            let trees = archives(oldArchive, newArchive, depth: depth)
        {
            return .archives(
                old: (trees.old, old.format), new: (trees.new, new.format),
                areRenumbered: KeyedArchive.areRenumbered(oldArchive, newArchive))
        }
        held += [old.value, new.value]
        return .plists(old: old, new: new)
    }

    private static func contents(of bytes: [UInt8]) -> (value: PlistValue, format: PlistFormat)? {
        (try? PlistDocument.read(bytes)).map { ($0.value, $0.format) }
    }

    /// The graphs of two keyed archives, as trees; nil if one of them is none, or none that can be shown so.
    mutating func archives(
        _ old: PlistDictionary, _ new: PlistDictionary, depth: Int
    ) -> (old: PlistValue, new: PlistValue)? {
        guard Self.isArchive(old), Self.isArchive(new) else { return nil }
        guard depth < Self.depthLimit, graphs < Self.graphLimit, failures < Self.failureLimit else {
            isCutShort = true
            return nil
        }
        graphs += 1
        do throws(PlistError) {
            let trees = try (Self.tree(of: old), Self.tree(of: new))
            held += [trees.0, trees.1]
            return trees
        } catch {
            if error.code == .limitExceeded {
                isCutShort = true
                failures += 1
            }
            return nil
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

    private static func isArchive(_ dictionary: PlistDictionary) -> Bool {
        KeyedArchive.isArchive(.dictionary(dictionary))
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

    private static func isDocument(_ bytes: [UInt8]) -> Bool {
        switch PlistFormat.sniff(bytes) {
        case .binary, .xml: true
        default: false
        }
    }
}
