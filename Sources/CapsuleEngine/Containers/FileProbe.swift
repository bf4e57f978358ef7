import CapsuleCore
import CapsuleFileSystem

/// Looks at the user's paths before anything is done with them.
enum FileProbe {
    /// Whether anything has that name, a dangling link included.
    static func exists(_ path: HostPath) -> Bool {
        (try? Syscall.status(path)) != nil
    }

    /// Whether a path, links followed, is a directory.
    static func isDirectory(_ path: HostPath) -> Bool {
        (try? Syscall.status(path, following: true))?.kind == .directory
    }
}
