#if CAPSULE_FAULTS
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What CAPSULE_FAULT asks for (``Faults``).
struct FaultPlan: Sendable {
    /// A call that fails.
    struct Failure: Sendable {
        let errno: Int32
        let number: Int
        /// Whether later writes and syncs fail, too.
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

    /// A test whose wish was not understood must not pass.
    static func refuse(_ what: String) -> Never {
        let bytes = Array("capsule: cannot do what CAPSULE_FAULT asks for: \(what)\n".utf8)
        _ = write(2, bytes, bytes.count)
        _exit(99)
    }
}
#endif
