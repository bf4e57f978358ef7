public import CapsuleCore

/// What a repair found and did.
public struct RepairOutcome: Sendable {
    /// What stood behind the last whole version.
    public enum Tail: String, Sendable {
        /// Nothing.
        case whole
        /// What an interrupted append leaves.
        case torn
        /// Anything else.
        case damaged
    }

    /// What stood behind the last whole version.
    public let tail: Tail
    /// Where the last whole version ends: the length of the file.
    public let offset: UInt64
    /// The numbers of the versions that are there, newest first.
    public let versions: [UInt32]
    /// How many bytes were cut off.
    public internal(set) var dropped: UInt64 = 0
    /// Where they are now; nil for a torn tail, which never was whole.
    public internal(set) var saved: HostPath?
    /// The manifests that could be read in a damaged tail, oldest first.
    public internal(set) var lost: [Manifest] = []

    /// What is wrong with the versions that are there: no cut mends it.
    public internal(set) var remaining = Verifier.Outcome()

    init(tail: Tail, offset: UInt64, versions: [UInt32]) {
        self.tail = tail
        self.offset = offset
        self.versions = versions
    }
}
