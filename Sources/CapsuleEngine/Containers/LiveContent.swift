import CapsuleCore
import CapsuleFileSystem

/// A file of a live directory, open for reading.
final class LiveContent: OpenContent {
    private let descriptor: OwnedDescriptor
    private let path: HostPath

    /// - Throws: what is there now is no file.
    init(adopting descriptor: consuming OwnedDescriptor, path: HostPath) throws(CapsuleError) {
        self.path = path
        self.descriptor = descriptor
        guard try status().live?.kind == .file else {
            throw CapsuleError("is no file any more", path: path, hint: "pack again once nothing writes to the container")
        }
    }

    func status() throws(CapsuleError) -> ContentStatus {
        let status = try CapsuleError.wrapping { () throws(FileSystemError) in try Syscall.status(of: descriptor.raw, path: path) }
        return ContentStatus(size: status.size, mode: status.mode, modified: status.modified, live: status)
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        do throws(FileSystemError) {
            return try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
        } catch {
            throw CapsuleError(error)
        }
    }

    func nextData(from offset: UInt64) -> UInt64 {
        Syscall.nextData(descriptor.raw, from: offset) ?? offset
    }

    func attributes() throws(CapsuleError) -> ExtendedAttributes.Reading? {
        do throws(FileSystemError) {
            return try ExtendedAttributes.read(descriptor.raw, path: path)
        } catch {
            throw CapsuleError(error)
        }
    }
}
