/// A file, directory or symbolic link in a tree.
package struct TreeEntry: Hashable, Sendable {
    /// The maximum length of a link target in a capsule, in bytes (docs/format.md, section 13).
    package static let maximumTargetLength = 4_096

    /// The path of the entry. Entries of groups have full paths, `AppGroups/ID/…`.
    package var path: RelativePath
    package var root: TreeRoot
    package var kind: EntryKind
    /// The mode of the entry, which is 0777 for links.
    package var mode: FileMode
    package var modified: Timestamp
    /// The length of a file in bytes, or 0 for other entries.
    package var size: UInt64
    /// The SHA-256 digest of a file, or zero for other entries.
    package var digest: ContentDigest
    package var target: [UInt8]
    /// The extended attributes, sorted by the bytes of their names. No name occurs twice.
    package var attributes: [ExtendedAttribute]
    /// The facts that the entry's source does not have, or that could not be read.
    package var unknown: Unknown = []

    /// Facts of an entry that are not known. The entry holds a usual value in their place.
    package struct Unknown: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Some zip files have no modes.
        package static let mode = Unknown(rawValue: 1)
        package static let attributes = Unknown(rawValue: 2)
        /// The content of a file that could not be read.
        package static let content = Unknown(rawValue: 4)
    }

    /// Creates an entry from its parts, without checks. `TreeShape` checks that entries form a tree.
    package init(
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

    /// Returns true if the first entry precedes the second one in the index: by root, then by the bytes of the path, a prefix first.
    package static func isOrdered(_ lhs: TreeEntry, before rhs: TreeEntry) -> Bool {
        lhs.root != rhs.root ? lhs.root < rhs.root : lhs.path < rhs.path
    }

    /// True if tree digest, diff and restore include the entry.
    package var isCompared: Bool { root != .wrapper && root != .carried && kind != .identity }
}

/// The kind of an entry. The raw value is stored in the index.
package enum EntryKind: UInt8, Hashable, Sendable {
    case directory = 0
    case file = 1
    case link = 2
    /// The container manager's metadata property list. It is stored and unpacked as a file, but never compared, restored or digested.
    case identity = 3

    package var hasContent: Bool { self == .file || self == .identity }

    package var word: String {
        switch self {
        case .directory: "directory"
        case .file: "file"
        case .link: "link"
        case .identity: "identity"
        }
    }
}

/// The part of a version that an entry belongs to. The raw value is stored in the index.
package struct TreeRoot: RawRepresentable, Hashable, Comparable, Sendable {
    /// 0 for the tree, 1 for the wrapper, 2 to 254 for groups, and 255 for contents that an overlay carries beside its tree.
    package let rawValue: UInt8

    /// Creates a root from any number. `TreeShape` finds the numbers of groups that don't exist.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The app's data, which digests, diffs and restores cover.
    package static let tree = TreeRoot(rawValue: 0)
    /// The wrapper that a bundle adds around the data: its own directory, `AppData`, `AppDataInfo.plist` and `AppGroups`.
    package static let wrapper = TreeRoot(rawValue: 1)

    /// The contents in an overlay capsule that are not files of its tree, each named by the digits of its digest
    /// (docs/format.md, section 15).
    package static let carried = TreeRoot(rawValue: 255)

    package static let maximumGroups = 253

    package static func group(_ number: Int) -> TreeRoot? {
        guard number >= 0, number < maximumGroups else { return nil }
        return TreeRoot(rawValue: UInt8(number + 2))
    }

    package var groupNumber: Int? { rawValue >= 2 && self != .carried ? Int(rawValue) - 2 : nil }
    /// Compares roots in the order of the index: tree, wrapper, groups, carried contents.
    package static func < (lhs: TreeRoot, rhs: TreeRoot) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// Permission bits with setuid, setgid and sticky: `07777`.
package struct FileMode: Hashable, Sendable {
    package let rawValue: UInt16

    package init(_ bits: some BinaryInteger) {
        rawValue = UInt16(truncatingIfNeeded: bits) & 0o7777
    }

    /// The mode of every link, whatever the file system reports.
    package static let link = FileMode(0o777)

    package var octal: String {
        let digits = String(rawValue, radix: 8)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }

    /// Returns the mode that unpacking sets: the bits 0777, and the sticky bit for directories.
    package func restorable(for kind: EntryKind) -> FileMode {
        FileMode(rawValue & (kind == .directory ? 0o1777 : 0o777))
    }
}

/// A named value that a file system stores with an entry.
package struct ExtendedAttribute: Hashable, Sendable {
    /// The maximum length of a value in a capsule, in bytes (docs/format.md, section 13).
    package static let maximumValueLength = 65_536
    /// The maximum length of all names and values of one entry together, in bytes. Even 2,048 such entries fit into an index block.
    package static let maximumTotalLength = 96 << 10

    /// The name as Apple systems spell it: `com.apple.…`, even if it was read from Linux's `user.com.apple.…`.
    package let name: [UInt8]
    package let value: [UInt8]

    package init(name: [UInt8], value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// Returns true if attributes with this name, in Apple's or Linux's spelling, are never kept and never set. These are the
    /// ones that the system sets by itself, that mean nothing elsewhere, or that give rights or hide files when root sets them.
    package static func isDenied(_ name: [UInt8]) -> Bool {
        let name = portableName(fromLinux: name)
        return deniedNames.contains(name) || deniedPrefixes.contains { name.starts(with: $0) }
    }

    /// Returns true if a capsule, an overlay or a journal may contain an attribute with this name: it is not denied, and it has
    /// the portable spelling.
    package static func isStorable(_ name: [UInt8]) -> Bool {
        !isDenied(name) && !name.starts(with: linuxApplePrefix)
    }

    package static func portableName(fromLinux name: [UInt8]) -> [UInt8] {
        name.starts(with: linuxApplePrefix) ? Array(name.dropFirst(linuxUserPrefix.count)) : name
    }

    package static func linuxName(fromPortable name: [UInt8]) -> [UInt8] {
        name.starts(with: applePrefix) ? linuxUserPrefix + name : name
    }

    private static let applePrefix = Array("com.apple.".utf8)
    private static let linuxUserPrefix = Array("user.".utf8)
    private static let linuxApplePrefix = Array("user.com.apple.".utf8)
    private static let deniedNames: Set<[UInt8]> = [
        Array("com.apple.provenance".utf8), Array("com.apple.quarantine".utf8), Array("com.apple.lastuseddate#PS".utf8),
        Array("com.apple.macl".utf8),
    ]
    private static let deniedPrefixes = ["security.", "system.", "trusted."].map { Array($0.utf8) }
}

extension [TreeEntry] {
    /// The sum of the sizes of all entries, in bytes. It is the largest number if the sum overflows, so that an index can't
    /// present a huge sum as a small one.
    package var totalSize: UInt64 {
        var total: UInt64 = 0
        for entry in self {
            let (sum, overflow) = total.addingReportingOverflow(entry.size)
            if overflow { return .max }
            total = sum
        }
        return total
    }
}
