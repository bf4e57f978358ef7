import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
package import CapsuleOverlay
import CapsulePropertyList
import CapsuleSystem

/// A description of a container, made without reading its files.
package struct ContainerDescription: Sendable {
    package struct Capsule: Sendable {
        package let format: String
        package let codec: String
        package let length: UInt64
        package let version: UInt32
        package let versions: Int
        /// The labels that name the version, the one that was given last first.
        package let labels: [VersionLabel]
        /// The file of the version's signature, which was not checked; nil if there is none.
        package let signature: HostPath?
        /// The version's manifest as it is stored. A binary manifest is converted to XML, if XML can hold it.
        package let manifestDocument: [UInt8]
        package let manifest: Manifest
        package let overlay: Overlay?
    }

    /// The name before `.xcappdata`.
    package let name: [UInt8]
    package let layout: ContainerLayout
    package let source: SourceDescription
    package let groups: [[UInt8]]
    /// The number of entries, including the wrapper's.
    package let entries: UInt64
    package let bytes: UInt64
    /// The entries, and parts of entries, that are left out or flattened in the version, or would be in a new one.
    package let omitted: [Omission]
    package let evidence: [String]
    /// The facts about the capsule; nil for a live container or an archive that is not a capsule.
    package let capsule: Capsule?

    package init(_ container: Container) throws(CapsuleError) {
        if case .capsule(let reader, let selector) = try container.resolve() {
            try self.init(reader, selector)
            return
        }
        self.init(try container.openLeniently())
    }

    private init(_ opened: OpenedContainer) {
        name = opened.name
        layout = opened.layout
        source = opened.source
        groups = opened.groups
        entries = UInt64(opened.entries.count)
        bytes = opened.entries.totalSize
        omitted = opened.omitted
        evidence = opened.evidence
        capsule = nil
    }

    private init(_ reader: CapsuleReader, _ selector: VersionSelector) throws(CapsuleError) {
        do throws(CapsuleError) {
            let footer = try reader.footer(of: selector)
            let manifest = try reader.head(of: footer).manifest
            let overlay = reader.newest.isOverlay ? try? OverlayPackage.overlay(of: manifest, in: reader.file.path) : nil
            name = manifest.name
            layout = manifest.layout
            source = manifest.source
            groups = manifest.groups
            entries = manifest.entries
            bytes = manifest.bytes
            omitted = manifest.omitted
            evidence = [reader.newest.isOverlay ? "the footer of an overlay capsule" : "the footer of a capsule"]
            capsule = Capsule(
                format: "\(Footer.major).\(footer.minorFormat)", codec: reader.codec == .gzip ? "gzip" : "zstd",
                length: reader.file.length, version: footer.version, versions: try reader.footers().count,
                labels: reader.readableLabels().labels.filter { $0.version == footer.version }.map(\.label),
                signature: reader.file.path.signatureIfThere(of: footer.version),
                manifestDocument: try Self.document(try reader.manifestDocument(of: footer)), manifest: manifest,
                overlay: overlay)
        } catch {
            throw StoredVersion.error(error, reading: selector, of: reader)
        }
    }

    /// Returns a manifest as text. An overlay capsule's manifest may be binary, if XML can't hold all of it.
    private static func document(_ stored: [UInt8]) throws(CapsuleError) -> [UInt8] {
        guard PlistFormat.sniff(stored) == .binary, let value = try? PlistReader.read(stored, accepting: [.binary]).value,
            let conversion = try? PlistConversion(of: value, to: .xml)
        else { return stored }
        return (try? XMLPlistWriter.write(conversion.value)) ?? stored
    }

    /// Returns the manifest as a property list. For a container that is not a capsule, it has only the known keys of a manifest.
    package func propertyList() throws(CapsuleError) -> [UInt8] {
        if let capsule { return capsule.manifestDocument }
        var kind: PlistDictionary = ["Kind": .string(PlistString(source.kind.rawValue))]
        kind["Archive"] = source.archive.map { .string($0) }
        kind["BundleIdentifier"] = source.bundleIdentifier.map { .string($0) }
        var list: PlistDictionary = [
            "Name": .name(name), "Source": .dictionary(kind), "Layout": .string(PlistString(layout.rawValue)),
        ]
        if !groups.isEmpty { list["Groups"] = .array(groups.map { .name($0) }) }
        list["Entries"] = .integer(PlistInteger(entries))
        list["Bytes"] = .integer(PlistInteger(bytes))
        if !omitted.isEmpty {
            list["Omitted"] = .array(
                omitted.map { .dictionary(["Path": .name($0.path), "Reason": .string(PlistString($0.reason))]) })
        }
        do throws(PlistError) {
            return try XMLPlistWriter.write(.dictionary(list))
        } catch {
            throw CapsuleError("can't be described as a property list: \(error.message)")
        }
    }
}
