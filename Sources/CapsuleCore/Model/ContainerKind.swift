/// The forms a container is found in.
public struct ContainerKind: RawRepresentable, Hashable, Sendable {
    /// As in the manifest; a later format may bring words that this code does not know.
    public let rawValue: String

    /// Takes any word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// What Xcode downloads: `NAME.xcappdata` with `AppData` inside.
    public static let bundle = ContainerKind(rawValue: "bundle")
    /// The bare app data.
    public static let container = ContainerKind(rawValue: "container")
    /// The bare directory that Device Hub downloads, named after the bundle identifier.
    public static let deviceHub = ContainerKind(rawValue: "device-hub")
    /// A simulator's data container, named by a UUID.
    public static let simulator = ContainerKind(rawValue: "simulator")
    /// A sandboxed Mac app's `Data`.
    public static let macData = ContainerKind(rawValue: "mac-data")
    /// Anything else.
    public static let directory = ContainerKind(rawValue: "directory")
}
