public import CapsuleCore
import CapsuleFileSystem

public struct Recovery: Sendable {
    public enum Outcome: Sendable { case rolledBack, finished, cleared }
    public let path: HostPath
    public let outcome: Outcome
}
final class LockedTarget: Sendable {
    let recovered: [Recovery] = []
    init(_ roots: [RootDirectory], timeout: Double) throws(CapsuleError) {}
}
struct ApplyTransaction {
    struct Outcome { var notes: [String] = [] }
    init(_ plan: ApplyPlan, in target: LockedTarget, jobs: Int, progress: (any ProgressObserver)?) {}
    func run() throws(CapsuleError) -> Outcome { Outcome() }
}
