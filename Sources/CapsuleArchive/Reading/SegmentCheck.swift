package import CapsuleCore
import CapsuleHashing

/// Makes the digest of a segment's members (docs/format.md, section 3). It covers what metadata members hold, and where data members
/// are and what they claim. Their own checksums cover their bytes.
struct SegmentHasher: Sendable {
    private var records: [UInt8] = []

    mutating func add(_ member: MemberReference, checksum: UInt32) {
        records.append(MemberKind.data.rawValue)
        records.appendInteger(member.offset)
        records.appendInteger(member.stored)
        records.appendInteger(member.raw)
        records.appendInteger(checksum)
    }

    mutating func add(_ kind: MemberKind, _ member: UnsafeRawBufferPointer) {
        var hasher = SHA256Hasher()
        records.append(kind.rawValue)
        records.appendDigest(hasher.digest(of: member))
    }

    /// The number of bytes that the digest is of. The writer takes members back with it.
    var length: Int { records.count }

    mutating func truncate(to length: Int) { records.removeSubrange(length...) }

    var digest: ContentDigest { SHA256Hasher.digest(of: records) }
}

/// Walks through the members of one version's segment and compares them with the segment digest. It does not decompress data members.
package struct SegmentCheck: Sendable {
    /// A member that the walk found.
    package struct Member: Sendable {
        package let kind: MemberKind
        package let offset: UInt64
        package let length: UInt64
        /// The length of the decompressed data; 0 for metadata.
        package let raw: UInt32

        package var reference: MemberReference { MemberReference(offset: offset, stored: UInt32(length), raw: raw) }
    }

    package private(set) var members: [Member] = []
    /// A description of the problem, in lowercase and without a period, or nil if there is none.
    package private(set) var problem: String?

    package init(_ capsule: CapsuleReader, _ footer: Footer) throws(CapsuleError) {
        let walk = MemberWalk(
            capsule.file, codec: capsule.codec, from: footer.segmentStart, to: footer.offset, readsContent: true)
        var segment = SegmentHasher()
        while !walk.isAtEnd {
            guard case .member(let header) = try walk.member(), header.kind != .footer,
                let content = try walk.content(of: header)
            else {
                problem = "the bytes at \(walk.offset) are not a member"
                return
            }
            let raw = header.kind == .data ? DataMemberDecoder.claimedLength(of: content, codec: capsule.codec) : 0
            guard let raw else {
                problem = "the member at byte \(walk.offset) is too long"
                return
            }
            let member = Member(kind: header.kind, offset: walk.offset, length: UInt64(header.length), raw: UInt32(raw))
            if header.kind == .data {
                segment.add(member.reference, checksum: capsule.codec.checksum(of: content))
            } else {
                segment.add(header.kind, content)
            }
            members.append(member)
            walk.pass(header)
        }
        if segment.digest != footer.segmentDigest { problem = "its members don't match their digest" }
    }
}
