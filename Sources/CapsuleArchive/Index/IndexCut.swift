import CapsuleCore
import CapsuleHashing

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
