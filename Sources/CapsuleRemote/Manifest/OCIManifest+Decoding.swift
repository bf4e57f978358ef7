package import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

extension OCIManifest {
    private static let indexTypes = [
        "application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json",
    ]
    /// The types of this format and of later ones begin like this.
    private static let ownTypes = "application/vnd.capsule."

    /// Reads a manifest that anyone may have written.
    /// - Parameters:
    ///   - contentType: the value of the answer's header `Content-Type`, or the type in a layout's index; nil if there is none.
    ///   - path: the address for messages.
    /// - Throws: ``CapsuleError``, with the code `notCapsule` if it is the manifest of something else.
    package init(decoding bytes: [UInt8], contentType: String?, path: HostPath) throws(CapsuleError) {
        func damaged(_ reason: String) -> CapsuleError { CapsuleError(.damaged, "its manifest \(reason)", path: path) }
        guard bytes.count <= Self.lengthLimit else {
            throw damaged("is longer than \(Quantity.bytes(UInt64(Self.lengthLimit)))")
        }
        let list = try ReceivedJSON.object(bytes, limit: Self.lengthLimit, path: path)
        try Self.checkType(of: list, contentType, path)
        guard list["schemaVersion"]?.integer == 2 else { throw damaged("does not have the version 2") }
        guard let config = list.object("config"), let items = list["layers"]?.array else {
            throw damaged("has no config or no layers")
        }
        guard items.count <= Self.layerLimit else { throw damaged("has more than \(Self.layerLimit) layers") }
        let types = try items.map { (item) throws(CapsuleError) in
            guard let type = item.dictionary?.text("mediaType") else { throw damaged("has a layer without a type") }
            return type
        }
        let configType = config.text("mediaType") ?? ""
        let kinds = types.compactMap { LayerKind(rawValue: $0) }
        guard !kinds.isEmpty, kinds.count == types.count, [Self.configType, Self.imageConfigType].contains(configType) else {
            throw Self.foreign([configType] + types, artifact: list.text("artifactType"), path)
        }
        func blob(_ item: PlistDictionary, limit: UInt64, _ what: String) throws(CapsuleError) -> Blob {
            do throws(DescriptorProblem) {
                return try Blob(item, limit: limit)
            } catch {
                throw damaged("has \(what) \(error.reason)")
            }
        }
        self.config = try blob(config, limit: UInt64(Self.configLimit), "a config")
        var layers: [Layer] = []
        layers.reserveCapacity(kinds.count)
        var length: UInt64 = 0
        for (item, kind) in zip(items, kinds) {
            let found = try blob(item.dictionary ?? [:], limit: UInt64(Int64.max), "a layer")
            let (sum, overflow) = length.addingReportingOverflow(found.size)
            guard found.size > 0, !overflow, sum <= Int64.max else { throw damaged("has a layer of an impossible size") }
            length = sum
            layers.append(Layer(kind: kind, digest: found.digest, size: found.size, data: found.data))
        }
        self.layers = layers
        annotations = [:]
        for (key, value) in list.object("annotations") ?? [:] { annotations[key.string] = value.string?.string }
        if configType == Self.imageConfigType {
            form = .image
        } else {
            form = self.config.data == nil && self.config.size <= Self.embeddedConfigLimit ? .withoutData : .full
        }
    }

    /// A document must not mean different things to different readers: what it says that it is has to match what it was sent as.
    private static func checkType(of list: PlistDictionary, _ contentType: String?, _ path: HostPath) throws(CapsuleError) {
        let sent = contentType.map { String($0.prefix { $0 != ";" }).lowercased().filter { $0 != " " } }
        let own = list.text("mediaType")
        let hasImages = list.member("manifests") != nil
        if hasImages, list.member("layers") != nil {
            throw CapsuleError(.damaged, "its manifest has both 'layers' and 'manifests'", path: path)
        }
        if hasImages || [sent, own].contains(where: { $0.map(indexTypes.contains) == true }) {
            throw CapsuleError(
                .notCapsule, "is an index of several images, not a capsule", path: path,
                hint: "name one of them by its digest: oci://HOST/NAME@sha256:DIGEST")
        }
        guard let type = own ?? sent, sent == nil || own == nil || sent == own else {
            throw CapsuleError(
                .damaged, "its manifest is of the type '\(shown(own ?? "none"))', but was sent as '\(shown(sent ?? "none"))'",
                path: path)
        }
        guard type == mediaType else {
            throw CapsuleError(.notCapsule, "is of the type '\(shown(type))', not a capsule", path: path)
        }
    }

    private static func foreign(_ types: [String], artifact: String?, _ path: HostPath) -> CapsuleError {
        if types.contains(where: { $0.hasPrefix(ownTypes) && LayerKind(rawValue: $0) == nil && $0 != configType }) {
            return CapsuleError(
                .otherFormat, "is a capsule of a form that this program does not read", path: path,
                hint: "read it with a newer capsule")
        }
        let type = [artifact, types.first].compactMap { $0 }.first { !$0.isEmpty }
        return CapsuleError(.notCapsule, "is not a capsule" + (type.map { ": its type is '\(shown($0))'" } ?? ""), path: path)
    }

    private static func shown(_ text: String) -> String { QuotedBytes(Array(text.utf8.prefix(100))).text }
}

struct DescriptorProblem: Error {
    let reason: String
}

extension OCIManifest.Blob {
    /// Reads a descriptor (OCI image-spec, descriptor.md). Its `urls` are ignored: they would lead anywhere.
    init(_ item: PlistDictionary, limit: UInt64) throws(DescriptorProblem) {
        guard let digest = item.text("digest").flatMap({ OCIDigest($0) }) else {
            throw DescriptorProblem(reason: "without a SHA-256 digest")
        }
        guard let size = item["size"]?.integer?.uint64 else { throw DescriptorProblem(reason: "without a size") }
        guard size <= limit else { throw DescriptorProblem(reason: "of more than \(Quantity.bytes(limit))") }
        self.init(digest: digest, size: size)
        guard let text = item.member("data") else { return }
        guard let bytes = text.string?.string.base64Bytes, matches(bytes) else {
            throw DescriptorProblem(reason: "with data that does not match its digest")
        }
        data = bytes
    }

    /// Returns true if bytes have the size and the digest of the blob.
    package func matches(_ bytes: [UInt8]) -> Bool { UInt64(bytes.count) == size && OCIDigest(of: bytes) == digest }
}
