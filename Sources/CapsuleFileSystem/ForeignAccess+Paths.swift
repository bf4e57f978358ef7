package import CapsuleCore

extension ForeignAccess {
    /// Whether the effective user and the superuser alone decide where a path leads: each directory on the way, as it is written
    /// and as it is once links are gone, keeps others from exchanging names, and each link on the way is one of theirs.
    ///
    /// - Parameter path: it has to be there.
    package static func decidesNothing(about path: HostPath) -> Bool {
        guard let real = RealPath.resolve(path) else { return false }
        return holds(path) && (real == path || holds(real))
    }

    /// Whether a name that is made in a directory stays what the effective user makes of it.
    ///
    /// - Parameter directory: it has to be there.
    package static func decidesNothing(in directory: HostPath) -> Bool {
        decidesNothing(about: directory) && keepsNames(directory)
    }

    private static func holds(_ path: HostPath) -> Bool {
        var place = path
        while place.bytes.count > 1, place.directory != place {
            guard let named = try? Syscall.status(place, following: false), isTrusted(named.owner), keepsNames(place.directory)
            else { return false }
            place = place.directory
        }
        return true
    }

    private static func keepsNames(_ path: HostPath) -> Bool {
        if let directory = try? RootDirectory(path) { return (try? toOwnNames(in: directory)) == ForeignAccess.none }
        // A directory that can be passed through and not be listed, as where the homes of all users are.
        guard let status = try? Syscall.status(path, following: true) else { return false }
        return isTrusted(status.owner) && (status.mode.rawValue & 0o022 == 0 || status.mode.rawValue & 0o1000 != 0)
    }

    private static func isTrusted(_ owner: UInt32) -> Bool { owner == user || owner == 0 }
}
