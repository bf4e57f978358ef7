public import CapsuleCore

/// What an unfinished transaction came to.
public struct Recovery: Sendable {
    public enum Outcome: Sendable {
        /// The tree is the old one.
        case rolledBack
        /// The tree is the new one.
        case finished
        /// The tree was the new one already; only leavings were deleted.
        case cleared
    }

    /// The directory in which it was.
    public let path: HostPath
    public let outcome: Outcome
}
