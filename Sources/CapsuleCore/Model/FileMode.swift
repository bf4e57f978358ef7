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
