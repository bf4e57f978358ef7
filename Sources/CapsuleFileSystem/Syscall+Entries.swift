import CSystem
package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What a directory holds: entries are made and deleted.
extension Syscall {
    /// mkdirat(2)
    package static func makeDirectory(at directory: Int32, _ path: HostPath, mode: UInt32) throws(FileSystemError) {
        try withCString(path.bytes, "create the directory") { (name) throws(FileSystemError) in
            try announce(.makeDirectory(directory: directory, name: name), "create the directory", path)
            _ = try repeating("create the directory", path) { mkdirat(directory, name, mode_t(truncatingIfNeeded: mode)) }
        }
    }

    /// symlinkat(2)
    package static func makeLink(at directory: Int32, _ path: HostPath, target: [UInt8]) throws(FileSystemError) {
        try withCString(path.bytes, "create the link") { (name) throws(FileSystemError) in
            try withCString(target, "create the link") { (text) throws(FileSystemError) in
                try announce(.makeLink(directory: directory, name: name), "create the link", path)
                _ = try repeating("create the link", path) { symlinkat(text, directory, name) }
            }
        }
    }

    /// readlinkat(2)
    package static func linkTarget(at directory: Int32 = AT_FDCWD, _ path: HostPath) throws(FileSystemError) -> [UInt8] {
        try withCString(path.bytes, "read the link") { (name) throws(FileSystemError) in
            var buffer = [UInt8](repeating: 0, count: TreeEntry.maximumTargetLength + 1)
            let count = try repeating("read the link", path) {
                buffer.withUnsafeMutableBytes { room in
                    guard let base = room.baseAddress else { return 0 }
                    return readlinkat(directory, name, base.assumingMemoryBound(to: CChar.self), room.count)
                }
            }
            return Array(buffer.prefix(count))
        }
    }

    /// unlinkat(2); with `directory`, an empty directory.
    package static func remove(at parent: Int32, _ path: HostPath, directory: Bool) throws(FileSystemError) {
        try withCString(path.bytes, "delete") { (name) throws(FileSystemError) in
            try announce(.remove(directory: parent, name: name), "delete", path)
            _ = try repeating("delete", path) { unlinkat(parent, name, directory ? AT_REMOVEDIR : 0) }
        }
    }

    /// unlinkat(2), of a file by its whole path.
    package static func removeFile(_ path: HostPath) throws(FileSystemError) {
        try remove(at: AT_FDCWD, path, directory: false)
    }

    /// unlinkat(2), of an empty directory by its whole path.
    package static func removeDirectory(_ path: HostPath) throws(FileSystemError) {
        try remove(at: AT_FDCWD, path, directory: true)
    }

    /// fdopendir(3) of a directory that is open, on a descriptor of its own; closedir(3) ends both.
    static func openStream(of directory: borrowing OwnedDescriptor, path: HostPath) throws(FileSystemError) -> DirectoryStream {
        let own: OwnedDescriptor
        do throws(FileSystemError) {
            own = try open(at: directory.raw, HostPath("."), flags: O_RDONLY | O_DIRECTORY, as: "list")
        } catch {
            throw error.at(path)
        }
        guard let stream = fdopendir(own.raw) else { throw FileSystemError(errno: errno, "list", path) }
        // The stream closes it.
        _ = own.release()
        return stream
    }

    #if canImport(Darwin)
    typealias DirectoryStream = UnsafeMutablePointer<DIR>
    #else
    typealias DirectoryStream = OpaquePointer
    #endif
}
