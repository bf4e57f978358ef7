#if CAPSULE_FAULTS
import CapsuleCore
import Synchronization
#endif

/// A system call that changes something on disk, or takes a lock. It is announced before it is made, so that a test can make it fail.
enum DiskChange {
    case create(directory: Int32, name: UnsafePointer<CChar>)
    case write(Int32, UnsafeRawBufferPointer, offset: UInt64)
    case sync(Int32)
    case truncate(Int32, length: UInt64)
    case rename(Int32, UnsafePointer<CChar>, to: Int32, UnsafePointer<CChar>)
    case swap(Int32, UnsafePointer<CChar>, with: UnsafePointer<CChar>)
    case link(Int32, UnsafePointer<CChar>, to: Int32, UnsafePointer<CChar>)
    case remove(directory: Int32, name: UnsafePointer<CChar>)
    case makeDirectory(directory: Int32, name: UnsafePointer<CChar>)
    case makeLink(directory: Int32, name: UnsafePointer<CChar>)
    case setMode(Int32)
    case setTimes(Int32)
    case setAttribute(Int32)
    case lock(Int32)
}

#if CAPSULE_FAULTS
/// Failures of system calls that a test asks for. Exists only in a debug build.
///
/// Every ``DiskChange`` has a number, from 1 on. CAPSULE_FAULT lists what happens to which call, separated by commas:
///
/// - `kill:N`: the process dies at once instead of making call N; nothing is cleaned up.
/// - `tear:N`: call N writes the first half of its bytes, then the process dies; for any other call than a write, the same as `kill`.
/// - `ENOSPC:N`, `EIO:N`: call N fails with this error. With `+` after it, as in `ENOSPC:N+`, all later writes and syncs fail as well.
/// - `stop:N`: the process stops before call N (SIGSTOP), until a test continues it.
/// - `count:FILE`: appends the name of each call to FILE, one per line.
/// - `trace:FILE`: appends each call to FILE with everything that is needed to repeat it (``FaultTrace``).
enum Faults {
    private static let plan = FaultPlan(environment: getenv("CAPSULE_FAULT").map { String(cString: $0) } ?? "")
    private static let calls = Atomic<Int>(0)

    /// Counts a call, and applies the faults for its number.
    /// - Returns: the errno to fail with; nil if the call is to be made.
    static func inject(_ change: DiskChange) -> Int32? {
        if let number = InjectedFaults.inject(change) { return number }
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

    /// Adds the inode number of a file that was just created to the trace, since later calls can't be matched by its name.
    static func made(_ descriptor: Int32) {
        if let file = plan.trace { append("made \(FaultTrace.inode(descriptor))\n", to: file) }
    }

    private static func die() -> Never {
        kill(getpid(), SIGKILL)
        while true { pause() }
    }

    /// Writes each line in one call, so that lines of several threads don't mix.
    private static func append(_ line: String, to file: String) {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let bytes = Array(line.utf8)
        guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count else { FaultPlan.refuse(file) }
        close(descriptor)
    }
}

/// The parsed value of CAPSULE_FAULT (``Faults``).
private struct FaultPlan: Sendable {
    struct Failure: Sendable {
        let errno: Int32
        let number: Int
        let isLasting: Bool

        func isMet(by change: DiskChange, _ number: Int) -> Bool {
            if number == self.number { return true }
            guard isLasting, number > self.number else { return false }
            switch change {
            case .write, .sync: return true
            default: return false
            }
        }
    }

    private(set) var kills: Set<Int> = []
    private(set) var tears: Set<Int> = []
    private(set) var stops: Set<Int> = []
    private(set) var failures: [Failure] = []
    private(set) var count: String?
    private(set) var trace: String?
    let isEmpty: Bool

    init(environment text: String) {
        isEmpty = text.isEmpty
        for wish in text.split(separator: ",") {
            let parts = wish.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { Self.refuse(text) }
            let isLasting = parts[1].last == "+"
            let number = Int(isLasting ? parts[1].dropLast() : parts[1])
            switch (parts[0], number) {
            case ("count", _): count = String(parts[1])
            case ("trace", _): trace = String(parts[1])
            case ("kill", let number?): kills.insert(number)
            case ("tear", let number?): tears.insert(number)
            case ("stop", let number?): stops.insert(number)
            case ("ENOSPC", let number?): failures.append(Failure(errno: ENOSPC, number: number, isLasting: isLasting))
            case ("EIO", let number?): failures.append(Failure(errno: EIO, number: number, isLasting: isLasting))
            default: Self.refuse(text)
            }
        }
    }

    /// Ends the process: a test whose request was not understood must not pass.
    static func refuse(_ what: String) -> Never {
        let bytes = Array("capsule: cannot do what CAPSULE_FAULT asks for: \(what)\n".utf8)
        _ = write(2, bytes, bytes.count)
        _exit(99)
    }
}

/// Formats the calls as lines of text: a name, then words.
///
/// Files and directories are inode numbers, `-` for the current directory; names and bytes are hexadecimal:
///
///     create DIR NAME          made FILE (after it, once it exists)       write FILE OFFSET BYTES    sync FILE
///     truncate FILE LENGTH     rename DIR NAME DIR NAME                   swap DIR NAME NAME         link DIR NAME DIR NAME
///     remove DIR NAME          mkdir DIR NAME                             symlink DIR NAME
///     mode FILE                times FILE                                 attribute FILE             lock FILE
private enum FaultTrace {
    static func name(of change: DiskChange) -> String {
        switch change {
        case .create: "create"
        case .write: "write"
        case .sync: "sync"
        case .truncate: "truncate"
        case .rename: "rename"
        case .swap: "swap"
        case .link: "link"
        case .remove: "remove"
        case .makeDirectory: "mkdir"
        case .makeLink: "symlink"
        case .setMode: "mode"
        case .setTimes: "times"
        case .setAttribute: "attribute"
        case .lock: "lock"
        }
    }

    static func line(of change: DiskChange) -> String {
        let words: [String] =
            switch change {
            case .create(let directory, let name), .remove(let directory, let name), .makeDirectory(let directory, let name),
                .makeLink(let directory, let name):
                [inode(directory), hex(name)]
            case .write(let file, let bytes, let offset): [inode(file), String(offset), hex(bytes)]
            case .truncate(let file, let length): [inode(file), String(length)]
            case .rename(let from, let old, let to, let new), .link(let from, let old, let to, let new):
                [inode(from), hex(old), inode(to), hex(new)]
            case .swap(let directory, let first, let second): [inode(directory), hex(first), hex(second)]
            case .sync(let file), .setMode(let file), .setTimes(let file), .setAttribute(let file), .lock(let file):
                [inode(file)]
            }
        return ([name(of: change)] + words).joined(separator: " ") + "\n"
    }

    static func inode(_ descriptor: Int32) -> String {
        if descriptor == AT_FDCWD { return "-" }
        return (try? Syscall.status(of: descriptor, path: HostPath(""))).map { String($0.inode) } ?? "?"
    }

    private static func hex(_ text: UnsafePointer<CChar>) -> String {
        hex(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    private static func hex(_ bytes: UnsafeRawBufferPointer) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
#endif
