import CapsuleCore
import CapsulePropertyList

/// The signatures of versions, in a manifest that refers to the one of their capsule, its subject (OCI image-spec 1.1, manifest.md). The
/// file of a signature is a layer, and its title is `VERSION.sig`.
enum SignatureManifest {
    static let indexType = "application/vnd.oci.image.index.v1+json"
    /// The config of a manifest that has none.
    static let noConfig = Array("{}".utf8)
    /// The longest signature, in bytes, and the most manifests with signatures that are read.
    static let longest: UInt64 = 64 << 10
    static let mostManifests = 16
    private static let artifactType = "application/vnd.capsule.signatures.v1"
    private static let layerType = "application/vnd.capsule.signature.v1"
    private static let noConfigType = "application/vnd.oci.empty.v1+json"
    private static let titleKey: PlistString = "org.opencontainers.image.title"
    private static let ending = ".sig"

    static func encode(_ signatures: [UInt32: [UInt8]], of subject: OCIManifest.Blob) throws(CapsuleError) -> [UInt8] {
        let layers = signatures.sorted { $0.key < $1.key }.map { version, bytes in
            var layer = descriptor(layerType, OCIManifest.Blob(of: bytes))
            layer["annotations"] = .dictionary([titleKey: .string(PlistString("\(version)\(ending)"))])
            return PlistValue.dictionary(layer)
        }
        return try .compactJSON(
            .dictionary([
                "schemaVersion": 2, "mediaType": .string(PlistString(OCIManifest.mediaType)),
                "artifactType": .string(PlistString(artifactType)),
                "config": .dictionary(descriptor(noConfigType, OCIManifest.Blob(of: noConfig))), "layers": .array(layers),
                "subject": .dictionary(descriptor(OCIManifest.mediaType, subject)),
            ]))
    }

    /// Returns the signatures by their versions, of a manifest that anyone may have written; none if it is another one.
    static func decode(
        _ bytes: [UInt8], of subject: OCIDigest, path: HostPath
    ) throws(CapsuleError) -> [(version: UInt32, blob: OCIManifest.Blob)] {
        let list = try ReceivedJSON.object(bytes, limit: OCIManifest.lengthLimit, path: path)
        guard list.text("artifactType") == artifactType, list.object("subject")?.text("digest") == subject.text else { return [] }
        return (list["layers"]?.array ?? []).compactMap { item in
            guard let layer = item.dictionary, layer.text("mediaType") == layerType,
                let title = layer.object("annotations")?.text(titleKey), title.hasSuffix(ending),
                let version = UInt32(title.dropLast(ending.count)), let blob = try? OCIManifest.Blob(layer, limit: longest)
            else { return nil }
            return (version, blob)
        }
    }

    /// Returns the manifests with signatures that a list of referrers names.
    static func referrers(in index: [UInt8], path: HostPath) throws(CapsuleError) -> [OCIManifest.Blob] {
        try items(of: index, path).compactMap { item in
            guard let entry = item.dictionary, entry.text("artifactType") == artifactType else { return nil }
            return try? OCIManifest.Blob(entry, limit: UInt64(OCIManifest.lengthLimit))
        }
    }

    /// Returns a list of referrers with one more, which comes first.
    static func index(
        adding manifest: [UInt8], to index: [UInt8]?, path: HostPath
    ) throws(CapsuleError) -> [UInt8] {
        var entry = descriptor(OCIManifest.mediaType, OCIManifest.Blob(of: manifest))
        entry["artifactType"] = .string(PlistString(artifactType))
        let others = try index.map { (index) throws(CapsuleError) in try items(of: index, path) } ?? []
        return try .compactJSON(
            .dictionary([
                "schemaVersion": 2, "mediaType": .string(PlistString(indexType)),
                "manifests": .array([.dictionary(entry)] + others),
            ]))
    }

    private static func items(of index: [UInt8], _ path: HostPath) throws(CapsuleError) -> [PlistValue] {
        try ReceivedJSON.object(index, limit: OCIManifest.lengthLimit, path: path)["manifests"]?.array ?? []
    }

    private static func descriptor(_ type: String, _ blob: OCIManifest.Blob) -> PlistDictionary {
        [
            "mediaType": .string(PlistString(type)), "digest": .string(PlistString(blob.digest.text)),
            "size": .integer(PlistInteger(blob.size)),
        ]
    }
}

extension OCIManifest.Blob {
    init(of bytes: [UInt8]) {
        self.init(digest: OCIDigest(of: bytes), size: UInt64(bytes.count))
    }
}

extension OCIDigest {
    private static let tagStart = "sha256-"

    /// The tag that names the referrers of a manifest where a registry can't list them (distribution-spec, "Referrers Tag Schema").
    var referrersTag: String { Self.tagStart + content.hex }

    static func isReferrersTag(_ tag: String) -> Bool {
        tag.hasPrefix(tagStart) && OCIDigest("sha256:\(tag.dropFirst(tagStart.count))") != nil
    }
}
