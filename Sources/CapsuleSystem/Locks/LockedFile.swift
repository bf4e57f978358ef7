package import CapsuleCore

/// A file of the user's, open for reading and writing under an exclusive lock (flock(2)). No other process that takes the lock writes to it
/// until this object is released.
/// A symbolic link is followed: its target is locked.
package final class LockedFile: Sendable {
    package let path: HostPath
    private let descriptor: OwnedDescriptor

    /// Opens the file and waits for its lock.
    /// - Parameter timeout: in seconds; 0 tries once.
    package init(_ path: HostPath, timeout: Double) throws(CapsuleError) {
        self.path = path
        Interruption.resume()
        descriptor = try LockWait(timeout: timeout).openLocked(path, Self.open)
    }

    private static func open(_ path: HostPath) throws(CapsuleError) -> OwnedDescriptor {
        // Checked before opening: opening a device for writing can have an effect.
        try check(try Syscall.status(path, following: true), path)
        let descriptor = try Syscall.open(path, flags: O_RDWR | O_NONBLOCK, as: "open for writing")
        try check(try Syscall.status(of: descriptor.raw, path: path), path)
        return descriptor
    }

    private static func check(_ status: FileStatus, _ path: HostPath) throws(CapsuleError) {
        switch status.kind {
        case .file: return
        case .directory: throw CapsuleError(errno: EISDIR, "write", path)
        case .link, .socket, .pipe, .device: throw .notAFile(path)
        }
    }

    package func checkName() throws(CapsuleError) {
        guard let named = try Syscall.statusIfThere(path, following: true), named.isSameFile(as: try status()) else {
            throw .changed(path)
        }
    }

    package func replace(with staged: StagedFile) throws(CapsuleError) {
        // A process that renames without taking the lock must not lose its file.
        try checkName()
        try staged.takePlace(of: descriptor.raw)
    }

    package func duplicate() throws(CapsuleError) -> OwnedDescriptor {
        try Syscall.duplicate(descriptor.raw, path: path)
    }

    package func status() throws(CapsuleError) -> FileStatus {
        try Syscall.status(of: descriptor.raw, path: path)
    }

    /// - Returns: the number of bytes read; fewer than asked for only at the end of the file.
    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        try Syscall.write(descriptor.raw, bytes, at: offset, path: path)
    }

    package func truncate(to length: UInt64) throws(CapsuleError) {
        try Syscall.truncate(descriptor.raw, to: length, path: path)
    }

    package func setMode(_ mode: FileMode) throws(CapsuleError) {
        try Syscall.setMode(descriptor.raw, mode, path: path)
    }

    package func sync() throws(CapsuleError) {
        try Syscall.sync(descriptor.raw, path: path)
    }
}

/// A copy of the end of a file, in a separate file, for as long as it is needed.
package final class TailCopy: Sendable {
    package let path: HostPath
    /// True if this object made the copy. Otherwise an earlier run that was killed left it.
    private let isMade: Bool

    private static let blockLength = 1 << 18

    /// Copies `file` from `offset` to its end, and makes the copy durable.
    /// - Throws: with the code `exists` if that name is taken by anything but a file with the same bytes; nothing is changed then.
    package init(of file: LockedFile, from offset: UInt64, as path: HostPath) throws(CapsuleError) {
        self.path = path
        let status = try file.status()
        if let there = try Syscall.statusIfThere(path) {
            guard there.kind == .file, there.size == status.size - offset, try Self.isCopy(path, of: file, from: offset) else {
                throw CapsuleError(errno: EEXIST, "create", path)
            }
            isMade = false
        } else {
            try Self.copy(file, from: offset, as: path, mode: status.mode)
            isMade = true
        }
    }

    package func discard() {
        if isMade { try? Syscall.removeFile(path) }
    }

    private static func copy(_ file: LockedFile, from offset: UInt64, as path: HostPath, mode: FileMode) throws(CapsuleError) {
        let staged = try StagedFile(for: path)
        try blocks(of: file, from: offset) { (bytes, place) throws(CapsuleError) in
            try staged.write(bytes, at: place)
            return true
        }
        do throws(CapsuleError) {
            try staged.commit(replacing: false, mode: mode)
        } catch {
            // The copy has its name, but it may not survive a power failure: not safe enough to cut the original.
            if error.code == .unsynced { try? Syscall.removeFile(path) }
            throw error
        }
    }

    /// Returns true if the file at `path` has exactly these bytes. If so, it is made durable.
    private static func isCopy(_ path: HostPath, of file: LockedFile, from offset: UInt64) throws(CapsuleError) -> Bool {
        let copy = try Syscall.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: blockLength, alignment: 16)
        defer { room.deallocate() }
        let isSame = try blocks(of: file, from: offset) { (bytes, place) throws(CapsuleError) in
            let count = try Syscall.read(
                copy.raw, at: place, into: UnsafeMutableRawBufferPointer(rebasing: room[..<bytes.count]), path: path)
            return bytes.elementsEqual(room[..<count])
        }
        guard isSame else { return false }
        try Syscall.sync(copy.raw, path: path)
        try RootDirectory(path.directory).sync()
        return true
    }

    /// Passes the bytes from `offset` on to `body`, block by block, each with its position relative to `offset`, until `body` returns
    /// false.
    @discardableResult
    private static func blocks(
        of file: LockedFile, from offset: UInt64,
        _ body: (UnsafeRawBufferPointer, UInt64) throws(CapsuleError) -> Bool
    ) throws(CapsuleError) -> Bool {
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
