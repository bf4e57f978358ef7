/// The numbers of some versions, told to people.
public struct VersionNumbers: Hashable, Sendable, CustomStringConvertible {
    /// Rising, without gaps within a range.
    private let ranges: [ClosedRange<UInt32>]

    /// Takes numbers in any order.
    public init(_ numbers: some Sequence<UInt32>) {
        var ranges: [ClosedRange<UInt32>] = []
        for number in Set(numbers).sorted() {
            if let last = ranges.last, number > 0, last.upperBound == number - 1 {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        self.ranges = ranges
    }

    /// Whether it is a single version.
    public var isOne: Bool { ranges.count == 1 && ranges[0].count == 1 }

    /// `version 3`, `versions 1 and 2`, `versions 1 to 4, 7 and 9`
    public var description: String {
        let parts = ranges.flatMap { range in
            range.count > 2 ? ["\(range.lowerBound) to \(range.upperBound)"] : range.map { String($0) }
        }
        let text = parts.count > 1 ? parts.dropLast().joined(separator: ", ") + " and " + parts[parts.count - 1] : parts.joined()
        return (isOne ? "version " : "versions ") + text
    }

    /// As `--keep` takes them: `1,2,3`
    public var list: String { ranges.flatMap { range in range.map { String($0) } }.joined(separator: ",") }
}
