package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Where a path leads once links and dots are gone.
package enum RealPath {
    /// realpath(3); nil for what isn't there.
    package static func resolve(_ path: HostPath) -> HostPath? {
        (path.bytes + [0]).withUnsafeBytes { bytes in
            guard let name = bytes.baseAddress?.assumingMemoryBound(to: CChar.self), let found = realpath(name, nil) else {
                return nil
            }
            defer { free(found) }
            return HostPath([UInt8](UnsafeRawBufferPointer(start: found, count: strlen(found))))
        }
    }

    /// The name that an open file had when it was opened, or was given since.
    ///
    /// - Returns: nil for what has none. On Linux a file that was deleted has a name that leads nowhere.
    static func name(of descriptor: Int32) -> HostPath? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        #if canImport(Darwin)
        guard fcntl(descriptor, F_GETPATH, &buffer) == 0 else { return nil }
        #else
        guard readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count - 1) > 0 else { return nil }
        #endif
        return HostPath(buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
    }

    /// The name of the plain file that standard input is redirected from.
    ///
    /// - Returns: nil for a pipe, a terminal or a device, and for a file that has no name any more.
    package static func ofStandardInput() -> HostPath? {
        let stream = HostPath("standard input")
        guard let status = try? Syscall.status(of: STDIN_FILENO, path: stream), status.kind == .file else { return nil }
        // Another file may have the name by now.
        guard let path = name(of: STDIN_FILENO), let named = try? Syscall.status(path, following: true),
            named.isSameFile(as: status)
        else { return nil }
        return path
    }
}
