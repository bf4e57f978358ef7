import CapsuleArchive
import Synchronization

/// Reads the blocks of one index by any thread, and no more of them together than a capsule may hold: front coding and
/// compression can make gigabytes of a small file.
final class WholeIndex: Sendable {
    private let capsule: CapsuleReader
    private let root: IndexRoot
    private let limit: UInt64
    private let length = Mutex<UInt64>(0)

    init(_ capsule: CapsuleReader, _ root: IndexRoot, limit: UInt64 = CapsuleLimits.indexLength) {
        self.limit = limit
        self.capsule = capsule
        self.root = root
    }

    var count: Int { root.blocks.count }

    /// The n-th block; each must be read but once.
    func block(_ number: Int) throws(ArchiveError) -> IndexBlock {
        let block = try capsule.block(root.blocks[number])
        let total = length.withLock { total in
            total += block.length
            return total
        }
        guard total <= limit else { throw capsule.tooLongIndex }
        return block
    }
}
