import CapsuleFileSystem

/// Makes many entries last: each by itself, or all of the file system where that is cheaper.
enum Durability {
    /// From so many entries on the whole file system is synced.
    static let limit = 64

    /// Syncs files and directories of a directory.
    static func sync(_ names: [[UInt8]], in directory: RootDirectory) throws(FileSystemError) {
        if names.isEmpty { return }
        if names.count > limit { return try directory.syncFileSystem() }
        for name in names {
            do throws(FileSystemError) {
                let isDirectory = try directory.statusIfThere(name)?.kind == .directory
                let entry = try directory.openEntry(name, isDirectory: isDirectory)
                try Syscall.sync(entry.raw, path: directory.path)
            } catch {
                // A file that its own mode closes to its owner.
                guard error.code == .notPermitted else { throw error }
                return try directory.syncFileSystem()
            }
        }
    }
}
