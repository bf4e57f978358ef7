import CapsuleCore

/// Finds the ranges of a sequence that each of two sides changed (docs/merge.md, section 2).
///
/// Both sides are aligned with the base. Changed ranges of the base that overlap or touch are joined, so that two insertions at one
/// position meet.
struct SequenceMerge: Hashable, Sendable {
    /// A range of the base, with the corresponding range of each side.
    struct Hunk: Hashable, Sendable {
        /// The sides that changed the range.
        enum Change: Hashable, Sendable {
            case none, ours, theirs, same, conflict
        }

        let change: Change
        let base: Range<Int>
        let ours: Range<Int>
        let theirs: Range<Int>
        /// For a conflict: true if each side only replaced elements by as many others, so that elements at the same offset pair.
        /// Equal lengths of the three ranges don't show that: one element may be deleted and one inserted elsewhere.
        var pairsByOffset = false
    }

    /// The parts in order. They cover the three sequences completely. No two unchanged parts are next to each other.
    let parts: [Hunk]

    /// Merges sequences of numbers. Equal numbers are the same element.
    init(base: [Int], ours: [Int], theirs: [Int]) {
        let (ownEdits, otherEdits) = (LineEdits(base, ours).edits, LineEdits(base, theirs).edits)
        var parts: [Hunk] = []
        var (own, other) = (0, 0)
        // The ends of the parts so far, in the base and on each side.
        var (baseEnd, ownEnd, otherEnd) = (0, 0, 0)
        func keep(upTo end: Int) {
            guard end > baseEnd else { return }
            let count = end - baseEnd
            parts.append(
                Hunk(
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
            let change: Hunk.Change =
                switch (own > firstOwn, other > firstOther) {
                case (true, false): .ours
                case (false, _): .theirs
                case (true, true): ours[ownRange].elementsEqual(theirs[otherRange]) ? .same : .conflict
                }
            var part = Hunk(change: change, base: baseEnd..<end, ours: ownRange, theirs: otherRange)
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

    /// Returns the end of a side's range that corresponds to `end` in the base.
    private static func end(of end: Int, after edits: ArraySlice<LineEdits.Edit>, from start: (base: Int, side: Int)) -> Int {
        guard let last = edits.last else { return start.side + end - start.base }
        return last.new.upperBound + end - last.old.upperBound
    }
}

/// The merge of three texts, line by line, regardless of their encodings (docs/merge.md, section 2).
struct LineMerge {
    /// The lines of the base; nil if both sides added the text.
    let base: TextContent?
    let ours: TextContent
    let theirs: TextContent
    let parts: [SequenceMerge.Hunk]

    init(base: TextContent?, ours: TextContent, theirs: TextContent) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        var numbers = LineNumbers()
        let (own, other) = (numbers.numbers(of: ours), numbers.numbers(of: theirs))
        parts =
            base.map { SequenceMerge(base: numbers.numbers(of: $0), ours: own, theirs: other).parts } ?? Self.added(own, other)
    }

    /// Returns the parts of two texts without a base: their common start and end, and one conflict between them.
    private static func added(_ ours: [Int], _ theirs: [Int]) -> [SequenceMerge.Hunk] {
        let least = min(ours.count, theirs.count)
        let head = zip(ours, theirs).prefix { $0 == $1 }.count
        let tail = zip(ours.reversed(), theirs.reversed()).prefix(least - head).prefix { $0 == $1 }.count
        let (ownEnd, otherEnd) = (ours.count - tail, theirs.count - tail)
        let parts = [
            SequenceMerge.Hunk(change: .same, base: 0..<0, ours: 0..<head, theirs: 0..<head),
            SequenceMerge.Hunk(change: .conflict, base: 0..<0, ours: head..<ownEnd, theirs: head..<otherEnd),
            SequenceMerge.Hunk(change: .same, base: 0..<0, ours: ownEnd..<ours.count, theirs: otherEnd..<theirs.count),
        ]
        return parts.filter { !$0.ours.isEmpty || !$0.theirs.isEmpty }
    }

    var conflicts: [SequenceMerge.Hunk] { parts.filter { $0.change == .conflict } }
    var isClean: Bool { !parts.contains { $0.change == .conflict } }
    func base(_ part: SequenceMerge.Hunk) -> ArraySlice<UInt8> { base?.lines(part.base) ?? [] }

    func merged(_ part: SequenceMerge.Hunk) -> ArraySlice<UInt8> {
        part.change == .theirs ? theirs.lines(part.theirs) : ours.lines(part.ours)
    }

    /// Returns all lines in UTF-8. `resolved` gives the lines for each conflict, in order.
    func merged(_ resolved: (_ conflict: Int, SequenceMerge.Hunk) -> ArraySlice<UInt8>) -> [UInt8] {
        var text = LineBuffer()
        var conflict = 0
        for part in parts {
            if part.change == .conflict {
                text.add(resolved(conflict, part))
                conflict += 1
            } else {
                text.add(merged(part))
            }
        }
        return text.bytes
    }
}

/// A text that lines are added to. A last line without a line feed gets one as soon as more lines follow, so that two lines never
/// become one.
struct LineBuffer {
    private(set) var bytes: [UInt8] = []

    /// Adds lines. The last one may lack its line feed.
    mutating func add(_ lines: some BidirectionalCollection<UInt8>) {
        guard !lines.isEmpty else { return }
        if let last = bytes.last, last != 0x0A { bytes += Self.newline(of: lines) }
        bytes += lines
    }

    mutating func end(with newline: [UInt8]) {
        bytes += newline
    }

    private static func newline(of lines: some BidirectionalCollection<UInt8>) -> [UInt8] {
        guard let end = lines.firstIndex(of: 0x0A), lines[..<end].last == 0x0D else { return [0x0A] }
        return [0x0D, 0x0A]
    }
}
