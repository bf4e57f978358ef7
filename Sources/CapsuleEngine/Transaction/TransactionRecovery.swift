import CapsuleCore
import CapsuleSystem

/// Finishes a transaction that was killed, or undoes it if it can't be finished.
struct TransactionRecovery {
    private let table: LockTable

    init(_ table: LockTable) {
        self.table = table
    }

    /// - Returns: the unfinished transactions of this directory and of those that took part in its transaction; empty if there are
    ///   none.
    func recover(_ root: RootDirectory) throws(CapsuleError) -> [Recovery] {
        guard let room = try TransactionRoom.find(in: root) else { return [] }
        let isEmpty = try wrapped(room) { (room) throws(FileSystemError) in try room.isEmpty() }
        if isEmpty {
            // The transaction had only just begun, or was almost over: there is nothing to do, or nothing left to do.
            try clear(room)
            return []
        }
        if let note = try note(of: room) { return try recoverFollower(room, note) }
        return try recoverLeader(room)
    }

    // MARK: The directory that has the journal

    private func recoverLeader(_ room: TransactionRoom) throws(CapsuleError) -> [Recovery] {
        if let journal = try journal(TransactionRoom.done, of: room) {
            let rooms = try rooms(of: journal, room, needsAll: false)
            try clear(rooms)
            return rooms.map { Recovery(path: $0.root.path, outcome: .cleared) }
        }
        guard let journal = try journal(TransactionRoom.journal, of: room) else {
            try clearUncommitted(room)
            return [Recovery(path: room.root.path, outcome: .rolledBack)]
        }
        let rooms = try rooms(of: journal, room, needsAll: true)
        let outcome = try finish(journal, rooms)
        return rooms.map { Recovery(path: $0.root.path, outcome: outcome) }
    }

    private func finish(_ journal: ApplyJournal, _ rooms: [TransactionRoom]) throws(CapsuleError) -> Recovery.Outcome {
        let end = TransactionEnd(rooms, journal)
        let runner = StepRunner(rooms, journal, syncsEach: TransactionEnd.syncsEach(journal))
        do throws(CapsuleError) {
            for step in journal.steps { try runner.forward(step, isLive: false, expecting: nil) }
            try end.sync()
            try end.markDone()
        } catch let forward {
            do throws(CapsuleError) {
                try end.rollBack(runner, done: nil)
            } catch let backward {
                throw Self.stuck(forward, backward, rooms[0])
            }
            return .rolledBack
        }
        try end.clear()
        return .finished
    }

    /// Returns the staging directories of all directories that a journal names, the given one first.
    ///
    /// - Parameter needsAll: true if a missing one is an error. Otherwise, it is left out.
    private func rooms(
        of journal: ApplyJournal, _ leader: TransactionRoom, needsAll: Bool
    ) throws(CapsuleError) -> [TransactionRoom] {
        var rooms = [leader]
        for path in journal.roots.dropFirst() {
            do throws(CapsuleError) {
                // Foreign directories are not even locked unless their own notes say that they take part.
                guard
                    let seen = try TransactionRoom.find(
                        in: try CapsuleError.wrapping { () throws(FileSystemError) in try RootDirectory(path) }),
                    let first = try note(of: seen), first == LeaderNote(identifier: journal.identifier, path: journal.roots[0]),
                    let room = try TransactionRoom.find(in: try table.directory(path)), try note(of: room) == first
                else { throw CapsuleError(.notFound, "has no files of the transaction", path: path) }
                rooms.append(room)
            } catch {
                guard needsAll || error.code != .notFound else { continue }
                // An error about what another user can change is thrown unchanged, for the place itself.
                guard needsAll, error.code != .notPermitted else { throw error }
                throw CapsuleError(
                    error.code, "is part of an unfinished transaction of \(leader.root.path), but \(error.message)",
                    path: path, hint: "move it back to its place, then try again")
            }
        }
        return rooms
    }

    // MARK: A directory that takes part in another one's

    private func recoverFollower(_ room: TransactionRoom, _ note: LeaderNote) throws(CapsuleError) -> [Recovery] {
        // The directory is not locked unless it has the journal, because the note may name anyone's directory.
        let place: RootDirectory
        do throws(FileSystemError) {
            place = try RootDirectory(note.path)
        } catch {
            throw CapsuleError(
                "is part of an unfinished transaction of \(note.path), which can't be read: \(error.message)",
                path: room.root.path,
                hint: "move it back to its place; if it no longer exists, delete \(room.top.path)")
        }
        if let leader = try TransactionRoom.find(in: place), try leads(leader, note),
            let locked = try TransactionRoom.find(in: try table.directory(note.path))
        {
            // No one else can have ended the transaction, because that needs the lock of this directory, too.
            guard try leads(locked, note) else { throw Self.damaged(locked, TransactionRoom.journal) }
            return try recoverLeader(locked)
        }
        // The transaction was never committed, or it is undone.
        try clearUncommitted(room)
        return [Recovery(path: room.root.path, outcome: .rolledBack)]
    }

    /// Returns true if a directory has the journal that a note refers to.
    private func leads(_ leader: TransactionRoom, _ note: LeaderNote) throws(CapsuleError) -> Bool {
        guard try self.note(of: leader) == nil else { return false }
        for name in [TransactionRoom.journal, TransactionRoom.done] {
            if try journal(name, of: leader)?.identifier == note.identifier { return true }
        }
        return false
    }

    // MARK: Stagings

    private func clearUncommitted(_ room: TransactionRoom) throws(CapsuleError) {
        let hasOld = try wrapped(room) { (room) throws(FileSystemError) in try room.hasOld() }
        if hasOld {
            throw CapsuleError(
                "has entries that a transaction moved out of the container, but no journal to restore them",
                path: room.top.path, hint: "check its directory 'old', save what you need, then delete it")
        }
        // Staged entries may be deleted only when nothing can bring a journal back.
        try wrapped(room) { (room) throws(FileSystemError) in try room.top.sync() }
        try clear(room)
    }

    private func clear(_ rooms: [TransactionRoom]) throws(CapsuleError) {
        try CapsuleError.wrapping { () throws(FileSystemError) in try rooms[0].top.sync() }
        for room in rooms.reversed() { try clear(room) }
    }

    private func clear(_ room: TransactionRoom) throws(CapsuleError) {
        try wrapped(room) { (room) throws(FileSystemError) in try room.clear() }
    }

    private func note(of room: TransactionRoom) throws(CapsuleError) -> LeaderNote? {
        guard let bytes = try room.read(TransactionRoom.leader, limit: LeaderNote.maximumLength) else { return nil }
        guard let note = LeaderNote(decoding: bytes) else { throw Self.damaged(room, TransactionRoom.leader) }
        return note
    }

    private func journal(_ name: [UInt8], of room: TransactionRoom) throws(CapsuleError) -> ApplyJournal? {
        guard let bytes = try room.read(name, limit: ApplyJournal.maximumLength) else { return nil }
        guard let journal = ApplyJournal(decoding: bytes) else { throw Self.damaged(room, name) }
        return journal
    }

    private func wrapped<Result>(
        _ room: TransactionRoom, _ body: (TransactionRoom) throws(FileSystemError) -> Result
    ) throws(CapsuleError) -> Result {
        try CapsuleError.wrapping { () throws(FileSystemError) in try body(room) }
    }

    // MARK: Errors

    private static func damaged(_ room: TransactionRoom, _ name: [UInt8]) -> CapsuleError {
        CapsuleError(
            "is damaged or not a transaction's file; nothing was changed", path: room.top.path.appending(name),
            hint: "check \(room.top.path), save what you need, then delete it")
    }

    private static func stuck(_ forward: CapsuleError, _ backward: CapsuleError, _ room: TransactionRoom) -> CapsuleError {
        let place = backward.path.map { "\($0) " } ?? ""
        return CapsuleError(
            forward.code, "\(forward.message); the transaction can't be rolled back either: \(place)\(backward.message)",
            path: forward.path,
            hint:
                "the old entries are in \(room.top.path): move what is in the way elsewhere, then run 'capsule recover \(room.root.path)'"
        )
    }
}

/// The result of recovering an unfinished transaction.
struct Recovery: Sendable {
    enum Outcome: Sendable {
        /// The transaction was undone: the tree has its old state.
        case rolledBack
        /// The transaction was finished: the tree has its new state.
        case finished
        /// The tree already had its new state. Only leftovers were deleted.
        case cleared
    }

    /// The directory that had the unfinished transaction.
    let path: HostPath
    let outcome: Outcome
}
