package import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

/// What can still be told of the versions in a damaged tail.
package enum TailVersions {
    /// The manifests that can be read in what follows byte `offset`, oldest first.
    ///
    /// They are as good as what they stand in: nothing binds them to a digest that could be trusted.
    package static func manifests(in capsule: CapsuleReader, from offset: UInt64) throws(ArchiveError) -> [Manifest] {
        let walk = MemberWalk(
            capsule.file, codec: capsule.codec, from: offset, to: capsule.file.length, readsContent: false)
        var manifests: [Manifest] = []
        // The members of one payload, which stand one behind the other.
        let pieces = ByteBuffer(capacity: 4_096)
        while !walk.isAtEnd {
            guard case .member(let header) = try walk.member() else { break }
            if header.kind == .manifest {
                guard pieces.count + header.length <= Manifest.maximumLength + Manifest.maximumLength / 8,
                    let content = try walk.content(of: header)
                else { break }
                if header.piece == 0 { pieces.removeAll() }
                pieces.append(content)
                if let manifest = manifest(pieces.bytes, capsule.codec) { manifests.append(manifest) }
            }
            walk.pass(header)
        }
        return manifests
    }

    /// The manifest that whole members hold; nil if pieces of it are missing.
    private static func manifest(_ members: UnsafeRawBufferPointer, _ codec: MemberCodec) -> Manifest? {
        guard let payload = MetadataMember.join(.manifest, members, codec: codec),
            let raw = PayloadCoding.decode(payload, limit: UInt64(Manifest.maximumLength)),
            let list = try? PlistReader.read(raw, accepting: PlistFormat.xmlOrBinary)
        else { return nil }
        return try? Manifest(propertyList: list.value)
    }
}
