public import CapsulePropertyList

/// All that differs between two containers.
public struct ContainerDiff: Hashable, Sendable {
    /// One of the two.
    public struct Side: Hashable, Sendable {
        /// As the user named it.
        public var source: [UInt8]
        /// The tree's digest, where it is known.
        public var tree: ContentDigest?
        /// What is known of the container itself, for reports that say it; nil where none was asked for.
        public var origin: SideOrigin?

        /// A side by its name.
        public init(source: [UInt8], tree: ContentDigest? = nil, origin: SideOrigin? = nil) {
            self.source = source
            self.tree = tree
            self.origin = origin
        }
    }

    /// The one that is compared with: what was there before.
    public var old: Side
    /// The one that is compared: what is there now.
    public var new: Side
    /// By the bytes of their paths, noise among them.
    public var entries: [EntryChange]
    /// What there is to know of the comparison besides, for people.
    public var notes: [String] = []
    /// The identifiers of app groups that one side has and that were not compared, since it is not known where the other has them.
    public var passedOverGroups: [[UInt8]] = []
    /// Modes and attributes that were not compared, by path: the format of one side can't store them.
    public var metadataGaps: [MetadataGap] = []
    /// Whether all was looked at and is told; ``isExact`` says whether all was looked at.
    public var isComplete: Bool
    /// The clauses of the expectation that the comparison was made for that no change can match, in their order.
    public var unmatchable: [UnmatchableClause] = []
    /// The user's noise rules that decide about none of the changes, in their order.
    public var unusedRules: [UnusedRule] = []
    /// The expectation of exactly these changes, as a document, where the comparison was asked for one.
    public var described: PlistValue?

    /// A comparison's result.
    public init(old: Side, new: Side, entries: [EntryChange], isComplete: Bool = true) {
        self.old = old
        self.new = new
        self.entries = entries
        self.isComplete = isComplete
    }
}
