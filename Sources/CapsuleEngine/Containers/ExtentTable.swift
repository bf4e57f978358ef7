import CapsuleArchive

/// Where the bytes of all a version's files are.
struct ExtentTable: Sendable {
    /// For each entry, where its extents begin; one more at the end.
    private var starts: [UInt32] = [0]
    /// For each extent, where it ends within its file: what a search by offset needs.
    private var ends: [UInt64] = []
    private var places: [Place] = []
    private var members: [MemberReference] = []

    private struct Place {
        /// 0 for zeros, n for the n-th of all members.
        let member: UInt32
        let inner: UInt32
    }

    init(entries: Int) {
        starts.reserveCapacity(entries + 1)
    }

    /// Takes in the next block of the index.
    mutating func append(_ block: IndexBlock) {
        let base = UInt32(members.count)
        for number in block.entries.indices {
            var end: UInt64 = 0
            for extent in block.extents(of: number) {
                end += extent.length
                ends.append(end)
                places.append(Place(member: extent.isZeros ? 0 : extent.member + base, inner: extent.inner))
            }
            starts.append(UInt32(ends.count))
        }
        members += block.members
    }

    /// The extents of the n-th entry.
    func extents(of number: Int) -> FileExtents {
        FileExtents(table: self, startIndex: Int(starts[number]), endIndex: Int(starts[number + 1]))
    }

    func placed(_ index: Int, start: Int) -> PlacedExtent {
        let offset = index == start ? 0 : ends[index - 1]
        let place = places[index]
        let extent = Extent(member: place.member, inner: place.inner, length: ends[index] - offset)
        return PlacedExtent(offset: offset, extent: extent, member: place.member == 0 ? nil : members[Int(place.member) - 1])
    }

    func end(_ index: Int) -> UInt64 { ends[index] }
}
