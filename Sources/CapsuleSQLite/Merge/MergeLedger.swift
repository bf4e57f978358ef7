import CapsuleCore

/// Takes the conflicts of one pass over three databases, in their order, and says what stands in their places.
struct MergeLedger {
    /// More conflicts than this are one: nobody decides so many by hand.
    static let conflictLimit = 10_000
    /// Bytes of all values that conflicts show, about.
    static let valueLimit = 64 << 20

    /// What is decided.
    enum Decided {
        /// Everything alike; nil leaves all open.
        case all(Resolution?)
        /// Each of these conflicts, as a first pass found them, by what its own resolution says.
        case each([Conflict])
    }

    private let decided: Decided
    /// Those of the pass so far.
    private(set) var conflicts: [Conflict] = []
    private var bytes = 0

    init(_ decided: Decided) {
        self.decided = decided
    }

    /// Takes a conflict whose values take about `cost` bytes, and gives it its number where that is known.
    ///
    /// - Returns: nil leaves ours in its place.
    mutating func settle(_ conflict: inout Conflict, cost: Int) throws(MergeStop) -> Resolution? {
        bytes += cost
        guard conflicts.count < Self.conflictLimit else { throw .whole("more than \(Self.conflictLimit) row conflicts") }
        guard bytes <= Self.valueLimit else { throw .whole("the conflicting rows exceed \(Self.valueLimit >> 20) MiB") }
        conflicts.append(conflict)
        switch decided {
        case .all(let resolution): return resolution
        case .each(let settled):
            guard conflicts.count <= settled.count else { return nil }
            conflict.id = settled[conflicts.count - 1].id
            return settled[conflicts.count - 1].resolution
        }
    }
}
