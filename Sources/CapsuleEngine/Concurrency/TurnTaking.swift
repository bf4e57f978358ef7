/// Lets threads run a step in the order of its number, though they come to it in any order.
final class TurnTaking: @unchecked Sendable {
    private let monitor = Monitor()
    private var next = 0

    /// Waits for the turn of `number`, runs `body`, and gives the turn on, also past an error.
    ///
    /// Every number up to `number` must come: the pipeline starts jobs in order and finishes all it starts, so whoever has a
    /// number takes its turn whatever has failed before, or the others wait for ever.
    func take<Failure: Error>(_ number: Int, _ body: () throws(Failure) -> Void) throws(Failure) {
        monitor.lock()
        while next != number { monitor.wait() }
        monitor.unlock()
        defer {
            monitor.locked { next += 1 }
            monitor.signal()
        }
        try body()
    }
}
