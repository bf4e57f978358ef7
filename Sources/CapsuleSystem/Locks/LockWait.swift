import CSystem
package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A wait for a lock that ends after a time.
struct LockWait {
    /// Seconds.
    let timeout: Double
    private let start = Self.now

    /// How long to sleep between two tries, in microseconds: at first, and at most.
    private static let shortestSleep: UInt32 = 1_000
    private static let longestSleep: UInt32 = 50_000
    /// How long a lock that only readers have is waited for in any case, in seconds: a glance of theirs is no reason to give up.
    private static let readersGrace = 0.5

    init(timeout: Double) {
        self.timeout = timeout
    }

    /// Takes the exclusive lock of an open file.
    ///
    /// - Throws: with the code `locked` once the time is over, `interrupted` if the user wished to stop.
    func lock(_ descriptor: Int32, path: HostPath) throws(FileSystemError) {
        var sleep = Self.shortestSleep
        while true {
            try Interruption.check()
            if try Syscall.tryLock(descriptor, exclusive: true, path: path) { return }
            let waited = Self.now - start
            // Not `>=`: a timeout that is no number gives up, too.
            if !(waited < timeout) {
                guard waited < timeout + Self.readersGrace, try isReadersOnly(descriptor, path) else { throw .locked(path) }
            }
            // A signal ends the sleep, and the check above sees it.
            usleep(sleep)
            sleep = min(sleep * 2, Self.longestSleep)
        }
    }

    private func isReadersOnly(_ descriptor: Int32, _ path: HostPath) throws(FileSystemError) -> Bool {
        guard try Syscall.tryLock(descriptor, exclusive: false, path: path) else { return false }
        try Syscall.unlock(descriptor, path: path)
        return true
    }

    /// Seconds on a clock that nobody sets.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Locks of whole files.
extension Syscall {
    /// flock(2) without waiting; false if somebody else has a lock that rules this one out.
    ///
    /// A lock that this open file has already becomes the other kind, and is lost where that is refused.
    package static func tryLock(
        _ descriptor: Int32, exclusive: Bool, path: @autoclosure () -> HostPath
    ) throws(FileSystemError) -> Bool {
        try announce(.lock(descriptor), "lock", path())
        do throws(FileSystemError) {
            _ = try repeating("lock", path()) { flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) }
            return true
        } catch {
            if error.number == EWOULDBLOCK { return false }
            throw error
        }
    }

    /// flock(2) with LOCK_UN.
    package static func unlock(_ descriptor: Int32, path: @autoclosure () -> HostPath) throws(FileSystemError) {
        _ = try repeating("unlock", path()) { flock(descriptor, LOCK_UN) }
    }
}

/// The exclusive lock of a directory (flock(2)), held until this is dropped.
package final class DirectoryLock: Sendable {
    /// The directory whose open descriptor has the lock.
    package let directory: RootDirectory

    /// Waits for the lock.
    ///
    /// - Parameter timeout: seconds; 0 tries once.
    /// - Throws: with the code `locked` if somebody else had it all the time, `interrupted` if the user wished to stop.
    package init(_ directory: RootDirectory, timeout: Double) throws(FileSystemError) {
        self.directory = directory
        try LockWait(timeout: timeout).lock(directory.raw, path: directory.path)
    }

    deinit {
        // The descriptor may be used on by others.
        try? Syscall.unlock(directory.raw, path: directory.path)
    }
}
