import CapsulePropertyList

/// Which stretches of a sequence each of two sides changed (docs/merge.md, section 2).
///
/// Both sides are aligned with the base; changed stretches of the base that overlap or touch are one, so that two insertions into
/// one gap meet.
struct SequenceMerge: Hashable, Sendable {
    /// A stretch of the base and what stands for it on each side.
    struct Part: Hashable, Sendable {
        /// Who changed it.
        enum Change: Hashable, Sendable {
            /// Nobody: the three are equal.
            case none
            case ours
            case theirs
            /// Both, to the same.
            case same
            /// Both, differently.
            case conflict
        }

        let change: Change
        let base: Range<Int>
        let ours: Range<Int>
        let theirs: Range<Int>
        /// Of a conflict, whether either side only put elements in the place of as many others, so that those at one offset pair.
        /// Three stretches can be of one length without that: one element deleted, and one inserted elsewhere.
        var pairsByOffset = false
    }

    /// In order; all of the three sequences is in them. No two neighbours are unchanged.
    let parts: [Part]

    /// Compares numbers; equal ones are the same element.
    init(base: [Int], ours: [Int], theirs: [Int]) {
        let (ownEdits, otherEdits) = (LineEdits(base, ours).edits, LineEdits(base, theirs).edits)
        var parts: [Part] = []
        var (own, other) = (0, 0)
        // Where each side goes on, behind the parts so far.
        var (baseEnd, ownEnd, otherEnd) = (0, 0, 0)
        func keep(upTo end: Int) {
            guard end > baseEnd else { return }
            let count = end - baseEnd
            parts.append(
                Part(
                    change: .none, base: baseEnd..<end, ours: ownEnd..<ownEnd + count, theirs: otherEnd..<otherEnd + count))
            (baseEnd, ownEnd, otherEnd) = (end, ownEnd + count, otherEnd + count)
        }
        while own < ownEdits.count || other < otherEdits.count {
            let starts = [
                own < ownEdits.count ? ownEdits[own].old.lowerBound : .max,
                other < otherEdits.count ? otherEdits[other].old.lowerBound : .max,
            ]
            keep(upTo: min(starts[0], starts[1]))
            let (firstOwn, firstOther) = (own, other)
            var end = baseEnd
            var grew = true
            while grew {
                grew = false
                while own < ownEdits.count, ownEdits[own].old.lowerBound <= end {
                    end = max(end, ownEdits[own].old.upperBound)
                    own += 1
                    grew = true
                }
                while other < otherEdits.count, otherEdits[other].old.lowerBound <= end {
                    end = max(end, otherEdits[other].old.upperBound)
                    other += 1
                    grew = true
                }
            }
            let ownRange = ownEnd..<Self.end(of: end, after: ownEdits[firstOwn..<own], from: (baseEnd, ownEnd))
            let otherRange = otherEnd..<Self.end(of: end, after: otherEdits[firstOther..<other], from: (baseEnd, otherEnd))
            let change: Part.Change =
                switch (own > firstOwn, other > firstOther) {
                case (true, false): .ours
                case (false, _): .theirs
                case (true, true): ours[ownRange].elementsEqual(theirs[otherRange]) ? .same : .conflict
                }
            var part = Part(change: change, base: baseEnd..<end, ours: ownRange, theirs: otherRange)
            if change == .conflict {
                let edits = [ownEdits[firstOwn..<own], otherEdits[firstOther..<other]].joined()
                part.pairsByOffset = edits.allSatisfy { $0.old.count == $0.new.count }
            }
            parts.append(part)
            (baseEnd, ownEnd, otherEnd) = (end, ownRange.upperBound, otherRange.upperBound)
        }
        keep(upTo: base.count)
        self.parts = parts
    }

    /// Where a side has come to when the base has come to `end`.
    private static func end(of end: Int, after edits: ArraySlice<LineEdits.Edit>, from start: (base: Int, side: Int)) -> Int {
        guard let last = edits.last else { return start.side + end - start.base }
        return last.new.upperBound + end - last.old.upperBound
    }
}
