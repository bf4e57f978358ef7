public import CapsulePropertyList

/// Which app's data one side of a comparison is, and which version of which capsule.
public struct SideOrigin: Hashable, Sendable {
    /// The capsule's file name; nil for what is not a capsule.
    public var file: [UInt8]?
    /// The capsule's version.
    public var version: UInt32?
    /// The version's label.
    public var label: VersionLabel?
    /// When the version was packed.
    public var captured: Timestamp?
    /// The app's bundle identifier.
    public var bundleIdentifier: PlistString?
    /// The app's version, as the container's own property list has it.
    public var appVersion: PlistString?

    /// A container that is not a capsule.
    public init(bundleIdentifier: PlistString? = nil, appVersion: PlistString? = nil) {
        self.bundleIdentifier = bundleIdentifier
        self.appVersion = appVersion
    }

    /// A version of a capsule.
    public init(_ manifest: Manifest, in file: [UInt8], appVersion: PlistString? = nil) {
        self.init(bundleIdentifier: manifest.source.bundleIdentifier, appVersion: appVersion)
        self.file = file
        version = manifest.version
        label = manifest.label
        captured = manifest.captured
    }
}
