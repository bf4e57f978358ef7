/// What two sequences have in common in the same order, in time that grows with their length.
///
/// A longest common subsequence if few elements differ (E. Myers, "An O(ND) Difference Algorithm and Its Variations",
/// 1986). If many do, elements that are there once on both sides are matched first (B. Cohen's patience diff) and then
/// what is between those; where that gets too long as well, nothing is.
package struct CommonSubsequence {
    /// The most elements that only one side has, for a longest subsequence to be found.
    private static let differences = 512
    /// What is spent beyond a fixed number of steps for each element.
    private static let spareSteps = 1 << 20
    private static let stepsForEach = 64

    private let left: [Int]
    private let right: [Int]
    private var steps: Int
    /// Positions in both sequences, increasing.
    package private(set) var pairs: [(left: Int, right: Int)] = []

    /// Matches the sequences by equality of their numbers.
    package init(_ left: [Int], _ right: [Int]) {
        self.left = left
        self.right = right
        steps = Self.stepsForEach * (left.count + right.count) + Self.spareSteps
        match(left.indices, right.indices)
    }

    private mutating func match(_ leftRange: Range<Int>, _ rightRange: Range<Int>) {
        guard !matchExactly(leftRange, rightRange) else { return }
        var start = (left: leftRange.lowerBound, right: rightRange.lowerBound)
        let anchors = uniquePairs(leftRange, rightRange) + [(leftRange.upperBound, rightRange.upperBound)]
        for anchor in anchors {
            // Nothing is lost if this fails: what is between stays without a match.
            _ = matchExactly(start.left..<anchor.left, start.right..<anchor.right)
            if anchor.left < leftRange.upperBound, anchor.right < rightRange.upperBound { pairs.append(anchor) }
            start = (anchor.left + 1, anchor.right + 1)
        }
    }

    // MARK: Few differences

    /// Appends a longest common subsequence of the two ranges; false, and nothing appended, if that takes too long.
    private mutating func matchExactly(_ leftRange: Range<Int>, _ rightRange: Range<Int>) -> Bool {
        let (leftCount, rightCount) = (leftRange.count, rightRange.count)
        guard leftCount > 0, rightCount > 0 else { return true }
        let most = min(leftCount + rightCount, Self.differences)
        // For each diagonal (left minus right), how far into the left range one gets; `most + 1` is diagonal 0.
        var reached = [Int](repeating: 0, count: 2 * most + 3)
        // The diagonals from -differences to differences as they were before each round.
        var rounds: [[Int]] = []
        for differences in 0...most {
            rounds.append(Array(reached[(most + 1 - differences)...(most + 1 + differences)]))
            for diagonal in stride(from: -differences, through: differences, by: 2) {
                var place = Self.start(of: diagonal, differences, reached, zero: most + 1)
                let begin = place
                while place < leftCount, place - diagonal < rightCount,
                    left[leftRange.lowerBound + place] == right[rightRange.lowerBound + place - diagonal]
                {
                    place += 1
                }
                reached[most + 1 + diagonal] = place
                steps -= 1 + place - begin
                if place >= leftCount, place - diagonal >= rightCount {
                    appendPath(to: (leftCount, rightCount), rounds, from: (leftRange.lowerBound, rightRange.lowerBound))
                    return true
                }
            }
            if steps < 0 { return false }
        }
        return false
    }

    /// Where a diagonal is entered: from the one above by leaving out an element of the right, or from the one below by
    /// leaving out one of the left.
    private static func start(of diagonal: Int, _ differences: Int, _ reached: [Int], zero: Int) -> Int {
        if differences == 0 { return 0 }
        let above = reached[zero + diagonal + 1]
        let below = reached[zero + diagonal - 1] + 1
        if diagonal == -differences { return above }
        return diagonal == differences || below > above ? below : above
    }

    /// Goes the way back that led to the end, and appends the equal elements on it.
    private mutating func appendPath(
        to end: (left: Int, right: Int), _ rounds: [[Int]], from base: (left: Int, right: Int)
    ) {
        var path: [(left: Int, right: Int)] = []
        var (x, y) = end
        for differences in rounds.indices.reversed() {
            // A round's record is one diagonal short on either side of what the round looks at.
            let reached = [0] + rounds[differences] + [0]
            let zero = differences + 1
            let diagonal = x - y
            let start = Self.start(of: diagonal, differences, reached, zero: zero)
            while x > start {
                x -= 1
                y -= 1
                path.append((base.left + x, base.right + y))
            }
            guard differences > 0 else { break }
            let isFromAbove =
                diagonal == -differences
                || diagonal != differences && reached[zero + diagonal - 1] + 1 <= reached[zero + diagonal + 1]
            if isFromAbove { y -= 1 } else { x -= 1 }
        }
        pairs.append(contentsOf: path.reversed())
    }

    // MARK: Many differences

    /// The positions of elements that are once in both ranges; of those that have changed places, as many as possible.
    private func uniquePairs(_ leftRange: Range<Int>, _ rightRange: Range<Int>) -> [(left: Int, right: Int)] {
        let inLeft = Self.unique(left[leftRange])
        let inRight = Self.unique(right[rightRange])
        // The ends of increasing runs, shortest first, and for each pair the one before it in its run.
        var ends: [Int] = []
        var candidates: [(left: Int, right: Int, before: Int?)] = []
        for place in leftRange {
            guard inLeft[left[place]] == place, let other = inRight[left[place]], other >= 0 else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if candidates[ends[middle]].right < other { low = middle + 1 } else { high = middle }
            }
            candidates.append((place, other, low > 0 ? ends[low - 1] : nil))
            if low < ends.count { ends[low] = candidates.count - 1 } else { ends.append(candidates.count - 1) }
        }
        var run: [(left: Int, right: Int)] = []
        var candidate = ends.last
        while let number = candidate {
            run.append((candidates[number].left, candidates[number].right))
            candidate = candidates[number].before
        }
        return run.reversed()
    }

    /// From each element to its position, or to -1 if it comes twice.
    private static func unique(_ elements: ArraySlice<Int>) -> [Int: Int] {
        var positions: [Int: Int] = [:]
        for position in elements.indices {
            if positions.updateValue(position, forKey: elements[position]) != nil { positions[elements[position]] = -1 }
        }
        return positions
    }
}
