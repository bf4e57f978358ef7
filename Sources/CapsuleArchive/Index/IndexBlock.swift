package import CapsuleCore

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

    func place(of path: RelativePath, in root: TreeRoot) -> Int? {
        entries.firstIndex { $0.root == root && $0.path == path }
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

    package var range: Range<UInt64> { Range(at: offset, stored) }
}

extension IndexBlock {
    /// Returns the raw block: columns {id u16, length u32, bytes} in the order of their numbers.
    package func encoded() -> [UInt8] {
        var columns = [[UInt8]](repeating: [], count: Int(IndexColumn.last) + 1)
        func with(_ column: UInt16, _ body: (inout [UInt8]) -> Void) { body(&columns[Int(column)]) }

        var seconds: Int64 = 0
        var previous: [UInt8] = []
        var prediction = ExtentPrediction()
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
                with(IndexColumn.extents) { prediction.append(extents, to: &$0) }
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
