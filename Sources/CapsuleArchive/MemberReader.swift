import CapsuleFileSystem

/// Decompresses a capsule's data members and keeps the last few. One for each thread.
package final class MemberReader {
    /// The capsule.
    package let file: CapsuleFile
    private let decoder: DataMemberDecoder
    private let stored = ByteBuffer(capacity: 0)
    /// What was decompressed, the last used at the end.
    private var kept: [(member: MemberReference, raw: ByteBuffer)] = []

    /// How many members are kept: a file's neighbors mostly lie in few of them, and each takes up to 1 MiB.
    package static let mostKept = 4

    package init(file: CapsuleFile, codec: MemberCodec) {
        self.file = file
        decoder = DataMemberDecoder(codec: codec)
    }

    /// What a member holds, until the next call.
    ///
    /// - Throws: ``ArchiveError`` with the code `damaged` if the member is damaged.
    package func bytes(of member: MemberReference) throws(ArchiveError) -> UnsafeRawBufferPointer {
        if let place = kept.lastIndex(where: { $0.member == member }) {
            if place < kept.count - 1 { kept.append(kept.remove(at: place)) }
            return kept[kept.count - 1].raw.bytes
        }
        let raw =
            kept.count < Self.mostKept
            ? ByteBuffer(capacity: min(Int(member.raw), CapsuleLimits.memberRawLength)) : kept.removeFirst().raw
        raw.removeAll()
        stored.removeAll()
        try ArchiveError.wrapping { () throws(FileSystemError) in
            try file.read(at: member.offset, count: Int(member.stored), into: stored)
        }
        guard stored.count == Int(member.stored), decoder.decode(stored.bytes, raw: Int(member.raw), to: raw) else {
            throw ArchiveError(.damaged, "the data at byte \(member.offset) is damaged", path: file.path)
        }
        kept.append((member, raw))
        return raw.bytes
    }

    /// A data member that no index speaks of, with the length that it claims for what it holds; nil if it claims too much, or
    /// nothing.
    package func reference(offset: UInt64, stored length: UInt32) throws(ArchiveError) -> MemberReference? {
        stored.removeAll()
        try ArchiveError.wrapping { () throws(FileSystemError) in try file.read(at: offset, count: Int(length), into: stored) }
        guard stored.count == Int(length), let raw = decoder.claimedLength(of: stored.bytes), raw > 0 else { return nil }
        return MemberReference(offset: offset, stored: length, raw: UInt32(raw))
    }

    /// What an extent's stretch holds, until the next call; it must not be one of zeros.
    package func bytes(of extent: Extent, in member: MemberReference) throws(ArchiveError) -> UnsafeRawBufferPointer {
        let whole = try bytes(of: member)
        return UnsafeRawBufferPointer(rebasing: whole[Int(extent.inner)..<Int(extent.inner) + Int(extent.length)])
    }
}
