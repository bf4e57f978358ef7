package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file of the user's, open for reading and writing under an exclusive lock (flock(2)): of those who lock, nobody else writes
/// to it until this is dropped.
///
/// A symbolic link is followed: the file that it leads to is locked.
package final class LockedFile: Sendable {
    /// As it was given.
    package let path: HostPath
    private let descriptor: OwnedDescriptor

    /// Opens the file and waits for its lock.
    ///
    /// Whoever replaces the file renames another one over it, so the one that was locked must still be the one of that name;
    /// if not, the new one is opened and waited for.
    ///
    /// - Parameter timeout: seconds; 0 tries once.
    /// - Throws: with the code `locked` if somebody else had it all the time, `interrupted` if the user wished to stop,
    ///   `notAFile` and EISDIR for anything but a plain file.
    package init(_ path: HostPath, timeout: Double) throws(FileSystemError) {
        self.path = path
        Interruption.resume()
        let wait = LockWait(timeout: timeout)
        while true {
            let file = try Self.open(path)
            try wait.lock(file.raw, path: path)
            let locked = try Syscall.status(of: file.raw, path: path)
            if let named = try Syscall.statusIfThere(path, following: true), named.isSameFile(as: locked) {
                descriptor = file
                return
            }
            try Interruption.check()
        }
    }

    /// Opens a plain file for reading and writing.
    private static func open(_ path: HostPath) throws(FileSystemError) -> OwnedDescriptor {
        // Looked at first: to open a device for writing can do something.
        try check(try Syscall.status(path, following: true), path)
        let descriptor = try Syscall.open(path, flags: O_RDWR | O_NONBLOCK, as: "open for writing")
        try check(try Syscall.status(of: descriptor.raw, path: path), path)
        return descriptor
    }

    private static func check(_ status: FileStatus, _ path: HostPath) throws(FileSystemError) {
        switch status.kind {
        case .file: return
        case .directory: throw FileSystemError(errno: EISDIR, "write", path)
        case .link, .socket, .pipe, .device: throw .notAFile(path)
        }
    }

    /// - Throws: with the code `changed` if the path leads to another file by now.
    package func checkName() throws(FileSystemError) {
        guard let named = try Syscall.statusIfThere(path, following: true), named.isSameFile(as: try status()) else {
            throw .changed(path)
        }
    }

    /// Puts a finished file in the place of this one, as ``StagedFile/takePlace(of:)`` does.
    ///
    /// - Throws: with the code `changed` if the path leads to another file by now.
    package func replace(with staged: StagedFile) throws(FileSystemError) {
        // Whoever renames without asking for the lock must not lose what they put there.
        try checkName()
        try staged.takePlace(of: descriptor.raw)
    }

    /// Another descriptor of the same open file (dup(2)): it shares the lock, which lasts until the last of them is closed.
    package func duplicate() throws(FileSystemError) -> OwnedDescriptor {
        try Syscall.duplicate(descriptor.raw, path: path)
    }

    /// fstat(2)
    package func status() throws(FileSystemError) -> FileStatus {
        try Syscall.status(of: descriptor.raw, path: path)
    }

    /// Fills `buffer` from `offset` on; the count that was read, less only at the end of the file.
    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
        try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
    }

    /// Writes all the bytes.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) {
        try Syscall.write(descriptor.raw, bytes, at: offset, path: path)
    }

    /// Makes the file so long.
    package func truncate(to length: UInt64) throws(FileSystemError) {
        try Syscall.truncate(descriptor.raw, to: length, path: path)
    }

    /// fchmod(2)
    package func setMode(_ mode: FileMode) throws(FileSystemError) {
        try Syscall.setMode(descriptor.raw, mode, path: path)
    }

    /// Makes what was written last.
    package func sync() throws(FileSystemError) {
        try Syscall.sync(descriptor.raw, path: path)
    }
}
