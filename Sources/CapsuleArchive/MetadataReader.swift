import CapsuleCore
import CapsuleFileSystem
import CapsuleHashing

/// Reads payloads of metadata members and checks them against their digests.
struct MetadataReader {
    let file: CapsuleFile
    let codec: MemberCodec

    /// The raw bytes of a payload; nil if the members there are not its, or don't agree with the digest.
    func raw(_ span: Footer.Span, _ kind: MemberKind, limit: UInt64) throws(ArchiveError) -> [UInt8]? {
        guard span.length <= min(limit + limit / 8 + 1_024, file.length), span.offset <= file.length - span.length else {
            return nil
        }
        let members = try ArchiveError.wrapping { () throws(FileSystemError) in
            try file.read(at: span.offset, count: Int(span.length))
        }
        guard let payload = members.withUnsafeBytes({ MetadataMember.join(kind, $0, codec: codec) }),
            let raw = PayloadCoding.decode(payload, limit: limit), SHA256Hasher.digest(of: raw) == span.digest
        else { return nil }
        return raw
    }

    func isWhole(_ span: Footer.Span, _ kind: MemberKind, limit: UInt64) throws(ArchiveError) -> Bool {
        try raw(span, kind, limit: limit) != nil
    }
}
