import CSystem
package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A directory that is worked below, and never outside of: no path leads through a link or above it.
package final class RootDirectory: Sendable {
    private let owned: OwnedDescriptor
    /// Where it is, for messages.
    package let path: HostPath

    init(adopting descriptor: consuming OwnedDescriptor, path: HostPath) {
        owned = descriptor
        self.path = path
    }

    /// Opens a directory of the user's; here links are followed, once.
    package convenience init(_ path: HostPath) throws(FileSystemError) {
        self.init(adopting: try Syscall.open(path, flags: O_RDONLY | O_DIRECTORY), path: path)
    }

    /// For system calls only.
    package var raw: Int32 { owned.raw }

    /// fstat(2) of the directory itself.
    package func status() throws(FileSystemError) -> FileStatus {
        try Syscall.status(of: raw, path: path)
    }

    /// The path of an entry, for messages.
    package func hostPath(of entry: RelativePath) -> HostPath {
        entry.isRoot ? path : path.appending(entry.bytes)
    }

    /// Opens an entry for reading; a link, or a component that is one, is an error.
    package func openFile(_ entry: RelativePath) throws(FileSystemError) -> OwnedDescriptor {
        // O_NONBLOCK: a pipe that took the file's place must not hang us; for files it means nothing.
        try open(entry, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    }

    /// Opens a file directly in this directory, by its name; a link is an error.
    package func openFile(named name: ArraySlice<UInt8>) throws(FileSystemError) -> OwnedDescriptor {
        try Syscall.open(at: raw, HostPath(Array(name)), flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    }

    /// Opens a directory below; a link is an error.
    package func openDirectory(_ entry: RelativePath) throws(FileSystemError) -> OwnedDescriptor {
        try open(entry, flags: O_RDONLY | O_NOFOLLOW | O_DIRECTORY)
    }

    /// A directory below as a root of its own; a link is an error.
    package func subdirectory(_ entry: RelativePath) throws(FileSystemError) -> RootDirectory {
        RootDirectory(adopting: try openDirectory(entry), path: hostPath(of: entry))
    }

    /// A directory directly in this one, on its device, as a root of its own; a link is an error.
    package func subdirectoryOnDevice(named name: [UInt8]) throws(FileSystemError) -> RootDirectory {
        guard let path = try? RelativePath.root.appending(name) else {
            throw FileSystemError(errno: EINVAL, "open", self.path.appending(name))
        }
        return try subdirectoryOnDevice(path)
    }

    /// The bytes of a file directly in this one, of at most `limit` bytes.
    package func readFile(named name: [UInt8], limit: UInt64) throws(FileSystemError) -> [UInt8] {
        try readSmallFile(named: name, limit: limit).bytes
    }

    /// The bytes of a file, and who else can change it.
    package struct SmallFile {
        package let bytes: [UInt8]
        package let access: ForeignAccess
    }

    /// The bytes of a file of at most `limit` bytes.
    ///
    /// - Throws: also for a longer one (EFBIG), and for what is no file (EINVAL).
    package func readFile(_ entry: RelativePath, limit: UInt64) throws(FileSystemError) -> [UInt8] {
        try readSmallFile(entry, limit: limit).bytes
    }

    /// The bytes of a file directly in this one, of at most `limit` bytes, and who else can change that very file.
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

    /// A directory below, as a root of its own, that is on this one's device; a link is an error.
    ///
    /// - Throws: EXDEV for another device, or one on the way there.
    package func subdirectoryOnDevice(_ entry: RelativePath) throws(FileSystemError) -> RootDirectory {
        let place = hostPath(of: entry)
        let opened = try open(entry, flags: O_RDONLY | O_NOFOLLOW | O_DIRECTORY, isOneDevice: true)
        // Not every system refuses by itself.
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

    /// One call for the whole path; nil where the kernel doesn't offer it.
    private func openAtOnce(
        _ entry: RelativePath, flags: Int32, isOneDevice: Bool
    ) throws(FileSystemError) -> OwnedDescriptor? {
        let descriptor: Int32? = try Syscall.withCString(entry.bytes, "open") { (name) throws(FileSystemError) in
            for _ in 0..<Self.raceRetries {
                let descriptor = capsule_open_beneath(raw, name, flags | O_CLOEXEC, 0, isOneDevice ? 1 : 0)
                if descriptor >= 0 { return descriptor }
                switch errno {
                case ENOSYS, EPERM: return nil
                // A rename somewhere on the path while it was walked (openat2(2)).
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

    /// The kernel takes paths shorter than this in one call, the closing NUL included.
    private static let systemPathLimit = Int(PATH_MAX)
    private static let raceRetries = 64
}
