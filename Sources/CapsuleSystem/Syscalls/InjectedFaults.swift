#if CAPSULE_FAULTS
package import CapsuleCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What goes wrong with changes of the disk below one directory, for tests within a process; only in a build for debugging.
///
/// Tests run side by side: each has the changes below its own directory, which are numbered from 1 on.
package final class InjectedFaults: Sendable {
    /// What happens to the call of a number.
    package enum Fault: Sendable {
        /// It fails with an errno.
        case failure(Int32)
        /// From it on nothing changes any more: every call fails, as if the process was killed before it.
        case death
        /// Something is done just before it is made.
        case action(@Sendable () -> Void)
    }

    private static let active = Mutex<[InjectedFaults]>([])
    private static let count = Atomic<Int>(0)

    private let directory: [UInt8]
    private let faults: [(number: Int, fault: Fault)]
    private let calls = Atomic<Int>(0)

    /// - Parameter directory: where it really is, without links.
    private init(below directory: HostPath, _ faults: [(number: Int, fault: Fault)]) {
        self.directory = directory.bytes + [UInt8(ascii: "/")]
        self.faults = faults
    }

    /// Runs `body`, and lets faults happen meanwhile.
    ///
    /// - Returns: what `body` does, and how many changes it made or tried to make.
    package static func during<Result>(
        below directory: HostPath, _ faults: [(number: Int, fault: Fault)] = [], _ body: () throws -> Result
    ) rethrows -> (result: Result, calls: Int) {
        let injected = InjectedFaults(below: directory, faults)
        active.withLock { $0.append(injected) }
        count.add(1, ordering: .sequentiallyConsistent)
        defer {
            count.subtract(1, ordering: .sequentiallyConsistent)
            active.withLock { $0.removeAll { $0 === injected } }
        }
        let result = try body()
        return (result, injected.calls.load(ordering: .sequentiallyConsistent))
    }

    /// - Returns: the errno that a call is to fail with; nil if it is to be made.
    static func strike(_ change: DiskChange) -> Int32? {
        if count.load(ordering: .relaxed) == 0 { return nil }
        guard let path = RealPath.name(of: change.descriptor)?.bytes else { return nil }
        let met = active.withLock { $0.filter { (path + [UInt8(ascii: "/")]).starts(with: $0.directory) } }
        for injected in met {
            if let number = injected.strike() { return number }
        }
        return nil
    }

    private func strike() -> Int32? {
        let number = calls.add(1, ordering: .sequentiallyConsistent).newValue
        for (wanted, fault) in faults {
            switch fault {
            case .failure(let errno) where number == wanted: return errno
            case .death where number >= wanted: return EIO
            case .action(let action) where number == wanted: action()
            default: break
            }
        }
        return nil
    }
}

extension DiskChange {
    /// Of the file, or of the directory.
    fileprivate var descriptor: Int32 {
        switch self {
        case .create(let directory, _), .remove(let directory, _), .makeDirectory(let directory, _), .makeLink(let directory, _),
            .rename(let directory, _, _, _), .link(let directory, _, _, _), .swap(let directory, _, _):
            directory
        case .write(let file, _, _), .sync(let file), .truncate(let file, _), .setMode(let file), .setTimes(let file),
            .setAttribute(let file), .lock(let file):
            file
        }
    }
}
#endif
