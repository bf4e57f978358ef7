package import CapsuleCore

/// Resolves the links and dots in paths.
package enum RealPath {
    /// Returns the resolved path (realpath(3)).
    ///
    /// - Returns: nil if nothing is there.
    /// - Throws: if that can't be determined. Below a directory that this user can't search, and where the full path is longer than the
    ///   system accepts, a relative path works although its full path can't be found.
    package static func resolve(_ path: HostPath) throws(CapsuleError) -> HostPath? {
        let (found, number) = (path.bytes + [0]).withUnsafeBytes { (bytes) -> (HostPath?, Int32) in
            guard let name = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return (nil, ENOENT) }
            guard let found = realpath(name, nil) else { return (nil, errno) }
            defer { free(found) }
            return (HostPath([UInt8](UnsafeRawBufferPointer(start: found, count: strlen(found)))), 0)
        }
        if let found { return found }
        guard [ENOENT, ENOTDIR, ELOOP].contains(number) else {
            throw CapsuleError(errno: number, FailedCall.resolving, path)
        }
        return nil
    }

    /// Returns the path of the file that a path, which may be a link, leads to.
    ///
    /// - Returns: the path without links if it can be determined, or else the path in the last link; the path itself if nothing is there.
    package static func ofFile(_ path: HostPath) throws(CapsuleError) -> HostPath {
        if let real = try? resolve(path) { return real }
        var place = path
        for _ in 0..<linkLimit {
            guard let status = try Syscall.statusIfThere(place), status.kind == .link else { return place }
            let target = try Syscall.linkTarget(place)
            place = target.first == UInt8(ascii: "/") ? HostPath(target) : place.directory.appending(target)
        }
        throw CapsuleError(errno: ELOOP, "follow", path)
    }

    /// The maximum number of links to follow.
    static let linkLimit = 40

    /// Returns the name that an open file had when it was opened, or was given since.
    ///
    /// - Returns: nil for a descriptor without a name. On Linux, a deleted file has a name that leads nowhere.
    static func name(of descriptor: Int32) -> HostPath? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        #if canImport(Darwin)
        guard fcntl(descriptor, F_GETPATH, &buffer) == 0 else { return nil }
        #else
        guard readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count - 1) > 0 else { return nil }
        #endif
        return HostPath(buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
    }

    /// Returns the path of the plain file that standard input is redirected from.
    ///
    /// - Returns: nil for a pipe, a terminal or a device, and for a file that no longer has a name.
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

/// A directory and all directories above it, as the file system has them.
///
/// They are found through `..`, which works where names don't: below a directory that this user can't search, and where the full path is
/// longer than the system accepts.
package struct DirectoryChain: Sendable {
    private var statuses: [FileStatus]
    /// The reason why the directories above the last one are not known.
    private var failure: CapsuleError?

    /// Finds the directories.
    ///
    /// - Throws: if the directory itself can't be examined.
    package init(from start: HostPath) throws(CapsuleError) {
        var (place, found) = (start, try Syscall.status(start, following: true))
        statuses = [found]
        while true {
            place = place.appending(Array("..".utf8))
            let above: FileStatus
            do throws(CapsuleError) {
                above = try Syscall.status(place, following: true)
            } catch {
                failure = CapsuleError(errno: error.errno ?? 0, FailedCall.resolving, start)
                addDirectories(byNameFrom: start)
                if failure != nil { addDirectories(byNameFrom: HostPath(".")) }
                return
            }
            // The root directory is its own parent.
            if above.isSameFile(as: found) { return }
            statuses.append(above)
            found = above
        }
    }

    /// Continues from the last directory by name, if it is on a path that is known. Finding the path of the current directory needs no
    /// search permission.
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

    /// Returns true if a directory, with links followed, is one of them.
    ///
    /// - Throws: if that can't be determined.
    package func contains(_ directory: HostPath) throws(CapsuleError) -> Bool {
        let other = try DirectoryChain(from: directory)
        guard let first = other.statuses.first else { return false }
        if holds(first) { return true }
        // A directory below one of these is not one of the directories above it.
        if let failure, !other.statuses.contains(where: holds) { throw failure }
        return false
    }

    private func holds(_ directory: FileStatus) -> Bool { statuses.contains { $0.isSameFile(as: directory) } }
}
