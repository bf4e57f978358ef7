import CapsuleCore

/// What is told of two databases, as it is found.
struct DifferenceReport {
    private(set) var details: [ChangeDetail] = []
    private(set) var damage: [DatabaseDifference.Damage] = []
    private(set) var isComplete = true
    private var bytesLeft: Int
    private var hasToldOfBytes = false

    init(bytes: Int) {
        bytesLeft = bytes
    }

    /// Whether there is room for more rows.
    var hasRoom: Bool { bytesLeft > 0 }

    /// Adds a change that takes about `cost` bytes.
    mutating func add(_ content: ChangeDetail.Content, cost: Int) {
        details.append(ChangeDetail(content))
        bytesLeft -= cost
    }

    /// Says what is not told.
    mutating func add(_ limit: DetailLimit) {
        details.append(ChangeDetail(.limit(limit)))
        isComplete = false
    }

    /// Says once that there was no room for all.
    mutating func noteFull() {
        if hasToldOfBytes { return }
        hasToldOfBytes = true
        add(DetailLimit("bytes"))
    }

    mutating func add(_ damage: DatabaseDifference.Damage) {
        self.damage.append(damage)
        isComplete = false
    }
}
