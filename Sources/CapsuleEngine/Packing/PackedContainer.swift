import CapsuleArchive
import CapsuleCore

/// Everything known of a container's entries once they are packed.
struct PackedContainer {
    /// In the order of the index, sizes, times, digests and attributes as they were read; without the omitted.
    var entries: [TreeEntry] = []
    /// For each entry, where its extents are in ``extents``.
    var extentRanges: [Range<UInt32>] = []
    /// In terms of the output's members from 1 on.
    var extents: [Extent] = []
    var omitted: [Omission] = []
    /// The places of entries that were left out.
    var dropped: Set<Int> = []
}
