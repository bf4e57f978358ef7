/// Predicts the place of a block's next extent: in the last one's member, where a tar stream has the next file. An index stores the
/// differences (docs/format.md, section 5), which are 0 for most small files.
struct ExtentPrediction {
    private static let header = Int64(TarHeader.blockLength)

    private var member: Int64 = 1
    private var inner = header

    private mutating func pass(_ extent: Extent) {
        member = Int64(extent.member)
        let end = Int64(extent.inner) + Int64(extent.length)
        inner = (end + Self.header - 1) / Self.header * Self.header + Self.header
    }

    /// Appends the extents of one file.
    mutating func append(_ extents: ArraySlice<Extent>, to column: inout [UInt8]) {
        var left = extents.reduce(0) { $0 + $1.length }
        for extent in extents {
            left -= extent.length
            if extent.isZeros {
                column.appendVarint(0)
            } else {
                column.appendVarint((Int64(extent.member) - member).zigzag + 1)
                column.appendZigzag(Int64(extent.inner) - (Int64(extent.member) == member ? inner : 0))
                pass(extent)
            }
            column.appendVarint(left)
        }
    }

    /// Reads one extent.
    /// - Parameter left: the length of the rest of the file. It becomes what is left after the extent.
    mutating func next(
        from column: inout ByteReader, members: [MemberReference], left: inout UInt64
    ) throws -> Extent {
        let difference = try column.count(limit: 2 * members.count + 1)
        var extent = Extent(member: 0, inner: 0, length: 0)
        if difference > 0 {
            let number = member + Int64(zigzag: UInt64(difference - 1))
            guard number >= 1, number <= members.count else { throw ByteReader.Shortage() }
            let (place, overflow) = (number == member ? inner : 0).addingReportingOverflow(try column.zigzag())
            guard !overflow, place >= 0, place <= CapsuleLimits.memberRawLength else { throw ByteReader.Shortage() }
            (extent.member, extent.inner) = (UInt32(number), UInt32(place))
        }
        let rest = try column.varint()
        guard rest < left else { throw IndexBlock.Problem(message: "extents don't fit the size") }
        extent.length = left - rest
        left = rest
        if extent.isZeros { return extent }
        let raw = UInt64(members[Int(extent.member) - 1].raw)
        guard extent.length <= raw, UInt64(extent.inner) <= raw - extent.length else {
            throw IndexBlock.Problem(message: "an extent beyond its member")
        }
        pass(extent)
        return extent
    }
}
