import CSystem
package import CapsuleCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Who besides the effective user can change an open file or directory.
///
/// The superuser always can, and is never counted.
package enum ForeignAccess: Hashable, Sendable {
    /// Nobody.
    case none
    /// Another user, of this number: it belongs to them.
    case owner(UInt32)
    /// Users whom the mode or an access control list lets write.
    case writers

    /// The effective user, as files see it.
    static var user: UInt32 { UInt32(capsule_user_of_files()) }

    /// The access to what can't be opened: all that its owner says.
    package static func toClosed(_ status: FileStatus) -> ForeignAccess {
        status.owner == user ? .none : .owner(status.owner)
    }

    /// The access to what is open.
    package static func to(_ descriptor: Int32, _ status: FileStatus) -> ForeignAccess {
        if status.owner != user { return .owner(status.owner) }
        return status.mode.rawValue & 0o022 != 0 || hasGrants(descriptor) ? .writers : .none
    }

    /// The access to an open directory.
    package static func to(_ directory: RootDirectory) throws(FileSystemError) -> ForeignAccess {
        to(directory.raw, try directory.status())
    }

    /// The access to those names in an open directory that belong to the effective user: whether others can rename or
    /// delete them, or give such a name to something else.
    ///
    /// A sticky directory of the effective user's, or of the superuser's, keeps others away from names that are not theirs
    /// (rename(2), unlink(2)). A group that only the effective user is in is nobody else.
    package static func toOwnNames(in directory: RootDirectory) throws(FileSystemError) -> ForeignAccess {
        let status = try directory.status()
        guard status.owner == user || status.owner == 0 else { return .owner(status.owner) }
        if hasGrants(directory.raw) { return .writers }
        let open = status.mode.rawValue & 0o022
        if open == 0 || status.mode.rawValue & 0o1000 != 0 { return .none }
        return open == 0o020 && UserNames.isAlone(inGroup: status.group) ? .none : .writers
    }

    /// What can't be asked counts as a grant.
    private static func hasGrants(_ descriptor: Int32) -> Bool { capsule_list_lets_others_write(descriptor) != 0 }

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

/// What the system's lists of users and groups say (passwd(5), group(5)).
package enum UserNames {
    /// The calls below keep their answers in memory that all threads share.
    private static let lock = Mutex(())

    /// A user's name for messages; the number where there is none.
    package static func name(of user: UInt32) -> String {
        lock.withLock { _ in name(ofUser: user) } ?? "user ID \(user)"
    }

    /// Whether the effective user is in a group and nobody else is: the group has the user's name, as where each user is
    /// given a group, and no other user is listed in it.
    ///
    /// The name counts since directory services do not have to list all of their users.
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
