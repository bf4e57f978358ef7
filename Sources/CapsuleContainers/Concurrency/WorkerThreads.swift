import CapsuleSystem
import Synchronization

/// Threads for work that blocks, which must not run in Swift's cooperative pool.
enum WorkerThreads {
    /// Runs `body` on `count` threads, including the caller's, and returns when all are done.
    static func run(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
        var threads: [pthread_t] = []
        for number in 1..<max(1, count) {
            if let thread = start({ body(number) }) { threads.append(thread) }
        }
        body(0)
        for thread in threads { pthread_join(thread, nil) }
    }

    /// The size of a thread's stack in bytes, the same as a main thread has on Linux and macOS.
    private static let stackSize = 8 << 20

    private final class Start {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread. Returns nil if the system allows no more threads; the others then do the work.
    private static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
        let context = Unmanaged.passRetained(Start(body)).toOpaque()
        // Apple systems give a thread 512 KiB by default.
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        #if canImport(Darwin)
        var thread: pthread_t?
        let failed =
            pthread_create(
                &thread, &attributes,
                {
                    Unmanaged<Start>.fromOpaque($0).takeRetainedValue().body(); return nil
                }, context) != 0
        #else
        var thread = pthread_t()
        let failed =
            pthread_create(
                &thread, &attributes,
                { argument in
                    if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
                    return nil
                }, context) != 0
        #endif
        if failed {
            Unmanaged<Start>.fromOpaque(context).release()
            return nil
        }
        return thread
    }
}

/// Runs work on many items in parallel, and returns the results in the order of the items.
package enum ParallelMap {
    /// Calls `body` for each number below `count` on up to `threads` threads.
    ///
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

    /// Releases the lock until another thread signals. The caller must hold the lock.
    func wait() { pthread_cond_wait(condition, mutex) }

    /// Wakes all waiting threads.
    func signal() { pthread_cond_broadcast(condition) }

    /// Runs `body` with the lock held.
    package func locked<Outcome>(_ body: () -> Outcome) -> Outcome {
        lock()
        defer { unlock() }
        return body()
    }
}

/// Lets threads run a step in the order of their numbers, in whatever order they reach it.
package final class TicketLock: @unchecked Sendable {
    private let monitor = Monitor()
    private var next = 0

    package init() {}

    /// Waits for the turn of `number`, runs `body`, and ends the turn, even after an error.
    ///
    /// Every lower number must take its turn. The pipeline starts jobs in order and finishes each job that it starts. So a job with
    /// a number must take its turn whatever failed before, or the other jobs wait forever.
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
