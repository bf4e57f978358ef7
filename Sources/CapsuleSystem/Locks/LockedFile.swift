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

/// A copy of a file's end in a file of its own, for as long as it is needed.
package final class TailCopy: Sendable {
    /// Where it is.
    package let path: HostPath
    /// Whether it was made here: an earlier run that was killed may have left it.
    private let isMade: Bool

    private static let blockLength = 1 << 18

    /// Copies all of `file` from `offset` on, and makes the copy last.
    ///
    /// - Throws: with the code `exists` if anything else than just those bytes has that name; nothing is changed then.
    package init(of file: LockedFile, from offset: UInt64, as path: HostPath) throws(FileSystemError) {
        self.path = path
        let status = try file.status()
        if let there = try Syscall.statusIfThere(path) {
            guard there.kind == .file, there.size == status.size - offset, try Self.isCopy(path, of: file, from: offset) else {
                throw FileSystemError(errno: EEXIST, "create", path)
            }
            isMade = false
        } else {
            try Self.copy(file, from: offset, as: path, mode: status.mode)
            isMade = true
        }
    }

    /// Takes the copy away, if it was made here: it is not needed after all.
    package func discard() {
        if isMade { try? Syscall.removeFile(path) }
    }

    private static func copy(
        _ file: LockedFile, from offset: UInt64, as path: HostPath, mode: FileMode
    ) throws(FileSystemError) {
        let staged = try StagedFile(for: path)
        try blocks(of: file, from: offset) { (bytes, place) throws(FileSystemError) in
            try staged.write(bytes, at: place)
            return true
        }
        do throws(FileSystemError) {
            try staged.commit(replacing: false, mode: mode)
        } catch {
            // It has its name, but maybe not for long: not good enough to cut the original.
            if error.code == .unsynced { try? Syscall.removeFile(path) }
            throw error
        }
    }

    /// Whether the file at `path` holds just those bytes; if so, it is made to last.
    private static func isCopy(_ path: HostPath, of file: LockedFile, from offset: UInt64) throws(FileSystemError) -> Bool {
        let copy = try Syscall.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: blockLength, alignment: 16)
        defer { room.deallocate() }
        let isSame = try blocks(of: file, from: offset) { (bytes, place) throws(FileSystemError) in
            let count = try Syscall.read(
                copy.raw, at: place, into: UnsafeMutableRawBufferPointer(rebasing: room[..<bytes.count]), path: path)
            return bytes.elementsEqual(room[..<count])
        }
        guard isSame else { return false }
        try Syscall.sync(copy.raw, path: path)
        try RootDirectory(path.directory).sync()
        return true
    }

    /// Hands over the bytes from `offset` on, block by block, each with its place behind `offset`, until `body` has enough.
    ///
    /// - Returns: whether `body` was content with all of them.
    @discardableResult
    private static func blocks(
        of file: LockedFile, from offset: UInt64,
        _ body: (UnsafeRawBufferPointer, UInt64) throws(FileSystemError) -> Bool
    ) throws(FileSystemError) -> Bool {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: blockLength, alignment: 16)
        defer { room.deallocate() }
        var place: UInt64 = 0
        while true {
            try Interruption.check()
            let count = try file.read(at: offset + place, into: room)
            if count == 0 { return true }
            guard try body(UnsafeRawBufferPointer(rebasing: room[..<count]), place) else { return false }
            place += UInt64(count)
        }
    }
}
