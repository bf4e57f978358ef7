#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A lock with a condition (pthread_mutex_t, pthread_cond_t).
final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
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

    /// Gives the lock away until someone signals; the caller must hold it.
    func wait() { pthread_cond_wait(condition, mutex) }

    /// Wakes all who wait.
    func signal() { pthread_cond_broadcast(condition) }

    /// Runs `body` with the lock held.
    func locked<Outcome>(_ body: () -> Outcome) -> Outcome {
        lock()
        defer { unlock() }
        return body()
    }
}
