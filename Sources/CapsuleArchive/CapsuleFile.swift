package import CapsuleCore
package import CapsuleFileSystem

/// An open capsule file, read by place: no map, since a file cut short under one would end the process.
package final class CapsuleFile: Sendable {
    package let path: HostPath
    private let descriptor: OwnedDescriptor
    /// Whether the file was opened by its path, so that another program may write to it meanwhile.
    private let isShared: Bool
    /// The file's length when it was opened.
    package let length: UInt64

    /// A file that nobody else writes to: our own, or one whose lock we have.
    package convenience init(adopting descriptor: consuming OwnedDescriptor, path: HostPath) throws(FileSystemError) {
        try self.init(descriptor, path: path, isShared: false)
    }

    /// Opens a file of the user's.
    ///
    /// - Throws: also for what is no plain file.
    package convenience init(opening path: HostPath) throws(FileSystemError) {
        try self.init(try Syscall.openFile(path), path: path, isShared: true)
    }

    private init(_ descriptor: consuming OwnedDescriptor, path: HostPath, isShared: Bool) throws(FileSystemError) {
        let status = try Syscall.status(of: descriptor.raw, path: path)
        self.path = path
        self.isShared = isShared
        length = status.size
        self.descriptor = descriptor
    }

    /// Runs `body` under a shared lock: what the file holds stays as it is meanwhile.
    ///
    /// A file whose system has no locks is taken as it is.
    ///
    /// - Parameter body: is handed the file with the length that it has then.
    /// - Returns: nil if somebody writes to it just now; then `body` has not been run.
    func whileNobodyWrites<Result>(
        _ body: (CapsuleFile) throws(ArchiveError) -> Result
    ) throws(ArchiveError) -> Result? {
        guard isShared else { return try body(self) }
        if let isLocked = try? Syscall.tryLock(descriptor.raw, exclusive: false, path: path), !isLocked { return nil }
        // Who waits to write must not wait for more than a glance.
        defer { try? Syscall.unlock(descriptor.raw, path: path) }
        let now = try ArchiveError.wrapping { () throws(FileSystemError) in
            try CapsuleFile(try Syscall.duplicate(descriptor.raw, path: path), path: path, isShared: true)
        }
        return try body(now)
    }

    /// Reads up to `count` bytes, fewer only at the end of the file.
    package func read(at offset: UInt64, count: Int) throws(FileSystemError) -> [UInt8] {
        let buffer = ByteBuffer(capacity: count)
        try read(at: offset, count: count, into: buffer)
        return Array(buffer.bytes)
    }

    /// Appends up to `count` bytes, fewer only at the end of the file.
    package func read(at offset: UInt64, count: Int, into buffer: ByteBuffer) throws(FileSystemError) {
        guard offset < length else { return }
        let available = Int(min(UInt64(count), length - offset))
        try buffer.append(room: available) { (room) throws(FileSystemError) in
            try Syscall.read(descriptor.raw, at: offset, into: room, path: path)
        }
    }
}
