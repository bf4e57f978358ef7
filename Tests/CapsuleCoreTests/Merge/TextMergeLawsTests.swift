import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge

/// Merges of generated texts: compared with git's, and by their laws.
@Suite struct TextMergeLawsTests {
    private static func text(_ lines: [String], _ generator: inout SeededGenerator) -> String {
        lines.joined(separator: "\n") + (lines.isEmpty || generator.isLucky(oneIn: 4) ? "" : "\n")
    }

    /// Texts in which every line occurs once, so that there is only one alignment. Both sides add some of the lines.
    private static func plainTriple(_ generator: inout SeededGenerator) -> [String] {
        let lines = (0..<generator.number(0...12)).map { "line \($0)" }
        let end = generator.isLucky(oneIn: 3) ? "\r\n" : "\n"
        let both = (0...lines.count).map { _ in generator.isLucky(oneIn: 12) }
        var sides: [[String]] = [lines, [], []]
        for side in 1...2 {
            for place in 0...lines.count {
                if both[place] { sides[side].append("both \(place)") }
                if generator.isLucky(oneIn: 8) { sides[side].append("side \(side), \(place)") }
                if place < lines.count, !generator.isLucky(oneIn: 8) { sides[side].append(lines[place]) }
            }
        }
        let hasNewline = !generator.isLucky(oneIn: 4)
        return sides.map { lines in
            lines.joined(separator: end) + (lines.isEmpty || !hasNewline && !generator.isLucky(oneIn: 6) ? "" : end)
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func asGitDoes(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        var (clean, conflicts) = (0, 0)
        for number in 0..<120 {
            let texts = Self.plainTriple(&generator)
            for (name, text) in zip(["base", "ours", "theirs"], texts) { try Files.write(text, to: directory[name]) }
            let size = generator.number(1...12)
            let git = try Program.run(
                "git",
                [
                    "merge-file", "-p", "-q", "--diff3", "--marker-size=\(size)", "-L", "our side", "-L", "base", "-L",
                    "their side",
                    "ours", "base", "theirs",
                ], in: directory.path)
            let contents = try texts.map { try TextMergeTests.content($0) }
            var merge = TextMerge(base: contents[0], ours: contents[1], theirs: contents[2])
            var decisions = MergeDecisions()
            let bytes = merge.merge(&decisions)
            #expect(Int(git.status) == decisions.openCount, "seed \(seed), number \(number): \(texts)")
            let marked = merge.marked(size: size, ours: "our side", base: "base", theirs: "their side")
            // If no line of the base ends, git ends marks with a line feed only, whatever the line breaks of the sides are.
            let isTold = texts[0].utf8.contains(0x0A)
            let (own, other) = isTold ? (marked, git.output) : (Self.withoutReturns(marked), Self.withoutReturns(git.output))
            #expect(own == other, "seed \(seed), number \(number): \(texts)")
            if merge.isClean {
                clean += 1
                #expect(bytes == git.output, "seed \(seed), number \(number)")
            } else {
                conflicts += 1
            }
        }
        #expect(clean > 10 && conflicts > 10)
    }

    private static func withoutReturns(_ text: [UInt8]) -> [UInt8] { text.filter { $0 != 0x0D } }

    private static func lines(_ text: [UInt8]) -> Set<[UInt8]> {
        Set(text.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) })
    }

    @Test(arguments: SeededGenerator.seeds)
    func laws(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<rounds(600) {
            let lines = (0..<generator.number(0...14)).map { _ in generator.pick(["a", "b", "c", "d\r", "", "é"]) }
            func side(_ generator: inout SeededGenerator) throws -> TextContent {
                var lines = lines
                for _ in 0..<generator.number(0...3) {
                    let place = generator.number(0...lines.count)
                    if place == lines.count || generator.isLucky(oneIn: 2) {
                        lines.insert(generator.pick(["a", "b", "x", "y", "\r"]), at: place)
                    } else {
                        lines.remove(at: place)
                    }
                }
                return try TextMergeTests.content(Self.text(lines, &generator))
            }
            let hasBase = !generator.isLucky(oneIn: 6)
            let base = hasBase ? try TextMergeTests.content(Self.text(lines, &generator)) : nil
            let (ours, theirs) = (try side(&generator), try side(&generator))
            let place = "seed \(seed), number \(number)"

            var merge = TextMerge(base: base, ours: ours, theirs: theirs)
            var swapped = TextMerge(base: base, ours: theirs, theirs: ours)
            var (decisions, otherDecisions) = (MergeDecisions(), MergeDecisions())
            let (bytes, otherBytes) = (merge.merge(&decisions), swapped.merge(&otherDecisions))
            #expect(merge.isClean == decisions.conflicts.isEmpty, "\(place)")
            if merge.isClean { #expect(bytes == otherBytes, "\(place)") }
            #expect(decisions.conflicts.map(\.range) == otherDecisions.conflicts.map(\.range), "\(place)")
            #expect(decisions.conflicts.map(\.ours) == otherDecisions.conflicts.map(\.theirs), "\(place)")
            #expect(decisions.conflicts.map(\.theirs) == otherDecisions.conflicts.map(\.ours), "\(place)")

            let known = Self.lines(ours.utf8).union(Self.lines(theirs.utf8)).union(base.map { Self.lines($0.utf8) } ?? [])
            #expect(Self.lines(bytes).isSubset(of: known.union([[]])), "\(place)")

            // Deciding for one side gives the same result as deciding for the other after swapping.
            var oursDecided = MergeDecisions(preferences: [MergePreference(.ours, text: "ours")])
            var theirsDecided = MergeDecisions(preferences: [MergePreference(.theirs, text: "theirs")])
            #expect(merge.merge(&oursDecided) == bytes, "\(place)")
            #expect(swapped.merge(&theirsDecided) == bytes, "\(place)")
            #expect(oursDecided.openCount == 0 && swapped.isClean, "\(place)")

            let fresh = TextMerge(base: base, ours: ours, theirs: theirs)
            let marked = try #require(MarkedLines(fresh.marked(ours: "O", base: "B", theirs: "T")), "\(place)")
            #expect(marked.blocks == decisions.conflicts.count, "\(place)")
            // A block ends its last line in the same way as the lines around it.
            func isWhole(_ text: [UInt8], of lines: [UInt8]) -> Bool {
                [[], [0x0A], [0x0D, 0x0A]].contains { text == lines + $0 }
            }
            #expect(isWhole(marked[.ours], of: bytes), "\(place)")
            #expect(isWhole(marked[.theirs], of: otherBytes), "\(place)")

            guard let base else { continue }
            for (ours, theirs, result) in [(base, theirs, theirs), (ours, base, ours), (ours, ours, ours)] {
                var merge = TextMerge(base: base, ours: ours, theirs: theirs)
                var decisions = MergeDecisions()
                #expect(merge.merge(&decisions) == result.utf8, "\(place)")
                #expect(decisions.conflicts.isEmpty, "\(place)")
            }
        }
    }
}

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
