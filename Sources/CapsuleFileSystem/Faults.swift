#if CAPSULE_FAULTS
import CapsuleCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What goes wrong with system calls because a test wants it so; only in a build for debugging.
///
/// Every ``DiskChange`` has a number, from 1 on. CAPSULE_FAULT says what happens to which, wishes separated by commas:
///
/// - `kill:N`: the process dies at once instead of making call N; nothing is cleaned up.
/// - `tear:N`: call N writes the first half of its bytes, then the process dies; where it is no write, as `kill`.
/// - `ENOSPC:N`, `EIO:N`: call N fails so. With `+` behind it, as `ENOSPC:N+`, all later writes and syncs fail as well.
/// - `stop:N`: the process stops before call N (SIGSTOP), until a test lets it go on.
/// - `count:FILE`: appends the name of each call to FILE, a line each.
/// - `trace:FILE`: appends each call to FILE with all that is needed to make it again (``FaultTrace``).
enum Faults {
    private static let plan = FaultPlan(environment: getenv("CAPSULE_FAULT").map { String(cString: $0) } ?? "")
    private static let calls = Atomic<Int>(0)

    /// Counts a call, and does to it what is wished.
    ///
    /// - Returns: the errno it is to fail with; nil if it is to be made.
    static func strike(_ change: DiskChange) -> Int32? {
        if let number = InjectedFaults.strike(change) { return number }
        if plan.isEmpty { return nil }
        let number = calls.add(1, ordering: .sequentiallyConsistent).newValue
        if let file = plan.count { append("\(FaultTrace.name(of: change))\n", to: file) }
        if let file = plan.trace { append(FaultTrace.line(of: change), to: file) }
        if plan.stops.contains(number) { raise(SIGSTOP) }
        if plan.tears.contains(number) {
            if case .write(let descriptor, let bytes, let offset) = change {
                pwrite(descriptor, bytes.baseAddress, bytes.count / 2, off_t(truncatingIfNeeded: offset))
            }
            die()
        }
        if plan.kills.contains(number) { die() }
        return plan.failures.first { $0.isMet(by: change, number) }?.errno
    }

    /// Adds the number of a file that was just made to the trace, since its name alone says nothing of later calls.
    static func made(_ descriptor: Int32) {
        if let file = plan.trace { append("made \(FaultTrace.inode(descriptor))\n", to: file) }
    }

    private static func die() -> Never {
        kill(getpid(), SIGKILL)
        while true { pause() }
    }

    /// One call for a line, so that those of several threads stay apart.
    private static func append(_ line: String, to file: String) {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let bytes = Array(line.utf8)
        guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count else { FaultPlan.refuse(file) }
        close(descriptor)
    }
}
#endif
