package import CapsuleCore

/// The contents that an index block speaks of: their digests and where their bytes are, without the entries that have them.
package struct IndexContents: Sendable {
    /// One entry's content.
    package struct Content: Sendable {
        package let digest: ContentDigest
        package let size: UInt64
        /// The entry's place in the block.
        package let entry: UInt32
        fileprivate let extents: Range<UInt32>
    }

    /// In the order of the entries.
    package private(set) var contents: [Content] = []
    private var extents: [Extent] = []
    private var members: [MemberReference] = []

    /// Where a content's bytes are.
    package func extents(of content: Content) -> [StoredExtent] {
        extents[Int(content.extents.lowerBound)..<Int(content.extents.upperBound)].map { extent in
            StoredExtent(
                member: extent.isZeros ? nil : members[Int(extent.member) - 1], inner: extent.inner, length: extent.length)
        }
    }

    /// Reads a raw block of `count` entries; what it takes of it is checked.
    init(decoding bytes: UnsafeRawBufferPointer, count: Int) throws(IndexBlock.Problem) {
        do {
            var columns = try IndexColumns(bytes)
            guard count <= bytes.count else { throw ByteReader.Shortage() }
            try columns.readMembers(into: &members)
            contents.reserveCapacity(count)
            for entry in 0..<UInt32(count) {
                guard let (size, digest) = try columns.nextContent() else { continue }
                let start = UInt32(extents.count)
                try columns.readExtents(size: size, members: members, into: &extents)
                contents.append(
                    Content(digest: digest, size: size, entry: entry, extents: start..<UInt32(extents.count)))
            }
        } catch let problem as IndexBlock.Problem {
            throw problem
        } catch {
            throw IndexBlock.Problem(message: "a column ends early or has a number out of range")
        }
    }
}
