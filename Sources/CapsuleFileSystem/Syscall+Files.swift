import CSystem
package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

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
