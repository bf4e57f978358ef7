package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
import MachO.dyld
#endif

/// Where programs are.
package enum ProgramPath {
    /// The file that this process runs, links resolved; nil where the system does not tell.
    package static var own: HostPath? {
        #if canImport(Darwin)
        var length: UInt32 = 0
        _ = _NSGetExecutablePath(nil, &length)
        var room = [CChar](repeating: 0, count: Int(length) + 1)
        guard _NSGetExecutablePath(&room, &length) == 0 else { return nil }
        return try? RealPath.resolve(HostPath(room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }))
        #else
        return try? RealPath.resolve(HostPath("/proc/self/exe"))
        #endif
    }

    /// What a shell runs for a name without a slash: the first file in PATH that may be executed (access(2)).
    ///
    /// Relative directories in PATH are passed over: they are another place with each command.
    package static func find(_ name: String) -> HostPath? {
        for part in (Terminal.environment("PATH") ?? []).split(separator: UInt8(ascii: ":")) where part.first == UInt8(ascii: "/")
        {
            let path = HostPath(Array(part)).appending(Array(name.utf8))
            guard let status = try? Syscall.statusIfThere(path, following: true), status.kind == .file else { continue }
            if (path.bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer({ text in
                text.baseAddress.map { access($0, X_OK) == 0 } ?? false
            }) {
                return path
            }
        }
        return nil
    }
}
