import CapsuleCore

/// What a transaction is about to do, whole, before it begins: enough to finish it or to undo it after a crash.
struct ApplyJournal: Hashable, Sendable {
    /// Tells a transaction from all others: 16 random bytes.
    struct Identifier: Hashable, Sendable {
        static let byteCount = 16
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        static func random() -> Identifier {
            Identifier((0..<byteCount).map { _ in UInt8.random(in: 0...255) })
        }
    }

    var identifier: Identifier
    /// Where the directories are, absolute; the first one is that which has the journal.
    var roots: [HostPath]
    /// In the order in which they are done.
    var steps: [JournalStep]

    /// The inodes of the directories that take the place of such that are deleted.
    var spares: [ApplyPlan.Place: UInt64] {
        var spares: [ApplyPlan.Place: UInt64] = [:]
        for case .delete(let place, _, _, let inode) in steps { spares[place] = inode }
        return spares
    }

    /// The entries that leave one path for another: their places in between.
    var inTransit: Set<JournalPlace> {
        var places: Set<JournalPlace> = []
        for case .move(_, _, let from, _) in steps {
            if case .old = from { places.insert(from) }
        }
        return places
    }
}
