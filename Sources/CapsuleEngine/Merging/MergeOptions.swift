public import CapsuleCore

/// How to merge.
public struct MergeOptions: Sendable {
    /// What was decided before.
    public var resolutions: ConflictsDocument?
    /// The sides that are preferred; the last one that fits decides.
    public var preferences: [MergePreference] = []
    /// Whether the result is written with conflicts open, ours in the place of each.
    public var isPartial = false
    /// Whether texts get blocks of marks where conflicts are open.
    public var hasMarks = false
    /// Where all conflicts are written before the result is; nil for nowhere.
    public var conflictsFile: HostPath?
    /// How elements of arrays pair, before the built-in rules.
    public var arrays: [ArrayIdentities.Rule] = []
    /// What the result, and the file of conflicts, may take the place of.
    public var replaces = Replacement.nothing
    /// Whether what was read of live containers is kept in the user's cache.
    public var usesCache = true
    /// How many threads work.
    public var jobs = 1
    /// The moment that the manifest has.
    public let captured: Timestamp

    /// Writes only what has no open conflict, by one thread, unless changed.
    public init(captured: Timestamp) { self.captured = captured }
}
