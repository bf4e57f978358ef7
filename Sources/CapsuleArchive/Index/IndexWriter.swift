package import CapsuleCore
import CapsuleHashing

/// Makes a version's index of its entries: cuts blocks, digests the tree.
package struct IndexWriter {
    /// An index that the file has already.
    package struct Base: Sendable {
        package let root: IndexRoot
        package let blocks: [IndexBlock]

        /// - Parameter blocks: all of `root`'s, in order.
        package init(root: IndexRoot, blocks: [IndexBlock]) {
            self.root = root
            self.blocks = blocks
        }
    }

    private let entries: [TreeEntry]
    private let ranges: [Range<UInt32>]
    private let extents: [Extent]
    private let members: [MemberReference]
    private let base: Base?

    /// - Parameters:
    ///   - entries: in the order of the index.
    ///   - ranges: for each entry, where its extents are in `extents`.
    ///   - members: what the extents speak of, from 1 on.
    ///   - base: blocks of it whose entries are just the same are referred to, not made again. Of an entry that is just the same
    ///     the bytes are where the base has them.
    package init(
        entries: [TreeEntry], ranges: [Range<UInt32>], extents: [Extent], members: [MemberReference], base: Base? = nil
    ) {
        self.entries = entries
        self.ranges = ranges
        self.extents = extents
        self.members = members
        self.base = base
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
        var locals: [UInt32: UInt32] = [:]
        while number < entries.count {
            let entry = entries[number]
            let own = extents[Int(ranges[number].lowerBound)..<Int(ranges[number].upperBound)].map { extent in
                if extent.isZeros { return extent }
                let local = locals[extent.member] ?? UInt32(locals.count + 1)
                if Int(local) > block.members.count {
                    locals[extent.member] = local
                    block.members.append(members[Int(extent.member) - 1])
                }
                return Extent(member: local, inner: extent.inner, length: extent.length)
            }
            block.append(entry, extents: own)
            number += 1
            if cut.endsBlock(after: entry.path) { break }
        }
        return block
    }

    /// The base's block whose entries are just those from `number` on.
    private func baseBlock(at number: Int, _ cut: inout IndexCut) -> IndexRoot.Block? {
        guard let base, let place = base.root.block(holding: entries[number].path, in: entries[number].root) else { return nil }
        let same = base.blocks[place].entries
        guard let last = same.last, number + same.count <= entries.count,
            entries[number..<number + same.count].elementsEqual(same),
            // The base's last block may have ended for want of entries.
            number + same.count == entries.count || same.count == IndexCut.longestBlock || cut.isCut(after: last.path)
        else { return nil }
        return base.root.blocks[place]
    }

    private func root(of blocks: [IndexRoot.Block]) -> IndexRoot {
        if let base, base.root.blocks == blocks { return base.root }
        return IndexRoot(
            treeDigest: TreeDigester.digest(of: entries, .tree), contentDigest: TreeDigester.digest(of: entries, .content),
            entries: UInt64(entries.count), bytes: entries.reduce(0) { $0 &+ $1.size }, blocks: blocks)
    }
}
