/// A tree as it is compared: its entries, and what is not known of them.
public struct TreeSide: Sendable {
    /// In the order of the index, with digests.
    public var entries: [TreeEntry]
    /// The app groups' identifiers, by bytes: the n-th is ``TreeRoot/group(_:)`` n.
    public var groups: [[UInt8]]
    /// Those of the groups that are not compared.
    public var passedOver: Set<[UInt8]> = []
    /// The places of entries whose modes are not known: some zip files have none.
    public var withoutModes: Set<Int>
    /// Whether extended attributes could have come with the entries.
    public var hasAttributes: Bool
    /// The places of files whose content could not be read: they differ from whatever the other side has.
    public var unread: Set<Int>

    /// A tree that all is known of, unless told otherwise.
    public init(
        _ entries: [TreeEntry], groups: [[UInt8]] = [], withoutModes: Set<Int> = [], hasAttributes: Bool = true,
        unread: Set<Int> = []
    ) {
        self.entries = entries
        self.groups = groups
        self.withoutModes = withoutModes
        self.hasAttributes = hasAttributes
        self.unread = unread
    }
}
