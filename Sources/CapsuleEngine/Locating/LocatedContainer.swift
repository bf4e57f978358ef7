public import CapsuleCore

/// A container that was found in a simulator's directories.
public struct LocatedContainer: Hashable, Sendable {
    /// What a container is for.
    public enum Kind: String, Sendable, CaseIterable {
        /// An app's data.
        case data
        /// The app itself: `NAME.app`.
        case bundle
        /// What the apps of a group share.
        case group

        /// Where a simulator has such containers, each in a directory named by a UUID.
        var place: [UInt8] {
            switch self {
            case .data: Array("data/Containers/Data/Application".utf8)
            case .bundle: Array("data/Containers/Bundle/Application".utf8)
            case .group: Array("data/Containers/Shared/AppGroup".utf8)
            }
        }

        /// What stands before the word for one.
        var article: String { self == .group ? "an" : "a" }

        /// What messages call one: `data container`.
        func words(_ count: Int) -> String {
            switch self {
            case .data: count == 1 ? "data container" : "data containers"
            case .bundle: count == 1 ? "bundle" : "bundles"
            case .group: count == 1 ? "app group" : "app groups"
            }
        }
    }

    /// The simulator that has it.
    public let simulator: Simulator
    /// What it is for.
    public let kind: Kind
    /// The bundle identifier, or a group's identifier.
    public let identifier: String
    /// The app's name; nil where it is not known, as of a group.
    public internal(set) var name: String?
    /// The UUID of this installation: the name of the container's directory.
    public let uuid: String
    /// Where it is, from the root of the file system; of a bundle the `NAME.app`.
    public let path: HostPath

    /// Whether a group goes by an app's bundle identifier: that stands in the group's between dots, as in
    /// `group.com.example.gifs` and `TEAM.com.example.gifs.shared`.
    ///
    /// Which groups an app really has stands in its signature, and any name may be in there.
    func goesBy(_ bundleIdentifier: String) -> Bool {
        ".\(identifier).".contains(".\(bundleIdentifier).")
    }
}
