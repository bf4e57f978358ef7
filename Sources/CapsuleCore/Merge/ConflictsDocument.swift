/// A file of conflicts: what a merge could not decide, or was told to, and what is to become of it (docs/merge.md,
/// section 3).
///
/// Values in it are what they are: a file in JSON spells them in the typed form (`JSONPlistOptions.typed`). XML can't hold
/// null and fractions of seconds.
public struct ConflictsDocument: Hashable, Sendable {
    /// One of the three that were merged.
    public struct Input: Hashable, Sendable {
        /// Where it was read from, as raw bytes.
        public var source: [UInt8]
        /// What tells whether it still is the same.
        public var digest: String

        /// An input of these two.
        public init(source: [UInt8], digest: String) {
            self.source = source
            self.digest = digest
        }
    }

    /// What both sides came from.
    public var base: Input
    /// What is merged into.
    public var ours: Input
    /// What is merged.
    public var theirs: Input
    /// In the order of their numbers.
    public var conflicts: [Conflict]

    /// The conflicts of a merge.
    public init(base: Input, ours: Input, theirs: Input, conflicts: [Conflict]) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.conflicts = conflicts
    }

    /// What was decided, by the numbers of the conflicts; those that are open are missing.
    public var resolutions: [String: Resolution] {
        var resolutions: [String: Resolution] = [:]
        for conflict in conflicts { resolutions[conflict.id] = conflict.resolution }
        return resolutions
    }
}
