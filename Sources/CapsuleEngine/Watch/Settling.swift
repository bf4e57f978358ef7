/// Decides when changes have settled: nothing was written for a while. Times are durations since any moment.
struct Settling: Hashable, Sendable {
    /// The time without a write after which a change has settled.
    static let quiet = Duration.milliseconds(150)
    /// The time after which changes count as settled although writes go on, so that a program that always writes hides nothing.
    static let longest = Duration.seconds(5)

    private var first: Duration?
    private var last = Duration.zero

    mutating func record(at time: Duration) {
        first = first ?? time
        last = max(last, time)
    }

    /// Returns the time until the changes have settled, zero or less if they have; nil if there are none.
    func remaining(at now: Duration) -> Duration? {
        first.map { min(last + Self.quiet, $0 + Self.longest) - now }
    }

    /// Returns true if the changes count as settled although writes go on.
    func isOverdue(at now: Duration) -> Bool {
        first.map { now >= $0 + Self.longest } ?? false
    }
}
