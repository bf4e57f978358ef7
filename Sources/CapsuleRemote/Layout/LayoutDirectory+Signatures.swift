package import CapsuleCore

/// Reads and writes signatures beside a manifest. A layout has no list of referrers, so a tag names them.
extension LayoutDirectory {
    package func document(_ name: String) throws(CapsuleError) -> [UInt8]? {
        guard let root = try rootIfThere() else { return nil }
        let named = if let digest = OCIDigest(name) { digest } else { try index(root).entry(name)?.blob.digest }
        guard let digest = named else { return nil }
        return try content(of: digest, size: nil, limit: OCIManifest.lengthLimit, in: try blobs(root))
    }

    package func referrers(of digest: OCIDigest) -> [UInt8]? { nil }

    package func content(of blob: OCIManifest.Blob) throws(CapsuleError) -> [UInt8] {
        try content(of: blob.digest, size: blob.size, limit: Int(SignatureManifest.longest), in: try blobs())
    }

    package func put(_ document: [UInt8], _ type: String, as tag: String?) throws(CapsuleError) -> Bool {
        if let tag {
            try write(document, tag, type) { _ in }
        } else {
            try store([NewBlob(OCIDigest(of: document), HTTPBody(document))]) { _, _ in }
        }
        return false
    }
}
