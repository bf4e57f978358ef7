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

/// Where a version came from, as far as that may be told: no host, no user, no path.
public struct SourceDescription: Hashable, Sendable {
    /// What form the container had.
    public var kind: ContainerKind
    /// The archive's form if it came out of one, as in `tar.gz`.
    public var archive: PlistString?
    /// The app's, where it is known.
    public var bundleIdentifier: PlistString?

    /// Takes all parts as they are.
    public init(kind: ContainerKind, archive: PlistString? = nil, bundleIdentifier: PlistString? = nil) {
        self.kind = kind
        self.archive = archive
        self.bundleIdentifier = bundleIdentifier
    }
}

/// The forms a container is found in.
public struct ContainerKind: RawRepresentable, Hashable, Sendable {
    /// As in the manifest; a later format may bring words that this code does not know.
    public let rawValue: String

    /// Takes any word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// What Xcode downloads: `NAME.xcappdata` with `AppData` inside.
    public static let bundle = ContainerKind(rawValue: "bundle")
    /// The bare app data.
    public static let container = ContainerKind(rawValue: "container")
    /// The bare directory that Device Hub downloads, named after the bundle identifier.
    public static let deviceHub = ContainerKind(rawValue: "device-hub")
    /// A simulator's data container, named by a UUID.
    public static let simulator = ContainerKind(rawValue: "simulator")
    /// A sandboxed Mac app's `Data`.
    public static let macData = ContainerKind(rawValue: "mac-data")
    /// Anything else.
    public static let directory = ContainerKind(rawValue: "directory")
}

/// How a version's paths are meant.
public enum ContainerLayout: String, Hashable, Sendable {
    /// App data: `Documents/…`, `Library/…`, stored as a bundle.
    case container
    /// Any other directory, stored under its own name.
    case directory
}

/// Something that a version does not hold as its source had it.
public struct Omission: Hashable, Sendable {
    /// The path of the entry, empty for the top directory; or the name as it came where no tree can hold it.
    public let path: [UInt8]
    /// The path for people to read.
    public var shownPath: [UInt8] { path.isEmpty ? Array(".".utf8) : path }
    /// Why, in a few words: `socket`, `excluded by *.tmp`, …
    public let reason: String

    /// - Parameters:
    ///   - path: of what was left out.
    ///   - reason: it may speak of names; a control character in one is spelled `\u{1b}`, since no XML holds it.
    public init(path: [UInt8], reason: String) {
        self.path = path
        self.reason = reason.unicodeScalars.allSatisfy(Self.isPlain) ? reason : Self.escaped(reason)
    }

    private static func escaped(_ reason: String) -> String {
        reason.unicodeScalars.map { isPlain($0) ? String($0) : "\\u{\(String($0.value, radix: 16))}" }.joined()
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && scalar.value & 0xFFFE != 0xFFFE
    }
}
