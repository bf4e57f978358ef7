/// Which elements of two sequences are the same ones, in order: what lies between was removed and added.
///
/// What both begin and end with is the same. Between the two it is the longest alignment (Myers, "An O(ND) Difference Algorithm",
/// in linear space) as long as that is not too much work; then one that agrees on what each side has only once. Of several
/// alignments of one length it is the one with the fewest stretches, and of those the one that replaces in place most.
public struct SequenceDiff: Hashable, Sendable {
    /// Elements next to each other that both sides have.
    public struct Run: Hashable, Sendable {
        /// Where it begins in the old sequence.
        public let old: Int
        /// Where it begins in the new one.
        public let new: Int
        /// The number of its elements.
        public fileprivate(set) var count: Int
    }

    /// In order, as long as they can be.
    public let runs: [Run]
    /// Whether no alignment has more elements.
    public let isLongest: Bool

    /// Compares numbers; equal ones are the same element.
    public init(_ old: [Int], _ new: [Int]) {
        self.init(old, new, workLimit: SequenceAlignment.workLimit)
    }

    init(_ old: [Int], _ new: [Int], workLimit: Int) {
        let whole = SequenceBox(old: old.indices, new: new.indices)
        let middle = whole.trimmed(old, new)
        var alignment = SequenceAlignment(old, new, middle: middle, workLimit: workLimit)
        var choice = FewestStretches(old, new, alignment.align())
        isLongest = alignment.isLongest
        var pairs = choice.chosen(in: middle).enumerated().compactMap { place, partner in partner.map { (place, $0) } }
        pairs = zip(whole.before(middle).old, whole.before(middle).new) + pairs
        pairs += zip(whole.after(middle).old, whole.after(middle).new)
        runs = Self.runs(pairs)
    }

    /// - Parameter pairs: of places, ascending in both.
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
