/// Which elements of two sequences are the same ones, in order: what lies between was removed and added.
///
/// The longest such alignment (Myers, "An O(ND) Difference Algorithm", in linear space) as long as that is not too much
/// work; then one that agrees on what each side has only once.
public struct SequenceDiff: Hashable, Sendable {
    /// Elements next to each other that both sides have.
    public struct Run: Hashable, Sendable {
        /// Where it begins in the old sequence.
        public let old: Int
        /// Where it begins in the new one.
        public let new: Int
        /// The number of its elements.
        public let count: Int
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
        var alignment = SequenceAlignment(old, new, workLimit: workLimit)
        let partners = alignment.align()
        var runs: [Run] = []
        var at = 0
        while at < partners.count {
            let start = at
            guard let partner = partners[start] else {
                at += 1
                continue
            }
            repeat { at += 1 } while at < partners.count && partners[at] == partner + (at - start)
            runs.append(Run(old: start, new: partner, count: at - start))
        }
        self.runs = runs
        isLongest = alignment.isLongest
    }
}
