import CapsuleCore
import CapsuleFileSystem

/// What lies in a staging is followed only if nobody but the effective user can have put it there: it says which entries are
/// moved, deleted, or given another mode.
extension TransactionRoom {
    /// Refuses a staging that another user may have made, or may have put in the place of one of this user's.
    ///
    /// - Throws: with the code `notPermitted`; nothing is touched then.
    func refuseForeign() throws(CapsuleError) {
        for directory in [top, new, old].compactMap({ $0 }) {
            let access = try CapsuleError.wrapping { () throws(FileSystemError) in try ForeignAccess.to(directory) }
            try refuse(access, at: directory.path)
        }
        let access = try CapsuleError.wrapping { () throws(FileSystemError) in try ForeignAccess.toOwnNames(in: root) }
        try refuse(access, at: root.path)
    }

    /// Says whose a staging is that can't be opened.
    static func refuseClosed(in root: RootDirectory) throws(CapsuleError) {
        guard let status = try? root.statusIfThere(ContainerNames.transaction) else { return }
        try refuse(ForeignAccess.toClosed(status), at: root.path.appending(ContainerNames.transaction), in: root)
    }

    /// The bytes of a file of the staging; nil if there is none.
    ///
    /// - Throws: also for one that another user may have written, with the code `notPermitted`.
    func read(_ name: [UInt8], limit: UInt64) throws(CapsuleError) -> [UInt8]? {
        let path = top.path.appending(name)
        let file: RootDirectory.SmallFile
        do throws(FileSystemError) {
            file = try top.readSmallFile(named: name, limit: limit)
        } catch {
            if error.code == .notFound { return nil }
            throw CapsuleError(error)
        }
        try refuse(file.access, at: path)
        return file.bytes
    }

    private func refuse(_ access: ForeignAccess, at path: HostPath) throws(CapsuleError) {
        try Self.refuse(access, at: path, in: root)
    }

    private static func refuse(_ access: ForeignAccess, at path: HostPath, in root: RootDirectory) throws(CapsuleError) {
        switch access {
        case .none: return
        case .owner(let user):
            let name = UserNames.name(of: user)
            throw CapsuleError(
                .notPermitted, "belongs to \(name), and another user's transaction is not trusted; nothing was changed",
                path: path, hint: "run 'capsule recover \(root.path)' as \(name)")
        case .writers:
            let staging = root.path.appending(ContainerNames.transaction)
            throw CapsuleError(
                .notPermitted, "is writable by other users, so the transaction is not trusted; nothing was changed",
                path: path,
                hint: "if you trust the files in \(staging), run 'chmod go-w \(path)', then 'capsule recover \(root.path)'")
        }
    }
}
