import CapsuleCore
import CapsuleEngine

/// Makes a change whenever a range of the stream is finished, in the middle of packing.
final class Changer: ProgressObserver, @unchecked Sendable {
    // Only one thread at a time calls this.
    private var round = 0
    private let change: @Sendable (Int) -> Void

    /// - Parameter change: called with the number of the call, from 1.
    init(_ change: @escaping @Sendable (Int) -> Void) { self.change = change }

    func advanced(to report: ProgressReport) {
        round += 1
        change(round)
    }
}
