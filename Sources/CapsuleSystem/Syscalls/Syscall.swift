import CSystem
package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The system calls, each with its error: the one place where errno is read.
///
/// A call that a signal interrupts is repeated, unless the signal was the user's wish to stop.
package enum Syscall {
    /// Runs `call` until it is not interrupted; −1 is a failure of `operation` on `path`.
    @inline(__always)
    static func repeating<Result: FixedWidthInteger>(
        _ operation: @autoclosure () -> String, _ path: @autoclosure () -> HostPath, _ call: () -> Result
    ) throws(FileSystemError) -> Result {
        while true {
            let result = call()
            if result != -1 { return result }
            let number = errno
            if number != EINTR || Interruption.noted != nil { throw FileSystemError(errno: number, operation(), path()) }
        }
    }

    /// Tells of a change before it is made. Only in a build for debugging does anything come of it: a test can let it fail, as
    /// `operation` on `path`, or end the process there.
    @inline(__always)
    static func announce(
        _ change: @autoclosure () -> DiskChange, _ operation: @autoclosure () -> String, _ path: @autoclosure () -> HostPath
    ) throws(FileSystemError) {
        #if CAPSULE_FAULTS
        if let number = Faults.strike(change()) { throw FileSystemError(errno: number, operation(), path()) }
        #endif
    }

    /// Calls `body` with `bytes` as a C string; bytes with a NUL are refused, since the call would see a shorter path.
    @inline(__always)
    static func withCString<Result>(
        _ bytes: [UInt8], _ operation: @autoclosure () -> String, _ body: (UnsafePointer<CChar>) throws(FileSystemError) -> Result
    ) throws(FileSystemError) -> Result {
        if bytes.contains(0) { throw FileSystemError(errno: EINVAL, operation(), HostPath(bytes)) }
        // Typed errors don't pass through withUnsafeTemporaryAllocation: carry the outcome out.
        let outcome: Swift.Result<Result, FileSystemError> = withUnsafeTemporaryAllocation(
            of: UInt8.self, capacity: bytes.count + 1
        ) { buffer in
            _ = buffer.initialize(from: bytes)
            buffer.initializeElement(at: bytes.count, to: 0)
            do throws(FileSystemError) {
                guard let base = buffer.baseAddress else { throw FileSystemError(errno: ENOMEM, "use the path", HostPath(bytes)) }
                let text = UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self)
                return .success(try body(text))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

/// Open files: what is read and written by their descriptors.
extension Syscall {
    /// openat(2), always with O_CLOEXEC; `AT_FDCWD` for the current directory.
    package static func open(
        at directory: Int32 = AT_FDCWD, _ path: HostPath, flags: Int32, mode: UInt32 = 0, as operation: String = "open"
    ) throws(FileSystemError) -> OwnedDescriptor {
        let raw = try withCString(path.bytes, operation) { (name) throws(FileSystemError) in
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

    /// Opens a plain file of the user's for reading; links are followed.
    package static func openFile(_ path: HostPath) throws(FileSystemError) -> OwnedDescriptor {
        // O_NONBLOCK: a pipe of that name must not hang us before we see that it is one.
        let descriptor = try open(path, flags: O_RDONLY | O_NONBLOCK)
        switch try status(of: descriptor.raw, path: path).kind {
        case .file: return descriptor
        case .directory: throw FileSystemError(errno: EISDIR, "read", path)
        case .link, .socket, .pipe, .device: throw .notAFile(path)
        }
    }

    /// Opens what is read from its beginning to its end and has no offsets.
    package static func openPipe(_ path: HostPath) throws(FileSystemError) -> OwnedDescriptor {
        try open(path, flags: O_RDONLY)
    }

    /// pread(2), until `buffer` is full or the file ends; the count that was read.
    package static func read(
        _ descriptor: Int32, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) -> Int {
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

    /// read(2) once: for pipes.
    package static func readSome(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) -> Int {
        try repeating("read", path()) { capsule_read(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// pwrite(2), all of it.
    package static func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) {
        try announce(.write(descriptor, bytes, offset: offset), "write", path())
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            done += try repeating("write", path()) {
                capsule_pwrite(descriptor, rest.baseAddress, rest.count, off_t(truncatingIfNeeded: offset + UInt64(done)))
            }
        }
    }

    /// write(2), all of it: for pipes.
    package static func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            done += try repeating("write", path()) { capsule_write(descriptor, rest.baseAddress, rest.count) }
        }
    }

    /// Writes a file or directory to the medium: fsync(2), on Apple systems F_FULLFSYNC.
    package static func sync(_ descriptor: Int32, path: HostPath) throws(FileSystemError) {
        try announce(.sync(descriptor), "sync", path)
        _ = try repeating("sync", path) { capsule_sync(descriptor) }
    }

    /// ftruncate(2)
    package static func truncate(_ descriptor: Int32, to length: UInt64, path: HostPath) throws(FileSystemError) {
        guard let length = off_t(exactly: length) else { throw FileSystemError(errno: EFBIG, "resize", path) }
        try announce(.truncate(descriptor, length: UInt64(length)), "resize", path)
        _ = try repeating("resize", path) { ftruncate(descriptor, length) }
    }

    /// dup(2), with close-on-exec.
    package static func duplicate(_ descriptor: Int32, path: HostPath) throws(FileSystemError) -> OwnedDescriptor {
        OwnedDescriptor(adopting: try repeating("open", path) { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) })
    }

    /// Where data begins at or after `offset`, UInt64.max if nowhere; nil where the system can't tell (lseek(2), SEEK_DATA).
    package static func nextData(_ descriptor: Int32, from offset: UInt64) -> UInt64? {
        let found = capsule_next_data(descriptor, Int64(truncatingIfNeeded: offset))
        if found >= 0 { return UInt64(found) }
        // No data from here on.
        if errno == ENXIO { return UInt64.max }
        return nil
    }
}

/// What a directory holds: entries are made and deleted.
extension Syscall {
    /// mkdirat(2)
    package static func makeDirectory(at directory: Int32, _ path: HostPath, mode: UInt32) throws(FileSystemError) {
        try withCString(path.bytes, "create the directory") { (name) throws(FileSystemError) in
            try announce(.makeDirectory(directory: directory, name: name), "create the directory", path)
            _ = try repeating("create the directory", path) { mkdirat(directory, name, mode_t(truncatingIfNeeded: mode)) }
        }
    }

    /// symlinkat(2)
    package static func makeLink(at directory: Int32, _ path: HostPath, target: [UInt8]) throws(FileSystemError) {
        try withCString(path.bytes, "create the link") { (name) throws(FileSystemError) in
            try withCString(target, "create the link") { (text) throws(FileSystemError) in
                try announce(.makeLink(directory: directory, name: name), "create the link", path)
                _ = try repeating("create the link", path) { symlinkat(text, directory, name) }
            }
        }
    }

    /// readlinkat(2)
    package static func linkTarget(at directory: Int32 = AT_FDCWD, _ path: HostPath) throws(FileSystemError) -> [UInt8] {
        try withCString(path.bytes, "read the link") { (name) throws(FileSystemError) in
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

    /// unlinkat(2); with `directory`, an empty directory.
    package static func remove(at parent: Int32, _ path: HostPath, directory: Bool) throws(FileSystemError) {
        try withCString(path.bytes, "delete") { (name) throws(FileSystemError) in
            try announce(.remove(directory: parent, name: name), "delete", path)
            _ = try repeating("delete", path) { unlinkat(parent, name, directory ? AT_REMOVEDIR : 0) }
        }
    }

    /// unlinkat(2), of a file by its whole path.
    package static func removeFile(_ path: HostPath) throws(FileSystemError) {
        try remove(at: AT_FDCWD, path, directory: false)
    }

    /// unlinkat(2), of an empty directory by its whole path.
    package static func removeDirectory(_ path: HostPath) throws(FileSystemError) {
        try remove(at: AT_FDCWD, path, directory: true)
    }

    /// fdopendir(3) of a directory that is open, on a descriptor of its own; closedir(3) ends both.
    static func openStream(of directory: borrowing OwnedDescriptor, path: HostPath) throws(FileSystemError) -> DirectoryStream {
        let own: OwnedDescriptor
        do throws(FileSystemError) {
            own = try open(at: directory.raw, HostPath("."), flags: O_RDONLY | O_DIRECTORY, as: "list")
        } catch {
            throw error.at(path)
        }
        guard let stream = fdopendir(own.raw) else { throw FileSystemError(errno: errno, "list", path) }
        // The stream closes it.
        _ = own.release()
        return stream
    }

    #if canImport(Darwin)
    typealias DirectoryStream = UnsafeMutablePointer<DIR>
    #else
    typealias DirectoryStream = OpaquePointer
    #endif
}

/// A file descriptor with one owner; closed when it goes.
package struct OwnedDescriptor: ~Copyable {
    /// For system calls only; never keep it.
    package let raw: Int32

    init(adopting raw: Int32) {
        self.raw = raw
    }

    /// Gives the descriptor to a new owner, who closes it.
    consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }

    deinit {
        // Linux frees the number even when close(2) fails; what matters for data is fsync, called where it matters.
        _ = closeDescriptor(raw)
    }
}

/// close(2) under a name that no member shadows.
private func closeDescriptor(_ descriptor: Int32) -> Int32 {
    close(descriptor)
}
