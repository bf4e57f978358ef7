/// The common elements of two sequences, in order. The elements between them were removed or added.
///
/// The common beginning and end are always included. Between them, the alignment is the longest one (Myers, "An O(ND) Difference
/// Algorithm", in linear space) unless that takes too much work. In that case it is anchored at elements that are unique on each
/// side. Among alignments of the same length, the one with the fewest runs is chosen, and among those the one that replaces in
/// place most.
package struct SequenceDiff: Hashable, Sendable {
    /// Consecutive elements that both sides have.
    package struct Run: Hashable, Sendable {
        package let old: Int
        package let new: Int
        package fileprivate(set) var count: Int
    }

    package let runs: [Run]
    package let isLongest: Bool

    /// Compares two sequences of numbers. Equal numbers are the same element.
    package init(_ old: [Int], _ new: [Int]) {
        self.init(old, new, workLimit: SequenceAlignment.workLimit)
    }

    init(_ old: [Int], _ new: [Int], workLimit: Int) {
        let whole = SequenceBox(old: old.indices, new: new.indices)
        let middle = whole.trimmed(old, new)
        var alignment = SequenceAlignment(old, new, middle: middle, workLimit: workLimit)
        var choice = FewestRuns(old, new, alignment.align())
        isLongest = alignment.isLongest
        var pairs = choice.chosen(in: middle).enumerated().compactMap { place, partner in partner.map { (place, $0) } }
        pairs = zip(whole.before(middle).old, whole.before(middle).new) + pairs
        pairs += zip(whole.after(middle).old, whole.after(middle).new)
        runs = Self.runs(pairs)
    }

    private static func runs(_ pairs: [(old: Int, new: Int)]) -> [Run] {
        var runs: [Run] = []
        for (old, new) in pairs {
            if let last = runs.last, last.old + last.count == old, last.new + last.count == new {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(Run(old: old, new: new, count: 1))
            }
        }
        return runs
    }
}

/// A range in each of two sequences.
struct SequenceBox: Hashable {
    var old: Range<Int>
    var new: Range<Int>

    func trimmed(_ oldElements: [Int], _ newElements: [Int]) -> SequenceBox {
        var middle = self
        while let left = middle.old.first, let right = middle.new.first, oldElements[left] == newElements[right] {
            middle.old = left + 1..<middle.old.upperBound
            middle.new = right + 1..<middle.new.upperBound
        }
        while let left = middle.old.last, let right = middle.new.last, oldElements[left] == newElements[right] {
            middle.old = middle.old.lowerBound..<left
            middle.new = middle.new.lowerBound..<right
        }
        return middle
    }

    func before(_ part: SequenceBox) -> SequenceBox {
        SequenceBox(old: old.lowerBound..<part.old.lowerBound, new: new.lowerBound..<part.new.lowerBound)
    }

    func after(_ part: SequenceBox) -> SequenceBox {
        SequenceBox(old: part.old.upperBound..<old.upperBound, new: part.new.upperBound..<new.upperBound)
    }
}

/// The search for a long alignment of two sequences of numbers.
private struct SequenceAlignment {
    /// The number of steps after which the search uses less exact methods.
    static let workLimit = 1 << 24

    private let old: [Int]
    private let new: [Int]
    private let oldPlaces: [Int]
    private let newPlaces: [Int]
    private var partners: [Int?]
    private var work: Int
    private var anchorWork: Int
    private(set) var isLongest = true

    init(_ old: [Int], _ new: [Int], middle: SequenceBox, workLimit: Int) {
        (oldPlaces, newPlaces) = Self.places(old[middle.old], new[middle.new])
        self.old = oldPlaces.map { old[$0] }
        self.new = newPlaces.map { new[$0] }
        partners = Array(repeating: nil, count: old.count)
        work = workLimit
        anchorWork = workLimit
    }

    private static func places(_ old: ArraySlice<Int>, _ new: ArraySlice<Int>) -> ([Int], [Int]) {
        let (oldSet, newSet) = (Set(old), Set(new))
        return (old.indices.filter { newSet.contains(old[$0]) }, new.indices.filter { oldSet.contains(new[$0]) })
    }

    mutating func align() -> [Int?] {
        var boxes = [SequenceBox(old: 0..<old.count, new: 0..<new.count)]
        while let box = boxes.popLast() {
            let box = trimmed(box)
            guard !box.old.isEmpty, !box.new.isEmpty else { continue }
            if isWithoutRepeats(box) {
                pair(uniques(box))
            } else if let snake = middleSnake(box) {
                for step in 0..<snake.old.count { pair(snake.old.lowerBound + step, snake.new.lowerBound + step) }
                boxes.append(box.before(snake))
                boxes.append(box.after(snake))
            } else {
                isLongest = false
                boxes += betweenAnchors(box)
            }
        }
        return partners
    }

    private mutating func pair(_ old: Int, _ new: Int) {
        partners[oldPlaces[old]] = newPlaces[new]
    }

    private mutating func pair(_ pairs: [(old: Int, new: Int)]) {
        for (old, new) in pairs { pair(old, new) }
    }

    private mutating func trimmed(_ box: SequenceBox) -> SequenceBox {
        let middle = box.trimmed(old, new)
        for step in 0..<middle.old.lowerBound - box.old.lowerBound {
            pair(box.old.lowerBound + step, box.new.lowerBound + step)
        }
        for step in 0..<box.old.upperBound - middle.old.upperBound {
            pair(middle.old.upperBound + step, middle.new.upperBound + step)
        }
        return middle
    }

    private func isWithoutRepeats(_ box: SequenceBox) -> Bool {
        // Only the first box is large enough to be worth it.
        guard box.old.count > old.count / 2 else { return false }
        return Set(old[box.old]).count == box.old.count && Set(new[box.new]).count == box.new.count
    }

    private func uniques(_ box: SequenceBox) -> [(old: Int, new: Int)] {
        let (oldPlaces, newPlaces) = (Self.singles(old, box.old), Self.singles(new, box.new))
        let common = box.old.compactMap { place -> (old: Int, new: Int)? in
            guard let own = oldPlaces[old[place]], own == place, let other = newPlaces[old[place]], let partner = other else {
                return nil
            }
            return (place, partner)
        }
        return IncreasingSubsequence.longest(of: common.map(\.new)).map { common[$0] }
    }

    private static func singles(_ numbers: [Int], _ range: Range<Int>) -> [Int: Int?] {
        var places: [Int: Int?] = [:]
        for place in range { places.updateValue(places[numbers[place]] == nil ? place : nil, forKey: numbers[place]) }
        return places
    }

    /// Pairs elements that are unique on both sides, and returns the boxes between them (Cohen's patience diff).
    private mutating func betweenAnchors(_ box: SequenceBox) -> [SequenceBox] {
        anchorWork -= box.old.count + box.new.count
        guard anchorWork > 0 else { return [] }
        let anchors = uniques(box)
        guard !anchors.isEmpty else { return [] }
        pair(anchors)
        var boxes: [SequenceBox] = []
        var (oldStart, newStart) = (box.old.lowerBound, box.new.lowerBound)
        for (old, new) in anchors {
            boxes.append(SequenceBox(old: oldStart..<old, new: newStart..<new))
            (oldStart, newStart) = (old + 1, new + 1)
        }
        boxes.append(SequenceBox(old: oldStart..<box.old.upperBound, new: newStart..<box.new.upperBound))
        return boxes
    }

    /// Returns the run of equal elements, possibly empty, in the middle of a shortest path from one end of the box to the other.
    /// Neither side may be empty, and the sides must differ at both ends.
    /// - Returns: nil if the search is too much work.
    private mutating func middleSnake(_ box: SequenceBox) -> SequenceBox? {
        let (oldCount, newCount) = (box.old.count, box.new.count)
        guard work > oldCount + newCount else { return nil }
        work -= oldCount + newCount
        let skew = oldCount - newCount
        let zero = newCount + 1
        // The furthest position in the old sequence on each diagonal, from the beginning and from the end.
        var forward = [Int](repeating: 0, count: oldCount + newCount + 3)
        var backward = forward
        for cost in 0...((oldCount + newCount + 1) / 2) {
            let diagonals = stride(
                from: -(cost - 2 * max(0, cost - newCount)), through: cost - 2 * max(0, cost - oldCount), by: 2)
            for diagonal in diagonals {
                let start = Self.start(forward, zero, diagonal, cost)
                var (x, y) = (start, start - diagonal)
                while x < oldCount, y < newCount, old[box.old.lowerBound + x] == new[box.new.lowerBound + y] {
                    x += 1
                    y += 1
                }
                forward[zero + diagonal] = x
                work -= 1 + x - start
                let other = skew - diagonal
                if skew % 2 != 0, abs(other) <= cost - 1, x + backward[zero + other] >= oldCount {
                    return Self.snake(box, start, start - diagonal, x, y)
                }
            }
            for diagonal in diagonals {
                let start = Self.start(backward, zero, diagonal, cost)
                var (x, y) = (start, start - diagonal)
                while x < oldCount, y < newCount, old[box.old.upperBound - 1 - x] == new[box.new.upperBound - 1 - y] {
                    x += 1
                    y += 1
                }
                backward[zero + diagonal] = x
                work -= 1 + x - start
                let other = skew - diagonal
                if skew % 2 == 0, abs(other) <= cost, x + forward[zero + other] >= oldCount {
                    return Self.snake(box, oldCount - x, newCount - y, oldCount - start, newCount - start + diagonal)
                }
            }
            guard work > 0 else { return nil }
        }
        return nil
    }

    private static func start(_ furthest: [Int], _ zero: Int, _ diagonal: Int, _ cost: Int) -> Int {
        let (below, above) = (furthest[zero + diagonal - 1], furthest[zero + diagonal + 1])
        return diagonal == -cost || (diagonal != cost && below < above) ? above : below + 1
    }

    private static func snake(_ box: SequenceBox, _ oldStart: Int, _ newStart: Int, _ oldEnd: Int, _ newEnd: Int) -> SequenceBox {
        let (old, new) = (box.old.lowerBound, box.new.lowerBound)
        return SequenceBox(old: old + oldStart..<old + oldEnd, new: new + newStart..<new + newEnd)
    }
}

/// Finds the longest increasing subsequence.
package enum IncreasingSubsequence {
    package static func longest(of numbers: [Int]) -> [Int] {
        // For each length, the position of the smallest number that ends such a subsequence.
        var ends: [Int] = []
        var before: [Int?] = Array(repeating: nil, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            before[place] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var places: [Int] = []
        var next = ends.last
        while let place = next {
            places.append(place)
            next = before[place]
        }
        return places.reversed()
    }
}
