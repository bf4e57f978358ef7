package import CapsuleArchive
package import CapsuleCore
import CapsuleHashing
import CapsuleSystem
import Synchronization

/// Threads for work that blocks, which must not run in Swift's cooperative pool.
package enum WorkerThreads {
    static func run(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
        // If the system allows no more threads, the others do the work.
        let threads = (1..<max(1, count)).compactMap { number in DeepThread { body(number) } }
        body(0)
        for thread in threads { thread.join() }
    }

    /// Runs `other` on a thread of its own while `body` runs. With one thread, or if the system allows no more, `other` runs after it.
    /// - Throws: the error of `body`. `other` has then ended, or has not begun.
    package static func run<Own, Other: Sendable>(
        threads: Int, beside other: @escaping @Sendable () -> Other, _ body: () throws(CapsuleError) -> Own
    ) throws(CapsuleError) -> (own: Own, other: Other) {
        let found = Mutex<Other?>(nil)
        let thread =
            threads < 2
            ? nil
            : DeepThread {
                let made = other()
                found.withLock { $0 = made }
            }
        let own = Result { () throws(CapsuleError) in try body() }
        thread?.join()
        return (try own.get(), found.withLock { $0 } ?? other())
    }
}

/// Runs work on many items in parallel, and returns the results in the order of the items.
package enum ParallelMap {
    /// - Parameter itemsPerThread: the number of items that are worth a thread.
    /// - Throws: the error of the lowest number that failed.
    package static func run<Outcome: Sendable, Failure: Error>(
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

/// A lock with a condition (pthread_mutex_t, pthread_cond_t).
package final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }
    func unlock() { pthread_mutex_unlock(mutex) }

    /// The caller must hold the lock.
    func wait() { pthread_cond_wait(condition, mutex) }
    func signal() { pthread_cond_broadcast(condition) }

    package func locked<Outcome>(_ body: () -> Outcome) -> Outcome {
        lock()
        defer { unlock() }
        return body()
    }

    /// Runs `body` with the lock, and then wakes those that wait for what it changed.
    package func changing<Outcome>(_ body: () -> Outcome) -> Outcome {
        defer { signal() }
        return locked(body)
    }

    /// Waits until a condition holds, and runs `body` with the lock.
    package func when<Outcome>(_ condition: () -> Bool, _ body: () -> Outcome) -> Outcome {
        locked {
            while !condition() { wait() }
            return body()
        }
    }
}

/// Lets threads run a step in the order of their numbers, in whatever order they reach it.
package final class TicketLock: @unchecked Sendable {
    private let monitor = Monitor()
    private var next = 0

    package init() {}

    /// Waits for the turn of `number`, runs `body`, and ends the turn, even after an error. Every lower number must take its
    /// turn. The pipeline starts jobs in order and finishes each job that it starts. So a job with a number must take its turn
    /// whatever failed before, or the other jobs wait forever.
    package func withTurn<Failure: Error>(_ number: Int, _ body: () throws(Failure) -> Void) throws(Failure) {
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

/// Makes jobs one after another, does them in parallel, and takes the results in the order of the jobs. Making and taking are
/// each done by one thread at a time, whichever is free. At most `window` jobs are in progress, so memory use does not grow with
/// the work.
package final class OrderedPipeline<Job: Sendable, Output: Sendable>: @unchecked Sendable {
    package enum NextAction {
        case proceed
        /// Drop all jobs made so far, run the closure, and then make new jobs.
        case restart(() -> Void)
    }

    private let monitor = Monitor()
    private let window: Int
    private let make: () throws(CapsuleError) -> Job?
    private let take: (Output) throws(CapsuleError) -> NextAction

    // The monitor protects everything below.
    private var made = 0
    private var taken = 0
    private var finished: [Int: Output] = [:]
    private var isMaking = false
    private var isTaking = false
    private var isRestarting = false
    private var underWay = 0
    private var isExhausted = false
    private var failure: CapsuleError?

    private init(
        window: Int, make: @escaping () throws(CapsuleError) -> Job?, take: @escaping (Output) throws(CapsuleError) -> NextAction
    ) {
        self.window = window
        self.make = make
        self.take = take
    }

    /// Runs until `make` returns no more jobs and all results are taken.
    /// - Throws: the first error of any step. Jobs in progress are finished, and their results are dropped.
    package static func run(
        threads: Int, make: @escaping () throws(CapsuleError) -> Job?,
        worker: @escaping @Sendable () -> (Job) throws(CapsuleError) -> Output,
        take: @escaping (Output) throws(CapsuleError) -> NextAction
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
                deliver(output)
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

    /// Runs `body` without the lock. An error ends the pipeline.
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

    private func deliver(_ output: Output) {
        isTaking = true
        let step = outside { () throws(CapsuleError) in try take(output) }
        if case .restart(let prepare) = step {
            // Earlier jobs may still read what the restart replaces.
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
        // Two optionals: there is no job because of an error, or because there are no more.
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
        // A restart may have made the result obsolete.
        if number >= taken { finished[number] = output }
        monitor.signal()
    }
}

/// A pool of buffers that go from the threads that fill them to the thread that writes them, and back.
package final class BufferPool: Sendable {
    private let monitor = Monitor()
    nonisolated(unsafe) private var free: [ByteBuffer] = []

    package init() {}

    package func take() -> ByteBuffer {
        monitor.locked { free.popLast() } ?? ByteBuffer(capacity: 1 << 18)
    }

    package func give(_ buffer: ByteBuffer) {
        buffer.removeAll()
        monitor.locked { free.append(buffer) }
    }
}

/// A digest of pieces that come from several threads, each in its turn.
package final class OrderedDigest: @unchecked Sendable {
    private let turns = TicketLock()
    // Accessed only by the thread whose turn it is.
    private var hasher = SHA256Hasher()

    package init() {}

    package func withTurn<Failure: Error>(_ number: Int, _ body: (OrderedDigest) throws(Failure) -> Void) throws(Failure) {
        try turns.withTurn(number) { () throws(Failure) in try body(self) }
    }

    /// Call this only in turn.
    package func update(_ pieces: [StreamPiece], of buffer: ByteBuffer) throws(CapsuleError) {
        for piece in pieces {
            if let place = piece.place {
                hasher.update(buffer.bytes(in: place..<place + Int(piece.length)))
            } else {
                try hasher.updateZeros(piece.length)
            }
        }
    }

    /// Call this only in the last turn.
    package func finish() -> ContentDigest { hasher.finish() }
}

extension SHA256Hasher {
    private static let zeros = [UInt8](repeating: 0, count: 1 << 16)
    private static let checkInterval: UInt64 = 64 << 20

    /// Adds `length` zeros, unless the user interrupts. A hole takes no space, but digesting it takes long.
    package mutating func updateZeros(_ length: UInt64) throws(CapsuleError) {
        var rest = length
        while rest > 0 {
            if rest % Self.checkInterval < UInt64(Self.zeros.count) { try CapsuleError.checkInterruption() }
            let count = Int(min(rest, UInt64(Self.zeros.count)))
            Self.zeros.withUnsafeBytes { update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            rest -= UInt64(count)
        }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer?, length: UInt64) throws(CapsuleError) {
        if let bytes { update(bytes) } else { try updateZeros(length) }
    }
}

/// A piece of a file and the place where its bytes are stored.
package enum StreamPiece: Sendable {
    /// Bytes at a place in the stream that is written.
    case stream(Int, length: UInt64)
    /// Zeros, or bytes that the capsule already has.
    case stored(StoredExtent)

    package static func zeros(_ length: UInt64) -> StreamPiece { .stored(.zeros(length)) }

    package var place: Int? {
        if case .stream(let place, _) = self { place } else { nil }
    }

    package var length: UInt64 {
        switch self {
        case .stream(_, let length): length
        case .stored(let extent): extent.length
        }
    }
}
