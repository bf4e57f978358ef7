import Foundation

/// A directory beside what is changed, on the same volume: new files are written in it before they get their names, and what is
/// replaced or deleted goes there first.
///
/// Whatever ends a process leaves it behind; the next one that opens it empties it, but for the mark of what is unfinished.
final class StagingArea {
    static let name = EntryName(".capsule-staging")
    /// Which installation did not come to its end.
    private static let mark = EntryName("unfinished")
    /// How often it may go from under whoever opens it: each time another process has come to its end.
    private static let maximumAttempts = 100

    let directory: OpenDirectory
    /// What the last process left unfinished; empty if nothing.
    let unfinished: [UInt8]
    private let parent: OpenDirectory
    private var count = 0
    private var isFinished = false
    private let step: Step

    /// Told before each change of a name outside of the area; tests end an installation there.
    typealias Step = () throws(AppDataError) -> Void

    /// Makes it, or takes over what a process left.
    ///
    /// - Throws: ``AppDataError/Code-swift.struct/busy`` if another process works in it.
    init(in parent: OpenDirectory, step: @escaping Step) throws(AppDataError) {
        self.parent = parent
        self.step = step
        directory = try Self.locked(in: parent)
        let isMarked = try directory.status(of: Self.mark)?.kind == .file
        unfinished = isMarked ? try directory.start(of: Self.mark, 4_096) : []
        try empty()
    }

    /// Whoever is done with it removes it, and may do so between another's opening and locking it: such a lock keeps nobody out.
    private static func locked(in parent: OpenDirectory) throws(AppDataError) -> OpenDirectory {
        let busy = AppDataError(.busy, parent.path(of: name), "another process is installing or resetting here")
        var failure = busy
        for _ in 0..<maximumAttempts {
            if let status = try parent.status(of: name), status.kind != .directory {
                // The name is ours alone; a link is deleted, not what it leads to.
                _ = name.withCString { unlinkat(parent.descriptor, $0, 0) }
            }
            do throws(AppDataError) {
                let directory = try parent.directoryMade(name).directory
                guard flock(directory.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw busy }
                if let named = try parent.status(of: name), named.isSame(as: try directory.status()) { return directory }
            } catch {
                // Removed between its making and its opening.
                guard error.number == ENOENT else { throw error }
                failure = error
            }
        }
        throw failure
    }

    deinit {
        // Without the lock the name is another's.
        if isFinished { return }
        // Only if it is empty: nothing was changed then.
        _ = Self.name.withCString { unlinkat(parent.descriptor, $0, AT_REMOVEDIR) }
    }

    /// A name that nothing in the area has.
    func freshName() -> EntryName {
        count += 1
        return EntryName(String(count))
    }

    /// Remembers what is begun here, until ``finish()``. A mark that is there is replaced whole, and never gone meanwhile.
    func begin(_ what: [UInt8]) throws(AppDataError) {
        let new = freshName()
        let file = new.withCString { openat(directory.descriptor, $0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        guard file >= 0 else { throw AppDataError.system(errno, "create", directory.path(of: new)) }
        defer { close(file) }
        guard write(file, what, what.count) == what.count else {
            throw AppDataError.system(errno, "write", directory.path(of: new))
        }
        try directory.move(new, to: directory, as: Self.mark)
    }

    /// Takes an entry out of its place; what it is has no say.
    func takeAway(_ name: EntryName, from place: OpenDirectory) throws(AppDataError) {
        try step()
        try takeIn(name, from: place, as: freshName())
    }

    /// Gives what was prepared under a name of the area its place.
    func putInPlace(_ staged: EntryName, _ place: OpenDirectory, as name: EntryName) throws(AppDataError) {
        try step()
        try directory.move(staged, to: place, as: name)
    }

    /// Deletes the area and all that was taken away: nothing can be done in it any more.
    func finish() throws(AppDataError) {
        try empty()
        _ = Self.mark.withCString { unlinkat(directory.descriptor, $0, 0) }
        isFinished = true
        _ = Self.name.withCString { unlinkat(parent.descriptor, $0, AT_REMOVEDIR) }
    }

    // MARK: Deleting

    /// Deletes all in it but the mark; a tree of any depth with two descriptors.
    func empty() throws(AppDataError) {
        while true {
            let names = try directory.names().filter { $0 != Self.mark }
            if names.isEmpty { return }
            for name in names where !(try delete(name, in: directory)) {
                _ = name.withCString { fchmodat(directory.descriptor, $0, 0o700, 0) }
                let inner = try directory.directory(name)
                for deeper in try inner.names() where !(try delete(deeper, in: inner)) {
                    // A directory that is not empty: moved up, so that it is the next round's.
                    var free = freshName()
                    while try directory.status(of: free) != nil { free = freshName() }
                    try takeIn(deeper, from: inner, as: free)
                }
                _ = try delete(name, in: directory)
            }
        }
    }

    /// Moves what is to be deleted into the area.
    ///
    /// - Throws: with its path where it was.
    private func takeIn(_ name: EntryName, from place: OpenDirectory, as new: EntryName) throws(AppDataError) {
        if let status = try place.status(of: name), status.kind == .directory {
            // Its own parent entry changes as it moves, which takes the right to write to it. First by name, since who may not read it
            // can't open it either; older systems can't do that without following links. If neither helps, the move says so.
            let changed = name.withCString { fchmodat(place.descriptor, $0, status.mode | 0o700, AT_SYMLINK_NOFOLLOW) }
            if changed != 0 { try? place.directory(name).setMode(status.mode) }
        }
        do {
            try place.move(name, to: directory, as: new)
        } catch {
            throw AppDataError.system(error.number, "delete", place.path(of: name))
        }
    }

    /// Deletes a file, a link or an empty directory.
    ///
    /// - Returns: whether it is gone; not for a directory with something in it.
    private func delete(_ name: EntryName, in place: OpenDirectory) throws(AppDataError) -> Bool {
        let isDirectory = try place.status(of: name)?.kind == .directory
        if name.withCString({ unlinkat(place.descriptor, $0, isDirectory ? AT_REMOVEDIR : 0) }) == 0 { return true }
        let number = errno
        // POSIX allows both numbers for a directory that is not empty.
        if isDirectory, number == ENOTEMPTY || number == EEXIST { return false }
        throw AppDataError.system(number, "delete", place.path(of: name))
    }
}
