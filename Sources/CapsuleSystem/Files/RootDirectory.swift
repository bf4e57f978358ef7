import CSystem
package import CapsuleCore

/// An open directory that confines all work to the entries below it: no path leads through a link or above the directory.
package final class RootDirectory: Sendable {
    private let owned: OwnedDescriptor
    /// The directory's path, for messages.
    package let path: HostPath

    init(adopting descriptor: consuming OwnedDescriptor, path: HostPath) {
        owned = descriptor
        self.path = path
    }

    /// Opens a directory that the user named. Links in this path are followed, only here.
    package convenience init(_ path: HostPath) throws(FileSystemError) {
        self.init(adopting: try Syscall.open(path, flags: O_RDONLY | O_DIRECTORY), path: path)
    }

    /// The descriptor, for system calls only.
    package var raw: Int32 { owned.raw }

    /// Returns the status of the directory itself (fstat(2)).
    package func status() throws(FileSystemError) -> FileStatus {
        try Syscall.status(of: raw, path: path)
    }

    /// Returns the path of an entry, for messages.
    package func hostPath(of entry: RelativePath) -> HostPath {
        entry.isRoot ? path : path.appending(entry.bytes)
    }

    /// Opens an entry for reading. A link anywhere in the path is an error.
    package func openFile(_ entry: RelativePath) throws(FileSystemError) -> OwnedDescriptor {
        // O_NONBLOCK: a pipe that took the file's place must not block. The flag has no effect on files.
        try open(entry, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    }

    /// Opens a file directly in this directory, by name. A link is an error.
    package func openFile(named name: ArraySlice<UInt8>) throws(FileSystemError) -> OwnedDescriptor {
        try Syscall.open(at: raw, HostPath(Array(name)), flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    }

    /// Opens a directory below this one. A link is an error.
    package func openDirectory(_ entry: RelativePath) throws(FileSystemError) -> OwnedDescriptor {
        try open(entry, flags: O_RDONLY | O_NOFOLLOW | O_DIRECTORY)
    }

    /// Opens a directory below this one as a root of its own. A link is an error.
    package func subdirectory(_ entry: RelativePath) throws(FileSystemError) -> RootDirectory {
        RootDirectory(adopting: try openDirectory(entry), path: hostPath(of: entry))
    }

    /// Opens a directory directly in this one, on the same device, as a root of its own. A link is an error.
    package func subdirectoryOnDevice(named name: [UInt8]) throws(FileSystemError) -> RootDirectory {
        guard let path = try? RelativePath.root.appending(name) else {
            throw FileSystemError(errno: EINVAL, "open", self.path.appending(name))
        }
        return try subdirectoryOnDevice(path)
    }

    /// Returns the bytes of a file directly in this directory, at most `limit` bytes.
    package func readFile(named name: [UInt8], limit: UInt64) throws(FileSystemError) -> [UInt8] {
        try readSmallFile(named: name, limit: limit).bytes
    }

    /// The bytes of a file, and who else can change it.
    package struct SmallFile {
        package let bytes: [UInt8]
        package let access: ForeignAccess
    }

    /// Returns the bytes of a file of at most `limit` bytes.
    ///
    /// - Throws: also for a longer file (EFBIG), and for anything but a file (EINVAL).
    package func readFile(_ entry: RelativePath, limit: UInt64) throws(FileSystemError) -> [UInt8] {
        try readSmallFile(entry, limit: limit).bytes
    }

    /// Returns the bytes of a file directly in this directory, at most `limit` bytes, and who else can change that same file.
    package func readSmallFile(named name: [UInt8], limit: UInt64) throws(FileSystemError) -> SmallFile {
        guard let path = try? RelativePath.root.appending(name) else {
            throw FileSystemError(errno: EINVAL, "open", self.path.appending(name))
        }
        return try readSmallFile(path, limit: limit)
    }

    private func readSmallFile(_ entry: RelativePath, limit: UInt64) throws(FileSystemError) -> SmallFile {
        let file = try openFile(entry)
        let status = try Syscall.status(of: file.raw, path: hostPath(of: entry))
        guard status.kind == .file else { throw FileSystemError(errno: EINVAL, "read", hostPath(of: entry)) }
        guard status.size <= limit else { throw FileSystemError(errno: EFBIG, "read", hostPath(of: entry)) }
        var bytes = [UInt8](repeating: 0, count: Int(status.size))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
        defer { buffer.deallocate() }
        let count = try Syscall.read(
            file.raw, at: 0, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<bytes.count]), path: hostPath(of: entry))
        bytes = Array(buffer[..<count])
        return SmallFile(bytes: bytes, access: ForeignAccess.to(file.raw, status))
    }

    /// Opens a directory below this one, on the same device, as a root of its own. A link is an error.
    ///
    /// - Throws: EXDEV if the directory, or one on the path to it, is on another device.
    package func subdirectoryOnDevice(_ entry: RelativePath) throws(FileSystemError) -> RootDirectory {
        let place = hostPath(of: entry)
        let opened = try open(entry, flags: O_RDONLY | O_NOFOLLOW | O_DIRECTORY, isOneDevice: true)
        // Not every system refuses this by itself.
        guard try Syscall.status(of: opened.raw, path: place).device == status().device else {
            throw FileSystemError(errno: EXDEV, "open", place)
        }
        return RootDirectory(adopting: opened, path: place)
    }

    private func open(
        _ entry: RelativePath, flags: Int32, isOneDevice: Bool = false
    ) throws(FileSystemError) -> OwnedDescriptor {
        if entry.isRoot { return try Syscall.open(at: raw, HostPath("."), flags: flags) }
        if entry.bytes.count < Self.systemPathLimit {
            if let descriptor = try openAtOnce(entry, flags: flags, isOneDevice: isOneDevice) { return descriptor }
        }
        return try openByComponents(entry, flags: flags)
    }

    /// Opens the path in one call; returns nil if the kernel does not support that.
    private func openAtOnce(
        _ entry: RelativePath, flags: Int32, isOneDevice: Bool
    ) throws(FileSystemError) -> OwnedDescriptor? {
        let descriptor: Int32? = try Syscall.withCString(entry.bytes, "open") { (name) throws(FileSystemError) in
            for _ in 0..<Self.raceRetries {
                let descriptor = capsule_open_beneath(raw, name, flags | O_CLOEXEC, 0, isOneDevice ? 1 : 0)
                if descriptor >= 0 { return descriptor }
                switch errno {
                case ENOSYS, EPERM: return nil
                // Something on the path was renamed during the lookup (openat2(2)).
                case EAGAIN: continue
                case EINTR: try Interruption.check()
                case let number: throw FileSystemError(errno: number, "open", hostPath(of: entry))
                }
            }
            return nil
        }
        guard let descriptor else { return nil }
        return OwnedDescriptor(adopting: descriptor)
    }

    private func openByComponents(_ entry: RelativePath, flags: Int32) throws(FileSystemError) -> OwnedDescriptor {
        let components = entry.components
        var directory = try Syscall.open(at: raw, HostPath("."), flags: O_RDONLY | O_DIRECTORY)
        do throws(FileSystemError) {
            for component in components.dropLast() {
                directory = try Syscall.open(
                    at: directory.raw, HostPath(Array(component)), flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            }
            return try Syscall.open(at: directory.raw, HostPath(Array(entry.name)), flags: flags | O_NOFOLLOW)
        } catch {
            throw error.at(hostPath(of: entry))
        }
    }

    /// The length of path that the kernel no longer accepts in one call. It counts the closing NUL.
    private static let systemPathLimit = Int(PATH_MAX)
    private static let raceRetries = 64
}
