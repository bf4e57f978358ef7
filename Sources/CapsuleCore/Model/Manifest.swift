public import CapsulePropertyList

/// The description of one version of a capsule (docs/format.md, section 6).
public struct Manifest: Hashable, Sendable {
    /// The maximum length of a manifest, in bytes (docs/format.md, section 13).
    public static let maximumLength = 64 << 20
    /// The version of the format that this code writes.
    public static let formatVersion: Int64 = 1

    /// The number of the version, counted from 1.
    public var version: UInt32
    /// The container's name, which precedes `.xcappdata` in the paths of the tar stream.
    public var name: [UInt8]
    /// The label that the user gave to the version.
    public var label: VersionLabel?
    /// The note that the user wrote about the version.
    public var note: PlistString?
    /// The time at which the version was packed.
    public var captured: Timestamp
    /// The source of the version.
    public var source: SourceDescription
    /// The layout of the version, which determines the meaning of its paths.
    public var layout: ContainerLayout
    /// The identifiers of the app groups, sorted by bytes. The identifier at index `n` belongs to the root
    /// ``TreeRoot/group(_:)`` of `n`.
    public var groups: [[UInt8]]
    /// The digest of all entries of the tree and the groups, without their times (docs/format.md, section 9).
    public var treeDigest: ContentDigest
    /// The digest of the same entries without their times, modes and attributes.
    public var contentDigest: ContentDigest
    /// The digest of the index root.
    public var indexDigest: ContentDigest
    /// The number of entries in the index.
    public var entries: UInt64
    /// The sum of the sizes of all files, in bytes.
    public var bytes: UInt64
    /// The entries, or parts of entries, that were left out or flattened.
    public var omitted: [Omission]
    /// The overlays that belong to the version, in order, each as a document that ``Overlay`` reads.
    public var overlays: [PlistValue]
    /// The document of an overlay capsule, which ``Overlay`` reads, or nil for any other capsule.
    public var overlay: PlistValue?
    /// The keys that this code does not know or does not interpret, kept unchanged.
    public var other: PlistDictionary

    /// Creates a manifest from its parts, without checks.
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

/// The source of a version, without anything private: no host, no user and no path.
public struct SourceDescription: Hashable, Sendable {
    /// The form of the container.
    public var kind: ContainerKind
    /// The form of the archive that the container was in, such as `tar.gz`, or nil if it was not in one.
    public var archive: PlistString?
    /// The bundle identifier of the app, if it is known.
    public var bundleIdentifier: PlistString?

    /// Creates a description from its parts, without checks.
    public init(kind: ContainerKind, archive: PlistString? = nil, bundleIdentifier: PlistString? = nil) {
        self.kind = kind
        self.archive = archive
        self.bundleIdentifier = bundleIdentifier
    }
}

/// The form of a container.
public struct ContainerKind: RawRepresentable, Hashable, Sendable {
    /// The word in the manifest. A later format may use words that this code does not know.
    public let rawValue: String

    /// Creates a form from any word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A bundle that Xcode downloads: `NAME.xcappdata` with `AppData` inside.
    public static let bundle = ContainerKind(rawValue: "bundle")
    /// A bare directory of app data.
    public static let container = ContainerKind(rawValue: "container")
    /// A bare directory that Device Hub downloads, named after the bundle identifier.
    public static let deviceHub = ContainerKind(rawValue: "device-hub")
    /// A simulator's data container, named by a UUID.
    public static let simulator = ContainerKind(rawValue: "simulator")
    /// The `Data` directory of a sandboxed Mac app.
    public static let macData = ContainerKind(rawValue: "mac-data")
    /// Any other directory.
    public static let directory = ContainerKind(rawValue: "directory")
}

/// The meaning of a version's paths.
public enum ContainerLayout: String, Hashable, Sendable {
    /// An app's data with `Documents/…`, `Library/…` and so on, stored as a bundle.
    case container
    /// Any other directory, stored under its own name.
    case directory
}

/// An entry, or a part of one, that a version does not hold as its source had it.
public struct Omission: Hashable, Sendable {
    /// The path of the entry, which is empty for the top directory, or the original name if a tree cannot hold it.
    public let path: [UInt8]
    /// The path as it is shown to people, which is `.` for the top directory.
    public var shownPath: [UInt8] { path.isEmpty ? Array(".".utf8) : path }
    /// The reason in a few words, such as `socket` or `excluded by *.tmp`.
    public let reason: String

    /// Creates an omission.
    ///
    /// - Parameters:
    ///   - path: the path of the entry that was left out.
    ///   - reason: the reason. It may contain names. Control characters are spelled as `\u{1b}`, because XML cannot hold them.
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
