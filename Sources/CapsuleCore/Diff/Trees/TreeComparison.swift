/// One comparison of two trees: a merge of their entries, then a search for files that moved.
struct TreeComparison {
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
