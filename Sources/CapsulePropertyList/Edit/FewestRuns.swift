/// Chooses among the longest alignments of two sequences.
///
/// If elements repeat, there are many longest alignments. Most of them are misleading: they show an addition in one place and a
/// deletion far away, where an element was replaced. This type chooses the alignment with the fewest runs of paired elements. Among
/// those, it chooses the one that replaces in place most, that is, with the smallest sum, over the gaps, of the difference between
/// the numbers of deleted and added elements. Among those, it chooses the one that pairs early, so that additions come after equal
/// elements.
struct FewestRuns {
    static let cellLimit = 1 << 22
    /// The maximum number of cells for a search of the entire range. Larger ranges are searched in parts.
    static let wholeLimit = 1 << 16
    /// The upper bound for numbers of runs and for differences of lengths.
    private static let sizeLimit = 1 << 20

    private let old: [Int]
    private let new: [Int]
    private var cells: Int
    private var partners: [Int?]

    init(_ old: [Int], _ new: [Int], _ partners: [Int?], cellLimit: Int = Self.cellLimit) {
        self.old = old
        self.new = new
        self.partners = partners
        cells = cellLimit
    }

    /// Returns an alignment of the same length as the given one.
    mutating func chosen(in middle: SequenceBox) -> [Int?] {
        guard !choose(in: middle, cellLimit: Self.wholeLimit) else { return partners }
        for part in betweenAnchors(middle) where !choose(in: part, cellLimit: .max) { replaceInPlace(in: part) }
        return partners
    }

    /// Chooses the alignment that pairs elements at the same offset if no other is longer. Unlike the search, this takes linear
    /// time.
    private mutating func replaceInPlace(in box: SequenceBox) {
        guard box.old.count == box.new.count else { return }
        let equal = zip(box.old, box.new).filter { old[$0] == new[$1] }
        guard equal.count == pairCount(in: box) else { return }
        for place in box.old { partners[place] = nil }
        for (left, right) in equal { partners[left] = right }
    }

    private func pairCount(in box: SequenceBox) -> Int {
        box.old.reduce(0) { $0 + (partners[$1] == nil ? 0 : 1) }
    }

    /// Returns the parts of a box, divided at paired elements that are unique on each side. Every longest alignment of a part pairs
    /// them.
    private func betweenAnchors(_ box: SequenceBox) -> [SequenceBox] {
        var counts: [Int: (old: Int, new: Int)] = [:]
        for place in box.old { counts[old[place], default: (0, 0)].old += 1 }
        for place in box.new { counts[new[place], default: (0, 0)].new += 1 }
        var boxes: [SequenceBox] = []
        var rest = box
        for place in box.old {
            guard let partner = partners[place], let count = counts[old[place]], count == (1, 1) else { continue }
            let anchor = SequenceBox(old: place..<place + 1, new: partner..<partner + 1)
            let part = rest.before(anchor)
            boxes.append(SequenceBox(old: part.old.lowerBound..<place + 1, new: part.new.lowerBound..<partner + 1))
            rest = SequenceBox(old: place..<box.old.upperBound, new: partner..<box.new.upperBound)
        }
        return boxes + [rest]
    }

    /// The next step on a path through both sequences.
    private enum Step: UInt8 {
        case pair
        case replace
        case delete
        case add
    }

    /// The best paths from one position, given that the previous elements were paired or not.
    private struct Best {
        var behindPair: Int
        var behindGap: Int

        static let none = Best(behindPair: .min / 2, behindGap: .min / 2)
    }

    /// - Returns: false if the search would be too much work. Nothing is changed then.
    private mutating func choose(in box: SequenceBox, cellLimit: Int) -> Bool {
        let pairs = pairCount(in: box)
        guard pairs > 0, box.old.count > pairs || box.new.count > pairs else { return true }
        let (oldCount, newCount) = (box.old.count, box.new.count)
        // At no point on a path were more elements deleted, or added, than at its end.
        let band = Band(lowest: pairs - newCount, highest: oldCount - pairs)
        guard max(oldCount, newCount) < Self.sizeLimit, min(cells, cellLimit) / band.width > oldCount else { return false }
        cells -= (oldCount + 1) * band.width
        let steps = search(box, band)
        for place in box.old { partners[place] = nil }
        var (left, right, isBehindPair) = (0, 0, false)
        while left < oldCount || right < newCount {
            let cell = steps[left * band.width + band.place(left - right)]
            let step = Step(rawValue: isBehindPair ? cell >> 4 : cell & 15) ?? .replace
            isBehindPair = step == .pair
            if isBehindPair { partners[box.old.lowerBound + left] = box.new.lowerBound + right }
            if step != .add { left += 1 }
            if step != .delete { right += 1 }
        }
        return true
    }

    /// The range of differences between the old and new positions on a path.
    private struct Band {
        let lowest: Int
        let highest: Int

        var width: Int { highest - lowest + 1 }
        func place(_ diagonal: Int) -> Int { diagonal - lowest }
    }

    /// Returns the next step from each position: after a gap in the lower four bits, after a pair in the upper four.
    private func search(_ box: SequenceBox, _ band: Band) -> [UInt8] {
        let (oldCount, newCount) = (box.old.count, box.new.count)
        var steps = [UInt8](repeating: 0, count: (oldCount + 1) * band.width)
        var below = [Best](repeating: .none, count: band.width)
        var row = below
        for left in (0...oldCount).reversed() {
            for right in (max(0, left - band.highest)...max(0, min(newCount, left - band.lowest))).reversed() {
                let place = band.place(left - right)
                guard left < oldCount || right < newCount else {
                    row[place] = Best(behindPair: 0, behindGap: 0)
                    continue
                }
                // Among equally good paths, choose the one that leaves more elements to be paired.
                var (gap, step) = (Int.min / 2, Step.replace)
                if right < newCount, place > 0 { (gap, step) = (row[place - 1].behindGap - 1, .add) }
                if left < oldCount, place + 1 < band.width, below[place + 1].behindGap - 1 > gap {
                    (gap, step) = (below[place + 1].behindGap - 1, .delete)
                }
                if left < oldCount, right < newCount, below[place].behindGap > gap {
                    (gap, step) = (below[place].behindGap, .replace)
                }
                var best = Best(behindPair: gap, behindGap: gap)
                var (behindPair, behindGap) = (step, step)
                if left < oldCount, right < newCount, old[box.old.lowerBound + left] == new[box.new.lowerBound + right] {
                    let pair = below[place].behindPair + Self.pairWorth
                    if pair >= best.behindPair { (best.behindPair, behindPair) = (pair, .pair) }
                    if pair - Self.runCost >= gap { (best.behindGap, behindGap) = (pair - Self.runCost, .pair) }
                }
                row[place] = best
                steps[left * band.width + place] = behindPair.rawValue << 4 | behindGap.rawValue
            }
            swap(&row, &below)
        }
        return steps
    }

    /// A pair outweighs all runs, and a run outweighs all differences of lengths.
    private static let pairWorth = 1 << 42
    private static let runCost = 1 << 21
}
