import CapsuleFileSystem

/// What is left of ``WorkLimits``; SQLite asks it every few thousand steps.
final class WorkBudget {
    /// Steps between two questions.
    static let stride: Int32 = 4096

    private var steps: UInt64 = 0
    private var stepLimit: UInt64?
    private var deadline: ContinuousClock.Instant?
    /// Why work was ended; nil while it may go on.
    private(set) var end: DatabaseError?

    init(_ limits: WorkLimits) {
        start(limits)
    }

    /// Counts anew.
    func start(_ limits: WorkLimits) {
        steps = 0
        stepLimit = limits.steps
        deadline = limits.time.map { ContinuousClock.now + $0 }
        if end?.code == .time { end = nil }
    }

    /// Notes a stride of work; false if there is to be no more.
    func spend() -> Bool {
        steps += UInt64(Self.stride)
        return check()
    }

    /// - Throws: why work was ended, if it was.
    func demand() throws(DatabaseError) {
        if !check(), let end { throw end }
    }

    /// Whether work may go on.
    func check() -> Bool {
        if end != nil { return false }
        if Interruption.noted != nil {
            end = DatabaseError(.interrupted, "interrupted")
        } else if let stepLimit, steps > stepLimit {
            end = DatabaseError(.time, "exceeded the work limit")
        } else if let deadline, ContinuousClock.now >= deadline {
            end = DatabaseError(.time, "exceeded the time limit")
        }
        return end == nil
    }
}
