import Foundation

/// One piece of work, done by us and by Foundation.
struct CodecPair {
    let name: String
    let ours: () throws -> Void
    private let theirs: () throws -> Void

    init(_ name: String, ours: @escaping () throws -> Void, theirs: @escaping () throws -> Void) {
        self.name = name
        self.ours = ours
        self.theirs = theirs
    }

    /// The median seconds of each, taken in turn, after one run to warm up: ours, its CPU time, Foundation's, its CPU time.
    func medians(runs: Int) throws -> [Double] {
        _ = (try seconds(ours), try seconds(theirs))
        var times = [[Double]](repeating: [], count: 4)
        for _ in 0..<runs {
            let (own, other) = (try seconds(ours), try seconds(theirs))
            for (part, value) in [own.wall, own.cpu, other.wall, other.cpu].enumerated() { times[part].append(value) }
        }
        return times.map { $0.sorted()[runs / 2] }
    }

    private func seconds(_ work: () throws -> Void) throws -> (wall: Double, cpu: Double) {
        let (start, startOfCPU) = (now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID))
        try work()
        return (now(CLOCK_MONOTONIC) - start, now(CLOCK_PROCESS_CPUTIME_ID) - startOfCPU)
    }

    private func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
