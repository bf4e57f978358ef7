import CapsuleEngine

/// Changes something whenever a stretch of the stream is done: in the midst of what is being packed.
final class Changer: ProgressObserver, @unchecked Sendable {
    // Told by one thread at a time.
    private var round = 0
    private let change: @Sendable (Int) -> Void

    /// - Parameter change: given how often it was called, from 1 on.
    init(_ change: @escaping @Sendable (Int) -> Void) { self.change = change }

    func advanced(to report: ProgressReport) {
        round += 1
        change(round)
    }
}
