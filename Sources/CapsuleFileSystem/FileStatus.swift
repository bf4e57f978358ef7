import CSystem
package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What stat(2) tells of an entry, as far as Capsule asks.
package struct FileStatus: Hashable, Sendable {
    /// What a directory can hold.
    package enum Kind: Hashable, Sendable {
        case directory, file, link, socket, pipe, device
    }

    package let kind: Kind
    package let mode: FileMode
    package let size: UInt64
    package let modified: Timestamp
    /// When content or facts last changed; it can't be set by a program.
    package let changed: Timestamp
    package let device: UInt64
    package let inode: UInt64
    package let links: UInt64
    /// The user's number.
    package let owner: UInt32
    /// The group's number.
    package let group: UInt32
    /// Bytes on the disk; less than ``size`` for a file with holes.
    let allocated: UInt64

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFDIR: .directory
            case S_IFREG: .file
            case S_IFLNK: .link
            case S_IFSOCK: .socket
            case S_IFIFO: .pipe
            default: .device
            }
        mode = kind == .link ? .link : FileMode(status.st_mode)
        size = UInt64(max(0, status.st_size))
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
        links = UInt64(status.st_nlink)
        owner = UInt32(status.st_uid)
        group = UInt32(status.st_gid)
        allocated = UInt64(max(0, status.st_blocks)) &* 512
        #if canImport(Darwin)
        modified = Self.timestamp(status.st_mtimespec)
        changed = Self.timestamp(status.st_ctimespec)
        #else
        modified = Self.timestamp(status.st_mtim)
        changed = Self.timestamp(status.st_ctim)
        #endif
    }

    private static func timestamp(_ time: timespec) -> Timestamp {
        Timestamp(seconds: Int64(time.tv_sec), nanoseconds: UInt32(truncatingIfNeeded: time.tv_nsec))
            ?? Timestamp(seconds: Int64(time.tv_sec))
    }

    /// Whether both are of one file, whatever its names.
    package func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Whether content read between two looks is one state: same file, length and times.
    package func isSameState(as other: FileStatus) -> Bool {
        isSameFile(as: other) && size == other.size && modified == other.modified && changed == other.changed
    }
}
