package import CapsuleCore
package import CapsuleFileSystem

/// An open capsule file, read by place: no map, since a file cut short under one would end the process.
package final class CapsuleFile: Sendable {
    package let path: HostPath
    private let descriptor: OwnedDescriptor
    /// The file's length when it was opened.
    package let length: UInt64

    package init(adopting descriptor: consuming OwnedDescriptor, path: HostPath) throws(FileSystemError) {
        let status = try Syscall.status(of: descriptor.raw, path: path)
        self.path = path
        length = status.size
        self.descriptor = descriptor
    }

    /// Opens a file of the user's.
    ///
    /// - Throws: also for what is no plain file.
    package convenience init(opening path: HostPath) throws(FileSystemError) {
        try self.init(adopting: try Syscall.openFile(path), path: path)
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
