package import CapsuleCore
import CapsuleHashing

/// The table of a version's index blocks (docs/format.md, section 5).
package struct IndexRoot: Sendable, Equatable {
    static let magic = Array("CPIX".utf8)
    static let revision: UInt16 = 2

    /// A block in the file.
    package struct Block: Sendable, Equatable {
        package var offset: UInt64
        package var stored: UInt32
        package var entries: UInt32
        package var digest: ContentDigest
        package var likeness: BlockLikeness
        package var firstRoot: TreeRoot
        package var firstPath: RelativePath

        package var range: Range<UInt64> { Range(at: offset, stored) }
    }

    package var treeDigest: ContentDigest
    package var contentDigest: ContentDigest
    package var entries: UInt64
    package var bytes: UInt64
    package var blocks: [Block]

    package func encoded() -> [UInt8] {
        var root = Self.magic
        root.appendInteger(Self.revision)
        root.appendDigest(treeDigest)
        root.appendDigest(contentDigest)
        root.appendInteger(entries)
        root.appendInteger(bytes)
        root.appendInteger(UInt32(truncatingIfNeeded: blocks.count))
        for block in blocks { block.append(to: &root) }
        return root
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
        let next = blocks.indexOfFirst(notBefore: { $0.firstRoot != root ? $0.firstRoot < root : $0.firstPath <= path })
        return next == 0 ? nil : next - 1
    }
}

extension IndexRoot.Block {
    /// Appends the block: offset u64, stored length u32, entries u32, SHA-256, two likeness digests of 16 bytes, first entry's root u8 and
    /// path (varint length, bytes).
    func append(to bytes: inout [UInt8]) {
        bytes.appendInteger(offset)
        bytes.appendInteger(stored)
        bytes.appendInteger(entries)
        bytes.appendDigest(digest)
        likeness.append(to: &bytes)
        bytes.append(firstRoot.rawValue)
        bytes.appendCounted(firstPath.bytes)
    }

    init(from reader: inout ByteReader) throws {
        offset = try reader.integer(UInt64.self)
        stored = try reader.integer(UInt32.self)
        entries = try reader.integer(UInt32.self)
        digest = try reader.digest()
        likeness = try BlockLikeness(from: &reader)
        firstRoot = TreeRoot(rawValue: try reader.integer(UInt8.self))
        let path = try reader.slice(try reader.count(limit: RelativePath.maximumLength))
        guard entries > 0, entries <= UInt32(BlockBoundary.longestBlock) else { throw ByteReader.Shortage() }
        firstPath = path.isEmpty ? .root : try RelativePath(validating: path)
    }
}
