import CapsulePropertyList

/// Three texts, line by line, without regard to their encodings (docs/merge.md, section 2).
struct LineMerge {
    /// The lines of the base; nil where both sides added the text.
    let base: TextContent?
    let ours: TextContent
    let theirs: TextContent
    /// Unchanged and changed lines, in order.
    let parts: [SequenceMerge.Part]

    init(base: TextContent?, ours: TextContent, theirs: TextContent) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        var numbers = LineNumbers()
        let (own, other) = (numbers.numbers(of: ours), numbers.numbers(of: theirs))
        parts =
            base.map { SequenceMerge(base: numbers.numbers(of: $0), ours: own, theirs: other).parts } ?? Self.added(own, other)
    }

    /// The parts of two texts without a base: what both begin and end with, and one conflict between.
    private static func added(_ ours: [Int], _ theirs: [Int]) -> [SequenceMerge.Part] {
        let least = min(ours.count, theirs.count)
        let head = zip(ours, theirs).prefix { $0 == $1 }.count
        let tail = zip(ours.reversed(), theirs.reversed()).prefix(least - head).prefix { $0 == $1 }.count
        let (ownEnd, otherEnd) = (ours.count - tail, theirs.count - tail)
        let parts = [
            SequenceMerge.Part(change: .same, base: 0..<0, ours: 0..<head, theirs: 0..<head),
            SequenceMerge.Part(change: .conflict, base: 0..<0, ours: head..<ownEnd, theirs: head..<otherEnd),
            SequenceMerge.Part(
                change: .same, base: 0..<0, ours: ownEnd..<ours.count, theirs: otherEnd..<theirs.count),
        ]
        return parts.filter { !$0.ours.isEmpty || !$0.theirs.isEmpty }
    }

    /// The parts that both sides changed differently.
    var conflicts: [SequenceMerge.Part] { parts.filter { $0.change == .conflict } }

    /// Whether no lines are in question.
    var isClean: Bool { !parts.contains { $0.change == .conflict } }

    /// The lines of the base that a part stands for.
    func base(_ part: SequenceMerge.Part) -> ArraySlice<UInt8> { base?.lines(part.base) ?? [] }

    /// The lines that a part without a conflict has.
    func merged(_ part: SequenceMerge.Part) -> ArraySlice<UInt8> {
        part.change == .theirs ? theirs.lines(part.theirs) : ours.lines(part.ours)
    }

    /// All lines in UTF-8, with what is given for each conflict, in order.
    func merged(_ resolved: (_ conflict: Int, SequenceMerge.Part) -> ArraySlice<UInt8>) -> [UInt8] {
        var text = WholeLines()
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
