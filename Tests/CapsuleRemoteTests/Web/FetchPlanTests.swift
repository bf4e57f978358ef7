import TestSupport
import Testing

@testable import CapsuleRemote

@Suite struct FetchPlanTests {
    @Test func smallGapsAreFetchedToo() {
        let gap = FetchPlan.gap
        #expect(FetchPlan.ranges(for: []) == [])
        #expect(FetchPlan.ranges(for: [0..<10, (10 + gap)..<(20 + gap)]) == [0..<(20 + gap)])
        #expect(FetchPlan.ranges(for: [0..<10, (11 + gap)..<(20 + gap)]) == [0..<10, (11 + gap)..<(20 + gap)])
    }

    @Test func longRangesAreCut() {
        let longest = FetchPlan.longest
        #expect(FetchPlan.ranges(for: [5..<(5 + longest)]) == [5..<(5 + longest)])
        #expect(
            FetchPlan.ranges(for: [5..<(2 * longest + 6)])
                == [5..<(5 + longest), (5 + longest)..<(5 + 2 * longest), (5 + 2 * longest)..<(6 + 2 * longest)])
    }

    @Test func windows() {
        let window = FetchPlan.window
        #expect(FetchPlan.windows(around: 0..<1, length: 10 * window) == 0..<window)
        #expect(FetchPlan.windows(around: (window - 1)..<(window + 1), length: 10 * window) == 0..<(2 * window))
        #expect(FetchPlan.windows(around: window..<(2 * window), length: 10 * window) == window..<(2 * window))
        #expect(FetchPlan.windows(around: 5..<6, length: 7) == 0..<7)
        let end = UInt64.max
        #expect(FetchPlan.windows(around: (end - 1)..<end, length: end).upperBound == end)
    }

    /// All that is missing is fetched, each byte once, in order, and no more than the gaps besides.
    @Test(arguments: SeededGenerator.seeds)
    func coversWhatIsMissing(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<rounds(400) {
            var missing = RangeList()
            for _ in 0..<generator.number(0...6) {
                let start = UInt64(generator.number(0...(40 << 20)))
                missing.insert(start..<(start + UInt64(generator.number(1...generator.pick([100, 300 << 10, 20 << 20])))))
            }
            let planned = FetchPlan.ranges(for: missing.ranges)
            var list = RangeList()
            for range in planned { list.insert(range) }
            #expect(missing.ranges.allSatisfy { list.missing(in: $0).isEmpty }, "seed \(seed), round \(round)")
            #expect(planned.allSatisfy { !$0.isEmpty && UInt64($0.count) <= FetchPlan.longest }, "seed \(seed), round \(round)")
            #expect(
                zip(planned, planned.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }, "seed \(seed), round \(round)")
            #expect(
                planned.reduce(0) { $0 + $1.count }
                    <= missing.ranges.reduce(0) { $0 + $1.count } + Int(FetchPlan.gap) * missing.ranges.count,
                "seed \(seed), round \(round)")
        }
    }
}
