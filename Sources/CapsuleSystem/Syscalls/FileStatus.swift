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

/// What stat(2) tells of files, and what of it can be set.
extension Syscall {
    /// fstat(2)
    package static func status(of descriptor: Int32, path: @autoclosure () -> HostPath) throws(FileSystemError) -> FileStatus {
        var buffer = stat()
        _ = try repeating("stat", path()) { fstat(descriptor, &buffer) }
        return FileStatus(buffer)
    }

    /// fstatat(2); links are looked at, not through, unless `following`.
    package static func status(
        at directory: Int32 = AT_FDCWD, _ path: HostPath, following: Bool = false
    ) throws(FileSystemError) -> FileStatus {
        try withCString(path.bytes, "stat") { (name) throws(FileSystemError) in
            var buffer = stat()
            _ = try repeating("stat", path) { fstatat(directory, name, &buffer, following ? 0 : AT_SYMLINK_NOFOLLOW) }
            return FileStatus(buffer)
        }
    }

    /// fstatat(2) of what may not be there: nil for nothing of that name, which is no failure.
    ///
    /// Nothing is where the way there ends or leads through a file, and nothing has a name that is too long for the system.
    package static func statusIfThere(_ path: HostPath, following: Bool = false) throws(FileSystemError) -> FileStatus? {
        do throws(FileSystemError) {
            return try status(path, following: following)
        } catch {
            switch error.number {
            case ENOENT, ENOTDIR, ENAMETOOLONG: return nil
            default: throw error
            }
        }
    }

    /// fchmod(2)
    package static func setMode(_ descriptor: Int32, _ mode: FileMode, path: @autoclosure () -> HostPath) throws(FileSystemError)
    {
        try announce(.setMode(descriptor), "set its mode", path())
        _ = try repeating("set its mode", path()) { fchmod(descriptor, mode_t(mode.rawValue)) }
    }

    /// fchown(2) of what differs: the owner and the group of another file.
    static func keepOwner(
        of old: FileStatus, on descriptor: Int32, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) {
        let new = try status(of: descriptor, path: path())
        // The group first: once the file is another user's, only root may change it.
        if new.group != old.group {
            try announce(.setMode(descriptor), "keep its group", path())
            _ = try repeating("keep its group", path()) { fchown(descriptor, uid_t.max, gid_t(old.group)) }
        }
        if new.owner != old.owner {
            try announce(.setMode(descriptor), "keep its owner", path())
            _ = try repeating("keep its owner", path()) { fchown(descriptor, uid_t(old.owner), gid_t.max) }
        }
    }

    /// Gives an open file the access control list of another one.
    static func keepAccessList(
        of old: Int32, on descriptor: Int32, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) {
        try announce(.setAttribute(descriptor), "keep its access control list", path())
        _ = try repeating("keep its access control list", path()) { capsule_copy_access_list(old, descriptor) }
    }

    /// futimens(2): the modification time; the access time is set alike.
    package static func setTimes(
        _ descriptor: Int32, _ time: Timestamp, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) {
        try announce(.setTimes(descriptor), "set its times", path())
        _ = try repeating("set its times", path()) {
            withUnsafePointer(to: times(time)) { pair in
                pair.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(descriptor, $0) }
            }
        }
    }

    /// utimensat(2) on a link itself.
    package static func setLinkTimes(at directory: Int32, _ path: HostPath, _ time: Timestamp) throws(FileSystemError) {
        try withCString(path.bytes, "set its times") { (name) throws(FileSystemError) in
            try announce(.setTimes(directory), "set its times", path)
            _ = try repeating("set its times", path) {
                withUnsafePointer(to: times(time)) { pair in
                    pair.withMemoryRebound(to: timespec.self, capacity: 2) {
                        utimensat(directory, name, $0, AT_SYMLINK_NOFOLLOW)
                    }
                }
            }
        }
    }

    private static func times(_ time: Timestamp) -> (timespec, timespec) {
        let one = timespec(tv_sec: time_t(truncatingIfNeeded: time.seconds), tv_nsec: Int(time.nanoseconds))
        return (one, one)
    }
}
