import CapsuleArchive
import CapsuleCore

/// Everything known of a container's entries once they are packed.
struct PackedContainer {
    /// In the order of the index, sizes, times, digests and attributes as they were read; without the omitted.
    var entries: [TreeEntry] = []
    /// For each entry, where its extents are in ``extents``.
    var extentRanges: [Range<UInt32>] = []
    /// In terms of ``members`` from 1 on.
    var extents: [Extent] = []
    var members: [MemberReference] = []
    var omitted: [Omission] = []
    /// The places of entries that were left out.
    var dropped: Set<Int> = []

    /// Where the bytes of the n-th entry are.
    func storedExtents(of number: Int) -> [StoredExtent] {
        extents[Int(extentRanges[number].lowerBound)..<Int(extentRanges[number].upperBound)].map { extent in
            StoredExtent(
                member: extent.isZeros ? nil : members[Int(extent.member) - 1], inner: extent.inner, length: extent.length)
        }
    }
}
