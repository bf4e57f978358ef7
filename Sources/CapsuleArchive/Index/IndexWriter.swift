package import CapsuleCore
import CapsuleHashing

/// Makes a version's index of its entries: cuts blocks, digests the tree.
package struct IndexWriter {
    /// An index that the file has already.
    package struct Base: Sendable {
        package let root: IndexRoot
        package let blocks: [IndexBlock]
        /// The blocks, by their places, whose entries are known to be among the new ones as they are, one behind the other. They
        /// are not compared again.
        package var unchanged: Set<Int> = []
        /// The blocks, by their places, that speak of damaged data: they are made again, also of entries that are just the same.
        package var damaged: Set<Int> = []

        /// - Parameter blocks: all of `root`'s, in order.
        package init(root: IndexRoot, blocks: [IndexBlock]) {
            self.root = root
            self.blocks = blocks
        }
    }

    private let entries: [TreeEntry]
    private let extents: (Int) -> [StoredExtent]
    private let base: Base?

    /// - Parameters:
    ///   - entries: in the order of the index.
    ///   - base: blocks of it whose entries are just the same are referred to, not made again. Of an entry that is just the same
    ///     the bytes are where the base has them.
    ///   - extents: those of the n-th entry; asked for once, in order, where its block is made.
    package init(entries: [TreeEntry], base: Base? = nil, extents: @escaping (Int) -> [StoredExtent]) {
        self.entries = entries
        self.base = base
        self.extents = extents
    }

    /// Hands each block that is not the base's to `append`, and makes the root of what it answers.
    package func write<Failure: Error>(
        _ append: (IndexBlock) throws(Failure) -> IndexRoot.Block
    ) throws(Failure) -> IndexRoot {
        var blocks: [IndexRoot.Block] = []
        var cut = IndexCut()
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

    private func makeBlock(at number: inout Int, _ cut: inout IndexCut) -> IndexBlock {
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

    /// The base's block whose entries are just those from `number` on.
    private func baseBlock(at number: Int, _ cut: inout IndexCut) -> IndexRoot.Block? {
        guard let base, let place = base.root.block(holding: entries[number].path, in: entries[number].root) else { return nil }
        let same = base.blocks[place].entries
        guard !base.damaged.contains(place), let first = same.first, let last = same.last, number + same.count <= entries.count,
            base.unchanged.contains(place)
                ? entries[number].path == first.path && entries[number].root == first.root
                : entries[number..<number + same.count].elementsEqual(same),
            // The base's last block may have ended for want of entries.
            number + same.count == entries.count || same.count == IndexCut.longestBlock || cut.isCut(after: last.path)
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

/// Where the index is cut into blocks: by content, so that a change in one place leaves the other blocks as they were.
struct IndexCut: ~Copyable {
    /// A block has no more entries than this.
    static let longestBlock = 2_048
    private static let mask: UInt16 = 0x1FF

    private var hasher = SHA256Hasher()
    private var length = 0

    /// Whether the block ends after this entry, asked for each in order.
    mutating func endsBlock(after path: RelativePath) -> Bool {
        length += 1
        if isCut(after: path) || length == Self.longestBlock {
            length = 0
            return true
        }
        return false
    }

    /// Whether a block ends after an entry of this path, however long it is.
    mutating func isCut(after path: RelativePath) -> Bool {
        let digest = path.bytes.withUnsafeBytes { hasher.digest(of: $0) }
        let start = digest.withBytes { UInt16(littleEndian: $0.loadUnaligned(as: UInt16.self)) }
        return start & Self.mask == 0
    }
}

/// Digests whole trees (docs/format.md, section 9).
package enum TreeDigester {
    /// - Parameter entries: in the order of the index; wrapper and identity don't count.
    package static func digest(of entries: some Sequence<TreeEntry>, _ scope: TreeDigestScope) -> ContentDigest {
        var hasher = SHA256Hasher()
        var record = scope.tag
        for entry in entries {
            scope.append(entry, to: &record)
            if record.count >= batch {
                hasher.update(record)
                record.removeAll(keepingCapacity: true)
            }
        }
        hasher.update(record)
        return hasher.finish()
    }

    private static let batch = 1 << 16
}
