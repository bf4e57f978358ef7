import CapsuleCore
import CapsuleFileSystem

/// A file of a live directory, open for reading.
final class LiveContent: OpenContent {
    private let descriptor: OwnedDescriptor
    private let directory: RootDirectory
    private let place: RelativePath

    init(adopting descriptor: consuming OwnedDescriptor, at place: RelativePath, in directory: RootDirectory) {
        self.place = place
        self.directory = directory
        self.descriptor = descriptor
    }

    /// Put together only for messages: most files never need it.
    private var path: HostPath { directory.hostPath(of: place) }

    /// - Throws: also where what took the file's place is none.
    func status() throws(CapsuleError) -> ContentStatus {
        let status = try CapsuleError.wrapping { () throws(FileSystemError) in try Syscall.status(of: descriptor.raw, path: path)
        }
        guard status.kind == .file else {
            throw CapsuleError("is no longer a file", path: path, hint: "stop the app, then pack again")
        }
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

    func hasSibling(withSuffix suffix: [UInt8]) -> Bool {
        guard let parent = try? directory.subdirectory(place.parent ?? .root) else { return false }
        guard let status = try? Syscall.status(at: parent.raw, HostPath(Array(place.name) + suffix)) else { return false }
        switch status.kind {
        // An empty log holds nothing.
        case .file: return status.size > 0
        case .link, .directory: return true
        // What no container holds is left out, however often it is looked at.
        case .pipe, .socket, .device: return false
        }
    }

    func attributes() throws(CapsuleError) -> ExtendedAttributes.Reading? {
        do throws(FileSystemError) {
            return try ExtendedAttributes.read(descriptor.raw, path: path)
        } catch {
            throw CapsuleError(error)
        }
    }
}
