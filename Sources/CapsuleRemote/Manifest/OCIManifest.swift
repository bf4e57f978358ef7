package import CapsuleCore
import CapsulePropertyList

/// The image manifest of a capsule in a registry (OCI image-spec, manifest.md). Its layers, one after the other, are the capsule file.
/// Nothing relies on where the file is cut into layers.
package struct OCIManifest: Hashable, Sendable {
    /// The ways to write a manifest. Some registries refuse the ones before.
    package enum Form: Hashable, Sendable, CaseIterable {
        /// With types of its own, and with small blobs inside.
        case full
        /// The same without blobs inside.
        case withoutData
        /// With the types of an image, except for the layers.
        case image
    }

    /// A blob of the capsule's bytes.
    package struct Layer: Hashable, Sendable {
        package let kind: LayerKind
        package let digest: OCIDigest
        package let size: UInt64
        /// The blob itself if the manifest contains it.
        package var data: [UInt8]?

        package init(kind: LayerKind, digest: OCIDigest, size: UInt64, data: [UInt8]? = nil) {
            self.kind = kind
            self.digest = digest
            self.size = size
            self.data = data
        }
    }

    package var form: Form
    /// The blob with a ``CapsuleConfig``.
    package var config: Blob
    package var layers: [Layer]
    package var annotations: [String: String]

    /// A blob of any type.
    package struct Blob: Hashable, Sendable {
        package let digest: OCIDigest
        package let size: UInt64
        package var data: [UInt8]?
    }

    package static let mediaType = "application/vnd.oci.image.manifest.v1+json"
    static let artifactType = "application/vnd.capsule.v1"
    static let configType = "application/vnd.capsule.config.v1+json"
    static let imageConfigType = "application/vnd.oci.image.config.v1+json"

    /// The longest manifest and the longest config that are read, in bytes, and the greatest number of layers.
    package static let lengthLimit = 4 << 20
    package static let configLimit = 4 << 20
    static let layerLimit = 16_384

    /// The length of the capsule: that of all layers.
    package var length: UInt64 { layers.reduce(0) { $0 + $1.size } }

    /// The offset of each layer in the capsule.
    package var offsets: [UInt64] {
        var offset: UInt64 = 0
        return layers.map { layer in
            defer { offset += layer.size }
            return offset
        }
    }
}

/// The content of a layer, which decides nothing but where writers cut.
package enum LayerKind: String, Hashable, Sendable {
    /// Data members, or a stretch of several segments.
    case data = "application/vnd.capsule.data.v1"
    /// The end of a segment after its data: index, manifest and footer.
    case tail = "application/vnd.capsule.tail.v1"
    /// A whole segment.
    case segment = "application/vnd.capsule.segment.v1"
}

// MARK: - Writing

extension OCIManifest {
    static let embeddedConfigLimit = 32 << 10
    private static let embeddedLayerLimit = 48 << 10
    /// A manifest with blobs inside is at most this long, in bytes.
    private static let embeddingLimit = 1 << 20

    /// Creates a manifest in the given form.
    /// - Parameters:
    ///   - config: the config's bytes, which ``CapsuleConfig/encoded(as:)`` makes for the same form.
    ///   - last: the bytes of the last layer if it may be put into the manifest. Only a small tail or segment is.
    package init(
        form: Form, config: [UInt8], layers: [Layer], last: [UInt8]?, annotations: [String: String]
    ) throws(CapsuleError) {
        self.form = form
        self.config = Blob(digest: OCIDigest(of: config), size: UInt64(config.count))
        self.layers = layers.map { Layer(kind: $0.kind, digest: $0.digest, size: $0.size) }
        self.annotations = annotations
        guard form == .full else { return }
        let plain = self
        if config.count <= Self.embeddedConfigLimit { self.config.data = config }
        if let last, last.count <= Self.embeddedLayerLimit, let layer = layers.last, layer.kind != .data {
            self.layers[layers.count - 1].data = last
        }
        if try encoded().count > Self.embeddingLimit { self = plain }
    }

    /// Returns the manifest's bytes, which its values determine: one line of JSON with the keys in a fixed order.
    package func encoded() throws(CapsuleError) -> [UInt8] {
        var list: PlistDictionary = ["schemaVersion": 2, "mediaType": .string(PlistString(Self.mediaType))]
        if form != .image { list["artifactType"] = .string(PlistString(Self.artifactType)) }
        list["config"] = Self.descriptor(
            form == .image ? Self.imageConfigType : Self.configType, config.digest, config.size, config.data)
        list["layers"] = .array(layers.map { Self.descriptor($0.kind.rawValue, $0.digest, $0.size, $0.data) })
        if !annotations.isEmpty {
            let pairs = annotations.map { (PlistString($0.key), PlistValue.string(PlistString($0.value))) }
            list["annotations"] = .dictionary(PlistDictionary(pairs.sorted { $0.0 < $1.0 }))
        }
        return try .compactJSON(.dictionary(list))
    }

    private static func descriptor(_ type: String, _ digest: OCIDigest, _ size: UInt64, _ data: [UInt8]?) -> PlistValue {
        var list: PlistDictionary = [
            "mediaType": .string(PlistString(type)), "digest": .string(PlistString(digest.text)),
            "size": .integer(PlistInteger(size)),
        ]
        list["data"] = data.map { .string(PlistString(String(decoding: Base64.encode($0), as: UTF8.self))) }
        return .dictionary(list)
    }
}

extension [UInt8] {
    /// The only failures are lengths beyond every limit, and text that is not UTF-8.
    static func compactJSON(_ value: PlistValue) throws(CapsuleError) -> [UInt8] {
        do throws(PlistError) {
            return try JSONPlistWriter.compact(value)
        } catch {
            throw CapsuleError(error.message)
        }
    }
}
