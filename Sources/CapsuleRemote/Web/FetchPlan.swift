/// The ranges that are fetched for those that are missing: nearby ones together, long ones in pieces.
enum FetchPlan {
    /// Two ranges with at most this many bytes between them are fetched as one.
    static let gap: UInt64 = 128 << 10
    static let longest: UInt64 = 8 << 20
    /// A read that nobody announced fetches whole windows of this length.
    static let window: UInt64 = 256 << 10
    static let atOnce = 6

    /// - Parameter missing: sorted ranges that don't overlap.
    static func ranges(for missing: [Range<UInt64>]) -> [Range<UInt64>] {
        var joined: [Range<UInt64>] = []
        for range in missing {
            if let last = joined.last, range.lowerBound - last.upperBound <= gap {
                joined[joined.count - 1] = last.lowerBound..<range.upperBound
            } else {
                joined.append(range)
            }
        }
        return joined.flatMap { range in
            stride(from: range.lowerBound, to: range.upperBound, by: Int(longest)).map {
                $0..<min($0 + longest, range.upperBound)
            }
        }
    }

    /// Returns the windows around a read.
    static func windows(around range: Range<UInt64>, length: UInt64) -> Range<UInt64> {
        let start = range.lowerBound / window * window
        let (end, overflow) = ((range.upperBound - 1) / window * window).addingReportingOverflow(window)
        return start..<(overflow ? length : min(end, length))
    }
}
