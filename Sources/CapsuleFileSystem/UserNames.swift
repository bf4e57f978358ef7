import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

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
