/// Makes jobs one after the other, does them in parallel, and takes the results in the order of the jobs.
///
/// Making and taking are each done by one thread at a time, whichever is free. No more jobs are under way than `window`, so
/// memory does not grow with the work.
final class OrderedPipeline<Job: Sendable, Output: Sendable>: @unchecked Sendable {
    /// What the taker of a result wants next.
    enum Step {
        case proceed
        /// Forget every job made so far, and make jobs anew after this has run.
        case restart(() -> Void)
    }

    private let monitor = Monitor()
    private let window: Int
    private let make: () throws(CapsuleError) -> Job?
    private let take: (Output) throws(CapsuleError) -> Step

    // All below is the monitor's.
    private var made = 0
    private var taken = 0
    private var finished: [Int: Output] = [:]
    private var isMaking = false
    private var isTaking = false
    private var isRestarting = false
    /// Jobs that are being done.
    private var underWay = 0
    private var isExhausted = false
    private var failure: CapsuleError?

    private init(
        window: Int, make: @escaping () throws(CapsuleError) -> Job?, take: @escaping (Output) throws(CapsuleError) -> Step
    ) {
        self.window = window
        self.make = make
        self.take = take
    }

    /// Runs until `make` gives no more jobs and all results are taken.
    ///
    /// - Parameters:
    ///   - threads: how many work at a time, the caller's included.
    ///   - worker: makes what does the jobs of one thread.
    /// - Throws: the first error of any step; work under way is finished, and its results are dropped.
    static func run(
        threads: Int, make: @escaping () throws(CapsuleError) -> Job?,
        worker: @escaping @Sendable () -> (Job) throws(CapsuleError) -> Output,
        take: @escaping (Output) throws(CapsuleError) -> Step
    ) throws(CapsuleError) {
        let pipeline = OrderedPipeline(window: 2 * threads + 1, make: make, take: take)
        WorkerThreads.run(threads) { _ in pipeline.work(worker()) }
        if let failure = pipeline.failure { throw failure }
    }

    private func work(_ perform: (Job) throws(CapsuleError) -> Output) {
        monitor.lock()
        defer { monitor.unlock() }
        while failure == nil {
            if !isTaking, let output = finished.removeValue(forKey: taken) {
                takeOne(output)
            } else if !isMaking, !isRestarting, !isExhausted, made - taken < window {
                makeOne(perform)
            } else if isExhausted, made == taken, !isMaking, !isTaking {
                break
            } else {
                monitor.wait()
            }
        }
        monitor.signal()
    }

    /// Runs `body` without the lock; an error ends the whole.
    private func outside<Outcome>(_ body: () throws(CapsuleError) -> Outcome) -> Outcome? {
        monitor.unlock()
        let outcome = Result { () throws(CapsuleError) in try body() }
        monitor.lock()
        switch outcome {
        case .success(let value): return value
        case .failure(let error):
            if failure == nil { failure = error }
            monitor.signal()
            return nil
        }
    }

    private func takeOne(_ output: Output) {
        isTaking = true
        let step = outside { () throws(CapsuleError) in try take(output) }
        if case .restart(let prepare) = step {
            // Jobs of before may still look at what the restart makes anew.
            isRestarting = true
            while isMaking || underWay > 0 { monitor.wait() }
            isRestarting = false
            prepare()
            finished.removeAll()
            taken = made
            isExhausted = false
        } else {
            taken += 1
        }
        isTaking = false
        monitor.signal()
    }

    private func makeOne(_ perform: (Job) throws(CapsuleError) -> Output) {
        isMaking = true
        // Two optionals: none made because of an error, or because there is no more.
        let job = outside { () throws(CapsuleError) in try make() }
        isMaking = false
        guard let job = job ?? nil else {
            isExhausted = true
            monitor.signal()
            return
        }
        let number = made
        made += 1
        underWay += 1
        monitor.signal()
        let outcome = outside { () throws(CapsuleError) in try perform(job) }
        underWay -= 1
        guard let output = outcome else {
            monitor.signal()
            return
        }
        // A restart may have made the result worthless meanwhile.
        if number >= taken { finished[number] = output }
        monitor.signal()
    }
}
