import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge

/// Merges of sequences with many equal elements, where many alignments are equally long.
@Suite struct RepeatedElementsTests {
    /// The edits of one side, by positions in the base: the elements that it replaced or deleted, and what it inserted before them.
    private struct Edits {
        var inserted: [Int: [Int]] = [:]
        /// The new element; nil for a deleted one.
        var replaced: [Int: Int?] = [:]

        func applied(to base: [Int]) -> [Int] {
            (0...base.count).flatMap { place in
                let own = place == base.count ? [] : replaced[place].map { $0.map { [$0] } ?? [] } ?? [base[place]]
                return (inserted[place] ?? []) + own
            }
        }

        /// The gaps around the edits. Edits that touch have a gap in common.
        var gaps: Set<Int> { Set(inserted.keys).union(replaced.keys).union(replaced.keys.map { $0 + 1 }) }
    }

    private static func edits(_ random: inout SeededGenerator, _ base: [Int], _ values: Int, _ count: Int) -> Edits {
        var edits = Edits()
        for _ in 0..<count {
            let place = random.number(0...base.count)
            // Half of the new elements occur nowhere else.
            let value = random.isLucky(oneIn: 2) ? random.number(0...values) : random.number(1_000...1_000_000)
            if place == base.count || random.isLucky(oneIn: 3) {
                edits.inserted[place, default: []].append(value)
            } else {
                edits.replaced[place] = .some(random.isLucky(oneIn: 2) ? value : nil)
            }
        }
        return edits
    }

    private static func merged(_ base: [Int], _ ours: [Int], _ theirs: [Int]) -> [Int]? {
        let parts = SequenceMerge(base: base, ours: ours, theirs: theirs).parts
        guard !parts.contains(where: { $0.change == .conflict }) else { return nil }
        return parts.flatMap { Array($0.change == .theirs ? theirs[$0.theirs] : ours[$0.ours]) }
    }

    /// The quality of an alignment; larger is better.
    private struct Score: Comparable {
        let pairs: Int
        let stretches: Int
        let drift: Int

        init(_ pairs: [(old: Int, new: Int)], _ oldCount: Int, _ newCount: Int) {
            var (stretches, drift) = (0, 0)
            var end = (old: 0, new: 0)
            for pair in pairs + [(oldCount, newCount)] {
                drift += abs((pair.old - end.old) - (pair.new - end.new))
                if pair != end || stretches == 0 { stretches += 1 }
                end = (pair.old + 1, pair.new + 1)
            }
            (self.pairs, self.stretches, self.drift) = (pairs.count, stretches, drift)
        }

        static func < (left: Score, right: Score) -> Bool {
            (left.pairs, -left.stretches, -left.drift) < (right.pairs, -right.stretches, -right.drift)
        }
    }

    /// Returns true if other edits than the actual ones explain a side as well. No merge can then know the actual ones.
    private static func isAmbiguous(_ base: [Int], _ edits: Edits) -> Bool {
        let side = edits.applied(to: base)
        var new = 0
        var done: [(old: Int, new: Int)] = []
        for place in 0...base.count {
            new += edits.inserted[place]?.count ?? 0
            guard place < base.count else { break }
            if let replaced = edits.replaced[place] {
                new += replaced == nil ? 0 : 1
            } else {
                done.append((place, new))
                new += 1
            }
        }
        let found = SequenceDiff(base, side).runs.flatMap { run in (0..<run.count).map { (run.old + $0, run.new + $0) } }
        return Score(found, base.count, side.count) >= Score(done, base.count, side.count)
            && !found.elementsEqual(done, by: { $0 == $1 })
    }

    /// If git's own merge is clean and has the edits of both sides, this merge is never clean with another result.
    ///
    /// Sometimes different edits explain a side equally well, and only one of the two programs finds the actual ones. That is rare
    /// for both.
    @Test(arguments: SeededGenerator.seeds)
    func asGitDoes(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        var (both, needless, gitsNeedless, unlucky) = (0, 0, 0, 0)
        let rounds = runsLongTests ? 20_000 : 700
        for round in 0..<rounds {
            let values = random.number(1...50)
            let base = (0..<random.number(1...60)).map { _ in random.number(1...values) }
            let own = Self.edits(&random, base, values, random.number(1...4))
            let other = Self.edits(&random, base, values, random.number(1...4))
            // If edits touch, there is no right result.
            guard own.gaps.isDisjoint(with: other.gaps) else { continue }
            let (ours, theirs) = (own.applied(to: base), other.applied(to: base))
            let right = Edits(
                inserted: own.inserted.merging(other.inserted) { $1 }, replaced: own.replaced.merging(other.replaced) { $1 }
            ).applied(to: base)
            for (name, sequence) in [("base", base), ("ours", ours), ("theirs", theirs)] {
                try Files.write(sequence.map { "\($0)\n" }.joined(), to: directory[name])
            }
            let git = try Program.run("git", ["merge-file", "-p", "-q", "ours", "base", "theirs"], in: directory.path)
            let gits = git.status == 0 ? git.text.split(separator: "\n").compactMap { Int($0) } : nil
            let merged = Self.merged(base, ours, theirs)
            if gits == right {
                if merged == right {
                    both += 1
                } else if merged == nil {
                    needless += 1
                } else {
                    unlucky += 1
                    #expect(
                        Self.isAmbiguous(base, own) || Self.isAmbiguous(base, other),
                        "round \(round) of seed \(seed): \(base) \(ours) \(theirs): \(merged ?? []) instead of \(right)")
                }
            } else if gits == nil, merged == right {
                gitsNeedless += 1
            }
        }
        let allowance = 2 + rounds / 2_000
        #expect(unlucky <= allowance && needless <= gitsNeedless + allowance, "seed \(seed): \(unlucky), \(needless)")
        #expect(both > rounds / 4)
    }

    /// Elements that only one side replaced, each by a new one, merge by position, however often the others repeat.
    @Test(arguments: SeededGenerator.seeds)
    func replacedInPlace(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<2_000 {
            let values = random.number(1...4)
            let base = (0..<random.number(1...40)).map { _ in random.number(1...values) }
            var sides = [base, base]
            var right = base
            // Replaced elements are never next to each other, because edits that touch are one change.
            for place in stride(from: random.number(0...1), to: base.count, by: 2) where random.isLucky(oneIn: 3) {
                let value = random.number(1_000...1_000_000)
                sides[random.number(0...1)][place] = value
                right[place] = value
            }
            #expect(Self.merged(base, sides[0], sides[1]) == right, "round \(round) of seed \(seed): \(base) \(sides)")
        }
    }

    /// The same in an array that would merge as a set if its elements were all different.
    @Test(arguments: SeededGenerator.seeds)
    func replacedInPlaceInSets(_ seed: UInt64) throws {
        func modes(_ numbers: [Int]) -> PlistValue {
            ["UIBackgroundModes": .array(numbers.map { .integer(PlistInteger($0)) })]
        }
        var random = SeededGenerator(seed: seed)
        for round in 0..<500 {
            let base = [1, 1] + (0..<random.number(0...12)).map { _ in random.number(1...3) }
            var sides = [base, base]
            var right = base
            for place in stride(from: random.number(0...1), to: base.count, by: 2) where random.isLucky(oneIn: 3) {
                let value = random.number(1_000...1_000_000)
                sides[random.number(0...1)][place] = value
                right[place] = value
            }
            let run = try MergeRun(modes(base), modes(sides[0]), modes(sides[1]))
            #expect(run.conflicts.isEmpty && run.value == modes(right), "round \(round) of seed \(seed): \(base) \(sides)")
        }
    }

    /// Sequences that are too long for trying every alignment.
    @Test func replacedInPlaceInLongSequences() {
        let base = (0..<30_000).map { $0 % 3 == 0 ? 1 : 0 }
        var (ours, theirs, right) = (base, base, base)
        for step in 0..<1_000 {
            ours[step * 30 + 5] = 1_000 + step
            theirs[step * 30 + 20] = 9_000 + step
            (right[step * 30 + 5], right[step * 30 + 20]) = (1_000 + step, 9_000 + step)
        }
        #expect(Self.merged(base, ours, theirs) == right)
    }

    @Test func oneReplacedOnEachSide() {
        let zeros = [0, 0, 0, 0, 0, 0]
        #expect(Self.merged(zeros, [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 2, 0]) == [0, 1, 0, 0, 2, 0])
        #expect(Self.merged(zeros, [0, 1, 0, 0, 3, 0], zeros) == [0, 1, 0, 0, 3, 0])
        #expect(Self.merged(zeros, [1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 2]) == [1, 0, 0, 0, 0, 2])
        #expect(Self.merged(zeros, [0, 1, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0]) == nil)
        #expect(LineEdits([5, 0, 0, 0, 6], [7, 0, 8, 0, 9]).edits.map(\.old) == [0..<1, 2..<3, 4..<5])
    }
}
