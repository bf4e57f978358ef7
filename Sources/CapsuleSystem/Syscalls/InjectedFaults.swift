#if CAPSULE_FAULTS
package import CapsuleCore
import Synchronization

/// Failures of disk changes below one directory, for tests within a process. Exists only in a debug build.
/// Tests run in parallel: each one has the changes below its own directory, numbered from 1 on.
package final class InjectedFaults: Sendable {
    /// The effect on the call of a given number.
    package enum Fault: Sendable {
        case failure(Int32)
        /// This call and all later ones fail, as if the process had been killed before this call.
        case death
        case action(@Sendable () -> Void)
    }

    private static let active = Mutex<[InjectedFaults]>([])
    private static let count = Atomic<Int>(0)

    private let directory: [UInt8]
    private let faults: [(number: Int, fault: Fault)]
    private let calls = Atomic<Int>(0)

    /// - Parameter directory: its path without links.
    private init(below directory: HostPath, _ faults: [(number: Int, fault: Fault)]) {
        self.directory = directory.bytes + [UInt8(ascii: "/")]
        self.faults = faults
    }

    /// - Returns: the result of `body`, and the number of changes that it made or tried to make.
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

    static func inject(_ change: DiskChange) -> Int32? {
        if count.load(ordering: .relaxed) == 0 { return nil }
        guard let path = RealPath.name(of: change.descriptor)?.bytes else { return nil }
        let met = active.withLock { $0.filter { (path + [UInt8(ascii: "/")]).starts(with: $0.directory) } }
        for injected in met {
            if let number = injected.inject() { return number }
        }
        return nil
    }

    private func inject() -> Int32? {
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
