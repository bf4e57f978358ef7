package import CapsuleCore

extension CapsuleRepository {
    /// Stores signatures beside a manifest of a capsule, together with those that are there.
    /// - Parameter signatures: the files, by the numbers of their versions.
    package func attach(_ signatures: [UInt32: [UInt8]], to manifest: [UInt8]) throws(CapsuleError) {
        let subject = OCIManifest.Blob(of: manifest)
        let there = try self.signatures(of: subject.digest)
        if signatures.allSatisfy({ there[$0.key] == $0.value }) { return }
        let all = there.merging(signatures) { $1 }
        let document = try SignatureManifest.encode(all, of: subject)
        let contents = [SignatureManifest.noConfig] + all.sorted { $0.key < $1.key }.map(\.value)
        try store(contents.map { NewBlob(OCIDigest(of: $0), HTTPBody($0)) }) { _, _ in }
        if try put(document, OCIManifest.mediaType, as: nil) { return }
        let tag = subject.digest.referrersTag
        let index = try SignatureManifest.index(adding: document, to: try self.document(tag), path: path)
        _ = try put(index, SignatureManifest.indexType, as: tag)
    }

    /// Returns the signatures beside a manifest, by the numbers of their versions.
    package func signatures(of digest: OCIDigest) throws(CapsuleError) -> [UInt32: [UInt8]] {
        var index = try referrers(of: digest)
        if index == nil { index = try document(digest.referrersTag) }
        guard let index else { return [:] }
        var signatures: [UInt32: [UInt8]] = [:]
        for manifest in try SignatureManifest.referrers(in: index, path: path).prefix(SignatureManifest.mostManifests) {
            guard let bytes = try document(manifest.digest.text) else { continue }
            guard manifest.matches(bytes) else { throw damaged(manifest.digest) }
            for (version, blob) in try SignatureManifest.decode(bytes, of: digest, path: path) where signatures[version] == nil {
                let content = try content(of: blob)
                guard blob.matches(content) else { throw damaged(blob.digest) }
                signatures[version] = content
            }
        }
        return signatures
    }

    private func damaged(_ digest: OCIDigest) -> CapsuleError {
        CapsuleError(.damaged, "\(place) has a signature that does not match its digest: \(digest)", path: path)
    }
}
