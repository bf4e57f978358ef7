import CapsuleCore
import CapsuleFileSystem

/// What a file was by stat(2) when it was read, and what came of it: 64 bytes, in memory as in the cache's file.
///
/// Any bits make a record, so a file's bytes become records as they are.
struct StatCacheRecord: Equatable, Sendable {
    private let inode: UInt64
    /// The size; at the top, whether there are attributes (bit 63) and the device's number in the table (bits 61 and 62).
    private let sizeAndMore: UInt64
    /// Nanoseconds since 1970.
    private let modified: Int64
    private let changed: Int64
    let digest: ContentDigest

    /// How many devices a table can tell apart.
    static let deviceLimit = 4
    private static let attributeBit: UInt64 = 1 << 63
    private static let deviceShift: UInt64 = 61
    private static let sizeLimit: UInt64 = 1 << 61

    /// - Parameter device: the place of the file's device in the table.
    /// - Returns: nil for a size or times that no record holds.
    init?(_ status: FileStatus, device: Int, digest: ContentDigest, hasAttributes: Bool) {
        guard status.size < Self.sizeLimit, device < Self.deviceLimit, let modified = Self.nanoseconds(status.modified),
            let changed = Self.nanoseconds(status.changed)
        else { return nil }
        inode = status.inode
        sizeAndMore = status.size | UInt64(device) << Self.deviceShift | (hasAttributes ? Self.attributeBit : 0)
        self.modified = modified
        self.changed = changed
        self.digest = digest
    }

    /// Nanoseconds since 1970; nil for times hundreds of years away.
    static func nanoseconds(_ time: Timestamp) -> Int64? {
        let (seconds, overflow) = time.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowToo) = seconds.addingReportingOverflow(Int64(time.nanoseconds))
        return overflow || overflowToo ? nil : sum
    }

    var hasAttributes: Bool { sizeAndMore & Self.attributeBit != 0 }

    /// Whether both are of one file, in whatever state.
    func isSameFile(as other: StatCacheRecord) -> Bool {
        inode == other.inode && (sizeAndMore ^ other.sizeAndMore) & ~Self.attributeBit < Self.sizeLimit
    }

    /// Whether both are of one file in one state.
    func isSameState(as other: StatCacheRecord) -> Bool {
        inode == other.inode && (sizeAndMore ^ other.sizeAndMore) & ~Self.attributeBit == 0 && modified == other.modified
            && changed == other.changed
    }

    /// Whether content or facts changed, or were said to have, after a moment.
    func isLater(than moment: Int64) -> Bool { max(modified, changed) > moment }

    /// Where to look for the file in a table.
    var hash: UInt64 {
        (inode ^ (sizeAndMore >> Self.deviceShift & 3) << 62) &* 0x9E37_79B9_7F4A_7C15
    }
}
