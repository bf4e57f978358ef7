public import CapsuleCore

/// How to unpack.
public struct UnpackOptions: Sendable {
    /// What the result is.
    public enum Form: Sendable {
        /// The whole bundle, `NAME.xcappdata`.
        case bundle
        /// What is in AppData, with the identity plist, without groups.
        case container
        /// The tree alone, groups as `AppGroups/ID`.
        case directory
    }

    /// Where the result goes.
    public enum Destination: Sendable {
        /// Under its own name in a directory, which is made if it is missing.
        case into(HostPath)
        /// Under this very name.
        case named(HostPath)
    }

    /// nil is the layout's own form.
    public var form: Form?
    /// The parts to unpack, with their directories; none means all.
    public var paths: [[UInt8]] = []
    /// Whether databases come out with what is in their logs folded in, and without the logs.
    public var foldsLogs = false
    /// What the result may take the place of, as a whole.
    public var replaces = Replacement.nothing
    /// How the version's overlays are applied; nil to leave them out, with a note.
    public var overlays: OverlayApplication?
    /// How many threads work.
    public var jobs = 1

    /// Takes the layout's own form, by one thread, unless changed.
    public init() {}

    /// The same for a container of which only the parts are left.
    var withoutPaths: UnpackOptions {
        var options = self
        options.paths = []
        return options
    }
}
