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

    static func haveSameEntries(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, times: Bool
    ) throws(Problem) -> Bool {
        try checked { try IndexColumns(one).hasSameEntries(IndexColumns(other), times: times) }
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

extension IndexRoot {
    init?(decoding bytes: UnsafeRawBufferPointer) {
        do {
            var reader = ByteReader(bytes)
            guard try reader.slice(Self.magic.count).elementsEqual(Self.magic),
                try reader.integer(UInt16.self) == Self.revision
            else { return nil }
            treeDigest = try reader.digest()
            contentDigest = try reader.digest()
            entries = try reader.integer(UInt64.self)
            self.bytes = try reader.integer(UInt64.self)
            let count = try reader.integer(UInt32.self)
            blocks = []
            var sum: UInt64 = 0
            for _ in 0..<count {
                let block = try Block(from: &reader)
                if let last = blocks.last {
                    let isOrdered =
                        last.firstRoot != block.firstRoot ? last.firstRoot < block.firstRoot : last.firstPath < block.firstPath
                    guard isOrdered else { return nil }
                }
                sum += UInt64(block.entries)
                blocks.append(block)
            }
            guard reader.remaining == 0, sum == entries, entries <= CapsuleLimits.entries,
                self.bytes <= CapsuleLimits.versionLength
            else { return nil }
        } catch {
            return nil
        }
    }

    /// Returns the index of the block that would contain a path: the last block that begins at or before it. Returns nil if the
    /// path precedes all blocks.
    package func block(holding path: RelativePath, in root: TreeRoot) -> Int? {
        var low = 0
        var high = blocks.count
        while low < high {
            let middle = (low + high) / 2
            let first = blocks[middle]
            let isAfter = first.firstRoot != root ? root < first.firstRoot : path < first.firstPath
            if isAfter { high = middle } else { low = middle + 1 }
        }
        return low == 0 ? nil : low - 1
    }
}

extension IndexRoot.Block {
    /// Appends the block: offset u64, stored length u32, entries u32, SHA-256, first entry's root u8 and path (varint length, bytes).
    func append(to bytes: inout [UInt8]) {
        bytes.appendInteger(offset)
        bytes.appendInteger(stored)
        bytes.appendInteger(entries)
        bytes.appendDigest(digest)
        bytes.append(firstRoot.rawValue)
        bytes.appendCounted(firstPath.bytes)
    }

    init(from reader: inout ByteReader) throws {
        offset = try reader.integer(UInt64.self)
        stored = try reader.integer(UInt32.self)
        entries = try reader.integer(UInt32.self)
        digest = try reader.digest()
        firstRoot = TreeRoot(rawValue: try reader.integer(UInt8.self))
        let path = try reader.slice(try reader.count(limit: RelativePath.maximumLength))
        guard entries > 0, entries <= UInt32(BlockBoundary.longestBlock) else { throw ByteReader.Shortage() }
        firstPath = path.isEmpty ? .root : try RelativePath(validating: path)
    }
}
