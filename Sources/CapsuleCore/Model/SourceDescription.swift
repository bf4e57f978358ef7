public import CapsulePropertyList

/// Where a version came from, as far as that may be told: no host, no user, no path.
public struct SourceDescription: Hashable, Sendable {
    /// What form the container had.
    public var kind: ContainerKind
    /// The archive's form if it came out of one, as in `tar.gz`.
    public var archive: PlistString?
    /// The app's, where it is known.
    public var bundleIdentifier: PlistString?

    /// Takes all parts as they are.
    public init(kind: ContainerKind, archive: PlistString? = nil, bundleIdentifier: PlistString? = nil) {
        self.kind = kind
        self.archive = archive
        self.bundleIdentifier = bundleIdentifier
    }
}
