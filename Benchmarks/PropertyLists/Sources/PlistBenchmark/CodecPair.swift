import Dispatch

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

    /// The median seconds of each, taken in turn, after one run to warm up.
    func medians(runs: Int) throws -> (ours: Double, theirs: Double) {
        _ = (try seconds(ours), try seconds(theirs))
        var times: (ours: [Double], theirs: [Double]) = ([], [])
        for _ in 0..<runs {
            times.ours.append(try seconds(ours))
            times.theirs.append(try seconds(theirs))
        }
        return (times.ours.sorted()[runs / 2], times.theirs.sorted()[runs / 2])
    }

    private func seconds(_ work: () throws -> Void) throws -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        try work()
        return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    }
}
