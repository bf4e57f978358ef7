/// A range of a content's bytes that another content has, too.
package struct CopiedRange: Hashable, Sendable {
    package var start: UInt64
    /// The offset of the same bytes in the other content.
    package var source: UInt64
    package var length: UInt64

    package init(start: UInt64, source: UInt64, length: UInt64) {
        self.start = start
        self.source = source
        self.length = length
    }

    package var end: UInt64 { start + length }
    package var sourceEnd: UInt64 { source + length }

    /// Returns the part of the range in another one. It is empty if they don't overlap.
    package func clamped(to range: Range<UInt64>) -> CopiedRange {
        let part = (start..<end).clamped(to: range)
        return CopiedRange(start: part.lowerBound, source: source + (max(part.lowerBound, start) - start), length: part.length)
    }
}

extension [CopiedRange] {
    /// Appends a range. If it continues the last one in both contents, extends the last one.
    package mutating func appendJoining(_ copy: CopiedRange) {
        if let last, last.end == copy.start, last.sourceEnd == copy.source {
            self[count - 1].length += copy.length
        } else {
            append(copy)
        }
    }

    /// Returns the ranges that are not copied of a content with this size. The copied ones must be in order.
    package func gaps(upTo size: UInt64) -> [Range<UInt64>] {
        var gaps: [Range<UInt64>] = []
        var at: UInt64 = 0
        for copy in self {
            if copy.start > at { gaps.append(at..<copy.start) }
            at = copy.end
        }
        if at < size { gaps.append(at..<size) }
        return gaps
    }
}

extension Range<UInt64> {
    package var length: UInt64 { upperBound - lowerBound }
}

extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element for which `isBefore` is false. It is true for all elements before that one.
    @inlinable
    package func indexOfFirst(notBefore isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
