package import CapsuleCore
import CapsuleHashing

/// Creates a version's index from its entries: divides it into blocks and digests the tree.
package struct IndexWriter {
    /// An index that the file already has.
    package struct Base: Sendable {
        package let root: IndexRoot
        package let blocks: [IndexBlock]
        /// The indices of blocks whose entries are known to be among the new ones, unchanged and adjacent. They are not compared again.
        package var unchanged: Set<Int> = []
        /// The indices of blocks that refer to damaged data. They are created again, even if their entries are the same.
        package var damaged: Set<Int> = []

        /// - Parameter blocks: all blocks of `root`, in order.
        package init(root: IndexRoot, blocks: [IndexBlock]) {
            self.root = root
            self.blocks = blocks
        }
    }

    private let entries: [TreeEntry]
    private let extents: (Int) -> [StoredExtent]
    private let base: Base?

    /// - Parameters:
    ///   - entries: the entries in the order of the index.
    ///   - base: an index whose blocks are reused if their entries are the same. The bytes of such an entry are where the base
    ///     has them.
    ///   - extents: returns the extents of the entry at an index. It is called once for each entry in a new block, in order.
    package init(entries: [TreeEntry], base: Base? = nil, extents: @escaping (Int) -> [StoredExtent]) {
        self.entries = entries
        self.base = base
        self.extents = extents
    }

    /// Passes each block that the base doesn't have to `append`, and returns the root with the blocks that `append` returns.
    package func write<Failure: Error>(_ append: (IndexBlock) throws(Failure) -> IndexRoot.Block) throws(Failure) -> IndexRoot {
        var blocks: [IndexRoot.Block] = []
        var cut = BlockBoundary()
        var number = 0
        while number < entries.count {
            if let same = baseBlock(at: number, &cut) {
                blocks.append(same)
                number += Int(same.entries)
            } else {
                blocks.append(try append(makeBlock(at: &number, &cut)))
            }
        }
        return root(of: blocks)
    }

    private func makeBlock(at number: inout Int, _ cut: inout BlockBoundary) -> IndexBlock {
        var block = IndexBlock()
        var locals: [MemberReference: UInt32] = [:]
        while number < entries.count {
            let own = extents(number).map { extent in
                guard let member = extent.member else { return Extent(member: 0, inner: 0, length: extent.length) }
                let local = locals[member] ?? UInt32(locals.count + 1)
                if Int(local) > block.members.count {
                    locals[member] = local
                    block.members.append(member)
                }
                return Extent(member: local, inner: extent.inner, length: extent.length)
            }
            block.append(entries[number], extents: own)
            number += 1
            if cut.endsBlock(after: entries[number - 1].path) { break }
        }
        return block
    }

    private func baseBlock(at number: Int, _ cut: inout BlockBoundary) -> IndexRoot.Block? {
        guard let base, let place = base.root.block(holding: entries[number].path, in: entries[number].root) else { return nil }
        let same = base.blocks[place].entries
        guard !base.damaged.contains(place), let first = same.first, let last = same.last, number + same.count <= entries.count,
            base.unchanged.contains(place)
                ? entries[number].path == first.path && entries[number].root == first.root
                : entries[number..<number + same.count].elementsEqual(same),
            // The base's last block may have ended only because there were no more entries.
            number + same.count == entries.count || same.count == BlockBoundary.longestBlock || cut.isCut(after: last.path)
        else { return nil }
        return base.root.blocks[place]
    }

    private func root(of blocks: [IndexRoot.Block]) -> IndexRoot {
        if let base, base.root.blocks == blocks { return base.root }
        return IndexRoot(
            treeDigest: TreeDigester.digest(of: entries, .tree), contentDigest: TreeDigester.digest(of: entries, .content),
            entries: UInt64(entries.count), bytes: entries.totalSize, blocks: blocks)
    }
}

/// Divides the index into blocks by content, so that a change in one place does not affect the other blocks.
struct BlockBoundary: ~Copyable {
    static let longestBlock = 2_048
    private static let mask: UInt16 = 0x1FF

    private var hasher = SHA256Hasher()
    private var length = 0

    mutating func endsBlock(after path: RelativePath) -> Bool {
        length += 1
        if isCut(after: path) || length == Self.longestBlock {
            length = 0
            return true
        }
        return false
    }

    mutating func isCut(after path: RelativePath) -> Bool {
        let digest = path.bytes.withUnsafeBytes { hasher.digest(of: $0) }
        let start = digest.withBytes { UInt16(littleEndian: $0.loadUnaligned(as: UInt16.self)) }
        return start & Self.mask == 0
    }
}

/// Digests whole trees (docs/format.md, section 9).
package enum TreeDigester {
    /// - Parameter entries: the entries in the order of the index. Those that are not compared (``TreeEntry/isCompared``) are skipped.
    package static func digest(of entries: some Sequence<TreeEntry>, _ scope: TreeDigestScope) -> ContentDigest {
        var hasher = SHA256Hasher()
        var record = scope.tag
        for entry in entries {
            scope.append(entry, to: &record)
            if record.count >= batch {
                hasher.update(record)
                record.removeAll(keepingCapacity: true)
            }
        }
        hasher.update(record)
        return hasher.finish()
    }

    private static let batch = 1 << 16
}

/// Consecutive entries of an index, with the places of their bytes.
package struct IndexBlock: Sendable, Equatable {
    package var entries: [TreeEntry] = []
    /// The index in ``extents`` of each entry's first extent, followed by the number of all extents.
    var extentStarts: [UInt32] = [0]
    package var extents: [Extent] = []
    /// The data members that the extents refer to by number, counted from 1.
    package var members: [MemberReference] = []

    package init() {}

    package func extents(of entry: Int) -> ArraySlice<Extent> {
        extents[Int(extentStarts[entry])..<Int(extentStarts[entry + 1])]
    }

    package func storedExtents(of entry: Int) -> [StoredExtent] {
        extents(of: entry).map { StoredExtent(member: member(of: $0), inner: $0.inner, length: $0.length) }
    }

    package func member(of extent: Extent) -> MemberReference? {
        extent.isZeros ? nil : members[Int(extent.member) - 1]
    }

    var isSound: Bool {
        entries.indices.allSatisfy { number in
            !entries[number].kind.hasContent || extents(of: number).reduce(0) { $0 &+ $1.length } == entries[number].size
        }
    }

    /// The number of bytes in its lists: full paths, link targets, attributes, extents and members. A raw block can be far
    /// shorter, because of front coding and compression.
    package var length: UInt64 { entries.reduce(UInt64(16 * (extents.count + members.count))) { $0 + $1.variableLength } }

    package mutating func append(_ entry: TreeEntry, extents added: some Sequence<Extent>) {
        entries.append(entry)
        extents.append(contentsOf: added)
        extentStarts.append(UInt32(extents.count))
    }
}

extension TreeEntry {
    /// The number of bytes of its path, target and attributes. Each attribute counts for 32 bytes more.
    var variableLength: UInt64 {
        attributes.reduce(UInt64(path.bytes.count + target.count)) { $0 + UInt64($1.name.count + $1.value.count + 32) }
    }
}

/// The place where a range of a file's bytes is stored.
package struct Extent: Hashable, Sendable {
    /// The number of the member, counted from 1, or 0 for zeros that are not stored.
    package var member: UInt32
    package var inner: UInt32
    package var length: UInt64

    package init(member: UInt32, inner: UInt32, length: UInt64) {
        self.member = member
        self.inner = inner
        self.length = length
    }

    package var isZeros: Bool { member == 0 }
}

/// A range of a file's bytes with the data member that stores it: an ``Extent`` that does not depend on a block.
package struct StoredExtent: Hashable, Sendable {
    package var member: MemberReference?
    package var inner: UInt32
    package var length: UInt64

    package init(member: MemberReference?, inner: UInt32, length: UInt64) {
        self.member = member
        self.inner = inner
        self.length = length
    }

    package static func zeros(_ length: UInt64) -> StoredExtent { StoredExtent(member: nil, inner: 0, length: length) }
}

/// A data member in the file.
package struct MemberReference: Hashable, Sendable {
    package var offset: UInt64
    /// The number of bytes of the member in the file.
    package var stored: UInt32
    /// The number of bytes of its decompressed data.
    package var raw: UInt32

    package init(offset: UInt64, stored: UInt32, raw: UInt32) {
        self.offset = offset
        self.stored = stored
        self.raw = raw
    }
}

extension IndexBlock {
    /// Returns the raw block: columns {id u16, length u32, bytes} in the order of their numbers.
    package func encoded() -> [UInt8] {
        var columns = [[UInt8]](repeating: [], count: Int(IndexColumn.last) + 1)
        func with(_ column: UInt16, _ body: (inout [UInt8]) -> Void) { body(&columns[Int(column)]) }

        var seconds: Int64 = 0
        var previous: [UInt8] = []
        for (index, entry) in entries.enumerated() {
            with(IndexColumn.kind) { $0.append(entry.kind.rawValue) }
            with(IndexColumn.root) { $0.append(entry.root.rawValue) }
            with(IndexColumn.mode) { $0.appendInteger(entry.mode.rawValue) }
            with(IndexColumn.seconds) { $0.appendZigzag(entry.modified.seconds &- seconds) }
            seconds = entry.modified.seconds
            with(IndexColumn.nanoseconds) { $0.appendInteger(entry.modified.nanoseconds) }
            let path = entry.path.bytes
            let shared = Self.sharedPrefix(previous, path)
            with(IndexColumn.path) {
                $0.appendVarint(UInt64(shared))
                $0.appendVarint(UInt64(path.count - shared))
                $0.append(contentsOf: path[shared...])
            }
            previous = path
            if entry.kind.hasContent {
                with(IndexColumn.size) { $0.appendVarint(entry.size) }
                with(IndexColumn.digest) { $0.appendDigest(entry.digest) }
                let extents = extents(of: index)
                with(IndexColumn.extents) {
                    $0.appendVarint(UInt64(extents.count))
                    for extent in extents {
                        $0.appendVarint(UInt64(extent.member))
                        $0.appendVarint(UInt64(extent.inner))
                        $0.appendVarint(extent.length)
                    }
                }
            }
            if entry.kind == .link { with(IndexColumn.target) { $0.appendCounted(entry.target) } }
            with(IndexColumn.attributes) {
                $0.appendVarint(UInt64(entry.attributes.count))
                for attribute in entry.attributes {
                    $0.appendCounted(attribute.name)
                    $0.appendCounted(attribute.value)
                }
            }
        }
        with(IndexColumn.members) {
            $0.appendVarint(UInt64(members.count))
            for member in members {
                $0.appendInteger(member.offset)
                $0.appendInteger(member.stored)
                $0.appendInteger(member.raw)
            }
        }

        var block: [UInt8] = []
        block.reserveCapacity(columns.reduce(0) { $0 + $1.count + 6 })
        for id in 1...IndexColumn.last {
            block.appendInteger(id)
            block.appendInteger(UInt32(truncatingIfNeeded: columns[Int(id)].count))
            block.append(contentsOf: columns[Int(id)])
        }
        return block
    }

    private static func sharedPrefix(_ left: [UInt8], _ right: [UInt8]) -> Int {
        let limit = min(left.count, right.count)
        var count = 0
        while count < limit, left[count] == right[count] { count += 1 }
        return count
    }
}

/// The numbers of a block's columns. A reader must not skip an unknown column from ``mandatory`` on.
enum IndexColumn {
    static let kind: UInt16 = 1
    static let root: UInt16 = 2
    static let mode: UInt16 = 3
    static let seconds: UInt16 = 4
    static let nanoseconds: UInt16 = 5
    static let size: UInt16 = 6
    static let digest: UInt16 = 7
    static let path: UInt16 = 8
    static let target: UInt16 = 9
    static let attributes: UInt16 = 10
    static let extents: UInt16 = 11
    static let members: UInt16 = 12
    static let last: UInt16 = 12
    static let mandatory: UInt16 = 0x8000
}

/// The table of a version's index blocks (docs/format.md, section 5).
package struct IndexRoot: Sendable, Equatable {
    static let magic = Array("CPIX".utf8)
    static let revision: UInt16 = 1

    /// A block in the file.
    package struct Block: Sendable, Equatable {
        package var offset: UInt64
        package var stored: UInt32
        package var entries: UInt32
        package var digest: ContentDigest
        package var firstRoot: TreeRoot
        package var firstPath: RelativePath
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

/// The facts of a tree that a tree digest covers (docs/format.md, section 9).
package enum TreeDigestScope: Hashable, Sendable {
    /// Names, kinds, modes, contents, link targets and attributes, but not times.
    case tree
    /// The facts of ``tree`` without modes and attributes. A zip file preserves these facts too.
    case content

    package var tag: [UInt8] {
        switch self {
        case .tree: Array("capsule-tree-1\n".utf8)
        case .content: Array("capsule-content-1\n".utf8)
        }
    }

    /// Appends the bytes that the digest covers for one entry. Appends nothing for entries that are not compared
    /// (``TreeEntry/isCompared``).
    /// The fields are: kind as u8; path as a u32 length and bytes; mode as u16 (0 for links); for a file, size as u64 and its SHA-256;
    /// for a link, its target as a u32 length and bytes; the number of attributes as u32, then each name and value as a u32 length and
    /// bytes. Mode and attributes belong to ``tree`` only. All numbers are little-endian. Entries follow in the order of the index.
    package func append(_ entry: TreeEntry, to record: inout [UInt8]) {
        guard entry.isCompared else { return }
        record.append(entry.kind.rawValue)
        Self.append(entry.path.bytes, to: &record)
        if self == .tree {
            record.appendInteger(entry.kind == .link ? UInt16(0) : entry.mode.rawValue)
        }
        switch entry.kind {
        case .file, .identity:
            record.appendInteger(entry.size)
            entry.digest.withBytes { record.append(contentsOf: $0) }
        case .link:
            Self.append(entry.target, to: &record)
        case .directory:
            break
        }
        if self == .tree {
            record.appendInteger(UInt32(truncatingIfNeeded: entry.attributes.count))
            for attribute in entry.attributes {
                Self.append(attribute.name, to: &record)
                Self.append(attribute.value, to: &record)
            }
        }
    }

    private static func append(_ bytes: [UInt8], to record: inout [UInt8]) {
        record.appendInteger(UInt32(truncatingIfNeeded: bytes.count))
        record += bytes
    }
}
