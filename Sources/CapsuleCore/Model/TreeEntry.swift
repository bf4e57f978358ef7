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

/// What an entry of a tree is; the raw value is the one in the index.
public enum EntryKind: UInt8, Hashable, Sendable {
    /// A directory.
    case directory = 0
    /// A regular file.
    case file = 1
    /// A symbolic link, which is never followed.
    case link = 2
    /// The container manager's metadata plist: stored and unpacked as a file, never compared, restored or digested.
    case identity = 3

    /// Whether the entry has bytes of its own.
    public var hasContent: Bool { self == .file || self == .identity }

    /// The word for it in listings.
    public var word: String {
        switch self {
        case .directory: "directory"
        case .file: "file"
        case .link: "link"
        case .identity: "identity"
        }
    }
}

/// Which part of a version an entry belongs to; the raw value is the one in the index.
public struct TreeRoot: RawRepresentable, Hashable, Comparable, Sendable {
    /// 0 tree, 1 wrapper, 2 to 254 groups, 255 what an overlay carries beside its tree.
    public let rawValue: UInt8

    /// Takes any number; groups that are none are found by `TreeShape`.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The app's data: what digests, diffs and restores speak of.
    public static let tree = TreeRoot(rawValue: 0)
    /// What a bundle adds around it: its own directory, `AppData`, `AppDataInfo.plist`, `AppGroups`.
    public static let wrapper = TreeRoot(rawValue: 1)

    /// In an overlay capsule: contents that are no files of its tree, each named by the digits of its digest
    /// (docs/format.md, section 15).
    public static let carried = TreeRoot(rawValue: 255)

    /// How many app groups a version can hold.
    public static let maximumGroups = 253

    /// The app group with that place among the version's groups.
    ///
    /// - Returns: nil from ``maximumGroups`` on.
    public static func group(_ number: Int) -> TreeRoot? {
        guard number >= 0, number < maximumGroups else { return nil }
        return TreeRoot(rawValue: UInt8(number + 2))
    }

    /// The group's place among the version's groups; nil for all else.
    public var groupNumber: Int? { rawValue >= 2 && self != .carried ? Int(rawValue) - 2 : nil }

    /// The order of the index: tree, wrapper, groups, carried contents.
    public static func < (lhs: TreeRoot, rhs: TreeRoot) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// Permission bits, with setuid, setgid and sticky: `07777`.
public struct FileMode: Hashable, Sendable {
    /// The twelve bits of chmod(2).
    public let rawValue: UInt16

    /// Keeps the low twelve bits.
    public init(_ bits: some BinaryInteger) {
        rawValue = UInt16(truncatingIfNeeded: bits) & 0o7777
    }

    /// What a link has, whatever the file system says.
    public static let link = FileMode(0o777)

    /// Four octal digits, as in `0644`.
    public var octal: String {
        let digits = String(rawValue, radix: 8)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }

    /// What unpack gives back: the 0777 bits, and the sticky bit on directories.
    public func restorable(for kind: EntryKind) -> FileMode {
        FileMode(rawValue & (kind == .directory ? 0o1777 : 0o777))
    }
}

/// A named value that a file system keeps beside an entry.
public struct ExtendedAttribute: Hashable, Sendable {
    /// The longest value a capsule holds, in bytes (docs/format.md, section 13).
    public static let maximumValueLength = 65_536
    /// The longest names and values of one entry together, in bytes: 2,048 such entries still fit into a block of an index.
    public static let maximumTotalLength = 96 << 10

    /// The name as Apple systems spell it: `com.apple.…`, also when read from Linux's `user.com.apple.…`.
    public let name: [UInt8]
    /// Any bytes.
    public let value: [UInt8]

    /// Takes a name and a value as they are; no limit is asked for.
    public init(name: [UInt8], value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// Whether attributes of that name, however it is spelled, are never kept and never set: what the system sets by itself, what
    /// means nothing elsewhere, and what gives rights or hides files when root sets it.
    public static func isDenied(_ name: [UInt8]) -> Bool {
        let name = portableName(fromLinux: name)
        return deniedNames.contains(name) || deniedPrefixes.contains { name.starts(with: $0) }
    }

    /// Whether a capsule, an overlay or a journal may have an attribute of that name: one that is kept, in its one spelling.
    public static func isStorable(_ name: [UInt8]) -> Bool {
        !isDenied(name) && !name.starts(with: linuxApplePrefix)
    }

    /// The name in a capsule of an attribute that Linux calls `name`.
    public static func portableName(fromLinux name: [UInt8]) -> [UInt8] {
        name.starts(with: linuxApplePrefix) ? Array(name.dropFirst(linuxUserPrefix.count)) : name
    }

    /// What Linux calls the attribute that a capsule calls `name`.
    public static func linuxName(fromPortable name: [UInt8]) -> [UInt8] {
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

extension RandomAccessCollection where Element == TreeEntry, Index == Int {
    /// Where the entry with a path is; nil if there is none. The entries are in the order of the index.
    public func place(of path: RelativePath, in root: TreeRoot) -> Int? {
        let place = firstPlace(notBefore: path, in: root)
        return place < endIndex && self[place].root == root && self[place].path == path ? place : nil
    }

    /// Where the first entry is that does not come before a path; the end if all do.
    package func firstPlace(notBefore path: RelativePath, in root: TreeRoot) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = (low + high) / 2
            let isBefore = self[middle].root != root ? self[middle].root < root : self[middle].path < path
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Sequence<TreeEntry> {
    /// The sizes of all together, in bytes; the largest number for a sum beyond it, which no index may pass off as a small one.
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
