/// What differs between two trees by their entries' facts alone: no content is looked into (docs/diff.md, section 1).
public struct TreeDiff: Sendable {
    /// An entry of one tree, or one of each that belong together.
    public struct Item: Hashable, Sendable {
        /// Its place among the older tree's entries; nil for what was added.
        public let old: Int?
        /// Its place among the newer tree's entries; nil for what was deleted.
        public let new: Int?
        /// What became of it.
        public let kind: EntryChange.Kind
        /// Whether both are files, and their bytes differ.
        public let hasOtherContent: Bool
        /// What differs beside the content.
        public let metadata: [MetadataChange]
    }

    /// What is compared.
    public struct Options: Hashable, Sendable {
        /// Whether another time of the last change is a change.
        public var times = false
        /// Whether files that moved are recognised by their content.
        public var renames = true

        /// Without times.
        public init() {}
    }

    /// By the bytes of the newer path, or of the older where there is no newer.
    public let items: [Item]
    /// What is not compared of entries that both trees have, by the newer path.
    public let gaps: [MetadataGap]

    /// Compares two trees. Wrappers and identities are passed over.
    public init(_ old: TreeSide, _ new: TreeSide, _ options: Options = Options()) {
        var comparison = TreeComparison(old, new, options)
        items = comparison.run()
        gaps = comparison.gaps.sorted { $0.path < $1.path }
    }
}
