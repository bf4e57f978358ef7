import TestSupport
import Testing

@testable import CapsuleCore

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
