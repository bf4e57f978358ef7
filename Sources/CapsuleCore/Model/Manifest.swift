public import CapsulePropertyList

/// What a capsule says about one of its versions (docs/format.md, section 6).
public struct Manifest: Hashable, Sendable {
    /// The longest manifest, in bytes (docs/format.md, section 13).
    public static let maximumLength = 64 << 20
    /// The format that this code writes.
    public static let formatVersion: Int64 = 1

    /// 1, 2, …
    public var version: UInt32
    /// The container's name: what stands before `.xcappdata` in the stream's paths.
    public var name: [UInt8]
    /// The user's name for the version.
    public var label: VersionLabel?
    /// The user's words about it.
    public var note: PlistString?
    /// When it was packed.
    public var captured: Timestamp
    /// Where it came from.
    public var source: SourceDescription
    /// What its paths mean.
    public var layout: ContainerLayout
    /// The app groups' identifiers, by bytes: the n-th is ``TreeRoot/group(_:)`` n.
    public var groups: [[UInt8]]
    /// Of all entries of tree and groups, without times (docs/format.md, section 9).
    public var treeDigest: ContentDigest
    /// The same without modes and attributes.
    public var contentDigest: ContentDigest
    /// Of the index root.
    public var indexDigest: ContentDigest
    /// How many entries the index has.
    public var entries: UInt64
    /// The sum of the sizes of all files.
    public var bytes: UInt64
    /// Everything left out or flattened.
    public var omitted: [Omission]
    /// Overlays that belong to the version, in order, each a document as ``Overlay`` reads it.
    public var overlays: [PlistValue]
    /// The document of an overlay capsule, as ``Overlay`` reads it; nil for any other capsule.
    public var overlay: PlistValue?
    /// Keys that this code does not know or does not interpret, kept as they are.
    public var other: PlistDictionary

    /// Takes all parts as they are.
    public init(
        version: UInt32, name: [UInt8], label: VersionLabel? = nil, note: PlistString? = nil, captured: Timestamp,
        source: SourceDescription, layout: ContainerLayout, groups: [[UInt8]] = [], treeDigest: ContentDigest,
        contentDigest: ContentDigest, indexDigest: ContentDigest, entries: UInt64, bytes: UInt64, omitted: [Omission] = [],
        overlays: [PlistValue] = [], overlay: PlistValue? = nil, other: PlistDictionary = PlistDictionary()
    ) {
        self.version = version
        self.name = name
        self.label = label
        self.note = note
        self.captured = captured
        self.source = source
        self.layout = layout
        self.groups = groups
        self.treeDigest = treeDigest
        self.contentDigest = contentDigest
        self.indexDigest = indexDigest
        self.entries = entries
        self.bytes = bytes
        self.omitted = omitted
        self.overlays = overlays
        self.overlay = overlay
        self.other = other
    }
}
