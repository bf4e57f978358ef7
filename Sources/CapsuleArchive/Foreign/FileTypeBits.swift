import CapsuleFileSystem

/// What the upper bits of a Unix mode say an entry is (inode(7)).
enum FileTypeBits: Equatable {
    case directory, file, link
    case special(FileStatus.Kind)
    /// Nothing known.
    case none

    init(_ mode: some BinaryInteger) {
        switch UInt32(truncatingIfNeeded: mode) & 0o170000 {
        case 0o040000: self = .directory
        case 0o100000: self = .file
        case 0o120000: self = .link
        case 0o010000: self = .special(.pipe)
        case 0o140000: self = .special(.socket)
        case 0o020000, 0o060000: self = .special(.device)
        default: self = .none
        }
    }
}
