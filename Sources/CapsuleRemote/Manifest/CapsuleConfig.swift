package import CapsuleArchive
package import CapsuleCore
package import CapsuleHashing
import CapsulePropertyList

/// The versions of a capsule in a registry, as the config of its manifest lists them. It repeats what footers and manifests in the
/// capsule say, so that most questions need no other request. Whoever opens a version compares it with the footer in the file.
///
/// A version has the label that its own manifest has. The label records of the file are a list of their own, in the file's order, with
/// their places among the versions. So the config depends on the file's bytes alone, its parts up to any footer are the config of
/// that shorter file, and the labels in effect follow from it as they do from the file (``labelsInEffect``).
package struct CapsuleConfig: Hashable, Sendable {
    package struct Version: Hashable, Sendable {
        package var number: UInt32
        package var label: VersionLabel?
        package var captured: Timestamp
        package var entries: UInt64
        package var bytes: UInt64
        package var end: End
        package var tree: ContentDigest
        package var content: ContentDigest
        package var source: ContainerKind
        package var bundle: String?
    }

    package struct Label: Hashable, Sendable {
        package var label: VersionLabel
        /// The version that has the label from here on; nil if none has.
        package var version: UInt32?
        package var end: End
    }

    /// The end of a version or a label record. Two files that have the same are the same up to there.
    package struct End: Hashable, Sendable {
        package var offset: UInt64
        /// The digest of the footer (``Footer/digest``).
        package var footer: ContentDigest

        package init(offset: UInt64, footer: ContentDigest) {
            self.offset = offset
            self.footer = footer
        }
    }

    package var codec: MemberCodec
    package var isOverlay: Bool
    /// The container's name in the newest version.
    package var name: [UInt8]
    package var layout: ContainerLayout
    /// In the order of the file. There is at least one.
    package var versions: [Version]
    /// In the order of the file.
    package var labels: [Label]

    /// The length of the capsule in bytes: the end of what comes last.
    package var length: UInt64 { max(versions.last?.end.offset ?? 0, labels.last?.end.offset ?? 0) }

    /// The ends of all versions and label records, in the order of the file.
    package var ends: [End] { (versions.map(\.end) + labels.map(\.end)).sorted { $0.offset < $1.offset } }

    /// All footers by the ends of their segments.
    var listedFooters: [UInt64: ListedFooter] {
        let footers =
            versions.map {
                ($0.end.offset, ListedFooter(version: $0.number, digest: $0.end.footer, codec: codec, tree: $0.tree))
            }
            + labels.map { ($0.end.offset, ListedFooter(version: nil, digest: $0.end.footer, codec: codec, tree: nil)) }
        return Dictionary(uniqueKeysWithValues: footers)
    }

    /// The segments of the capsule, in the order of the file.
    package var segments: [Range<UInt64>] {
        let offsets = [0] + ends.map(\.offset)
        return zip(offsets, offsets.dropFirst()).map { $0..<$1 }
    }

    /// The labels and the versions that they name, the one that was given last first. Of all versions and records that have a label, the
    /// last one counts.
    package var labelsInEffect: [(label: VersionLabel, version: UInt32)] {
        let numbers = Set(versions.map(\.number))
        let given = versions.compactMap { version in
            version.label.map { Label(label: $0, version: version.number, end: version.end) }
        }
        var seen: Set<VersionLabel> = []
        return (given + labels).sorted { $0.end.offset > $1.end.offset }.compactMap { record in
            guard seen.insert(record.label).inserted, let version = record.version, numbers.contains(version) else { return nil }
            return (record.label, version)
        }
    }

    /// The annotations of the manifest that the capsule itself determines (OCI image-spec, annotations.md).
    package var annotations: [String: String] {
        guard let newest = versions.last else { return [:] }
        var annotations = ["org.opencontainers.image.created": newest.captured.iso8601()]
        if let name = String(validating: name, as: UTF8.self) { annotations["org.opencontainers.image.title"] = name }
        let label = labelsInEffect.first { $0.version == newest.number }?.label.text
        annotations["org.opencontainers.image.version"] = label ?? String(newest.number)
        return annotations
    }
}

/// A capsule whose versions a registry or a layout lists.
package protocol ListedCapsule: RemoteBytes {
    var config: CapsuleConfig { get }
    /// The digest of the manifest that lists it.
    var manifestDigest: OCIDigest { get }
}

extension CapsuleConfig {
    /// Reads the config of a capsule, or of its part up to the end of a version or label record.
    /// - Parameter last: the last footer of the part; nil for the whole capsule.
    package init(of capsule: CapsuleReader, through last: Footer? = nil) throws(CapsuleError) {
        let (chain, failure) = capsule.readableChain()
        if let failure { throw failure }
        let limit = last?.end ?? .max
        var newest: Manifest?
        var versions: [Version] = []
        var labels: [Label] = []
        for footer in chain.reversed() where footer.end <= limit {
            let end = End(offset: footer.end, footer: footer.digest)
            if footer.isLabel {
                let record = try capsule.label(of: footer)
                labels.append(Label(label: record.label, version: record.version, end: end))
                continue
            }
            let manifest = try capsule.manifest(of: footer)
            versions.append(
                Version(
                    number: footer.version, label: manifest.label, captured: manifest.captured, entries: manifest.entries,
                    bytes: manifest.bytes, end: end, tree: manifest.treeDigest, content: manifest.contentDigest,
                    source: manifest.source.kind, bundle: manifest.source.bundleIdentifier?.string))
            newest = manifest
        }
        guard let newest else { throw CapsuleError(.notFound, "has no version up to byte \(limit)", path: capsule.file.path) }
        self.init(
            codec: capsule.codec, isOverlay: capsule.newest.isOverlay, name: newest.name, layout: newest.layout,
            versions: versions,
            labels: labels)
    }
}
