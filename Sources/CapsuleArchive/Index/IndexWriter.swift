package import CapsuleCore
import CapsuleHashing

/// Makes a version's index of its entries: cuts blocks, digests the tree.
package struct IndexWriter {
    private let entries: [TreeEntry]
    private let ranges: [Range<UInt32>]
    private let extents: [Extent]
    private let members: [MemberReference]

    /// - Parameters:
    ///   - entries: in the order of the index.
    ///   - ranges: for each entry, where its extents are in `extents`.
    ///   - members: what the extents speak of, from 1 on.
    package init(entries: [TreeEntry], ranges: [Range<UInt32>], extents: [Extent], members: [MemberReference]) {
        self.entries = entries
        self.ranges = ranges
        self.extents = extents
        self.members = members
    }

    /// Hands each block to `append`, and makes the root of what it answers.
    package func write<Failure: Error>(
        _ append: (IndexBlock) throws(Failure) -> IndexRoot.Block
    ) throws(Failure) -> IndexRoot {
        var blocks: [IndexRoot.Block] = []
        var cut = IndexCut()
        var block = IndexBlock()
        var locals: [UInt32: UInt32] = [:]
        for (number, entry) in entries.enumerated() {
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
            if cut.endsBlock(after: entry.path) {
                blocks.append(try append(block))
                block = IndexBlock()
                locals.removeAll(keepingCapacity: true)
            }
        }
        if !block.entries.isEmpty { blocks.append(try append(block)) }
        return IndexRoot(
            treeDigest: TreeDigester.digest(of: entries, .tree), contentDigest: TreeDigester.digest(of: entries, .content),
            entries: UInt64(entries.count), bytes: entries.reduce(0) { $0 &+ $1.size }, blocks: blocks)
    }
}
