package import CapsuleCore

/// A manifest as a registry sent it.
package struct RegistryManifest: Sendable {
    package let manifest: OCIManifest
    package let bytes: [UInt8]
    package let digest: OCIDigest
    /// The strong entity tag of the answer.
    package let tag: String?
    package let config: CapsuleConfig
}

extension RegistryClient {
    /// All types that a name in a registry can have, so that a registry does not hide or convert one that is not a capsule.
    private static let types = [
        OCIManifest.mediaType, "application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.v2+json",
        "application/vnd.docker.distribution.manifest.list.v2+json",
    ]

    static var accept: HTTPHeader { HTTPHeader("Accept", types.joined(separator: ", ")) }

    /// Gets the manifest and the config: one request, unless the config is too long to be in the manifest.
    /// - Returns: nil if the repository or the tag does not exist.
    package func manifestIfThere() throws(CapsuleError) -> RegistryManifest? {
        let answer = try send(HTTPRequest(.get, reference.manifest, fields: [Self.accept]))
        if answer.status == 404 { return nil }
        return try manifest(in: answer)
    }

    package func manifest() throws(CapsuleError) -> RegistryManifest {
        try manifest(in: try send(HTTPRequest(.get, reference.manifest, fields: [Self.accept])))
    }

    private func manifest(in answer: HTTPAnswer) throws(CapsuleError) -> RegistryManifest {
        guard answer.status == 200 else { throw failure(of: answer) }
        let path = HostPath(reference.text)
        let digest = OCIDigest(of: answer.body)
        guard reference.digest == nil || reference.digest == digest else {
            throw CapsuleError(.damaged, "the registry sent another manifest than the one with this digest", path: path)
        }
        if let said = answer.head["docker-content-digest"], said.hasPrefix("sha256:"), said != digest.text {
            throw CapsuleError(.damaged, "the registry sent a manifest that does not match the digest it says", path: path)
        }
        let manifest = try OCIManifest(decoding: answer.body, contentType: answer.head["content-type"], path: path)
        let content = if let data = manifest.config.data { data } else { try self.content(of: manifest.config) }
        let config = try CapsuleConfig(decoding: content, of: manifest, path: path)
        return RegistryManifest(
            manifest: manifest, bytes: answer.body, digest: digest, tag: answer.head.strongTag, config: config)
    }

    package func document(_ name: String) throws(CapsuleError) -> [UInt8]? {
        let address = if let digest = OCIDigest(name) { reference.manifest(digest) } else { try reference.tagged(name).manifest }
        return try body(of: try send(HTTPRequest(.get, address, fields: [Self.accept])))
    }

    package func referrers(of digest: OCIDigest) throws(CapsuleError) -> [UInt8]? {
        let accept = HTTPHeader("Accept", SignatureManifest.indexType)
        let answer = try send(HTTPRequest(.get, reference.referrers(digest), fields: [accept]))
        // What a registry answers that doesn't know such a request.
        if [400, 403, 405, 501].contains(answer.status) { return nil }
        return try body(of: answer)
    }

    private func body(of answer: HTTPAnswer) throws(CapsuleError) -> [UInt8]? {
        switch answer.status {
        case 200: return answer.body
        case 404: return nil
        default: throw failure(of: answer)
        }
    }

    package func content(of blob: OCIManifest.Blob) throws(CapsuleError) -> [UInt8] {
        if let bytes = cache?.bytes(of: blob.digest, size: blob.size) { return bytes }
        var request = HTTPRequest(.get, reference.blob(blob.digest))
        request.limit = Int(blob.size)
        let answer = try send(request)
        guard answer.status == 200 else { throw failure(of: answer, "blob that the manifest names") }
        if blob.matches(answer.body), let cache {
            cache.save(answer.body, as: blob.digest)
            cache.prune()
        }
        return answer.body
    }
}
