import Foundation

/// A directory beside the data to change, on the same volume. New files are written in it before they get their names, and entries that are
/// replaced or deleted are moved there first.
///
/// A process that is killed leaves it behind. The next one that opens it empties it, except for the mark of an unfinished installation.
final class StagingArea {
    static let name = EntryName(".capsule-staging")
    /// The file that identifies an unfinished installation.
    private static let mark = EntryName("unfinished")
    /// The most attempts to open the area. It may be deleted during each attempt, when another process finishes.
    private static let maximumAttempts = 100

    let directory: OpenDirectory
    /// The mark that the last process left; empty if it finished.
    let unfinished: [UInt8]
    private let parent: OpenDirectory
    private var count = 0
    private var isFinished = false
    private let step: ChangeObserver

    /// Called before each change of a name outside of the area. Tests end an installation there.
    typealias ChangeObserver = () throws(AppDataError) -> Void

    /// Makes the area, or takes over one that a process left behind.
    ///
    /// - Throws: ``AppDataError/Code-swift.struct/busy`` if another process uses it.
    init(in parent: OpenDirectory, step: @escaping ChangeObserver) throws(AppDataError) {
        self.parent = parent
        self.step = step
        directory = try Self.locked(in: parent)
        let isMarked = try directory.status(of: Self.mark)?.kind == .file
        unfinished = isMarked ? try directory.start(of: Self.mark, 4_096) : []
        try empty()
    }

    /// Opens and locks the area. A process that finishes deletes it, possibly after this process opened it and before it is locked; that
    /// lock would be worthless, so the name is checked afterward.
    private static func locked(in parent: OpenDirectory) throws(AppDataError) -> OpenDirectory {
        let busy = AppDataError(.busy, parent.path(of: name), "another process is installing or resetting here")
        var failure = busy
        for _ in 0..<maximumAttempts {
            if let status = try parent.status(of: name), status.kind != .directory {
                // Only Capsule uses this name. A link is deleted itself, not its target.
                _ = name.withCString { unlinkat(parent.descriptor, $0, 0) }
            }
            do throws(AppDataError) {
                let directory = try parent.directoryMade(name).directory
                guard lock(directory) else { throw busy }
                if let named = try parent.status(of: name), named.isSame(as: try directory.status()) { return directory }
            } catch {
                // The area was deleted after it was made and before it was opened.
                guard error.number == ENOENT else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// Tries for a quarter of a second: a program that a process starts holds the process's locks, too, until it replaces itself.
    private static func lock(_ directory: OpenDirectory) -> Bool {
        for _ in 0..<50 {
            if flock(directory.descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            usleep(5_000)
        }
        return false
    }

    deinit {
        // Without the lock, the name may belong to another process.
        if isFinished { return }
        // Succeeds only if the area is empty; nothing was changed then.
        _ = Self.name.withCString { unlinkat(parent.descriptor, $0, AT_REMOVEDIR) }
    }

    /// Returns a name that no entry in the area has.
    func freshName() -> EntryName {
        count += 1
        return EntryName(String(count))
    }

    /// Records the installation that starts here, until ``finish()``. An existing mark is replaced in one step and is never missing
    /// meanwhile.
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

    /// Moves an entry of any kind out of its place into the area.
    func moveAside(_ name: EntryName, from place: OpenDirectory) throws(AppDataError) {
        try step()
        try takeIn(name, from: place, as: freshName())
    }

    /// Moves an entry that was prepared in the area to its final place.
    func putInPlace(_ staged: EntryName, _ place: OpenDirectory, as name: EntryName) throws(AppDataError) {
        try step()
        try directory.move(staged, to: place, as: name)
    }

    /// Deletes the area with everything that was moved into it. It can't be used afterward.
    func finish() throws(AppDataError) {
        try empty()
        _ = Self.mark.withCString { unlinkat(directory.descriptor, $0, 0) }
        isFinished = true
        _ = Self.name.withCString { unlinkat(parent.descriptor, $0, AT_REMOVEDIR) }
    }

    // MARK: Deleting

    /// Deletes everything in the area except the mark. A tree of any depth takes two descriptors.
    func empty() throws(AppDataError) {
        while true {
            let names = try directory.names().filter { $0 != Self.mark }
            if names.isEmpty { return }
            for name in names where !(try delete(name, in: directory)) {
                _ = name.withCString { fchmodat(directory.descriptor, $0, 0o700, 0) }
                let inner = try directory.directory(name)
                for deeper in try inner.names() where !(try delete(deeper, in: inner)) {
                    // A directory that is not empty is moved up, and deleted in the next round.
                    var free = freshName()
                    while try directory.status(of: free) != nil { free = freshName() }
                    try takeIn(deeper, from: inner, as: free)
                }
                _ = try delete(name, in: directory)
            }
        }
    }

    /// Moves an entry that is to be deleted into the area.
    ///
    /// - Throws: with the entry's original path.
    private func takeIn(_ name: EntryName, from place: OpenDirectory, as new: EntryName) throws(AppDataError) {
        if let status = try place.status(of: name), status.kind == .directory {
            // Moving a directory changes its own parent entry, which requires permission to write to it. The mode is first set by name,
            // since a directory that can't be read can't be opened either. Older systems can't do that without following links, so the
            // directory is opened as a fallback. If neither works, the move fails and reports the reason.
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
    /// - Returns: true if it is gone; false for a directory that is not empty.
    private func delete(_ name: EntryName, in place: OpenDirectory) throws(AppDataError) -> Bool {
        let isDirectory = try place.status(of: name)?.kind == .directory
        if name.withCString({ unlinkat(place.descriptor, $0, isDirectory ? AT_REMOVEDIR : 0) }) == 0 { return true }
        let number = errno
        // POSIX allows both error numbers for a directory that is not empty.
        if isDirectory, number == ENOTEMPTY || number == EEXIST { return false }
        throw AppDataError.system(number, "delete", place.path(of: name))
    }
}
