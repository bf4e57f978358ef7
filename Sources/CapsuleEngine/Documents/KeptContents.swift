import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// The contents of an overlay that is a document, in a directory beside it: each in a file that its digest names.
struct KeptContents: OverlayPayload {
    private let directory: HostPath

    /// Returns the directory for a document: `NAME.files`.
    static func directory(beside document: HostPath) -> HostPath {
        document.directory.appending(document.name + Array(".files".utf8))
    }

    /// - Returns: nil if there are none.
    init?(beside document: HostPath) {
        directory = Self.directory(beside: document)
        guard document != .standardStream, FileProbe.isDirectory(directory) else { return nil }
    }

    func open(_ digest: ContentDigest, size: UInt64) throws(CapsuleError) -> (any OpenContent)? {
        do throws(CapsuleError) {
            let file = try RootDirectory(directory).openFile(named: Array(digest.hex.utf8)[...])
            return try KeptContent(file, directory.appending(Array(digest.hex.utf8)))
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }
}

private final class KeptContent: OpenContent {
    private let file: OwnedDescriptor
    private let path: HostPath
    private let facts: ContentStatus

    init(_ file: consuming OwnedDescriptor, _ path: HostPath) throws(CapsuleError) {
        let status = try Syscall.status(of: file.raw, path: path)
        facts = ContentStatus(size: status.size, mode: status.mode, modified: status.modified, live: nil)
        self.file = file
        self.path = path
    }

    func status() -> ContentStatus { facts }
    func attributes() -> ExtendedAttributes.Reading? { nil }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        try Syscall.read(file.raw, at: offset, into: buffer, path: path)
    }
}
