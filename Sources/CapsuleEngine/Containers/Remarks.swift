import Synchronization

/// What is odd about a container and no failure, noted by whichever thread finds it.
final class Remarks: Sendable {
    private let list = Mutex<[CapsuleError]>([])

    /// In the order in which they came.
    var all: [CapsuleError] { list.withLock { $0 } }

    func add(_ remark: CapsuleError) { list.withLock { $0.append(remark) } }
}
