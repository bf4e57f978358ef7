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
}
