package import CapsuleCore

/// A run of entries in order, with where their bytes are.
package struct IndexBlock: Sendable, Equatable {
    package var entries: [TreeEntry] = []
    /// For each entry, where its extents begin in ``extents``; one more at the end.
    var extentStarts: [UInt32] = [0]
    package var extents: [Extent] = []
    /// The data members that the extents speak of, from 1 on.
    package var members: [MemberReference] = []

    package init() {}

    /// The extents of the n-th entry; none for all but files.
    package func extents(of entry: Int) -> ArraySlice<Extent> {
        extents[Int(extentStarts[entry])..<Int(extentStarts[entry + 1])]
    }

    /// The extents of the n-th entry, each with its member.
    package func storedExtents(of entry: Int) -> [StoredExtent] {
        extents(of: entry).map { StoredExtent(member: member(of: $0), inner: $0.inner, length: $0.length) }
    }

    /// The member an extent of this block speaks of; nil for zeros.
    package func member(of extent: Extent) -> MemberReference? {
        extent.isZeros ? nil : members[Int(extent.member) - 1]
    }

    /// Whether every file's extents together have its size.
    var isSound: Bool {
        entries.indices.allSatisfy { number in
            !entries[number].kind.hasContent || extents(of: number).reduce(0) { $0 &+ $1.length } == entries[number].size
        }
    }

    /// What its lists hold, in bytes: paths spelled out, link targets, attributes, extents and members. Front coding and
    /// compression can make a raw block far shorter than this.
    package var length: UInt64 {
        entries.reduce(UInt64(16 * (extents.count + members.count))) { $0 + $1.variableLength }
    }

    /// Adds an entry behind the others, its extents in terms of ``members``.
    package mutating func append(_ entry: TreeEntry, extents added: some Sequence<Extent>) {
        entries.append(entry)
        extents.append(contentsOf: added)
        extentStarts.append(UInt32(extents.count))
    }
}

extension TreeEntry {
    /// What its path, target and attributes take.
    var variableLength: UInt64 {
        attributes.reduce(UInt64(path.bytes.count + target.count)) { $0 + UInt64($1.name.count + $1.value.count + 32) }
    }
}
