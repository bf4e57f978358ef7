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
            // Apple's kernel refuses more than 2 GiB at once.
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...].prefix(1 << 30))
            let count = try repeating("read", path()) {
                pread(descriptor, rest.baseAddress, rest.count, off_t(truncatingIfNeeded: offset + UInt64(done)))
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
        try repeating("read", path()) { readOnce(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// pwrite(2), all of it.
    package static func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) {
        try announce(.write(descriptor, bytes, offset: offset), "write", path())
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...].prefix(1 << 30))
            done += try repeating("write", path()) {
                pwrite(descriptor, rest.baseAddress, rest.count, off_t(truncatingIfNeeded: offset + UInt64(done)))
            }
        }
    }

    /// write(2), all of it: for pipes.
    package static func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...].prefix(1 << 30))
            done += try repeating("write", path()) { writeOnce(descriptor, rest.baseAddress, rest.count) }
        }
    }

    /// fsync(2); on Apple systems F_FULLFSYNC, since fsync there leaves the data in the drive's cache.
    package static func sync(_ descriptor: Int32, path: HostPath) throws(FileSystemError) {
        try announce(.sync(descriptor), "sync", path)
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try repeating("sync", path) { fsync(descriptor) }
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

    /// lseek(2) with SEEK_DATA: where data begins at or after `offset`, UInt64.max if nowhere; nil where the file system
    /// can't tell.
    package static func nextData(_ descriptor: Int32, from offset: UInt64) -> UInt64? {
        #if canImport(Darwin)
        // APFS has called data that was not yet on the disk a hole (coreutils/coreutils#68).
        return nil
        #else
        let found = lseek(descriptor, off_t(truncatingIfNeeded: offset), SEEK_DATA)
        if found >= 0 { return UInt64(found) }
        // No data from here on.
        if errno == ENXIO { return UInt64.max }
        return nil
        #endif
    }
}

private func readOnce(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

private func writeOnce(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}
