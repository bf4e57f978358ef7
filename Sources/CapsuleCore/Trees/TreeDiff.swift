/// What differs between two trees by their entries' facts alone: no content is looked into (docs/diff.md, section 1).
public struct TreeDiff: Sendable {
    /// An entry of one tree, or one of each that belong together.
    public struct Item: Hashable, Sendable {
        /// Its place among the older tree's entries; nil for what was added.
        public let old: Int?
        /// Its place among the newer tree's entries; nil for what was deleted.
        public let new: Int?
        /// What became of it.
        public let kind: EntryChange.Kind
        /// Whether both are files, and their bytes differ.
        public let hasOtherContent: Bool
        /// What differs beside the content.
        public let metadata: [MetadataChange]
    }

    /// What is compared.
    public struct Options: Hashable, Sendable {
        /// Whether another time of the last change is a change.
        public var times = false
        /// Whether files that moved are recognised by their content.
        public var renames = true

        /// Without times.
        public init() {}
    }

    /// By the bytes of the newer path, or of the older where there is no newer.
    public let items: [Item]
    /// What is not compared of entries that both trees have, by the newer path.
    public let gaps: [MetadataGap]

    /// Compares two trees. Wrappers and identities are passed over.
    public init(_ old: TreeSide, _ new: TreeSide, _ options: Options = Options()) {
        var comparison = TreeComparison(old, new, options)
        items = comparison.run()
        gaps = comparison.gaps.sorted { $0.path < $1.path }
    }
}

/// A tree as it is compared: its entries, and what is not known of them.
public struct TreeSide: Sendable {
    /// In the order of the index, with digests.
    public var entries: [TreeEntry]
    /// The app groups' identifiers, by bytes: the n-th is ``TreeRoot/group(_:)`` n.
    public var groups: [[UInt8]]
    /// Those of the groups that are not compared.
    public var passedOver: Set<[UInt8]> = []
    /// The places of entries whose modes are not known: some zip files have none.
    public var withoutModes: Set<Int>
    /// Whether extended attributes could have come with the entries.
    public var hasAttributes: Bool
    /// The places of files whose content could not be read: they differ from whatever the other side has.
    public var unread: Set<Int>

    /// A tree that all is known of, unless told otherwise.
    public init(
        _ entries: [TreeEntry], groups: [[UInt8]] = [], withoutModes: Set<Int> = [], hasAttributes: Bool = true,
        unread: Set<Int> = []
    ) {
        self.entries = entries
        self.groups = groups
        self.withoutModes = withoutModes
        self.hasAttributes = hasAttributes
        self.unread = unread
    }
}

/// One comparison of two trees: a merge of their entries, then a search for files that moved.
private struct TreeComparison {
    private let old: TreeSide
    private let new: TreeSide
    private let options: TreeDiff.Options
    private let oldRoots: RootPlaces
    private let newRoots: RootPlaces

    private var items: [TreeDiff.Item] = []
    private var deleted: [Int] = []
    private var added: [Int] = []
    /// What is not compared of entries that both sides have.
    private(set) var gaps: [MetadataGap] = []
    private let mayHaveGaps: Bool

    init(_ old: TreeSide, _ new: TreeSide, _ options: TreeDiff.Options) {
        self.old = old
        self.new = new
        self.options = options
        let groups = Set(old.groups).union(new.groups).sorted { $0.lexicographicallyPrecedes($1) }
        oldRoots = RootPlaces(old, among: groups)
        newRoots = RootPlaces(new, among: groups)
        mayHaveGaps = [old, new].contains { !$0.hasAttributes || !$0.withoutModes.isEmpty }
    }

    /// The places of a side's roots among those of both. Every entry is asked for its own, so there is nothing to be hashed.
    private struct RootPlaces {
        private var places = [Int](repeating: -1, count: 1 << UInt8.bitWidth)

        init(_ side: TreeSide, among groups: [[UInt8]]) {
            places[Int(TreeRoot.tree.rawValue)] = 0
            for (number, identifier) in side.groups.enumerated() where !side.passedOver.contains(identifier) {
                if let root = TreeRoot.group(number) {
                    places[Int(root.rawValue)] = 1 + (groups.firstIndex(of: identifier) ?? 0)
                }
            }
        }

        /// Negative for a root that is not compared.
        subscript(root: TreeRoot) -> Int { places[Int(root.rawValue)] }
    }

    mutating func run() -> [TreeDiff.Item] {
        merge()
        pairMoved()
        for place in deleted { items.append(TreeDiff.Item(old: place, new: nil, .deleted)) }
        for place in added { items.append(TreeDiff.Item(old: nil, new: place, .added)) }
        return items.sorted { path(of: $0) < path(of: $1) }
    }

    private func path(of item: TreeDiff.Item) -> RelativePath {
        if let place = item.new { return new.entries[place].path }
        return item.old.map { old.entries[$0].path } ?? .root
    }

    // MARK: By path

    private mutating func merge() {
        var (oldPlace, newPlace) = (0, 0)
        while true {
            skip(old.entries, oldRoots, &oldPlace)
            skip(new.entries, newRoots, &newPlace)
            let oldEnds = oldPlace == old.entries.count
            let newEnds = newPlace == new.entries.count
            if oldEnds && newEnds { return }
            switch oldEnds ? 1 : newEnds ? -1 : order(oldPlace, newPlace) {
            case ..<0:
                deleted.append(oldPlace)
                oldPlace += 1
            case 1...:
                added.append(newPlace)
                newPlace += 1
            default:
                if mayHaveGaps { noteGaps(oldPlace, newPlace) }
                if !areEqual(oldPlace, newPlace) { compare(oldPlace, newPlace, as: .modified) }
                oldPlace += 1
                newPlace += 1
            }
        }
    }

    /// Passes over what is not compared.
    private func skip(_ entries: [TreeEntry], _ roots: RootPlaces, _ place: inout Int) {
        while place < entries.count {
            let root = entries[place].root
            if root != .wrapper, entries[place].kind != .identity, roots[root] >= 0 { return }
            place += 1
        }
    }

    // Two trees mostly have the same entries: of those that are equal no copies are made.

    private func order(_ oldPlace: Int, _ newPlace: Int) -> Int {
        let (oldRoot, newRoot) = (oldRoots[old.entries[oldPlace].root], newRoots[new.entries[newPlace].root])
        if oldRoot != newRoot { return oldRoot < newRoot ? -1 : 1 }
        if old.entries[oldPlace].path == new.entries[newPlace].path { return 0 }
        return old.entries[oldPlace].path < new.entries[newPlace].path ? -1 : 1
    }

    /// Whether two entries are the same in every fact that there is, so that nothing is left to be looked at.
    private func areEqual(_ oldPlace: Int, _ newPlace: Int) -> Bool {
        old.entries[oldPlace].kind == new.entries[newPlace].kind && old.entries[oldPlace].size == new.entries[newPlace].size
            && old.entries[oldPlace].digest == new.entries[newPlace].digest
            && old.entries[oldPlace].mode == new.entries[newPlace].mode
            && (!options.times || old.entries[oldPlace].modified == new.entries[newPlace].modified)
            && old.entries[oldPlace].target == new.entries[newPlace].target
            && old.entries[oldPlace].attributes == new.entries[newPlace].attributes
            && !old.unread.contains(oldPlace) && !new.unread.contains(newPlace)
    }

    /// Notes what differs between two entries that belong together, if anything.
    private mutating func compare(_ oldPlace: Int, _ newPlace: Int, as kind: EntryChange.Kind) {
        let (oldEntry, newEntry) = (old.entries[oldPlace], new.entries[newPlace])
        guard oldEntry.kind == newEntry.kind else {
            items.append(TreeDiff.Item(old: oldPlace, new: newPlace, .type))
            return
        }
        let hasModes = !old.withoutModes.contains(oldPlace) && !new.withoutModes.contains(newPlace)
        let metadata = metadataChanges(oldEntry, newEntry, hasModes: hasModes)
        var hasOtherContent = false
        switch newEntry.kind {
        case .file, .identity:
            hasOtherContent =
                oldEntry.size != newEntry.size || oldEntry.digest != newEntry.digest || old.unread.contains(oldPlace)
                || new.unread.contains(newPlace)
        case .link: hasOtherContent = oldEntry.target != newEntry.target
        case .directory: break
        }
        if kind == .modified, !hasOtherContent, metadata.isEmpty { return }
        items.append(
            TreeDiff.Item(old: oldPlace, new: newPlace, kind, hasOtherContent: hasOtherContent, metadata: metadata))
    }

    /// Notes what one side knows of an entry and the other cannot know.
    private mutating func noteGaps(_ oldPlace: Int, _ newPlace: Int) {
        let (oldEntry, newEntry) = (old.entries[oldPlace], new.entries[newPlace])
        guard oldEntry.kind == newEntry.kind else { return }
        if oldEntry.kind != .link, old.withoutModes.contains(oldPlace) != new.withoutModes.contains(newPlace) {
            gaps.append(MetadataGap(path: newEntry.path, facts: .mode))
        }
        let unmatched = old.hasAttributes ? oldEntry.attributes : newEntry.attributes
        if old.hasAttributes != new.hasAttributes, !unmatched.isEmpty {
            gaps.append(MetadataGap(path: newEntry.path, facts: .attributes))
        }
    }

    private func metadataChanges(_ oldEntry: TreeEntry, _ newEntry: TreeEntry, hasModes: Bool) -> [MetadataChange] {
        var changes: [MetadataChange] = []
        if hasModes, oldEntry.kind != .link, oldEntry.mode != newEntry.mode {
            changes.append(MetadataChange(.mode, old: .octal(oldEntry.mode), new: .octal(newEntry.mode)))
        }
        if old.hasAttributes, new.hasAttributes, oldEntry.attributes != newEntry.attributes {
            changes += Self.attributeChanges(oldEntry.attributes, newEntry.attributes)
        }
        if options.times, oldEntry.modified != newEntry.modified {
            changes.append(
                MetadataChange(
                    .modified, old: .text(oldEntry.modified.iso8601(fraction: true)),
                    new: .text(newEntry.modified.iso8601(fraction: true))))
        }
        return changes
    }

    private static func attributeChanges(_ old: [ExtendedAttribute], _ new: [ExtendedAttribute]) -> [MetadataChange] {
        let oldValues = Dictionary(old.map { ($0.name, $0.value) }) { first, _ in first }
        let newValues = Dictionary(new.map { ($0.name, $0.value) }) { first, _ in first }
        return Set(oldValues.keys).union(newValues.keys).sorted { $0.lexicographicallyPrecedes($1) }.compactMap { name in
            let (before, after) = (oldValues[name], newValues[name])
            guard before != after else { return nil }
            return MetadataChange(.attribute(name), old: before.map { .bytes($0) }, new: after.map { .bytes($0) })
        }
    }

    // MARK: By content

    /// Pairs files that are gone with new ones of the same bytes.
    private mutating func pairMoved() {
        guard options.renames, !deleted.isEmpty, !added.isEmpty else { return }
        var search = MovedFiles()
        for place in deleted where !old.unread.contains(place) { search.addOld(old.entries[place], at: place) }
        for place in added where !new.unread.contains(place) { search.addNew(new.entries[place], at: place) }
        let pairs = search.pairs()
        if pairs.isEmpty { return }
        let (movedFrom, movedTo) = (Set(pairs.map(\.old)), Set(pairs.map(\.new)))
        deleted.removeAll { movedFrom.contains($0) }
        added.removeAll { movedTo.contains($0) }
        for pair in pairs {
            if mayHaveGaps { noteGaps(pair.old, pair.new) }
            compare(pair.old, pair.new, as: .renamed(from: old.entries[pair.old].path))
        }
    }
}

extension TreeDiff.Item {
    fileprivate init(
        old: Int?, new: Int?, _ kind: EntryChange.Kind, hasOtherContent: Bool = false, metadata: [MetadataChange] = []
    ) {
        self.old = old
        self.new = new
        self.kind = kind
        self.hasOtherContent = hasOtherContent
        self.metadata = metadata
    }
}

/// Pairs files that are gone with new ones of the same content: each once, the closest paths first.
private struct MovedFiles {
    private struct Content: Hashable {
        let size: UInt64
        let digest: ContentDigest
    }

    private struct File {
        let path: RelativePath
        let place: Int
    }

    private struct Group {
        var old: [File] = []
        var new: [File] = []
    }

    /// Pairs of one content whose paths are compared; beyond that they pair as they come.
    private static let comparisonLimit = 1 << 16

    private var groups: [Content: Group] = [:]

    mutating func addOld(_ entry: TreeEntry, at place: Int) {
        if let content = Self.content(of: entry) {
            groups[content, default: Group()].old.append(File(path: entry.path, place: place))
        }
    }

    mutating func addNew(_ entry: TreeEntry, at place: Int) {
        // What has no old file can't have moved.
        if let content = Self.content(of: entry) { groups[content]?.new.append(File(path: entry.path, place: place)) }
    }

    /// Empty files have nothing in common but that; what belongs to a database goes where that goes, or is another's now.
    private static func content(of entry: TreeEntry) -> Content? {
        entry.kind == .file && entry.size > 0 && DatabaseUnit.databases(ofMember: entry.path).isEmpty
            ? Content(size: entry.size, digest: entry.digest) : nil
    }

    /// The pairs, by their places in the older tree.
    func pairs() -> [(old: Int, new: Int)] {
        groups.values.flatMap { Self.pairs($0) }.sorted { $0.old < $1.old }
    }

    private static func pairs(_ group: Group) -> [(old: Int, new: Int)] {
        let (old, new) = (group.old, group.new)
        if old.isEmpty || new.isEmpty { return [] }
        guard old.count <= comparisonLimit / new.count else {
            return zip(old, new).map { ($0.place, $1.place) }
        }
        var candidates: [(closeness: Int, old: Int, new: Int)] = []
        for (oldNumber, source) in old.enumerated() {
            for (newNumber, target) in new.enumerated() {
                candidates.append((closeness(source.path, target.path), oldNumber, newNumber))
            }
        }
        // Files come by their paths, so that ties are settled alike whatever the trees came from.
        candidates.sort { ($1.closeness, $0.old, $0.new) < ($0.closeness, $1.old, $1.new) }
        var (isTakenOld, isTakenNew) = (Array(repeating: false, count: old.count), Array(repeating: false, count: new.count))
        var pairs: [(old: Int, new: Int)] = []
        for candidate in candidates where !isTakenOld[candidate.old] && !isTakenNew[candidate.new] {
            isTakenOld[candidate.old] = true
            isTakenNew[candidate.new] = true
            pairs.append((old[candidate.old].place, new[candidate.new].place))
        }
        return pairs
    }

    /// How many components two paths begin with in common, and end with; the same name counts most.
    private static func closeness(_ old: RelativePath, _ new: RelativePath) -> Int {
        let (old, new) = (old.components, new.components)
        let common = zip(old.dropLast(), new.dropLast()).prefix { $0 == $1 }.count
        let trailing = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count
        return 2 * common + 3 * trailing - abs(old.count - new.count)
    }
}
