package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A private file without a name, for what comes through a pipe or out of an archive: gone when it is dropped.
package final class SpoolFile: Sendable {
    private let descriptor: OwnedDescriptor
    /// The directory it was made in, for messages.
    package let path: HostPath

    /// - Parameter directory: where to make it; `$TMPDIR`, else `/tmp`.
    package init(in directory: HostPath? = nil) throws(FileSystemError) {
        path = directory ?? Self.temporaryDirectory
        descriptor = try Self.create(in: path)
    }

    private static func create(in directory: HostPath) throws(FileSystemError) -> OwnedDescriptor {
        while true {
            let name = directory.appending(TemporaryName.make(for: TemporaryName.ofScratch))
            do throws(FileSystemError) {
                let descriptor = try Syscall.open(
                    name, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, as: "create a temporary file")
                // Until the name is gone, a kill leaves it.
                TemporaryMark.set(on: descriptor.raw)
                try Syscall.remove(at: AT_FDCWD, name, directory: false)
                return descriptor
            } catch {
                guard error.code == .exists else { throw error.at(directory) }
            }
        }
    }

    /// `$TMPDIR`, else `/tmp`.
    static var temporaryDirectory: HostPath {
        guard let value = getenv("TMPDIR"), strlen(value) > 0 else { return HostPath("/tmp") }
        return HostPath([UInt8](UnsafeRawBufferPointer(start: value, count: strlen(value))))
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) {
        try Syscall.write(descriptor.raw, bytes, at: offset, path: path)
    }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
        try Syscall.read(descriptor.raw, at: offset, into: buffer, path: path)
    }

    package func truncate(to length: UInt64) throws(FileSystemError) {
        try Syscall.truncate(descriptor.raw, to: length, path: path)
    }

    /// Another descriptor of the same file.
    package func duplicate() throws(FileSystemError) -> OwnedDescriptor {
        try Syscall.duplicate(descriptor.raw, path: path)
    }
}
