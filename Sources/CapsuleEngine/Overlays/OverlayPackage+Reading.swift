import CapsuleArchive
import CapsuleCore
import CapsulePropertyList

extension OverlayPackage {
    /// Reads an overlay capsule: its document, and where its contents are.
    ///
    /// - Throws: for one whose document and contents don't fit together.
    init(_ capsule: CapsuleReader, _ selector: VersionSelector = .latest) throws(CapsuleError) {
        let version = try StoredVersion(capsule, selector)
        let overlay = try Self.overlay(of: version)
        if let (path, message) = OverlayCapsuleCheck(overlay, entries: version.entries).problem() {
            throw CapsuleError(
                path.map { "\(message) (\($0))" } ?? message, path: capsule.file.path,
                hint: "'capsule verify' shows what is intact")
        }
        let manifest = version.manifest
        self.init(
            overlay: overlay, contents: CapsuleContents(version),
            origin: Origin(
                name: manifest.name, source: manifest.source, layout: manifest.layout, groups: manifest.groups))
    }

    /// The overlay that a version of an overlay capsule has.
    static func overlay(of version: StoredVersion) throws(CapsuleError) -> Overlay {
        try overlay(of: version.manifest, in: version.capsule.file.path)
    }

    /// The overlay of an overlay capsule's manifest.
    static func overlay(of manifest: Manifest, in path: HostPath) throws(CapsuleError) -> Overlay {
        guard let document = manifest.overlay else {
            throw CapsuleError("is a container, not an overlay", path: path)
        }
        do throws(OverlayError) {
            return try Overlay(document, format: .xml)
        } catch {
            let place = error.source.map { $0.isRoot ? "" : " (at \($0))" } ?? ""
            throw CapsuleError("the overlay can't be read: \(error.message)\(place)", path: path, hint: error.hint)
        }
    }
}
