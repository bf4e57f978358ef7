package import CapsuleCore
import CapsuleHashing

/// Creates a version's index from its entries: divides it into blocks and digests the tree.
package struct IndexWriter {
    /// An index that the file already has.
    package struct Base: Sendable {
        package let root: IndexRoot
        package let blocks: [IndexBlock]
        /// The indices of blocks whose entries are known to be among the new ones, unchanged and adjacent. They are not compared again.
        package var unchanged: Set<Int> = []
        /// The indices of blocks that refer to damaged data. They are created again, even if their entries are the same.
        package var damaged: Set<Int> = []

        /// - Parameter blocks: all blocks of `root`, in order.
        package init(root: IndexRoot, blocks: [IndexBlock]) {
            self.root = root
            self.blocks = blocks
        }
    }

    private let entries: [TreeEntry]
    private let extents: (Int) -> [StoredExtent]
    private let base: Base?

    /// - Parameters:
    ///   - entries: the entries in the order of the index.
    ///   - base: an index whose blocks are reused if their entries are the same. The bytes of such an entry are where the base
    ///     has them.
    ///   - extents: returns the extents of the entry at an index. It is called once for each entry in a new block, in order.
    package init(entries: [TreeEntry], base: Base? = nil, extents: @escaping (Int) -> [StoredExtent]) {
        self.entries = entries
        self.base = base
        self.extents = extents
    }

    /// Passes each block that the base doesn't have to `append`, and returns the root with the blocks that `append` returns.
    package func write<Failure: Error>(_ append: (IndexBlock) throws(Failure) -> IndexRoot.Block) throws(Failure) -> IndexRoot {
        var blocks: [IndexRoot.Block] = []
        var cut = BlockBoundary()
        var number = 0
        while number < entries.count {
            if let same = baseBlock(at: number, &cut) {
                blocks.append(same)
                number += Int(same.entries)
            } else {
                blocks.append(try append(makeBlock(at: &number, &cut)))
            }
        }
        return root(of: blocks)
    }

    private func makeBlock(at number: inout Int, _ cut: inout BlockBoundary) -> IndexBlock {
        var block = IndexBlock()
        var locals: [MemberReference: UInt32] = [:]
        while number < entries.count {
            let own = extents(number).map { extent in
                guard let member = extent.member else { return Extent(member: 0, inner: 0, length: extent.length) }
                let local = locals[member] ?? UInt32(locals.count + 1)
                if Int(local) > block.members.count {
                    locals[member] = local
                    block.members.append(member)
                }
                return Extent(member: local, inner: extent.inner, length: extent.length)
            }
            block.append(entries[number], extents: own)
            number += 1
            if cut.endsBlock(after: entries[number - 1].path) { break }
        }
        return block
    }

    private func baseBlock(at number: Int, _ cut: inout BlockBoundary) -> IndexRoot.Block? {
        guard let base, let place = base.root.block(holding: entries[number].path, in: entries[number].root) else { return nil }
        let same = base.blocks[place].entries
        guard !base.damaged.contains(place), let first = same.first, let last = same.last, number + same.count <= entries.count,
            base.unchanged.contains(place)
                ? entries[number].path == first.path && entries[number].root == first.root
                : entries[number..<number + same.count].elementsEqual(same),
            // The base's last block may have ended only because there were no more entries.
            number + same.count == entries.count || same.count == BlockBoundary.longestBlock || cut.isCut(after: last.path)
        else { return nil }
        return base.root.blocks[place]
    }

    private func root(of blocks: [IndexRoot.Block]) -> IndexRoot {
        if let base, base.root.blocks == blocks { return base.root }
        return IndexRoot(
            treeDigest: TreeDigester.digest(of: entries, .tree), contentDigest: TreeDigester.digest(of: entries, .content),
            entries: UInt64(entries.count), bytes: entries.totalSize, blocks: blocks)
    }
}

/// Divides the index into blocks by content, so that a change in one place does not affect the other blocks.
struct BlockBoundary: ~Copyable {
    static let longestBlock = 2_048
    private static let mask: UInt16 = 0x1FF

    private var hasher = SHA256Hasher()
    private var length = 0

    mutating func endsBlock(after path: RelativePath) -> Bool {
        length += 1
        if isCut(after: path) || length == Self.longestBlock {
            length = 0
            return true
        }
        return false
    }

    mutating func isCut(after path: RelativePath) -> Bool {
        let digest = path.bytes.withUnsafeBytes { hasher.digest(of: $0) }
        let start = digest.withBytes { UInt16(littleEndian: $0.loadUnaligned(as: UInt16.self)) }
        return start & Self.mask == 0
    }
}
