package import CapsuleCore

extension IndexBlock {
    /// An error that reports that bytes are not a valid block. The message is in lowercase.
    struct Problem: Error {
        let message: String
    }

    /// Reads a raw block of `count` entries. Every value is checked, because the block may come from an untrusted file.
    init(decoding bytes: UnsafeRawBufferPointer, count: Int) throws(Problem) {
        do {
            self.init()
            var columns = try IndexColumns(bytes)
            guard count <= bytes.count else { throw ByteReader.Shortage() }
            try columns.readMembers(into: &members)
            entries.reserveCapacity(count)
            extentStarts.reserveCapacity(count + 1)
            var seconds: Int64 = 0
            var path: [UInt8] = []
            var length = UInt64(16 * members.count)
            for _ in 0..<count {
                let entry = try columns.next(seconds: &seconds, path: &path)
                if let last = entries.last, !TreeEntry.isOrdered(last, before: entry) {
                    throw Problem(message: "entries are out of order or duplicate")
                }
                if entry.kind.hasContent {
                    try columns.readExtents(size: entry.size, members: members, into: &extents)
                }
                length += entry.variableLength
                guard length + UInt64(16 * extents.count) <= CapsuleLimits.indexBlockLength else {
                    throw Problem(message: "it exceeds the limits of a block")
                }
                entries.append(entry)
                extentStarts.append(UInt32(extents.count))
            }
            guard columns.isAtEnd else { throw Problem(message: "a column is longer than its entries") }
        } catch let problem as Problem {
            throw problem
        } catch let error as PathError {
            throw Problem(message: error.message)
        } catch {
            throw Problem(message: "a column ends early or has a number out of range")
        }
    }

    static func forEachPath(
        in bytes: UnsafeRawBufferPointer, count: Int, _ body: (TreeRoot, EntryKind, UnsafeRawBufferPointer) -> Void
    ) throws(Problem) {
        do {
            var columns = try IndexColumns(bytes)
            guard count <= bytes.count else { throw ByteReader.Shortage() }
            try columns.forEachPath(count, body)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(message: "a column ends early or has a number out of range")
        }
    }

    static func hasSameEntries(
        _ bytes: UnsafeRawBufferPointer, count: Int, _ entries: ArraySlice<TreeEntry>, times: Bool
    ) throws(Problem) -> Bool {
        try checked {
            var columns = try IndexColumns(bytes)
            return try columns.hasSameEntries(count, entries, times: times)
        }
    }

    private static func checked<Outcome>(_ body: () throws -> Outcome) throws(Problem) -> Outcome {
        do {
            return try body()
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(message: "a column ends early or has a number out of range")
        }
    }
}

/// The contents that an index block refers to, with their digests and places, but without their entries.
package struct IndexContents: Sendable {
    /// One entry's content.
    package struct Content: Sendable {
        package let digest: ContentDigest
        package let size: UInt64
        package let entry: UInt32
        fileprivate let extents: Range<UInt32>
    }

    package private(set) var contents: [Content] = []
    private var extents: [Extent] = []
    private var members: [MemberReference] = []

    package func extents(of content: Content) -> [StoredExtent] {
        extents[Int(content.extents.lowerBound)..<Int(content.extents.upperBound)].map { extent in
            StoredExtent(
                member: extent.isZeros ? nil : members[Int(extent.member) - 1], inner: extent.inner, length: extent.length)
        }
    }

    /// Reads a raw block of `count` entries. Only the values that it uses are checked.
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
                contents.append(Content(digest: digest, size: size, entry: entry, extents: start..<UInt32(extents.count)))
            }
        } catch let problem as IndexBlock.Problem {
            throw problem
        } catch {
            throw IndexBlock.Problem(message: "a column ends early or has a number out of range")
        }
    }
}
