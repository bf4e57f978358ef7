import CSystem
package import CapsuleCore

/// A wait for a lock, with a timeout.
struct LockWait {
    /// The timeout in seconds.
    let timeout: Double
    private let start = Self.now

    /// The first and the longest sleep between two tries, in microseconds.
    private static let shortestSleep: UInt32 = 1_000
    private static let longestSleep: UInt32 = 50_000
    /// The extra time, in seconds, to wait for a lock that only readers have: they hold it briefly, which is not a reason to give up.
    private static let readersGrace = 0.5

    init(timeout: Double) {
        self.timeout = timeout
    }

    func lock(_ descriptor: Int32, path: HostPath) throws(CapsuleError) {
        var sleep = Self.shortestSleep
        while true {
            try Interruption.check()
            if try Syscall.tryLock(descriptor, exclusive: true, path: path) { return }
            let waited = Self.now - start
            // Not `>=`: a NaN timeout gives up, too.
            if !(waited < timeout) {
                guard waited < timeout + Self.readersGrace, try isReadersOnly(descriptor, path) else { throw .locked(path) }
            }
            // A signal ends the sleep, and the check above sees it.
            usleep(sleep)
            sleep = min(sleep * 2, Self.longestSleep)
        }
    }

    /// Opens a file and locks it. Another process replaces a file by renaming a new one over it, so the locked file must still have that
    /// name; if not, the new file is opened and locked.
    func openLocked(
        _ path: HostPath, _ open: (HostPath) throws(CapsuleError) -> OwnedDescriptor
    ) throws(CapsuleError) -> OwnedDescriptor {
        while true {
            let file = try open(path)
            try lock(file.raw, path: path)
            let locked = try Syscall.status(of: file.raw, path: path)
            if let named = try Syscall.statusIfThere(path, following: true), named.isSameFile(as: locked) { return file }
            try Interruption.check()
        }
    }

    private func isReadersOnly(_ descriptor: Int32, _ path: HostPath) throws(CapsuleError) -> Bool {
        guard try Syscall.tryLock(descriptor, exclusive: false, path: path) else { return false }
        try Syscall.unlock(descriptor, path: path)
        return true
    }

    /// The seconds on a clock that can't be set.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension Syscall {
    /// Tries to lock with flock(2), without waiting; returns false if another lock excludes this one.
    /// A lock that this open file has already is converted to the other kind, and is lost if that is refused.
    package static func tryLock(
        _ descriptor: Int32, exclusive: Bool, path: @autoclosure () -> HostPath
    ) throws(CapsuleError) -> Bool {
        try announce(.lock(descriptor), "lock", path())
        do throws(CapsuleError) {
            _ = try repeating("lock", path()) { flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) }
            return true
        } catch {
            if error.errno == EWOULDBLOCK { return false }
            throw error
        }
    }

    package static func unlock(_ descriptor: Int32, path: @autoclosure () -> HostPath) throws(CapsuleError) {
        _ = try repeating("unlock", path()) { flock(descriptor, LOCK_UN) }
    }
}

/// The exclusive lock of a directory (flock(2)), held until this object is released.
package final class DirectoryLock: Sendable {
    package let directory: RootDirectory

    /// - Parameter timeout: in seconds; 0 tries once.
    package init(_ directory: RootDirectory, timeout: Double) throws(CapsuleError) {
        self.directory = directory
        try LockWait(timeout: timeout).lock(directory.raw, path: directory.path)
    }

    deinit {
        // Others may keep using the descriptor.
        try? Syscall.unlock(directory.raw, path: directory.path)
    }
}
