public import CapsuleCore

/// A database that was packed as it is, with its logs, though these were to be folded into it.
public struct UnfoldedDatabase: Hashable, Sendable {
    /// Its tree path.
    public let path: RelativePath
    /// Why, in a few words.
    public let reason: String
}
