import Synchronization

/// Work on many items at a time whose results are wanted in the order of the items.
enum ParallelMap {
    /// Calls `body` for each number below `count` on up to `threads` threads.
    ///
    /// - Parameter itemsPerThread: how many items are worth a thread.
    /// - Throws: the error of the lowest number that failed.
    static func run<Outcome: Sendable, Failure: Error>(
        _ count: Int, threads: Int, itemsPerThread: Int = 8, _ body: @escaping @Sendable (Int) throws(Failure) -> Outcome
    ) throws(Failure) -> [Outcome] {
        let next = Atomic(0)
        let outcomes = Mutex<[Result<Outcome, Failure>?]>(Array(repeating: nil, count: count))
        // A thread costs more than a few small items do.
        WorkerThreads.run(min(threads, max(1, count / itemsPerThread))) { _ in
            while true {
                let number = next.add(1, ordering: .relaxed).oldValue
                guard number < count else { return }
                let outcome = Result { () throws(Failure) in try body(number) }
                outcomes.withLock { $0[number] = outcome }
            }
        }
        var results: [Outcome] = []
        results.reserveCapacity(count)
        for outcome in outcomes.withLock({ $0 }) {
            if let outcome { results.append(try outcome.get()) }
        }
        return results
    }
}
