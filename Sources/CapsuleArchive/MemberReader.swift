import CapsuleFileSystem

/// Decompresses a capsule's data members, the last one kept. One for each thread.
package final class MemberReader {
    private let file: CapsuleFile
    private let decoder: DataMemberDecoder
    private let stored = ByteBuffer(capacity: 0)
    private let raw = ByteBuffer(capacity: 0)
    private var current: MemberReference?

    package init(file: CapsuleFile, codec: MemberCodec) {
        self.file = file
        decoder = DataMemberDecoder(codec: codec)
    }

    /// What a member holds, until the next call.
    ///
    /// - Throws: ``ArchiveError`` with the code `damaged` if the member is not whole.
    package func bytes(of member: MemberReference) throws(ArchiveError) -> UnsafeRawBufferPointer {
        if current == member { return raw.bytes }
        current = nil
        stored.removeAll()
        raw.removeAll()
        try ArchiveError.wrapping { () throws(FileSystemError) in
            try file.read(at: member.offset, count: Int(member.stored), into: stored)
        }
        guard stored.count == Int(member.stored), decoder.decode(stored.bytes, raw: Int(member.raw), to: raw) else {
            throw ArchiveError(.damaged, "the data at byte \(member.offset) is damaged", path: file.path)
        }
        current = member
        return raw.bytes
    }

    /// A data member that no index speaks of, with the length that it claims for what it holds; nil if it claims too much, or
    /// nothing.
    package func reference(offset: UInt64, stored length: UInt32) throws(ArchiveError) -> MemberReference? {
        stored.removeAll()
        current = nil
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
