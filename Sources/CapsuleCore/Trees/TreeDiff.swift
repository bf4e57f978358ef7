/// The differences between two trees according to their entries alone. No content is read (docs/diff.md, section 1).
package struct TreeDiff: Sendable {
    /// An entry of one tree, or a pair of corresponding entries.
    package struct Item: Hashable, Sendable {
        package let old: Int?
        package let new: Int?
        package let kind: EntryChangeKind
        /// True if both entries are files with different content, or links with different targets. A file whose content could
        /// not be read counts as different.
        package let hasOtherContent: Bool
        package let metadata: [MetadataChange]
    }

    package struct Options: Hashable, Sendable {
        package var times = false
        package var renames = true

        package init() {}
    }

    /// The items sorted by the bytes of the newer path, or of the older path if there is no newer one.
    package let items: [Item]
    /// The metadata that was not compared of entries that both trees have, sorted by the newer path.
    package let gaps: [MetadataGap]

    /// Compares two trees. Wrappers, identities and carried contents are skipped, and so are groups in ``TreeSide/skippedGroups``.
    package init(_ old: TreeSide, _ new: TreeSide, _ options: Options = Options()) {
        var comparison = TreeDiffer(old, new, options)
        items = comparison.run()
        gaps = comparison.gaps.sorted { $0.path < $1.path }
    }
}

/// One side of a comparison: the entries of a tree.
package struct TreeSide: Sendable {
    /// The entries in the order of the index, with digests.
    package var entries: [TreeEntry]
    /// The identifiers of the app groups, sorted by bytes. The identifier at index `n` belongs to the root
    /// ``TreeRoot/group(_:)`` of `n`.
    package var groups: [[UInt8]]
    package var skippedGroups: Set<[UInt8]> = []

    package init(_ entries: [TreeEntry], groups: [[UInt8]] = []) {
        self.entries = entries
        self.groups = groups
    }
}

/// A comparison of two trees: a merge of their entries, then a search for files that moved.
private struct TreeDiffer {
    private let old: TreeSide
    private let new: TreeSide
    private let options: TreeDiff.Options
    private let oldRoots: RootPlaces
    private let newRoots: RootPlaces
    private var items: [TreeDiff.Item] = []
    private var deleted: [Int] = []
    private var added: [Int] = []
    private(set) var gaps: [MetadataGap] = []

    init(_ old: TreeSide, _ new: TreeSide, _ options: TreeDiff.Options) {
        self.old = old
        self.new = new
        self.options = options
        let groups = Set(old.groups).union(new.groups).sorted { $0.lexicographicallyPrecedes($1) }
        oldRoots = RootPlaces(old, among: groups)
        newRoots = RootPlaces(new, among: groups)
    }

    /// The position of each root of a side among the roots of both sides. It is looked up for every entry, so an array is used
    /// instead of a hash table.
    private struct RootPlaces {
        private var places = [Int](repeating: -1, count: 1 << UInt8.bitWidth)

        init(_ side: TreeSide, among groups: [[UInt8]]) {
            places[Int(TreeRoot.tree.rawValue)] = 0
            for (number, identifier) in side.groups.enumerated() where !side.skippedGroups.contains(identifier) {
                if let root = TreeRoot.group(number) {
                    places[Int(root.rawValue)] = 1 + (groups.firstIndex(of: identifier) ?? 0)
                }
            }
        }

        /// The position of a root. It is negative if the root is not compared.
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
                recordGaps(oldPlace, newPlace)
                if !areEqual(oldPlace, newPlace) { compare(oldPlace, newPlace, as: .modified) }
                oldPlace += 1
                newPlace += 1
            }
        }
    }

    private func skip(_ entries: [TreeEntry], _ roots: RootPlaces, _ place: inout Int) {
        while place < entries.count {
            let root = entries[place].root
            if root != .wrapper, entries[place].kind != .identity, roots[root] >= 0 { return }
            place += 1
        }
    }

    // The functions below don't copy entries, because most entries of two trees are equal.

    private func order(_ oldPlace: Int, _ newPlace: Int) -> Int {
        let (oldRoot, newRoot) = (oldRoots[old.entries[oldPlace].root], newRoots[new.entries[newPlace].root])
        if oldRoot != newRoot { return oldRoot < newRoot ? -1 : 1 }
        if old.entries[oldPlace].path == new.entries[newPlace].path { return 0 }
        return old.entries[oldPlace].path < new.entries[newPlace].path ? -1 : 1
    }

    /// Returns true if two entries are equal in every respect, so that they need no further comparison.
    private func areEqual(_ oldPlace: Int, _ newPlace: Int) -> Bool {
        old.entries[oldPlace].kind == new.entries[newPlace].kind && old.entries[oldPlace].size == new.entries[newPlace].size
            && old.entries[oldPlace].digest == new.entries[newPlace].digest
            && old.entries[oldPlace].mode == new.entries[newPlace].mode
            && (!options.times || old.entries[oldPlace].modified == new.entries[newPlace].modified)
            && old.entries[oldPlace].target == new.entries[newPlace].target
            && old.entries[oldPlace].attributes == new.entries[newPlace].attributes
            && !old.entries[oldPlace].unknown.contains(.content) && !new.entries[newPlace].unknown.contains(.content)
    }

    private mutating func compare(_ oldPlace: Int, _ newPlace: Int, as kind: EntryChangeKind) {
        let (oldEntry, newEntry) = (old.entries[oldPlace], new.entries[newPlace])
        guard oldEntry.kind == newEntry.kind else {
            items.append(TreeDiff.Item(old: oldPlace, new: newPlace, .type))
            return
        }
        let metadata = newEntry.metadataChanges(from: oldEntry, times: options.times)
        let hasOtherContent = !newEntry.hasContent(of: oldEntry)
        if kind == .modified, !hasOtherContent, metadata.isEmpty { return }
        items.append(TreeDiff.Item(old: oldPlace, new: newPlace, kind, hasOtherContent: hasOtherContent, metadata: metadata))
    }

    private mutating func recordGaps(_ oldPlace: Int, _ newPlace: Int) {
        guard old.entries[oldPlace].unknown != new.entries[newPlace].unknown,
            old.entries[oldPlace].kind == new.entries[newPlace].kind
        else { return }
        gaps += new.entries[newPlace].gaps(from: old.entries[oldPlace])
    }

    private mutating func pairMoved() {
        guard options.renames, !deleted.isEmpty, !added.isEmpty else { return }
        var search = MovedFiles()
        for place in deleted where !old.entries[place].unknown.contains(.content) { search.addOld(old.entries[place], at: place) }
        for place in added where !new.entries[place].unknown.contains(.content) { search.addNew(new.entries[place], at: place) }
        let pairs = search.pairs()
        if pairs.isEmpty { return }
        let (movedFrom, movedTo) = (Set(pairs.map(\.old)), Set(pairs.map(\.new)))
        deleted.removeAll { movedFrom.contains($0) }
        added.removeAll { movedTo.contains($0) }
        for pair in pairs {
            recordGaps(pair.old, pair.new)
            compare(pair.old, pair.new, as: .renamed(from: old.entries[pair.old].path))
        }
    }
}

extension TreeDiff.Item {
    fileprivate init(
        old: Int?, new: Int?, _ kind: EntryChangeKind, hasOtherContent: Bool = false, metadata: [MetadataChange] = []
    ) {
        self.old = old
        self.new = new
        self.kind = kind
        self.hasOtherContent = hasOtherContent
        self.metadata = metadata
    }
}

/// Pairs deleted files with added files of the same content. Each file is paired once, those with the closest paths first.
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

    /// The maximum number of pairs with the same content whose paths are compared. If there are more, files are paired in their order.
    private static let comparisonLimit = 1 << 16

    private var groups: [Content: Group] = [:]

    mutating func addOld(_ entry: TreeEntry, at place: Int) {
        if let content = Self.content(of: entry) {
            groups[content, default: Group()].old.append(File(path: entry.path, place: place))
        }
    }

    mutating func addNew(_ entry: TreeEntry, at place: Int) {
        // A file without an old file of the same content can't have moved.
        if let content = Self.content(of: entry) { groups[content]?.new.append(File(path: entry.path, place: place)) }
    }

    /// Returns the content that a file is recognized by. Returns nil for empty files, which are not related, and for files that
    /// belong to a database, because they follow the database or now belong to another one.
    private static func content(of entry: TreeEntry) -> Content? {
        entry.kind == .file && entry.size > 0 && DatabaseUnit.databases(ofMember: entry.path).isEmpty
            ? Content(size: entry.size, digest: entry.digest) : nil
    }

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
        // Files are in the order of their paths, so ties are resolved in the same way for every source of the trees.
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

    /// Returns a score from the number of components that two paths have in common at the beginning and at the end. An equal
    /// name counts most.
    private static func closeness(_ old: RelativePath, _ new: RelativePath) -> Int {
        let (old, new) = (old.components, new.components)
        let common = zip(old.dropLast(), new.dropLast()).prefix { $0 == $1 }.count
        let trailing = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count
        return 2 * common + 3 * trailing - abs(old.count - new.count)
    }
}

package enum EntryChangeKind: Hashable, Sendable {
    case added, deleted
    /// The entry has different content, mode or attributes. The details say which.
    case modified
    /// The entry has the same content under another path. The associated value is its path in the older tree.
    case renamed(from: RelativePath)
    /// The entry changed between file, directory and symbolic link.
    case type
}
