import CSystem
package import CapsuleCore

/// The system calls, each with its error. Only this type reads errno.
/// A call that is interrupted by a signal is repeated, unless the signal asks to stop.
package enum Syscall {
    /// Repeats `call` until it is not interrupted. The result −1 is a failure of `operation` on `path`.
    @inline(__always)
    static func repeating<Result: FixedWidthInteger>(
        _ operation: @autoclosure () -> String, _ path: @autoclosure () -> HostPath, _ call: () -> Result
    ) throws(CapsuleError) -> Result {
        while true {
            let result = call()
            if result != -1 { return result }
            let number = errno
            if number != EINTR || Interruption.noted != nil { throw CapsuleError(errno: number, operation(), path()) }
        }
    }

    /// Announces a change before it is made. This has an effect only in a debug build: a test can make it fail, as `operation` on `path`,
    /// or end the process there.
    @inline(__always)
    static func announce(
        _ change: @autoclosure () -> DiskChange, _ operation: @autoclosure () -> String, _ path: @autoclosure () -> HostPath
    ) throws(CapsuleError) {
        #if CAPSULE_FAULTS
        if let number = Faults.inject(change()) { throw CapsuleError(errno: number, operation(), path()) }
        #endif
    }

    /// Calls `body` with `bytes` as a C string. Bytes with a NUL are refused, since the system would use a shorter path.
    @inline(__always)
    static func withCString<Result>(
        _ bytes: [UInt8], _ operation: @autoclosure () -> String, _ body: (UnsafePointer<CChar>) throws(CapsuleError) -> Result
    ) throws(CapsuleError) -> Result {
        if bytes.contains(0) { throw CapsuleError(errno: EINVAL, operation(), HostPath(bytes)) }
        // Typed errors don't pass through withUnsafeTemporaryAllocation, so the result is carried out.
        let outcome: Swift.Result<Result, CapsuleError> = withUnsafeTemporaryAllocation(
            of: UInt8.self, capacity: bytes.count + 1
        ) { buffer in
            _ = buffer.initialize(from: bytes)
            buffer.initializeElement(at: bytes.count, to: 0)
            do throws(CapsuleError) {
                guard let base = buffer.baseAddress else { throw CapsuleError(errno: ENOMEM, "use the path", HostPath(bytes)) }
                let text = UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self)
                return .success(try body(text))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

extension Syscall {
    package static func open(
        at directory: Int32 = AT_FDCWD, _ path: HostPath, flags: Int32, mode: UInt32 = 0, as operation: String = "open"
    ) throws(CapsuleError) -> OwnedDescriptor {
        let raw = try withCString(path.bytes, operation) { (name) throws(CapsuleError) in
            if flags & O_CREAT != 0 { try announce(.create(directory: directory, name: name), operation, path) }
            return try repeating(operation, path) {
                openat(directory, name, flags | O_CLOEXEC, mode_t(truncatingIfNeeded: mode))
            }
        }
        #if CAPSULE_FAULTS
        if flags & O_CREAT != 0 { Faults.made(raw) }
        #endif
        return OwnedDescriptor(adopting: raw)
    }

    package static func openFile(_ path: HostPath) throws(CapsuleError) -> OwnedDescriptor {
        // O_NONBLOCK: a pipe of that name must not block before its kind is known.
        let descriptor = try open(path, flags: O_RDONLY | O_NONBLOCK)
        switch try status(of: descriptor.raw, path: path).kind {
        case .file: return descriptor
        case .directory: throw CapsuleError(errno: EISDIR, "read", path)
        case .link, .socket, .pipe, .device: throw .notAFile(path)
        }
    }

    package static func openPipe(_ path: HostPath) throws(CapsuleError) -> OwnedDescriptor {
        try open(path, flags: O_RDONLY)
    }

    package static func read(
        _ descriptor: Int32, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer, path: @autoclosure () -> HostPath
    ) throws(CapsuleError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try repeating("read", path()) {
                capsule_pread(descriptor, rest.baseAddress, rest.count, off_t(truncatingIfNeeded: offset + UInt64(done)))
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    package static func readSome(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, path: @autoclosure () -> HostPath
    ) throws(CapsuleError) -> Int {
        try repeating("read", path()) { capsule_read(descriptor, buffer.baseAddress, buffer.count) }
    }

    package static func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64, path: @autoclosure () -> HostPath
    ) throws(CapsuleError) {
        try announce(.write(descriptor, bytes, offset: offset), "write", path())
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            done += try repeating("write", path()) {
                capsule_pwrite(descriptor, rest.baseAddress, rest.count, off_t(truncatingIfNeeded: offset + UInt64(done)))
            }
        }
    }

    /// Writes all bytes (write(2)), for pipes.
    package static func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, path: @autoclosure () -> HostPath
    ) throws(CapsuleError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            done += try repeating("write", path()) { capsule_write(descriptor, rest.baseAddress, rest.count) }
        }
    }

    package static func sync(_ descriptor: Int32, path: HostPath) throws(CapsuleError) {
        try announce(.sync(descriptor), "sync", path)
        _ = try repeating("sync", path) { capsule_sync(descriptor) }
    }

    package static func truncate(_ descriptor: Int32, to length: UInt64, path: HostPath) throws(CapsuleError) {
        guard let length = off_t(exactly: length) else { throw CapsuleError(errno: EFBIG, "resize", path) }
        try announce(.truncate(descriptor, length: UInt64(length)), "resize", path)
        _ = try repeating("resize", path) { ftruncate(descriptor, length) }
    }

    package static func duplicate(_ descriptor: Int32, path: HostPath) throws(CapsuleError) -> OwnedDescriptor {
        OwnedDescriptor(adopting: try repeating("open", path) { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) })
    }

    /// Returns the offset of the first data at or after `offset`: UInt64.max if there is none, nil if the system can't report it (lseek(2)
    /// with SEEK_DATA).
    package static func nextData(_ descriptor: Int32, from offset: UInt64) -> UInt64? {
        let found = capsule_next_data(descriptor, Int64(truncatingIfNeeded: offset))
        if found >= 0 { return UInt64(found) }
        // No data follows.
        if errno == ENXIO { return UInt64.max }
        return nil
    }
}

extension Syscall {
    package static func makeDirectory(at directory: Int32 = AT_FDCWD, _ path: HostPath, mode: UInt32) throws(CapsuleError) {
        try withCString(path.bytes, "create the directory") { (name) throws(CapsuleError) in
            try announce(.makeDirectory(directory: directory, name: name), "create the directory", path)
            _ = try repeating("create the directory", path) { mkdirat(directory, name, mode_t(truncatingIfNeeded: mode)) }
        }
    }

    package static func makeLink(at directory: Int32, _ path: HostPath, target: [UInt8]) throws(CapsuleError) {
        try withCString(path.bytes, "create the link") { (name) throws(CapsuleError) in
            try withCString(target, "create the link") { (text) throws(CapsuleError) in
                try announce(.makeLink(directory: directory, name: name), "create the link", path)
                _ = try repeating("create the link", path) { symlinkat(text, directory, name) }
            }
        }
    }

    package static func linkTarget(at directory: Int32 = AT_FDCWD, _ path: HostPath) throws(CapsuleError) -> [UInt8] {
        try withCString(path.bytes, "read the link") { (name) throws(CapsuleError) in
            var buffer = [UInt8](repeating: 0, count: TreeEntry.maximumTargetLength + 1)
            let count = try repeating("read the link", path) {
                buffer.withUnsafeMutableBytes { room in
                    guard let base = room.baseAddress else { return 0 }
                    return readlinkat(directory, name, base.assumingMemoryBound(to: CChar.self), room.count)
                }
            }
            return Array(buffer.prefix(count))
        }
    }

    package static func remove(at parent: Int32, _ path: HostPath, directory: Bool) throws(CapsuleError) {
        try withCString(path.bytes, "delete") { (name) throws(CapsuleError) in
            try announce(.remove(directory: parent, name: name), "delete", path)
            _ = try repeating("delete", path) { unlinkat(parent, name, directory ? AT_REMOVEDIR : 0) }
        }
    }

    package static func removeFile(_ path: HostPath) throws(CapsuleError) {
        try remove(at: AT_FDCWD, path, directory: false)
    }

    static func openStream(of directory: borrowing OwnedDescriptor, path: HostPath) throws(CapsuleError) -> DirectoryStream {
        let own: OwnedDescriptor
        do throws(CapsuleError) {
            own = try open(at: directory.raw, HostPath("."), flags: O_RDONLY | O_DIRECTORY, as: "list")
        } catch {
            throw error.at(path)
        }
        guard let stream = fdopendir(own.raw) else { throw CapsuleError(errno: errno, "list", path) }
        // The stream closes the descriptor.
        _ = own.release()
        return stream
    }

    #if canImport(Darwin)
    typealias DirectoryStream = UnsafeMutablePointer<DIR>
    #else
    typealias DirectoryStream = OpaquePointer
    #endif
}

/// A file descriptor with one owner, closed when its lifetime ends.
package struct OwnedDescriptor: ~Copyable {
    /// The descriptor, for system calls only. Never store it.
    package let raw: Int32

    init(adopting raw: Int32) {
        self.raw = raw
    }

    consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }

    deinit {
        // Linux frees the number even when close(2) fails. Data is made durable by fsync, where that is needed.
        _ = closeDescriptor(raw)
    }
}

/// Calls close(2) under a name that no member shadows.
private func closeDescriptor(_ descriptor: Int32) -> Int32 {
    close(descriptor)
}

/// The metadata from stat(2) that Capsule uses.
package struct FileStatus: Hashable, Sendable {
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
    package let owner: UInt32
    package let group: UInt32

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

    package func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Returns true if the file did not change between the two calls: same file, length and times. Content read in between is then one
    /// state.
    package func isSameState(as other: FileStatus) -> Bool {
        isSameFile(as: other) && size == other.size && modified == other.modified && changed == other.changed
    }
}

extension Syscall {
    package static func status(of descriptor: Int32, path: @autoclosure () -> HostPath) throws(CapsuleError) -> FileStatus {
        var buffer = stat()
        _ = try repeating("stat", path()) { fstat(descriptor, &buffer) }
        return FileStatus(buffer)
    }

    package static func status(
        at directory: Int32 = AT_FDCWD, _ path: HostPath, following: Bool = false
    ) throws(CapsuleError) -> FileStatus {
        try withCString(path.bytes, "stat") { (name) throws(CapsuleError) in
            var buffer = stat()
            _ = try repeating("stat", path) { fstatat(directory, name, &buffer, following ? 0 : AT_SYMLINK_NOFOLLOW) }
            return FileStatus(buffer)
        }
    }

    /// Returns the status of a path (fstatat(2)), or nil if nothing has that name.
    /// This includes a path that leads through a missing directory or a file, and a name that is too long for the system.
    package static func statusIfThere(_ path: HostPath, following: Bool = false) throws(CapsuleError) -> FileStatus? {
        do throws(CapsuleError) {
            return try status(path, following: following)
        } catch {
            switch error.errno {
            case ENOENT, ENOTDIR, ENAMETOOLONG: return nil
            default: throw error
            }
        }
    }

    package static func setMode(_ descriptor: Int32, _ mode: FileMode, path: @autoclosure () -> HostPath) throws(CapsuleError) {
        try announce(.setMode(descriptor), "set its mode", path())
        _ = try repeating("set its mode", path()) { fchmod(descriptor, mode_t(mode.rawValue)) }
    }

    static func keepOwner(of old: FileStatus, on descriptor: Int32, path: @autoclosure () -> HostPath) throws(CapsuleError) {
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

    static func keepAccessList(of old: Int32, on descriptor: Int32, path: @autoclosure () -> HostPath) throws(CapsuleError) {
        try announce(.setAttribute(descriptor), "keep its access control list", path())
        _ = try repeating("keep its access control list", path()) { capsule_copy_access_list(old, descriptor) }
    }

    package static func setTimes(_ descriptor: Int32, _ time: Timestamp, path: @autoclosure () -> HostPath) throws(CapsuleError) {
        try announce(.setTimes(descriptor), "set its times", path())
        _ = try repeating("set its times", path()) {
            withUnsafePointer(to: times(time)) { pair in
                pair.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(descriptor, $0) }
            }
        }
    }

    package static func setLinkTimes(at directory: Int32, _ path: HostPath, _ time: Timestamp) throws(CapsuleError) {
        try withCString(path.bytes, "set its times") { (name) throws(CapsuleError) in
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

/// The process's file creation mask.
package enum CreationMask {
    /// The mask, read once: umask(2) can only be read by setting it.
    private static let mask: UInt16 = {
        let mask = umask(0o077)
        umask(mask)
        return UInt16(truncatingIfNeeded: mask)
    }()

    package static func prepare() {
        _ = mask
    }

    package static var fileMode: UInt16 { 0o666 & ~mask }

    /// Returns true if a file that is created with `mode` has exactly that mode.
    package static func keeps(_ mode: UInt16) -> Bool { mode & mask == 0 }
}
