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
