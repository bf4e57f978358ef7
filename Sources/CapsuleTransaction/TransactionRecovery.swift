package import CapsuleCore
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
        guard let area = try TransactionDirectory.find(in: root) else { return [] }
        if try area.isEmpty() {
            // The transaction had only just begun, or was almost over: there is nothing to do, or nothing left to do.
            try area.clear()
            return []
        }
        if let note = try note(of: area) { return try recoverParticipant(area, note) }
        return try recoverCoordinator(area)
    }

    private func recoverCoordinator(_ area: TransactionDirectory) throws(CapsuleError) -> [Recovery] {
        if let journal = try journal(TransactionDirectory.done, of: area) {
            let areas = try areas(of: journal, area, needsAll: false)
            try clear(areas)
            return areas.map { Recovery(path: $0.root.path, outcome: .cleared) }
        }
        guard let journal = try journal(TransactionDirectory.journal, of: area) else {
            try clearUncommitted(area)
            return [Recovery(path: area.root.path, outcome: .rolledBack)]
        }
        let areas = try areas(of: journal, area, needsAll: true)
        let outcome = try finish(journal, areas)
        return areas.map { Recovery(path: $0.root.path, outcome: outcome) }
    }

    private func finish(_ journal: ApplyJournal, _ areas: [TransactionDirectory]) throws(CapsuleError) -> Recovery.Outcome {
        let end = TransactionEnd(areas, journal)
        let runner = StepRunner(areas, journal, syncsEach: TransactionEnd.syncsEach(journal))
        do throws(CapsuleError) {
            for step in journal.steps { try runner.forward(step, isLive: false, expecting: nil) }
            try end.sync()
            try end.markDone()
        } catch let forward {
            do throws(CapsuleError) {
                try end.rollBack(runner, done: nil)
            } catch let backward {
                throw Self.stuck(forward, backward, areas[0])
            }
            return .rolledBack
        }
        try end.clear()
        return .finished
    }

    /// Returns the staging directories of all directories that a journal names, the given one first.
    /// - Parameter needsAll: true if a missing one is an error. Otherwise, it is left out.
    private func areas(
        of journal: ApplyJournal, _ leader: TransactionDirectory, needsAll: Bool
    ) throws(CapsuleError) -> [TransactionDirectory] {
        var areas = [leader]
        for path in journal.roots.dropFirst() {
            do throws(CapsuleError) {
                // Foreign directories are not even locked unless their own notes say that they take part.
                guard let seen = try TransactionDirectory.find(in: try RootDirectory(path)), let first = try note(of: seen),
                    first == CoordinatorLink(identifier: journal.identifier, path: journal.roots[0]),
                    let area = try TransactionDirectory.find(in: try table.directory(path)), try note(of: area) == first
                else { throw CapsuleError(.notFound, "has no files of the transaction", path: path) }
                areas.append(area)
            } catch {
                guard needsAll || error.code != .notFound else { continue }
                // An error about what another user can change is thrown unchanged, for the place itself.
                guard needsAll, error.code != .notPermitted else { throw error }
                throw CapsuleError(
                    error.code, "is part of an unfinished transaction of \(leader.root.path), but \(error.message)",
                    path: path, hint: "move it back to its place, then try again")
            }
        }
        return areas
    }

    private func recoverParticipant(_ area: TransactionDirectory, _ note: CoordinatorLink) throws(CapsuleError) -> [Recovery] {
        // The directory is not locked unless it has the journal, because the note may name anyone's directory.
        let place: RootDirectory
        do throws(CapsuleError) {
            place = try RootDirectory(note.path)
        } catch {
            throw CapsuleError(
                "is part of an unfinished transaction of \(note.path), which can't be read: \(error.message)",
                path: area.root.path,
                hint: "move it back to its place; if it no longer exists, delete \(area.top.path)")
        }
        if let leader = try TransactionDirectory.find(in: place), try leads(leader, note),
            let locked = try TransactionDirectory.find(in: try table.directory(note.path))
        {
            // No one else can have ended the transaction, because that needs the lock of this directory, too.
            guard try leads(locked, note) else { throw Self.damaged(locked, TransactionDirectory.journal) }
            return try recoverCoordinator(locked)
        }
        // The transaction was never committed, or it is undone.
        try clearUncommitted(area)
        return [Recovery(path: area.root.path, outcome: .rolledBack)]
    }

    private func leads(_ leader: TransactionDirectory, _ note: CoordinatorLink) throws(CapsuleError) -> Bool {
        guard try self.note(of: leader) == nil else { return false }
        for name in [TransactionDirectory.journal, TransactionDirectory.done] {
            if try journal(name, of: leader)?.identifier == note.identifier { return true }
        }
        return false
    }

    private func clearUncommitted(_ area: TransactionDirectory) throws(CapsuleError) {
        if try area.hasOld() {
            throw CapsuleError(
                "has entries that a transaction moved out of the container, but no journal to restore them",
                path: area.top.path, hint: "check its directory 'old', save what you need, then delete it")
        }
        // Staged entries may be deleted only when nothing can bring a journal back.
        try area.top.sync()
        try area.clear()
    }

    private func clear(_ areas: [TransactionDirectory]) throws(CapsuleError) {
        try areas[0].top.sync()
        for area in areas.reversed() { try area.clear() }
    }

    private func note(of area: TransactionDirectory) throws(CapsuleError) -> CoordinatorLink? {
        guard let bytes = try area.read(TransactionDirectory.leader, limit: CoordinatorLink.maximumLength) else { return nil }
        guard let note = CoordinatorLink(decoding: bytes) else { throw Self.damaged(area, TransactionDirectory.leader) }
        return note
    }

    private func journal(_ name: [UInt8], of area: TransactionDirectory) throws(CapsuleError) -> ApplyJournal? {
        guard let bytes = try area.read(name, limit: ApplyJournal.maximumLength) else { return nil }
        guard let journal = ApplyJournal(decoding: bytes) else { throw Self.damaged(area, name) }
        return journal
    }

    private static func damaged(_ area: TransactionDirectory, _ name: [UInt8]) -> CapsuleError {
        CapsuleError(
            "is damaged or not a transaction's file; nothing was changed", path: area.top.path.appending(name),
            hint: "check \(area.top.path), save what you need, then delete it")
    }

    private static func stuck(_ forward: CapsuleError, _ backward: CapsuleError, _ area: TransactionDirectory) -> CapsuleError {
        let place = backward.path.map { "\($0) " } ?? ""
        return CapsuleError(
            forward.code, "\(forward.message); the transaction can't be rolled back either: \(place)\(backward.message)",
            path: forward.path,
            hint:
                "the old entries are in \(area.top.path): move what is in the way elsewhere, then run 'capsule recover \(area.root.path.shellWord)'"
        )
    }
}

/// The result of recovering an unfinished transaction.
package struct Recovery: Sendable {
    package enum Outcome: Sendable {
        case rolledBack
        case finished
        /// The tree already had its new state. Only leftovers were deleted.
        case cleared
    }

    package let path: HostPath
    package let outcome: Outcome

    /// The path and what was done: `PATH: rolled back an unfinished transaction first`.
    package var sentence: String {
        "\(QuotedBytes(path.bytes).text): \(outcome == .rolledBack ? "rolled back" : "finished") an unfinished transaction first"
    }
}
