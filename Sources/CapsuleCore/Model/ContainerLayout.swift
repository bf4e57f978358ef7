/// How a version's paths are meant.
public enum ContainerLayout: String, Hashable, Sendable {
    /// App data: `Documents/…`, `Library/…`, stored as a bundle.
    case container
    /// Any other directory, stored under its own name.
    case directory
}
