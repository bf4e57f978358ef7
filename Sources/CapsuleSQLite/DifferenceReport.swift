import CapsuleCore

/// What is told of two databases, as it is found.
struct DifferenceReport {
    private(set) var details: [ChangeDetail] = []
    private(set) var damage: [DatabaseDifference.Damage] = []
    private(set) var isComplete = true
    /// Takes what is not told.
    private(set) var judge: EntryJudge
    private var bytesLeft: Int
    private var hasToldOfBytes = false

    init(bytes: Int, judge: EntryJudge) {
        bytesLeft = bytes
        self.judge = judge
    }

    /// Whether there is room for more rows.
    var hasRoom: Bool { bytesLeft > 0 }

    /// Adds a change that takes about `cost` bytes.
    mutating func add(_ content: ChangeDetail.Content, cost: Int) {
        details.append(ChangeDetail(content))
        bytesLeft -= cost
    }

    /// Judges a change that is not told.
    mutating func pass(_ content: ChangeDetail.Content) { judge.take(content) }

    /// Counts a row that is not told, and that nobody asks more of.
    mutating func passRow(_ operation: ChangeOperation) { judge.countRow(operation) }

    /// Says what is not told.
    mutating func add(_ limit: DetailLimit) {
        details.append(ChangeDetail(.limit(limit)))
        isComplete = false
    }

    /// Says once that there was no room for all.
    mutating func noteFull() {
        if hasToldOfBytes { return }
        hasToldOfBytes = true
        add(DetailLimit("bytes", isJudged: true))
    }

    mutating func add(_ damage: DatabaseDifference.Damage) {
        self.damage.append(damage)
        isComplete = false
    }
}
