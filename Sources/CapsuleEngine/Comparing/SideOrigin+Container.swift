import CapsuleArchive
import CapsuleCore
import CapsulePropertyList

extension SideOrigin {
    /// What a capsule's manifest, or the container's own property lists, say.
    ///
    /// - Parameter opened: the container with all of its entries.
    init(_ container: Container, _ opened: OpenedContainer) throws(CapsuleError) {
        let appVersion = Self.appVersion(in: opened)
        guard case .capsule(let capsule, let selector) = try container.resolve() else {
            self.init(bundleIdentifier: opened.source.bundleIdentifier, appVersion: appVersion)
            return
        }
        do throws(ArchiveError) {
            let manifest = try capsule.head(of: try capsule.footer(of: selector)).manifest
            self.init(manifest, in: capsule.file.path.name, appVersion: appVersion)
        } catch {
            throw StoredVersion.error(error, reading: selector, of: capsule)
        }
    }

    /// The app's version in `AppDataInfo.plist`, a foreign file: whatever can't be read says nothing.
    private static func appVersion(in opened: OpenedContainer) -> PlistString? {
        guard let path = try? RelativePath(validating: ContainerShape.appDataInfo),
            let number = opened.entries.place(of: path, in: .wrapper), opened.entries[number].kind == .file,
            opened.entries[number].size <= ContainerMetadata.longestDocument,
            let file = try? opened.content.open(opened.entries[number], number: number)
        else { return nil }
        let content = ComparedContent(file, size: opened.entries[number].size)
        let version = ContainerMetadata.string(
            in: try? content.all(), ["CFBundleShortVersionString", "CFBundleVersion"])
        return version.flatMap { PlistString(validating: $0) }
    }
}
