/// What an overlay's record says of a path before or after: only what is said is compared, and only that is changed.
public struct FileState: Hashable, Sendable {
    /// A file's bytes.
    public struct Content: Hashable, Sendable {
        /// In bytes.
        public var size: UInt64
        /// SHA-256 of all of it.
        public var digest: ContentDigest
        /// How it is put together of the other state's bytes and of carried ones; nil if it is carried whole, or not at all.
        public var recipe: ContentRecipe?

        /// A content by its digest.
        public init(size: UInt64, digest: ContentDigest, recipe: ContentRecipe? = nil) {
            self.size = size
            self.digest = digest
            self.recipe = recipe
        }
    }

    /// A file, directory or link; never an identity.
    public var kind: EntryKind
    /// nil where it is not said, as of links.
    public var mode: FileMode?
    /// When it last changed; given to what is made, and never compared.
    public var modified: Timestamp?
    /// By name bytes, each name once; nil where it is not said.
    public var attributes: [ExtendedAttribute]?
    /// A link's target; empty for all else.
    public var target: [UInt8]
    /// A file's; nil where it is not said, and for all else.
    public var content: Content?

    /// A state of these parts.
    public init(
        kind: EntryKind, mode: FileMode? = nil, modified: Timestamp? = nil, attributes: [ExtendedAttribute]? = nil,
        target: [UInt8] = [], content: Content? = nil
    ) {
        self.kind = kind
        self.mode = mode
        self.modified = modified
        self.attributes = attributes
        self.target = target
        self.content = content
    }

    /// Whether an entry, whose digest and attributes are known, is as this says.
    public func isMet(by entry: TreeEntry) -> Bool {
        guard entry.kind == kind, entry.target == target else { return false }
        // Bits that never come back are no difference.
        if let mode, kind != .link, entry.mode.restorable(for: kind) != mode.restorable(for: kind) { return false }
        if let attributes, entry.attributes != attributes { return false }
        if let content, entry.size != content.size || entry.digest != content.digest { return false }
        return true
    }

    /// Whether two states say the same, whatever the times and the recipes.
    public func isSame(as other: FileState) -> Bool {
        kind == other.kind && mode == other.mode && attributes == other.attributes && target == other.target
            && content?.size == other.content?.size && content?.digest == other.content?.digest
    }
}
