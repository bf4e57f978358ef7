import CapsuleCore
import CapsuleSystem

/// Does and undoes the steps of a journal. For one thread.
/// Only transactions use a staging directory, one at a time. So an entry that is no longer at its place there has left it through
/// the step in question, whatever another program did with it since.
final class StepRunner {
    let places: EntryLocator
    /// True if each settled entry is synced by itself. Otherwise, the caller syncs.
    private let syncsEach: Bool
    private let inTransit: Set<JournalLocation>
    let spares: [TargetPath: UInt64]
    /// The inodes with several names that steps have moved. Their status change times come from these steps.
    private var touched: Set<UInt64> = []
    private(set) var refused: [(place: TargetPath, name: [UInt8])] = []

    init(_ areas: [TransactionDirectory], _ journal: ApplyJournal, syncsEach: Bool) {
        places = EntryLocator(areas)
        inTransit = journal.inTransit
        spares = journal.spares
        self.syncsEach = syncsEach
    }

    /// Does a step, unless it is done already.
    /// - Parameter expectation: the status that the entry must have. nil accepts any status: in recovery, and for entries that the
    ///   plan says nothing about.
    func forward(_ step: JournalStep, isLive: Bool, expecting expectation: FileStatus?) throws(CapsuleError) {
        switch step {
        case .open(let place, let inode, let mode, let temporary, _):
            try open(place, inode, mode, temporary, isLive: isLive)
        case .move(let inode, let isDirectory, let from, let to):
            if case .tree(let place) = from {
                try moveOut(inode, isDirectory, place, to, isLive: isLive, expectation)
            } else {
                try moveIn(inode, isDirectory, from, to, isLive: isLive)
            }
        case .delete(let place, let inode, let spare, _):
            try delete(place, inode, .new(root: place.root, number: spare), isLive: isLive)
        case .setMetadata(let place, let inode, let kind, _, let after):
            try setMetadata(place, inode, kind, after, isForward: true, isLive: isLive, expectation)
        }
    }

    private func open(
        _ place: TargetPath, _ inode: UInt64, _ mode: FileMode, _ temporary: FileMode, isLive: Bool
    ) throws(CapsuleError) {
        guard let found = try places.status(place), [inode, spares[place]].contains(found.inode), found.kind == .directory else {
            // In a recovery, a later step may have removed it already.
            if isLive { throw changed(place) }
            return
        }
        if temporary != mode, found.mode != temporary { try setMode(of: place, temporary) }
    }

    private func moveOut(
        _ inode: UInt64, _ isDirectory: Bool, _ place: TargetPath, _ to: JournalLocation, isLive: Bool,
        _ expectation: FileStatus?
    ) throws(CapsuleError) {
        guard let found = try places.status(place), found.inode == inode, isDirectory == (found.kind == .directory) else {
            if isLive { throw changed(place) }
            return
        }
        if let expectation, !isDirectory, !isAsExpected(found, expectation) { throw changed(place) }
        if found.links > 1, !isDirectory { touched.insert(inode) }
        if isDirectory { try checkEmpty(.tree(place), shownAs: place) }
        try move(.tree(place), to, inode, isDirectory)
        // An entry that was added between the check and the move goes back with the directory.
        if isDirectory, isLive { try checkEmpty(to, shownAs: place) }
        if let expectation, !isDirectory {
            guard let moved = try places.status(to), moved.size == expectation.size, moved.modified == expectation.modified else {
                throw changed(place)
            }
        }
    }

    private func moveIn(
        _ inode: UInt64, _ isDirectory: Bool, _ from: JournalLocation, _ to: JournalLocation, isLive: Bool
    ) throws(CapsuleError) {
        guard let found = try places.status(from), found.inode == inode else {
            if isLive, case .tree(let place) = to { throw changed(place) }
            return
        }
        try move(from, to, inode, isDirectory)
    }

    /// Undoes a step, if it is done.
    /// - Parameter wasDone: true if the step is known to be done. Then a missing or replaced entry is an error, because it may be back
    ///   when the transaction is recovered. Otherwise, what another program put in its place keeps its own metadata.
    func backward(_ step: JournalStep, wasDone: Bool) throws(CapsuleError) {
        switch step {
        case .open(let place, let inode, let mode, _, let modified):
            let before = JournalStep.Metadata(mode: mode, modified: modified)
            let found = try places.status(place)?.inode
            try setMetadata(
                place, found == spares[place] ? found ?? inode : inode, .directory, before, isForward: false, isLive: wasDone, nil
            )
        case .move(let inode, let isDirectory, let from, let to):
            var found = try places.status(to)
            if wasDone, found?.inode != inode, case .tree(let place) = to, let parent = place.path.parent {
                // Another program may have moved the directory around it, and may move it back.
                let directory = try places.status(TargetPath(root: place.root, path: parent))
                guard directory?.kind == .directory else { throw changed(place) }
                found = try places.status(to)
            }
            if found?.inode == inode {
                if isDirectory, case .tree(let place) = to { try checkEmpty(to, shownAs: place) }
                try move(to, from, inode, isDirectory)
            } else if case .tree(let place) = from, inTransit.contains(to), try places.status(place) == nil {
                // The entry was moved on to another path, and is not there, either.
                throw CapsuleError("disappeared: another program removed it after it was moved", path: places.path(of: place))
            }
        case .delete(let place, let inode, let spare, let spareInode):
            try putBack(place, inode, .new(root: place.root, number: spare), spareInode)
        case .setMetadata(let place, let inode, let kind, let before, _):
            try setMetadata(place, inode, kind, before, isForward: false, isLive: wasDone, nil)
        }
    }

    func move(_ from: JournalLocation, _ to: JournalLocation, _ inode: UInt64, _ isDirectory: Bool) throws(CapsuleError) {
        if isDirectory { places.forget() }
        do throws(CapsuleError) {
            let source = try places.location(from)
            let shown = try shownPath(from, to)
            do throws(CapsuleError) {
                let target = try places.location(to)
                try source.directory.move(source.name, to: target.directory, as: target.name, path: shown)
            } catch {
                guard error.code == .exists, !isDirectory, try places.status(to)?.inode == inode else { throw error }
                // If the system has no exclusive rename, a move takes two steps, and only the first one was done.
                try source.directory.remove(source.name, isDirectory: false)
            }
        } catch {
            throw Self.explained(error)
        }
        if isDirectory { places.forget() }
    }

    private func shownPath(_ from: JournalLocation, _ to: JournalLocation) throws(CapsuleError) -> HostPath {
        if case .tree(let place) = to { return places.path(of: place) }
        if case .tree(let place) = from { return places.path(of: place) }
        return try places.location(to).path
    }

    func checkEmpty(_ place: JournalLocation, shownAs shown: TargetPath) throws(CapsuleError) {
        let location = try places.location(place)
        let found = try location.directory.subdirectoryOnDevice(named: location.name).entries().first
        if let found {
            throw CapsuleError(
                "was created by another program in the meantime", path: places.path(of: shown).appending(found.name))
        }
    }

    private func setMetadata(
        _ place: TargetPath, _ inode: UInt64, _ kind: EntryKind, _ facts: JournalStep.Metadata, isForward: Bool,
        isLive: Bool, _ expectation: FileStatus?
    ) throws(CapsuleError) {
        guard let found = try places.status(place), found.inode == inode, found.kind == kind.statusKind else {
            if isLive { throw changed(place) }
            // Another program has put something else there, which keeps its own metadata.
            return
        }
        if let expectation, !isAsExpected(found, expectation) { throw changed(place) }
        let path = places.path(of: place)
        do throws(CapsuleError) {
            if kind == .link {
                let location = try places.location(place)
                if let modified = facts.modified {
                    try Syscall.setLinkTimes(at: location.directory.raw, HostPath(location.name), modified)
                }
                return
            }
            let setter = MetadataWriter(place: place, path: path, isDirectory: kind == .directory, mode: found.mode)
            let entry = try setter.open(try places.location(place))
            guard try Syscall.status(of: entry.raw, path: path).inode == inode else { throw .missing(path) }
            refused += try setter.apply(facts, to: entry.raw, isForward: isForward, syncs: syncsEach).map { (place, $0) }
        } catch {
            throw Self.explained(error)
        }
    }

    private func setMode(of place: TargetPath, _ mode: FileMode) throws(CapsuleError) {
        if place.path.isRoot {
            try Syscall.setMode(places.root(of: place).raw, mode, path: places.path(of: place))
        } else {
            let location = try places.location(place)
            try location.directory.setMode(of: location.name, mode)
        }
    }

    private func isAsExpected(_ found: FileStatus, _ expected: FileStatus) -> Bool {
        if touched.contains(found.inode) {
            return found.isSameFile(as: expected) && found.size == expected.size && found.modified == expected.modified
        }
        return found.isSameState(as: expected)
    }

    private func changed(_ place: TargetPath) -> CapsuleError { .changedMeanwhile(places.path(of: place)) }

    static func explained(_ error: CapsuleError) -> CapsuleError {
        if error.code == .exists {
            return CapsuleError(
                .exists, "was created by another program in the meantime", path: error.path,
                hint: "move it elsewhere, then try again")
        }
        if error.isOtherDevice {
            return CapsuleError("is on another file system, and a transaction can't span file systems", path: error.path)
        }
        return error
    }
}

extension CapsuleError {
    static func changedMeanwhile(_ path: HostPath) -> CapsuleError {
        CapsuleError("was changed by another program in the meantime", path: path, hint: "stop the app, then try again")
    }
}

extension EntryKind {
    var statusKind: FileStatus.Kind {
        switch self {
        case .directory: .directory
        case .file, .identity: .file
        case .link: .link
        }
    }
}

/// Steps for directories that are deleted instead of renamed: ``JournalStep/delete(_:inode:spare:spareInode:)``.
extension StepRunner {
    func delete(_ place: TargetPath, _ inode: UInt64, _ spare: JournalLocation, isLive: Bool) throws(CapsuleError) {
        let found = try places.status(place)
        if let found, !isLive, found.inode == spares[place] {
            // An undo was interrupted: the directory is deleted already, and the spare one is in its place.
            try checkEmpty(.tree(place), shownAs: place)
            return try move(.tree(place), spare, found.inode, true)
        }
        guard let found, found.inode == inode, found.kind == .directory else {
            if isLive { throw .changedMeanwhile(places.path(of: place)) }
            return
        }
        try checkEmpty(.tree(place), shownAs: place)
        places.forget()
        do throws(CapsuleError) {
            let location = try places.location(place)
            try location.directory.remove(location.name, isDirectory: true)
        } catch {
            throw Self.explained(error)
        }
    }

    func putBack(
        _ place: TargetPath, _ inode: UInt64, _ spare: JournalLocation, _ spareInode: UInt64
    ) throws(CapsuleError) {
        guard let found = try places.status(spare), found.inode == spareInode else { return }
        if let present = try places.status(place), present.inode == inode, present.kind == .directory { return }
        try move(spare, .tree(place), spareInode, true)
    }
}
