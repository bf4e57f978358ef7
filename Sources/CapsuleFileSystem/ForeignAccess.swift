import CSystem
import CapsuleCore

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
}
