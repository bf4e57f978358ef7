/// Is told of progress now and then, by one thread at a time.
public protocol ProgressObserver: Sendable {
    /// Takes note of how far the work has come; the work waits for it.
    func advanced(to report: ProgressReport)
}
