import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleRules

/// Compares two stored versions by reading only the index blocks that differ.
struct IndexDiffer {
    private let old: Version
    private let new: Version
    private let options: DiffOptions

    fileprivate struct Version: Sendable {
        let capsule: CapsuleReader
        let manifest: Manifest
        let root: IndexRoot
        private let index: BoundedIndexReader
        var blocks: Set<Int> = []
        private(set) var loaded: [Int: IndexBlock] = [:]

        init(_ capsule: CapsuleReader, _ selector: VersionSelector) throws(CapsuleError) {
            do throws(CapsuleError) {
                try self.init(capsule, try capsule.footer(of: selector))
            } catch {
                throw StoredVersion.error(error, reading: selector, of: capsule)
            }
        }

        init(_ capsule: CapsuleReader, _ footer: Footer) throws(CapsuleError) {
            self.capsule = capsule
            (manifest, root) = try capsule.head(of: footer)
            index = BoundedIndexReader(capsule, root)
        }

        mutating func load(jobs: Int) throws(CapsuleError) {
            let missing = blocks.filter { loaded[$0] == nil }.sorted()
            try capsule.file.fetch(missing.map { root.blocks[$0].range })
            let found = try ParallelMap.run(missing.count, threads: jobs, itemsPerThread: 3) {
                [index] (number) throws(CapsuleError) in
                try index.block(missing[number])
            }
            for (number, block) in zip(missing, found) { loaded[number] = block }
        }
    }

    /// - Returns: nil unless both containers are capsules.
    init?(_ old: Container, _ new: Container, _ options: DiffOptions) throws(CapsuleError) {
        self.options = options
        guard case .capsule(let oldCapsule, let oldSelector) = try old.resolve(),
            case .capsule(let newCapsule, let newSelector) = try new.resolve()
        else { return nil }
        self.old = try Version(oldCapsule, oldSelector)
        self.new = try Version(newCapsule, newSelector)
    }

    init(_ capsule: CapsuleReader, _ old: Footer, _ new: Footer, _ options: DiffOptions) throws(CapsuleError) {
        self.options = options
        self.old = try Version(capsule, old)
        self.new = try Version(capsule, new)
    }

    /// Returns the sides with the entries that may differ, and those that ``DatabaseUnit`` combines with them.
    func sides() throws(CapsuleError) -> (old: ComparedSide, new: ComparedSide) {
        var (old, new) = (old, new)
        // The blocks of another capsule have other digests, since their files are at other places.
        (old.blocks, new.blocks) = (old.blocks(unlike: new, options), new.blocks(unlike: old, options))
        try old.load(jobs: options.jobs)
        try new.load(jobs: options.jobs)
        // The files of a database are one unit with it, in whatever block they are.
        for (path, root) in Self.databases(in: (old.tree(), new.tree())) {
            old.want(path, in: root)
            new.want(path, in: root)
        }
        try old.load(jobs: options.jobs)
        try new.load(jobs: options.jobs)
        return (old.side(), new.side())
    }

    private static func databases(in trees: (old: TreeSide, new: TreeSide)) -> [(RelativePath, TreeRoot)] {
        TreeDiff(trees.old, trees.new).items.flatMap { item -> [(RelativePath, TreeRoot)] in
            let entries = [item.old.map { trees.old.entries[$0] }, item.new.map { trees.new.entries[$0] }]
            return entries.compactMap { $0 }.flatMap { entry in
                DatabaseUnit.databases(ofMember: entry.path).map { ($0.path, entry.root) }
            }
        }
    }
}

extension IndexDiffer.Version {
    /// The entries of the blocks that were read.
    fileprivate func tree() -> TreeSide {
        var entries: [TreeEntry] = []
        entries.reserveCapacity(blocks.reduce(0) { $0 + Int(root.blocks[$1].entries) })
        for number in blocks.sorted() { entries += loaded[number]?.entries ?? [] }
        return TreeSide(entries, groups: manifest.groups)
    }

    fileprivate func side() -> ComparedSide {
        let tree = tree()
        var extents = ExtentTable(entries: tree.entries.count)
        for number in blocks.sorted() { loaded[number].map { extents.append($0) } }
        var side = ComparedSide(
            tree: tree, contents: EntryContents(VersionContent(capsule, extents), count: tree.entries.count))
        side.treeDigest = manifest.treeDigest
        side.specialFiles = manifest.omitted.filter { $0.special != nil }
        return side
    }

    /// Returns the numbers of the blocks whose entries another version does not have, or not in one block.
    fileprivate func blocks(unlike other: Self, _ options: DiffOptions) -> Set<Int> {
        func key(_ block: IndexRoot.Block) -> [BlockLikeness.ShortDigest] {
            options.times ? [block.likeness.entries, block.likeness.times] : [block.likeness.entries]
        }
        let keys = Set(other.root.blocks.map(key))
        return Set(root.blocks.indices.filter { !keys.contains(key(root.blocks[$0])) })
    }

    /// Adds the block that would contain a path, and the next one, because paths that begin with it may continue there.
    fileprivate mutating func want(_ path: RelativePath, in root: TreeRoot) {
        let place = self.root.block(holding: path, in: root) ?? 0
        for number in [place, place + 1] where number < self.root.blocks.count { blocks.insert(number) }
    }
}

/// Compares a version of a capsule with a live container that is expected to be equal. The index is compared directly with the
/// container's entries, so no entries are made from it.
struct UnchangedFastPath {
    private let capsule: CapsuleReader
    private let manifest: Manifest
    private let root: IndexRoot
    private let options: DiffOptions

    init?(_ container: Container, _ options: DiffOptions) throws(CapsuleError) {
        guard case .capsule(let capsule, let selector) = try container.resolve() else { return nil }
        self.options = options
        self.capsule = capsule
        do throws(CapsuleError) {
            let footer = try capsule.footer(of: selector)
            (manifest, root) = try capsule.head(of: footer)
        } catch {
            throw StoredVersion.error(error, reading: selector, of: capsule)
        }
    }

    /// Returns the version and the live container without their entries, which are equal.
    /// - Returns: nil if anything may differ.
    func sides(with live: ComparedSide) throws(CapsuleError) -> (stored: ComparedSide, live: ComparedSide)? {
        guard live.failures.isEmpty, live.tree.groups == manifest.groups, try hasSameEntries(live.tree.entries) else {
            return nil
        }
        var stored = ComparedSide(
            tree: TreeSide([], groups: manifest.groups),
            contents: EntryContents(VersionContent(capsule, ExtentTable(entries: 0)), count: 0))
        stored.treeDigest = manifest.treeDigest
        stored.specialFiles = manifest.omitted.filter { $0.special != nil }
        if options.describesSides { stored.shownOrigin = SideOrigin(manifest, of: capsule) }
        var live = live
        live.tree.entries = []
        return (stored, live)
    }

    /// Returns true if each block is equal to the entries from its first path up to the first path of the next block.
    private func hasSameEntries(_ entries: [TreeEntry]) throws(CapsuleError) -> Bool {
        let starts = root.blocks.map { entries.firstIndex(notBefore: $0.firstPath, in: $0.firstRoot) } + [entries.count]
        guard let first = starts.first, entries[..<first].allSatisfy({ !$0.isCompared }) else { return false }
        let haveSameEntries = try ParallelMap.run(root.blocks.count, threads: options.jobs, itemsPerThread: 16) {
            [capsule, root, times = options.times] (number) throws(CapsuleError) in
            try capsule.hasSameEntries(root.blocks[number], entries[starts[number]..<starts[number + 1]], times: times)
        }
        return haveSameEntries.allSatisfy { $0 }
    }
}
