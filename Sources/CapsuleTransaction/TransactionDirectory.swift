import CapsuleCore
import CapsuleSystem

/// A directory's `.capsule-transaction`, its staging directory: new entries, removed entries, and files that record the progress.
///
///     new/N  old/N    the new entries, and the removed ones
///     journal         the steps to do (``ApplyJournal``); the transaction is committed when this name exists
///     done            the same file when all steps are done: only leftovers have to be deleted
///     leader          in directories that another directory's journal names (``CoordinatorLink``)
struct TransactionDirectory: Sendable {
    static let journal = ContainerNames.journal
    static let done = Array("done".utf8)
    static let leader = ContainerNames.leader
    private static let next = Array("next".utf8)
    private static let newName = Array("new".utf8)
    private static let oldName = Array("old".utf8)
    private static let probeName = Array("probe".utf8)

    /// The directory that changes.
    let root: RootDirectory
    /// The staging directory.
    let top: RootDirectory
    /// The new entries; nil if a crash left none.
    let new: RootDirectory?
    /// The removed entries; nil if a crash left none.
    let old: RootDirectory?
    /// True if the file system can rename every directory. Otherwise, a removed directory is deleted, and its spare is kept for
    /// undoing.
    var movesDirectories: Bool

    private init(root: RootDirectory, top: RootDirectory, new: RootDirectory?, old: RootDirectory?) {
        self.root = root
        self.top = top
        self.new = new
        self.old = old
        movesDirectories = !root.isLayered
    }

    static func make(in root: RootDirectory) throws(CapsuleError) -> TransactionDirectory {
        let modified = try root.status().modified
        try root.makePrivateDirectory(ContainerNames.transaction)
        let top = try directory(ContainerNames.transaction, in: root)
        // If others may write here, they may have replaced the directory since. Then it is not even cleared.
        if case .owner = try ForeignAccess.to(top) { throw .changed(top.path) }
        guard try top.entries().isEmpty else { throw .changed(top.path) }
        return try fill(top, in: root, modified)
    }

    private static func fill(
        _ top: RootDirectory, in root: RootDirectory, _ modified: Timestamp
    ) throws(CapsuleError) -> TransactionDirectory {
        do throws(CapsuleError) {
            // The directory's time is restored before anything else is done.
            try setTimes(modified, of: root)
            try top.makePrivateDirectory(newName)
            try top.makePrivateDirectory(oldName)
            return TransactionDirectory(
                root: root, top: top, new: try directory(newName, in: top), old: try directory(oldName, in: top))
        } catch {
            try? TransactionDirectory(root: root, top: top, new: nil, old: nil).clear(settingTime: modified)
            throw error
        }
    }

    /// Returns the staging directory of a directory; nil if there is none.
    /// - Throws: also for one that another user may have made: see ``refuseForeign()``.
    static func find(in root: RootDirectory) throws(CapsuleError) -> TransactionDirectory? {
        let top: RootDirectory
        do throws(CapsuleError) {
            guard let found = try directoryIfThere(ContainerNames.transaction, in: root) else { return nil }
            top = found
        } catch {
            try refuseClosed(in: root)
            throw error
        }
        try TransactionDirectory(root: root, top: top, new: nil, old: nil).refuseForeign()
        let area = TransactionDirectory(
            root: root, top: top, new: try directoryIfThere(newName, in: top), old: try directoryIfThere(oldName, in: top))
        try area.refuseForeign()
        return area
    }

    private static func directory(_ name: [UInt8], in parent: RootDirectory) throws(CapsuleError) -> RootDirectory {
        try parent.subdirectoryOnDevice(named: name)
    }

    private static func directoryIfThere(_ name: [UInt8], in parent: RootDirectory) throws(CapsuleError) -> RootDirectory? {
        do throws(CapsuleError) {
            return try directory(name, in: parent)
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }

    func hasOld() throws(CapsuleError) -> Bool {
        try old.map { (old) throws(CapsuleError) in try !old.entries().isEmpty } ?? false
    }

    func isEmpty() throws(CapsuleError) -> Bool { try top.entries().isEmpty }

    func makeProbe() throws(CapsuleError) -> RootDirectory {
        try top.emptyDirectory(named: Self.probeName)
    }

    func sync() throws(CapsuleError) {
        try new?.sync()
        try top.sync()
        try root.sync()
    }

    func follow(_ note: CoordinatorLink) throws(CapsuleError) {
        try top.writeFile(Self.next, note.encoded())
        try top.move(Self.next, to: top, as: Self.leader, path: root.path)
    }

    /// Puts the journal in place. From now on, the transaction must be finished or undone.
    func commit(_ journal: [UInt8]) throws(CapsuleError) {
        try top.writeFile(Self.next, journal)
        try sync()
        try top.move(Self.next, to: top, as: Self.journal, path: root.path)
        try top.sync()
    }

    func markDone() throws(CapsuleError) {
        try top.move(Self.journal, to: top, as: Self.done, path: root.path)
    }

    func removeJournal() throws(CapsuleError) {
        try top.remove(Self.journal, isDirectory: false)
        try top.sync()
    }

    func withdrawJournal() throws(CapsuleError) {
        if try top.statusIfThere(Self.journal) != nil { try removeJournal() }
    }

    /// Deletes the staging directory. The files that record the progress are deleted last.
    /// The directories among the staged and removed entries are empty by now. What another program put into them stays, and is an
    /// error.
    /// - Parameter time: the time to give to the directory that changes; nil to keep its present one.
    func clear(settingTime time: Timestamp? = nil) throws(CapsuleError) {
        let present = try root.status().modified
        let modified = time ?? present
        let known = [Self.probeName, Self.newName, Self.oldName, Self.next, Self.leader, Self.done]
        if let foreign = try top.entries().first(where: { !known.contains($0.name) }) {
            // No transaction made it, so it may be someone's data.
            throw .foreign(top.path.appending(foreign.name))
        }
        for name in [Self.probeName, Self.newName, Self.oldName] {
            guard let directory = try Self.directoryIfThere(name, in: top) else { continue }
            for entry in try directory.entries() {
                try directory.remove(entry.name, isDirectory: entry.kind == .directory)
            }
            try top.remove(name, isDirectory: true)
        }
        for name in [Self.next, Self.leader, Self.done] where try top.statusIfThere(name) != nil {
            try top.remove(name, isDirectory: false)
        }
        try root.remove(ContainerNames.transaction, isDirectory: true)
        try Self.setTimes(modified, of: root)
    }

    /// Sets the time of a directory. A directory that another user owns keeps its present time.
    private static func setTimes(_ time: Timestamp, of directory: RootDirectory) throws(CapsuleError) {
        do throws(CapsuleError) {
            try directory.setTimes(time)
        } catch {
            if error.code != .notPermitted { throw error }
        }
    }
}

/// The content of a staging directory is trusted only if no one but the effective user can have put it there, because it says which
/// entries are moved, deleted, or given another mode.
extension TransactionDirectory {
    /// Refuses a staging directory that another user may have made, or may have put in the place of one of this user's.
    func refuseForeign() throws(CapsuleError) {
        for directory in [top, new, old].compactMap({ $0 }) {
            let access = try ForeignAccess.to(directory)
            try refuse(access, at: directory.path)
        }
        let access = try ForeignAccess.toOwnNames(in: root)
        try refuse(access, at: root.path)
    }

    static func refuseClosed(in root: RootDirectory) throws(CapsuleError) {
        guard let status = try? root.statusIfThere(ContainerNames.transaction) else { return }
        try refuse(ForeignAccess.toClosed(status), at: root.path.appending(ContainerNames.transaction), in: root)
    }

    func read(_ name: [UInt8], limit: UInt64) throws(CapsuleError) -> [UInt8]? {
        let path = top.path.appending(name)
        let file: RootDirectory.SmallFile
        do throws(CapsuleError) {
            file = try top.readSmallFile(named: name, limit: limit)
        } catch {
            if error.code == .notFound { return nil }
            throw error
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
                path: path, hint: "run 'capsule recover \(root.path.shellWord)' as \(name)")
        case .writers:
            let staging = root.path.appending(ContainerNames.transaction)
            throw CapsuleError(
                .notPermitted, "is writable by other users, so the transaction is not trusted; nothing was changed",
                path: path,
                hint:
                    "if you trust the files in \(staging), run 'chmod go-w \(path.shellWord)', then 'capsule recover \(root.path.shellWord)'"
            )
        }
    }
}

/// The file `leader` of a directory that takes part in another directory's transaction. It says which transaction that is, and
/// where the journal is.
struct CoordinatorLink: Hashable, Sendable {
    let identifier: ApplyJournal.Identifier
    let path: HostPath

    static let maximumLength: UInt64 = 8_192
    private static let magic = Array("CAPSLDR1".utf8)

    init(identifier: ApplyJournal.Identifier, path: HostPath) {
        self.identifier = identifier
        self.path = path
    }

    static func make(for roots: [RootDirectory]) throws(CapsuleError) -> (note: CoordinatorLink, paths: [HostPath]) {
        var paths: [HostPath] = []
        for root in roots {
            guard let path = try RealPath.resolve(root.path) else {
                throw CapsuleError(.notFound, "no longer exists", path: root.path)
            }
            paths.append(path)
        }
        guard let first = paths.first else { throw CapsuleError("no directory to work in") }
        return (CoordinatorLink(identifier: .random(), path: first), paths)
    }

    func encoded() -> [UInt8] { Self.magic + identifier.bytes + path.bytes }

    init?(decoding bytes: [UInt8]) {
        let start = Self.magic.count + ApplyJournal.Identifier.byteCount
        guard bytes.count > start, bytes.starts(with: Self.magic), bytes[start] == UInt8(ascii: "/"),
            !bytes[start...].contains(0)
        else { return nil }
        identifier = ApplyJournal.Identifier(Array(bytes[Self.magic.count..<start]))
        path = HostPath(Array(bytes[start...]))
    }
}
