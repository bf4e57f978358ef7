import TestSupport
import Testing

@testable import CapsuleCore

/// Compares merges of sequences with the simplest algorithm for finding their parts.
@Suite struct SequenceMergeTests {
    private static func sequences(of alphabet: Int, upTo length: Int) -> [[Int]] {
        (0..<length).reduce([[]]) { known, _ in known + known.flatMap { all in (0..<alphabet).map { all + [$0] } } }
            .reduce(into: [[Int]]()) { result, next in if !result.contains(next) { result.append(next) } }
    }

    /// Returns, for each element of the base, its index in the side; nil for one that the side does not have.
    private static func partners(_ base: [Int], _ side: [Int]) -> [Int?] {
        var partners: [Int?] = []
        var shift = 0
        var edits = LineEdits(base, side).edits[...]
        for place in base.indices {
            while let edit = edits.first, edit.old.upperBound <= place {
                shift += edit.new.count - edit.old.count
                edits.removeFirst()
            }
            partners.append(edits.first?.old.contains(place) == true ? nil : place + shift)
        }
        return partners
    }

    /// Marks changed elements and the gaps around them. Marks next to each other are one part.
    private static func parts(_ base: [Int], _ ours: [Int], _ theirs: [Int]) -> [SequenceMerge.Hunk] {
        func marks(_ side: [Int]) -> [Bool] {
            var marks = Array(repeating: false, count: 2 * base.count + 1)
            for edit in LineEdits(base, side).edits {
                for mark in 2 * edit.old.lowerBound...2 * edit.old.upperBound { marks[mark] = true }
            }
            return marks
        }
        let (ownMarks, otherMarks) = (marks(ours), marks(theirs))
        let (ownPartners, otherPartners) = (partners(base, ours), partners(base, theirs))
        // A marked range lies between elements that all three have. An unmarked range consists of such elements.
        func range(_ stretch: Range<Int>, _ isMarked: Bool, _ partners: [Int?], _ count: Int) -> Range<Int> {
            let (before, behind) =
                isMarked ? (stretch.lowerBound - 1, stretch.upperBound) : (stretch.lowerBound, stretch.upperBound - 1)
            let start = before < 0 ? 0 : partners[before].map { isMarked ? $0 + 1 : $0 }
            let end = behind == base.count ? count : partners[behind].map { isMarked ? $0 : $0 + 1 }
            return (start ?? -1)..<(end ?? .max)
        }
        var parts: [SequenceMerge.Hunk] = []
        var at = 0
        while at <= 2 * base.count {
            let isMarked = ownMarks[at] || otherMarks[at]
            var end = at
            while end + 1 <= 2 * base.count, (ownMarks[end + 1] || otherMarks[end + 1]) == isMarked { end += 1 }
            // Unmarked gaps belong to the elements beside them.
            let stretch = isMarked ? at / 2..<end / 2 : at / 2..<(end + 1) / 2
            if isMarked || !stretch.isEmpty {
                let own = range(stretch, isMarked, ownPartners, ours.count)
                let other = range(stretch, isMarked, otherPartners, theirs.count)
                let change: SequenceMerge.Hunk.Change =
                    switch (ownMarks[at...end].contains(true), otherMarks[at...end].contains(true)) {
                    case (false, false): .none
                    case (true, false): .ours
                    case (false, true): .theirs
                    case (true, true): Array(ours[own]) == Array(theirs[other]) ? .same : .conflict
                    }
                var part = SequenceMerge.Hunk(change: change, base: stretch, ours: own, theirs: other)
                part.pairsByOffset =
                    change == .conflict
                    && [(own, ownPartners), (other, otherPartners)].allSatisfy { side, partners in
                        side.count == stretch.count
                            && stretch.allSatisfy { place in
                                partners[place].map { $0 - side.lowerBound == place - stretch.lowerBound } ?? true
                            }
                    }
                parts.append(part)
            }
            at = end + 1
        }
        return parts
    }

    /// The short form merges each pair of a base and a side with every fourth other side.
    @Test(arguments: [(2, 4), (3, 3)])
    func allShortSequencesMergeAsMarked(alphabet: Int, length: Int) {
        let all = Self.sequences(of: alphabet, upTo: length)
        #expect(all.count == (alphabet == 2 ? 31 : 40))
        var failures: [String] = []
        for base in all {
            for ours in all {
                for theirs in sample(of: all.indices, oneIn: 4).map({ all[$0] }) {
                    let parts = SequenceMerge(base: base, ours: ours, theirs: theirs).parts
                    if parts != Self.parts(base, ours, theirs) { failures.append("\(base) \(ours) \(theirs)") }
                }
            }
        }
        #expect(failures.prefix(10) == [])
    }

    @Test func allOfTheSequencesIsInTheParts() {
        let all = Self.sequences(of: 2, upTo: 3)
        for base in all {
            for ours in all {
                for theirs in sample(of: all.indices, oneIn: 4).map({ all[$0] }) {
                    let parts = SequenceMerge(base: base, ours: ours, theirs: theirs).parts
                    #expect(parts.flatMap { Array(base[$0.base]) } == base)
                    #expect(parts.flatMap { Array(ours[$0.ours]) } == ours)
                    #expect(parts.flatMap { Array(theirs[$0.theirs]) } == theirs)
                    let unchanged = parts.map { $0.change == .none }
                    #expect(!zip(unchanged, unchanged.dropFirst()).contains { $0 && $1 })
                    for part in parts where part.change == .none || part.change == .theirs {
                        #expect(base[part.base].elementsEqual(ours[part.ours]))
                    }
                    for part in parts where part.change == .none || part.change == .ours {
                        #expect(base[part.base].elementsEqual(theirs[part.theirs]))
                    }
                }
            }
        }
    }
}
