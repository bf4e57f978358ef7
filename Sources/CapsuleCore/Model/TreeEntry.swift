/// A file, directory or link of a tree.
public struct TreeEntry: Hashable, Sendable {
    /// The longest link target a capsule holds, in bytes (docs/format.md, section 13).
    public static let maximumTargetLength = 4_096

    /// Where it is; group entries carry whole paths, `AppGroups/ID/…`.
    public var path: RelativePath
    /// Which part of the version it belongs to.
    public var root: TreeRoot
    /// What it is.
    public var kind: EntryKind
    /// 0777 for links.
    public var mode: FileMode
    /// When its content last changed.
    public var modified: Timestamp
    /// A file's length in bytes; 0 for all else.
    public var size: UInt64
    /// A file's SHA-256; zero for all else.
    public var digest: ContentDigest
    /// A link's target; empty for all else.
    public var target: [UInt8]
    /// Extended attributes by name bytes, each name once.
    public var attributes: [ExtendedAttribute]

    /// Takes all parts as they are: whether they make up a tree is `TreeShape`'s to say.
    public init(
        path: RelativePath, root: TreeRoot = .tree, kind: EntryKind, mode: FileMode, modified: Timestamp, size: UInt64 = 0,
        digest: ContentDigest = .zero, target: [UInt8] = [], attributes: [ExtendedAttribute] = []
    ) {
        self.path = path
        self.root = root
        self.kind = kind
        self.mode = mode
        self.modified = modified
        self.size = size
        self.digest = digest
        self.target = target
        self.attributes = attributes
    }

    /// The order of the index: root, then path bytes, the shorter first.
    public static func isOrdered(_ lhs: TreeEntry, before rhs: TreeEntry) -> Bool {
        lhs.root != rhs.root ? lhs.root < rhs.root : lhs.path < rhs.path
    }

    /// Whether tree digest, diff and restore speak of it.
    public var isCompared: Bool { root != .wrapper && root != .carried && kind != .identity }
}
