import CapsuleCore

/// What an unfinished transaction came to.
struct Recovery: Sendable {
    enum Outcome: Sendable {
        /// The tree is the old one.
        case rolledBack
        /// The tree is the new one.
        case finished
        /// The tree was the new one already; only leavings were deleted.
        case cleared
    }

    /// The directory in which it was.
    let path: HostPath
    let outcome: Outcome
}
