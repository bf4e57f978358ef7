public import CapsulePropertyList

/// Where a version came from, as far as that may be told: no host, no user, no path.
public struct SourceDescription: Hashable, Sendable {
    public var kind: ContainerKind
    /// The archive's form if it came out of one, as in `tar.gz`.
    public var archive: PlistString?
    public var bundleIdentifier: PlistString?

    public init(kind: ContainerKind, archive: PlistString? = nil, bundleIdentifier: PlistString? = nil) {
        self.kind = kind
        self.archive = archive
        self.bundleIdentifier = bundleIdentifier
    }
}
