package import CapsuleCore

/// A directory and all those above it, as the file system has them.
///
/// They are found by `..`, which leads up where names don't: from below a directory that this user can't search, and from where the full
/// path is longer than the system takes.
package struct DirectoryChain: Sendable {
    private var statuses: [FileStatus]
    /// Why those above the last one are not known.
    private var failure: FileSystemError?

    /// - Throws: where the directory itself can't be examined.
    package init(from start: HostPath) throws(FileSystemError) {
        var (place, found) = (start, try Syscall.status(start, following: true))
        statuses = [found]
        while true {
            place = place.appending(Array("..".utf8))
            let above: FileStatus
            do throws(FileSystemError) {
                above = try Syscall.status(place, following: true)
            } catch {
                failure = FileSystemError(errno: error.number, FileSystemError.resolving, start)
                addDirectories(byNameFrom: start)
                if failure != nil { addDirectories(byNameFrom: HostPath(".")) }
                return
            }
            // The root is above itself.
            if above.isSameFile(as: found) { return }
            statuses.append(above)
            found = above
        }
    }

    /// Goes on from the last directory by its name, if a path leads through it that is known: that of the current directory takes no search.
    private mutating func addDirectories(byNameFrom path: HostPath) {
        guard let last = statuses.last, var name = try? RealPath.resolve(path) else { return }
        var added: [FileStatus]?
        while true {
            let found = try? Syscall.status(name, following: true)
            if let known = added {
                guard let found else { return }
                added = known + [found]
            } else if let found, found.isSameFile(as: last) {
                added = []
            }
            if name.bytes.count <= 1 { break }
            name = name.directory
        }
        guard let added else { return }
        statuses += added
        failure = nil
    }

    /// Whether a directory, links followed, is one of them.
    ///
    /// - Throws: where that can't be known.
    package func contains(_ directory: HostPath) throws(FileSystemError) -> Bool {
        let other = try DirectoryChain(from: directory)
        guard let first = other.statuses.first else { return false }
        if holds(first) { return true }
        // What lies below one of them is none of those above it.
        if let failure, !other.statuses.contains(where: holds) { throw failure }
        return false
    }

    private func holds(_ directory: FileStatus) -> Bool { statuses.contains { $0.isSameFile(as: directory) } }
}
