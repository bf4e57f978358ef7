/// Chooses among the longest alignments of two sequences.
///
/// Where elements repeat there are many longest alignments, and most of them say something that nobody did: that an element was
/// added here and another deleted far away, where one was replaced. The one with the fewest stretches of paired elements is
/// chosen; among those, the one that replaces in place most (the sum over the gaps of the difference between what is deleted and
/// what is added is least); among those, the one that pairs early, so that additions stand behind elements that are equal to them.
struct FewestStretches {
    /// So many pairs of places are looked at in all.
    static let cellLimit = 1 << 22
    /// What takes more is looked at in parts.
    static let wholeLimit = 1 << 16
    /// Numbers of stretches and differences of lengths are below this.
    private static let sizeLimit = 1 << 20

    private let old: [Int]
    private let new: [Int]
    private var cells: Int
    private var partners: [Int?]

    /// - Parameter partners: a longest alignment; for each old element the place of its partner.
    init(_ old: [Int], _ new: [Int], _ partners: [Int?], cellLimit: Int = Self.cellLimit) {
        self.old = old
        self.new = new
        self.partners = partners
        cells = cellLimit
    }

    /// An alignment as long as the given one.
    ///
    /// - Parameter middle: what lies between the common beginning and end.
    mutating func chosen(in middle: SequenceBox) -> [Int?] {
        guard !choose(in: middle, cellLimit: Self.wholeLimit) else { return partners }
        for part in betweenAnchors(middle) where !choose(in: part, cellLimit: .max) { replaceInPlace(in: part) }
        return partners
    }

    /// Takes the alignment that pairs what stands at one offset, if none is longer. Unlike the search this takes next to no time.
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

    /// The box in parts that meet at paired elements which it has once on each side: every longest alignment of a part pairs them.
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

    // MARK: The search

    /// What comes next on the way through both sequences.
    private enum Step: UInt8 {
        case pair
        case replace
        case delete
        case add
    }

    /// The best of the ways that go on from one place, both where the last elements were paired and where they were not.
    private struct Best {
        var behindPair: Int
        var behindGap: Int

        static let none = Best(behindPair: .min / 2, behindGap: .min / 2)
    }

    /// - Returns: false if it would be too much work. Nothing is changed then.
    private mutating func choose(in box: SequenceBox, cellLimit: Int) -> Bool {
        let pairs = pairCount(in: box)
        guard pairs > 0, box.old.count > pairs || box.new.count > pairs else { return true }
        let (oldCount, newCount) = (box.old.count, box.new.count)
        // On the way no more was deleted, or added, than at its end.
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

    /// How many more old elements than new ones are behind a place, at least and at most.
    private struct Band {
        let lowest: Int
        let highest: Int

        var width: Int { highest - lowest + 1 }

        func place(_ diagonal: Int) -> Int { diagonal - lowest }
    }

    /// The next step from each place: that behind a gap in the lower four bits, that behind a pair in the upper ones.
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
                // Of ways that are as good the one that leaves more of what is to be paired.
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
                    if pair - Self.stretchCost >= gap { (best.behindGap, behindGap) = (pair - Self.stretchCost, .pair) }
                }
                row[place] = best
                steps[left * band.width + place] = behindPair.rawValue << 4 | behindGap.rawValue
            }
            swap(&row, &below)
        }
        return steps
    }

    /// A pair outweighs all stretches, and a stretch all differences of lengths.
    private static let pairWorth = 1 << 42
    private static let stretchCost = 1 << 21
}
