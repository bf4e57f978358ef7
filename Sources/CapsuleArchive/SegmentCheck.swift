import CapsuleCore
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
        let walk = MemberWalk(
            capsule.file, codec: capsule.codec, from: footer.segmentStart, to: footer.offset, readsContent: true)
        var segment = SHA256Hasher()
        var hasher = SHA256Hasher()
        while !walk.isAtEnd {
            guard case .member(let header) = try walk.member(), header.kind != .footer,
                let content = try walk.content(of: header)
            else {
                problem = "the bytes at \(walk.offset) are not a member"
                return
            }
            segment.update(hasher.digest(of: content))
            members.append(Member(kind: header.kind, offset: walk.offset, length: UInt64(header.length)))
            walk.pass(header)
        }
        if segment.finish() != footer.segmentDigest { problem = "its stored bytes don't match their digest" }
    }
}
