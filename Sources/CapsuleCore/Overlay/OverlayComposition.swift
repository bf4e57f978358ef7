/// What two overlays do one after the other, as one, and the contents that have to be put together for it.
public struct OverlayComposition: Hashable, Sendable {
    /// A content that neither overlay carries as the records need it.
    public struct Content: Hashable, Sendable {
        /// The record's.
        public let path: RelativePath
        /// Whether it is the record's new content; else its old one.
        public let isNew: Bool
        /// What it is put together of. Whole if nothing is copied; else the record has the recipe, without the digest of what is
        /// carried.
        public let content: ComposedContent
    }

    /// In it the recipes of ``contents`` carry ``ContentDigest/zero``.
    public var overlay: Overlay
    /// In no order that means anything.
    public var contents: [Content]
}
