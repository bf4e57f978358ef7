import CapsuleArchive
import CapsuleCore

/// Two versions of capsules of which no more is read than the blocks of their indexes that differ.
struct CapsuleSides {
    private let old: Version
    private let new: Version

    /// One of them.
    fileprivate struct Version {
        let capsule: CapsuleReader
        let manifest: Manifest
        let root: IndexRoot
        private(set) var index: WholeIndex
        /// The blocks that are wanted, ascending.
        var blocks: Set<Int> = []

        /// Lets blocks be read again.
        mutating func restart() { index = WholeIndex(capsule, root) }

        init(_ capsule: CapsuleReader, _ selector: VersionSelector) throws(CapsuleError) {
            do throws(ArchiveError) {
                let footer = try capsule.footer(of: selector)
                self.capsule = capsule
                manifest = try capsule.manifest(of: footer)
                root = try capsule.root(of: footer)
                index = WholeIndex(capsule, root)
            } catch {
                throw StoredVersion.error(error, reading: selector, of: capsule)
            }
        }
    }

    /// - Returns: nil unless both are capsules.
    init?(_ old: Container, _ new: Container) throws(CapsuleError) {
        guard case .capsule(let oldCapsule, let oldSelector) = try old.resolve(),
            case .capsule(let newCapsule, let newSelector) = try new.resolve()
        else { return nil }
        self.old = try Version(oldCapsule, oldSelector)
        self.new = try Version(newCapsule, newSelector)
    }

    /// The entries that may differ, and those that ``DatabaseUnit`` makes one with them.
    func sides() throws(CapsuleError) -> (old: ComparedSide, new: ComparedSide) {
        var (old, new) = (old, new)
        let (oldDigests, newDigests) = (Set(old.root.blocks.map(\.digest)), Set(new.root.blocks.map(\.digest)))
        old.blocks = Set(old.root.blocks.indices.filter { !newDigests.contains(old.root.blocks[$0].digest) })
        new.blocks = Set(new.root.blocks.indices.filter { !oldDigests.contains(new.root.blocks[$0].digest) })
        var sides = try (old.side(), new.side())
        // What belongs to a database is one with it, wherever that is.
        let databases = Self.databases(in: sides)
        if !databases.isEmpty {
            let before = (old.blocks, new.blocks)
            for (path, root) in databases {
                old.want(path, in: root)
                new.want(path, in: root)
            }
            if before != (old.blocks, new.blocks) {
                old.restart()
                new.restart()
                sides = try (old.side(), new.side())
            }
        }
        return sides
    }

    private static func databases(in sides: (old: ComparedSide, new: ComparedSide)) -> [(RelativePath, TreeRoot)] {
        let diff = TreeDiff(sides.old.tree, sides.new.tree)
        return diff.items.flatMap { item -> [(RelativePath, TreeRoot)] in
            let entries = [item.old.map { sides.old.tree.entries[$0] }, item.new.map { sides.new.tree.entries[$0] }]
            return entries.compactMap { $0 }.flatMap { entry in
                DatabaseUnit.databases(ofMember: entry.path).map { ($0.path, entry.root) }
            }
        }
    }
}

extension CapsuleSides.Version {
    /// The side with the wanted blocks' entries alone.
    fileprivate func side() throws(CapsuleError) -> ComparedSide {
        try CapsuleError.wrappingArchive { () throws(ArchiveError) in
            var entries: [TreeEntry] = []
            var extents = ExtentTable(entries: blocks.reduce(0) { $0 + Int(root.blocks[$1].entries) })
            for number in blocks.sorted() {
                let block = try index.block(number)
                entries += block.entries
                extents.append(block)
            }
            var side = ComparedSide(
                tree: TreeSide(entries, groups: manifest.groups), content: CapsuleContent(capsule, extents))
            side.treeDigest = manifest.treeDigest
            return side
        }
    }

    /// Adds the block in which a path would be, and the next, where what begins with it may go on.
    fileprivate mutating func want(_ path: RelativePath, in root: TreeRoot) {
        let place = self.root.block(holding: path, in: root) ?? 0
        for number in [place, place + 1] where number < self.root.blocks.count { blocks.insert(number) }
    }
}
