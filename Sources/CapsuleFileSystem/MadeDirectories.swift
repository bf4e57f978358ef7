package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A directory of the user's that is made if it is missing, its parents too, and taken away again unless it is kept.
package final class MadeDirectories {
    private var made: [HostPath] = []

    /// mkdir(2) for each missing part of `path`.
    package init(_ path: HostPath) throws(FileSystemError) {
        Interruption.resume()
        var missing: [HostPath] = []
        var directory = path
        while (try? Syscall.status(directory, following: true)) == nil {
            missing.append(directory)
            let parent = directory.directory
            if parent == directory { break }
            directory = parent
        }
        for directory in missing.reversed() {
            do throws(FileSystemError) {
                try Syscall.makeDirectory(at: AT_FDCWD, directory, mode: 0o777)
                made.append(directory)
            } catch {
                // Someone else made it meanwhile: it is there, and not ours to take away.
                guard error.code == .exists else { throw error }
            }
        }
    }

    deinit {
        for directory in made.reversed() { try? Syscall.remove(at: AT_FDCWD, directory, directory: true) }
    }

    /// From now on the directories stay.
    package func keep() {
        made = []
    }
}
