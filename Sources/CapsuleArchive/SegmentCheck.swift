import CapsuleCore
import CapsuleFileSystem
import CapsuleHashing

/// Walks the members of one version's segment and compares them with the segment digest.
package struct SegmentCheck: Sendable {
    /// A member as the walk met it.
    package struct Member: Sendable {
        package let kind: MemberKind
        package let offset: UInt64
        package let length: UInt64
    }

    /// In the order of the file, the footer not among them.
    package private(set) var members: [Member] = []
    /// What is wrong, lower case, no period; nil if nothing.
    package private(set) var problem: String?

    package init(_ capsule: CapsuleReader, _ footer: Footer) throws(ArchiveError) {
        let file = capsule.file
        let buffer = ByteBuffer(capacity: CapsuleLimits.memberStoredLength)
        var offset = footer.segmentStart
        var segment = SHA256Hasher()
        var hasher = SHA256Hasher()
        while offset < footer.offset {
            let room = min(UInt64(CapsuleLimits.memberStoredLength), footer.offset - offset)
            buffer.removeAll()
            try ArchiveError.wrapping { () throws(FileSystemError) in
                try Interruption.check()
                try file.read(at: offset, count: Int(room), into: buffer)
            }
            guard let header = try? MemberHeader.parse(buffer.bytes, codec: capsule.codec), header.length <= buffer.count,
                header.kind != .footer
            else {
                problem = "the bytes at \(offset) are no member"
                return
            }
            segment.update(hasher.digest(of: buffer.bytes(in: 0..<header.length)))
            members.append(Member(kind: header.kind, offset: offset, length: UInt64(header.length)))
            offset += UInt64(header.length)
        }
        if segment.finish() != footer.segmentDigest { problem = "its bytes do not agree with the segment digest" }
    }
}
