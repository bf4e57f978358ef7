package import CapsuleCore

extension ForeignAccess {
    /// Whether the effective user and the superuser alone decide where a path leads: each directory on the way keeps others from
    /// exchanging names, and each link on the way is one of theirs. The same holds for what each link leads to.
    ///
    /// - Parameter path: it has to be there.
    package static func decidesNothing(about path: HostPath) -> Bool {
        guard var place = absolute(path) else { return false }
        for _ in 0..<RealPath.linkLimit {
            guard holds(place) else { return false }
            guard let next = withoutFirstLink(place) else { return true }
            place = next
        }
        return false
    }

    private static func absolute(_ path: HostPath) -> HostPath? {
        if path.bytes.first == UInt8(ascii: "/") { return path }
        return (try? RealPath.resolve(HostPath("."))).map { $0.appending(path.bytes) }
    }

    /// The path with what its first link says in place of that link; nil where there is none, or one can't be read.
    private static func withoutFirstLink(_ path: HostPath) -> HostPath? {
        var ends = path.bytes.indices.filter { $0 > 0 && path.bytes[$0] == UInt8(ascii: "/") }
        ends.append(path.bytes.count)
        for end in ends {
            let place = HostPath(Array(path.bytes[..<end]))
            guard (try? Syscall.statusIfThere(place))??.kind == .link, let target = try? Syscall.linkTarget(place) else {
                continue
            }
            let next = target.first == UInt8(ascii: "/") ? HostPath(target) : place.directory.appending(target)
            return end == path.bytes.count ? next : next.appending(Array(path.bytes[(end + 1)...]))
        }
        return nil
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

    /// Whether a user is the effective one or the superuser.
    package static func isTrusted(_ owner: UInt32) -> Bool { owner == user || owner == 0 }
}
