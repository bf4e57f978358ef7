import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

extension CapsuleError {
    /// The error for a capsule that can't be opened by a use case that takes the whole file.
    ///
    /// - Parameter hint: what to do about `FILE@VERSION`, which other verbs take; it is handed FILE.
    init(_ error: FileSystemError, opening path: HostPath, hint: (HostPath) -> String) {
        if FileProbe.isDirectory(path) {
            self.init("is a directory, not a capsule", path: path, hint: "'capsule pack' turns a container into a capsule")
            return
        }
        if error.code == .notFound, let mark = path.bytes.lastIndex(of: UInt8(ascii: "@")) {
            let file = HostPath(Array(path.bytes[..<mark]))
            if (try? CapsuleFile(opening: file)) != nil {
                self.init(.usage, "must be a file, not one version of it", path: path, hint: hint(file))
                return
            }
        }
        self.init(error)
    }
}
