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
    private let oldRoots: RootPositions
    private let newRoots: RootPositions
    private var items: [TreeDiff.Item] = []
    private var deleted: [Int] = []
    private var added: [Int] = []
    private(set) var gaps: [MetadataGap] = []

    init(_ old: TreeSide, _ new: TreeSide, _ options: TreeDiff.Options) {
        self.old = old
        self.new = new
        self.options = options
        let groups = Set(old.groups).union(new.groups).sorted { $0.lexicographicallyPrecedes($1) }
        oldRoots = RootPositions(old, among: groups)
        newRoots = RootPositions(new, among: groups)
    }

    /// The position of each root of a side among the roots of both sides. It is looked up for every entry, so an array is used
    /// instead of a hash table.
    private struct RootPositions {
        private var positions = [Int](repeating: -1, count: 1 << UInt8.bitWidth)

        init(_ side: TreeSide, among groups: [[UInt8]]) {
            positions[Int(TreeRoot.tree.rawValue)] = 0
            for (number, identifier) in side.groups.enumerated() where !side.skippedGroups.contains(identifier) {
                if let root = TreeRoot.group(number) {
                    positions[Int(root.rawValue)] = 1 + (groups.firstIndex(of: identifier) ?? 0)
                }
            }
        }

        /// The position of a root. It is negative if the root is not compared.
        subscript(root: TreeRoot) -> Int { positions[Int(root.rawValue)] }
    }

    mutating func run() -> [TreeDiff.Item] {
        merge()
        pairMoved()
        for index in deleted { items.append(TreeDiff.Item(old: index, new: nil, .deleted)) }
        for index in added { items.append(TreeDiff.Item(old: nil, new: index, .added)) }
        return items.sorted { path(of: $0) < path(of: $1) }
    }

    private func path(of item: TreeDiff.Item) -> RelativePath {
        if let index = item.new { return new.entries[index].path }
        return item.old.map { old.entries[$0].path } ?? .root
    }

    private mutating func merge() {
        var (oldIndex, newIndex) = (0, 0)
        while true {
            skip(old.entries, oldRoots, &oldIndex)
            skip(new.entries, newRoots, &newIndex)
            let oldEnds = oldIndex == old.entries.count
            let newEnds = newIndex == new.entries.count
            if oldEnds && newEnds { return }
            switch oldEnds ? 1 : newEnds ? -1 : order(oldIndex, newIndex) {
            case ..<0:
                deleted.append(oldIndex)
                oldIndex += 1
            case 1...:
                added.append(newIndex)
                newIndex += 1
            default:
                recordGaps(oldIndex, newIndex)
                if !areEqual(oldIndex, newIndex) { compare(oldIndex, newIndex, as: .modified) }
                oldIndex += 1
                newIndex += 1
            }
        }
    }

    private func skip(_ entries: [TreeEntry], _ roots: RootPositions, _ index: inout Int) {
        while index < entries.count {
            let root = entries[index].root
            if root != .wrapper, entries[index].kind != .identity, roots[root] >= 0 { return }
            index += 1
        }
    }

    // The functions below don't copy entries, because most entries of two trees are equal.

    private func order(_ oldIndex: Int, _ newIndex: Int) -> Int {
        let (oldRoot, newRoot) = (oldRoots[old.entries[oldIndex].root], newRoots[new.entries[newIndex].root])
        if oldRoot != newRoot { return oldRoot < newRoot ? -1 : 1 }
        if old.entries[oldIndex].path == new.entries[newIndex].path { return 0 }
        return old.entries[oldIndex].path < new.entries[newIndex].path ? -1 : 1
    }

    /// Returns true if two entries are equal in every respect, so that they need no further comparison.
    private func areEqual(_ oldIndex: Int, _ newIndex: Int) -> Bool {
        old.entries[oldIndex].kind == new.entries[newIndex].kind && old.entries[oldIndex].size == new.entries[newIndex].size
            && old.entries[oldIndex].digest == new.entries[newIndex].digest
            && old.entries[oldIndex].mode == new.entries[newIndex].mode
            && (!options.times || old.entries[oldIndex].modified == new.entries[newIndex].modified)
            && old.entries[oldIndex].target == new.entries[newIndex].target
            && old.entries[oldIndex].attributes == new.entries[newIndex].attributes
            && !old.entries[oldIndex].unknown.contains(.content) && !new.entries[newIndex].unknown.contains(.content)
    }

    private mutating func compare(_ oldIndex: Int, _ newIndex: Int, as kind: EntryChangeKind) {
        let (oldEntry, newEntry) = (old.entries[oldIndex], new.entries[newIndex])
        guard oldEntry.kind == newEntry.kind else {
            items.append(TreeDiff.Item(old: oldIndex, new: newIndex, .type))
            return
        }
        let metadata = newEntry.metadataChanges(from: oldEntry, times: options.times)
        let hasOtherContent = !newEntry.hasContent(of: oldEntry)
        if kind == .modified, !hasOtherContent, metadata.isEmpty { return }
        items.append(TreeDiff.Item(old: oldIndex, new: newIndex, kind, hasOtherContent: hasOtherContent, metadata: metadata))
    }

    private mutating func recordGaps(_ oldIndex: Int, _ newIndex: Int) {
        guard old.entries[oldIndex].unknown != new.entries[newIndex].unknown,
            old.entries[oldIndex].kind == new.entries[newIndex].kind
        else { return }
        gaps += new.entries[newIndex].gaps(from: old.entries[oldIndex])
    }

    private mutating func pairMoved() {
        guard options.renames, !deleted.isEmpty, !added.isEmpty else { return }
        var search = MovedFiles()
        for index in deleted where !old.entries[index].unknown.contains(.content) { search.addOld(old.entries[index], at: index) }
        for index in added where !new.entries[index].unknown.contains(.content) { search.addNew(new.entries[index], at: index) }
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
        let index: Int
    }

    private struct Group {
        var old: [File] = []
        var new: [File] = []
    }

    /// The maximum number of pairs with the same content whose paths are compared. If there are more, files are paired in their order.
    private static let comparisonLimit = 1 << 16

    private var groups: [Content: Group] = [:]

    mutating func addOld(_ entry: TreeEntry, at index: Int) {
        if let content = Self.content(of: entry) {
            groups[content, default: Group()].old.append(File(path: entry.path, index: index))
        }
    }

    mutating func addNew(_ entry: TreeEntry, at index: Int) {
        // A file without an old file of the same content can't have moved.
        if let content = Self.content(of: entry) { groups[content]?.new.append(File(path: entry.path, index: index)) }
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
            return zip(old, new).map { ($0.index, $1.index) }
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
            pairs.append((old[candidate.old].index, new[candidate.new].index))
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
