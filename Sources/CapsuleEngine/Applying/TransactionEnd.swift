import CapsuleCore
import CapsuleFileSystem

/// How a transaction ends, one way or the other: what comes after its steps.
struct TransactionEnd {
    /// The first one has the journal.
    private let rooms: [TransactionRoom]
    private let journal: ApplyJournal

    init(_ rooms: [TransactionRoom], _ journal: ApplyJournal) {
        self.rooms = rooms
        self.journal = journal
    }

    /// Whether each step syncs what it settles: else all is synced together at the end.
    static func syncsEach(_ journal: ApplyJournal) -> Bool {
        var count = 0
        for case .settle(_, _, let kind, _, _) in journal.steps where kind != .link { count += 1 }
        return count <= Durability.limit
    }

    /// Makes what the steps did last.
    func sync() throws(CapsuleError) {
        try CapsuleError.wrapping { () throws(FileSystemError) in
            if Self.syncsEach(journal) { return }
            for room in rooms { try room.root.syncFileSystem() }
        }
    }

    /// Says that the steps are done: from here on nothing is undone.
    func markDone() throws(CapsuleError) {
        try CapsuleError.wrapping { () throws(FileSystemError) in try rooms[0].markDone() }
    }

    /// Undoes the steps and deletes the staging.
    ///
    /// - Throws: if it could not all be undone; then the journal is still there. Leavings are no failure.
    ///
    /// - Parameter done: how many steps were done, in a transaction that is still running; the next one may be half done, all
    ///   others never were begun. nil where that is not known.
    func rollBack(_ runner: StepRunner, done: Int?) throws(CapsuleError) {
        for (number, step) in journal.steps.enumerated().reversed() where number <= done ?? number {
            try runner.backward(step, wasDone: done.map { number < $0 } ?? false)
        }
        try sync()
        try CapsuleError.wrapping { () throws(FileSystemError) in try rooms[0].removeJournal() }
        for room in rooms.reversed() { try? room.clear() }
    }

    /// Deletes the staging of a transaction that is done.
    func clear() throws(CapsuleError) {
        try CapsuleError.wrapping { () throws(FileSystemError) in
            // What was kept may go only once nothing brings the journal back.
            try rooms[0].top.sync()
            for room in rooms.reversed() { try room.clear() }
        }
    }
}
