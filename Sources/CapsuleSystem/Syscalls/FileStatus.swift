import CSystem
package import CapsuleCore

/// The metadata from stat(2) that Capsule uses.
package struct FileStatus: Hashable, Sendable {
    /// The kinds of entries in a directory.
    package enum Kind: Hashable, Sendable {
        case directory, file, link, socket, pipe, device
    }

    package let kind: Kind
    package let mode: FileMode
    package let size: UInt64
    package let modified: Timestamp
    /// The time of the last change to content or metadata. A program can't set it.
    package let changed: Timestamp
    package let device: UInt64
    package let inode: UInt64
    package let links: UInt64
    /// The user ID of the owner.
    package let owner: UInt32
    /// The group ID.
    package let group: UInt32
    /// The number of bytes on the disk; less than ``size`` for a file with holes.
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

    /// Returns true if both belong to the same file, whatever its names.
    package func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Returns true if the file did not change between the two calls: same file, length and times. Content read in between is then one
    /// state.
    package func isSameState(as other: FileStatus) -> Bool {
        isSameFile(as: other) && size == other.size && modified == other.modified && changed == other.changed
    }
}

/// System calls that read and set the metadata of files.
extension Syscall {
    /// Returns the status of an open file (fstat(2)).
    package static func status(of descriptor: Int32, path: @autoclosure () -> HostPath) throws(FileSystemError) -> FileStatus {
        var buffer = stat()
        _ = try repeating("stat", path()) { fstat(descriptor, &buffer) }
        return FileStatus(buffer)
    }

    /// Returns the status of a path (fstatat(2)). A link is not followed unless `following` is true.
    package static func status(
        at directory: Int32 = AT_FDCWD, _ path: HostPath, following: Bool = false
    ) throws(FileSystemError) -> FileStatus {
        try withCString(path.bytes, "stat") { (name) throws(FileSystemError) in
            var buffer = stat()
            _ = try repeating("stat", path) { fstatat(directory, name, &buffer, following ? 0 : AT_SYMLINK_NOFOLLOW) }
            return FileStatus(buffer)
        }
    }

    /// Returns the status of a path (fstatat(2)), or nil if nothing has that name.
    ///
    /// This includes a path that leads through a missing directory or a file, and a name that is too long for the system.
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

    /// Sets the mode of an open file (fchmod(2)).
    package static func setMode(_ descriptor: Int32, _ mode: FileMode, path: @autoclosure () -> HostPath) throws(FileSystemError)
    {
        try announce(.setMode(descriptor), "set its mode", path())
        _ = try repeating("set its mode", path()) { fchmod(descriptor, mode_t(mode.rawValue)) }
    }

    /// Sets the owner and the group to those of another file, where they differ (fchown(2)).
    static func keepOwner(
        of old: FileStatus, on descriptor: Int32, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) {
        let new = try status(of: descriptor, path: path())
        // The group comes first: once the file belongs to another user, only root may change it.
        if new.group != old.group {
            try announce(.setMode(descriptor), "keep its group", path())
            _ = try repeating("keep its group", path()) { fchown(descriptor, uid_t.max, gid_t(old.group)) }
        }
        if new.owner != old.owner {
            try announce(.setMode(descriptor), "keep its owner", path())
            _ = try repeating("keep its owner", path()) { fchown(descriptor, uid_t(old.owner), gid_t.max) }
        }
    }

    /// Copies the access control list of another open file.
    static func keepAccessList(
        of old: Int32, on descriptor: Int32, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) {
        try announce(.setAttribute(descriptor), "keep its access control list", path())
        _ = try repeating("keep its access control list", path()) { capsule_copy_access_list(old, descriptor) }
    }

    /// Sets the modification time, and the access time to the same value (futimens(2)).
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

    /// Sets the times of a link itself (utimensat(2)).
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
