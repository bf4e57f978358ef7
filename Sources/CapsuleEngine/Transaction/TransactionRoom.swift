import CapsuleCore
import CapsuleSystem

/// A directory's `.capsule-transaction`: what is to come, what has gone, and what says how far things are.
///
///     new/N  old/N    entries that are to come, and such that have gone
///     journal         what is being done (``ApplyJournal``); its name is the commit
///     done            the same file once all of it is done: only the leavings are to be deleted
///     leader          in directories that another one's journal speaks of (``LeaderNote``)
struct TransactionRoom: Sendable {
    static let journal = ContainerNames.journal
    static let done = Array("done".utf8)
    static let leader = ContainerNames.leader
    /// A journal, or a leader's note, that is being written.
    private static let next = Array("next".utf8)
    private static let newName = Array("new".utf8)
    private static let oldName = Array("old".utf8)
    private static let probeName = Array("probe".utf8)

    /// The directory that changes.
    let root: RootDirectory
    /// The staging.
    let top: RootDirectory
    /// Entries that are to come; nil where a crash left none.
    let new: RootDirectory?
    /// Entries that have gone; nil where a crash left none.
    let old: RootDirectory?
    /// Whether the file system renames every directory: else one that goes is deleted, and its spare stands by.
    var movesDirectories: Bool

    private init(root: RootDirectory, top: RootDirectory, new: RootDirectory?, old: RootDirectory?) {
        self.root = root
        self.top = top
        self.new = new
        self.old = old
        movesDirectories = !root.isLayered
    }

    /// Makes the staging of a directory that has none.
    static func make(in root: RootDirectory) throws(FileSystemError) -> TransactionRoom {
        let modified = try root.status().modified
        try root.makePrivateDirectory(ContainerNames.transaction)
        let top = try directory(ContainerNames.transaction, in: root)
        // Where others may write, they can have put something else in its place since: that is not even cleared.
        if case .owner = try ForeignAccess.to(top) { throw .changed(top.path) }
        guard try top.entries().isEmpty else { throw .changed(top.path) }
        return try fill(top, in: root, modified)
    }

    private static func fill(
        _ top: RootDirectory, in root: RootDirectory, _ modified: Timestamp
    ) throws(FileSystemError) -> TransactionRoom {
        do throws(FileSystemError) {
            // So that the time is at no moment another one than it is to be.
            try setTimes(modified, of: root)
            try top.makePrivateDirectory(newName)
            try top.makePrivateDirectory(oldName)
            return TransactionRoom(
                root: root, top: top, new: try directory(newName, in: top), old: try directory(oldName, in: top))
        } catch {
            try? TransactionRoom(root: root, top: top, new: nil, old: nil).clear(settingTime: modified)
            throw error
        }
    }

    /// The staging that a directory has; nil for none.
    ///
    /// - Throws: also for one that another user may have made: see ``refuseForeign()``.
    static func find(in root: RootDirectory) throws(CapsuleError) -> TransactionRoom? {
        let top: RootDirectory
        do throws(FileSystemError) {
            guard let found = try directoryIfThere(ContainerNames.transaction, in: root) else { return nil }
            top = found
        } catch {
            try refuseClosed(in: root)
            throw CapsuleError(error)
        }
        try TransactionRoom(root: root, top: top, new: nil, old: nil).refuseForeign()
        let room = try CapsuleError.wrapping { () throws(FileSystemError) in
            TransactionRoom(
                root: root, top: top, new: try directoryIfThere(newName, in: top), old: try directoryIfThere(oldName, in: top))
        }
        try room.refuseForeign()
        return room
    }

    private static func directory(_ name: [UInt8], in parent: RootDirectory) throws(FileSystemError) -> RootDirectory {
        try parent.subdirectoryOnDevice(named: name)
    }

    private static func directoryIfThere(
        _ name: [UInt8], in parent: RootDirectory
    ) throws(FileSystemError) -> RootDirectory? {
        do throws(FileSystemError) {
            return try directory(name, in: parent)
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }

    // MARK: What is in it

    /// Whether something that has gone is still kept.
    func hasOld() throws(FileSystemError) -> Bool {
        try old.map { (old) throws(FileSystemError) in try !old.entries().isEmpty } ?? false
    }

    /// Whether there is nothing in it at all: the very beginning of a transaction, or its very end.
    func isEmpty() throws(FileSystemError) -> Bool { try top.entries().isEmpty }

    /// An empty directory in which names can be tried out.
    func makeProbe() throws(FileSystemError) -> RootDirectory {
        try top.emptyDirectory(named: Self.probeName)
    }

    /// Makes what is staged, and the names of it, last.
    func sync() throws(FileSystemError) {
        try new?.sync()
        try top.sync()
        try root.sync()
    }

    // MARK: The journal

    /// Says which transaction this directory takes part in.
    func follow(_ note: LeaderNote) throws(FileSystemError) {
        try top.writeFile(Self.next, note.encoded())
        try top.move(Self.next, to: top, as: Self.leader, path: root.path)
    }

    /// Puts the journal in place: from here on the transaction is to be finished or undone.
    func commit(_ journal: [UInt8]) throws(FileSystemError) {
        try top.writeFile(Self.next, journal)
        try sync()
        try top.move(Self.next, to: top, as: Self.journal, path: root.path)
        try top.sync()
    }

    /// Says that all of the journal is done.
    func markDone() throws(FileSystemError) {
        try top.move(Self.journal, to: top, as: Self.done, path: root.path)
    }

    /// Says that all of it is undone, and none of it to be done.
    func removeJournal() throws(FileSystemError) {
        try top.remove(Self.journal, isDirectory: false)
        try top.sync()
    }

    /// Sees to it that there is no journal, should it be in place already.
    func withdrawJournal() throws(FileSystemError) {
        if try top.statusIfThere(Self.journal) != nil { try removeJournal() }
    }

    // MARK: The end

    /// Deletes the staging; what says how far things are goes last.
    ///
    /// Nothing in it has anything in it: what another program put there stays, and is an error.
    ///
    /// - Parameter time: what the directory's time is to be; nil for what it is.
    func clear(settingTime time: Timestamp? = nil) throws(FileSystemError) {
        let present = try root.status().modified
        let modified = time ?? present
        let known = [Self.probeName, Self.newName, Self.oldName, Self.next, Self.leader, Self.done]
        if let foreign = try top.entries().first(where: { !known.contains($0.name) }) {
            // No transaction put it there, and it may be somebody's.
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

    /// A directory that somebody else owns keeps the time that it has.
    private static func setTimes(_ time: Timestamp, of directory: RootDirectory) throws(FileSystemError) {
        do throws(FileSystemError) {
            try directory.setTimes(time)
        } catch {
            if error.code != .notPermitted { throw error }
        }
    }
}

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

/// The file `leader` of a directory that takes part in another one's transaction: which one, and where the journal is.
struct LeaderNote: Hashable, Sendable {
    let identifier: ApplyJournal.Identifier
    /// Absolute.
    let path: HostPath

    static let maximumLength: UInt64 = 8_192
    private static let magic = Array("CAPSLDR1".utf8)

    init(identifier: ApplyJournal.Identifier, path: HostPath) {
        self.identifier = identifier
        self.path = path
    }

    /// The note for a transaction on these directories, and where they really are.
    static func make(for roots: [RootDirectory]) throws(CapsuleError) -> (note: LeaderNote, paths: [HostPath]) {
        var paths: [HostPath] = []
        for root in roots {
            guard let path = try CapsuleError.wrapping({ () throws(FileSystemError) in try RealPath.resolve(root.path) }) else {
                throw CapsuleError(.notFound, "no longer exists", path: root.path)
            }
            paths.append(path)
        }
        guard let first = paths.first else { throw CapsuleError("no directory to work in") }
        return (LeaderNote(identifier: .random(), path: first), paths)
    }

    func encoded() -> [UInt8] { Self.magic + identifier.bytes + path.bytes }

    /// - Returns: nil for what is none.
    init?(decoding bytes: [UInt8]) {
        let start = Self.magic.count + ApplyJournal.Identifier.byteCount
        guard bytes.count > start, bytes.starts(with: Self.magic), bytes[start] == UInt8(ascii: "/"),
            !bytes[start...].contains(0)
        else { return nil }
        identifier = ApplyJournal.Identifier(Array(bytes[Self.magic.count..<start]))
        path = HostPath(Array(bytes[start...]))
    }
}
