import CSystem
package import CapsuleCore
import Synchronization

/// The users, apart from the effective user, who can change an open file or directory.
/// The superuser always can, and is never counted.
package enum ForeignAccess: Hashable, Sendable {
    case none
    /// The file belongs to another user, with this user ID.
    case owner(UInt32)
    /// The mode or an access control list lets other users write.
    case writers

    /// The effective user's ID, as the file system sees it.
    static var user: UInt32 { UInt32(capsule_user_of_files()) }

    /// Returns the access to an entry that can't be opened, judged by its owner alone.
    package static func toClosed(_ status: FileStatus) -> ForeignAccess {
        status.owner == user ? .none : .owner(status.owner)
    }

    package static func to(_ descriptor: Int32, _ status: FileStatus) -> ForeignAccess {
        if status.owner != user { return .owner(status.owner) }
        return status.mode.rawValue & 0o022 != 0 || hasGrants(descriptor) ? .writers : .none
    }

    package static func to(_ directory: RootDirectory) throws(CapsuleError) -> ForeignAccess {
        to(directory.raw, try directory.status())
    }

    /// Returns the access to those names in an open directory that belong to the effective user: other users may be able to rename or
    /// delete them, or to give such a name to something else.
    /// A sticky directory that belongs to the effective user or to the superuser keeps others away from names that are not theirs
    /// (rename(2), unlink(2)). A group whose only member is the effective user does not count as access.
    package static func toOwnNames(in directory: RootDirectory) throws(CapsuleError) -> ForeignAccess {
        let status = try directory.status()
        guard status.owner == user || status.owner == 0 else { return .owner(status.owner) }
        if hasGrants(directory.raw) { return .writers }
        let open = status.mode.rawValue & 0o022
        if open == 0 || status.mode.rawValue & 0o1000 != 0 { return .none }
        return open == 0o020 && UserNames.isAlone(inGroup: status.group) ? .none : .writers
    }

    /// A list that can't be read counts as a grant.
    private static func hasGrants(_ descriptor: Int32) -> Bool { capsule_list_lets_others_write(descriptor) != 0 }

    /// Returns true if only the effective user and the superuser decide where a path leads: each directory on the path keeps others from
    /// exchanging names, and each link on it belongs to one of the two. The same must be true of the target of each link.
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

    /// Returns the path with its first link replaced by the link's target; nil if there is no link, or none that can be read.
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

    /// Returns true if a name that is created in a directory stays under the control of the effective user.
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
        // A directory that can be entered but not listed, such as the one that holds the home directories of all users.
        guard let status = try? Syscall.status(path, following: true) else { return false }
        return isTrusted(status.owner) && (status.mode.rawValue & 0o022 == 0 || status.mode.rawValue & 0o1000 != 0)
    }

    package static func isTrusted(_ owner: UInt32) -> Bool { owner == user || owner == 0 }
}

/// Lookups in the system's lists of users and groups (passwd(5), group(5)).
package enum UserNames {
    /// Guards the calls below, which keep their results in memory that all threads share.
    private static let lock = Mutex(())

    package static func name(of user: UInt32) -> String {
        lock.withLock { _ in name(ofUser: user) } ?? "user ID \(user)"
    }

    /// Returns true if the effective user is the only member of a group: the group has the user's name, as on systems that give each user a
    /// group, and no other user is listed in it.
    /// The name is required because directory services need not list all of their users.
    static func isAlone(inGroup group: UInt32) -> Bool {
        lock.withLock { _ in
            guard let own = name(ofUser: ForeignAccess.user), let found = getgrgid(gid_t(group)),
                let name = found.pointee.gr_name, String(cString: name) == own
            else { return false }
            if var member = found.pointee.gr_mem {
                while let text = member.pointee {
                    if String(cString: text) != own { return false }
                    member += 1
                }
            }
            setpwent()
            defer { endpwent() }
            while let user = getpwent() {
                if user.pointee.pw_gid == gid_t(group), user.pointee.pw_uid != uid_t(ForeignAccess.user) { return false }
            }
            return true
        }
    }

    private static func name(ofUser user: UInt32) -> String? {
        guard let found = getpwuid(uid_t(user)), let name = found.pointee.pw_name else { return nil }
        return String(cString: name)
    }
}
