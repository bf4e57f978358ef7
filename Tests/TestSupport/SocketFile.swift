import Foundation

/// A file that is a socket, for systems where mknod(2) can't make one. It is bound under a short path, since the length of socket paths is
/// limited, and then moved to its place.
package enum SocketFile {
    /// Makes the file; returns 0, or -1 with errno set, like a system call.
    package static func bind(in directory: Int32, _ name: RawName) -> Int32 {
        var template = Array("/tmp/s.XXXXXX".utf8CString)
        guard let made = template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) else { return -1 }
        let place = String(cString: made)
        let path = place + "/s"
        defer {
            let number = errno
            unlink(path)
            rmdir(place)
            errno = number
        }
        let descriptor = PlatformCalls.streamSocket()
        guard descriptor >= 0 else { return -1 }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound else { return -1 }
        return name.withCString { renameat(AT_FDCWD, path, directory, $0) }
    }
}
