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
