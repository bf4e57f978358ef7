import Testing

@testable import CapsuleEngine

/// Times of events in, times of settled changes out.
@Suite struct SettlingTests {
    /// Returns the times at which changes settle, in milliseconds.
    private static func settled(_ events: [Int]) -> [Int] {
        var settling = Settling()
        var times: [Int] = []
        for time in 0...10_000 {
            if events.contains(time) { settling.record(at: .milliseconds(time)) }
            guard let remaining = settling.remaining(at: .milliseconds(time)), remaining <= .zero else { continue }
            times.append(time)
            settling = Settling()
        }
        return times
    }

    @Test(arguments: [
        ([], []), ([7], [157]), ([0, 149, 298], [448]), ([0, 151], [150, 301]), ([0, 0, 0], [150]), ([0, 150], [300]),
        // Writes without a pause settle every five seconds.
        (Array(stride(from: 0, to: 6_000, by: 100)), [5_000, 6_050]),
    ])
    func aPauseSettles(events: [Int], times: [Int]) {
        #expect(Self.settled(events) == times)
    }

    @Test func onlyAnUnendingChangeIsOverdue() {
        var settling = Settling()
        #expect(!settling.isOverdue(at: .seconds(100)) && settling.remaining(at: .seconds(100)) == nil)
        settling.record(at: .seconds(1))
        settling.record(at: .seconds(5))
        #expect(!settling.isOverdue(at: .seconds(5)) && settling.isOverdue(at: .seconds(6)))
    }
}
