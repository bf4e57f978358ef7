import TestSupport
import Testing

@testable import CapsulePropertyList

@Suite struct SequenceDiffTests {
    @Test(arguments: [
        ("", "", ""), ("abc", "abc", "abc"), ("abc", "", ""), ("", "abc", ""), ("abc", "xbz", "b"), ("abcabba", "cbabac", "4"),
        ("ab", "ba", "1"), ("abcdef", "abXdef", "abdef"), ("aaaa", "aa", "aa"), ("xay", "ybx", "1"),
    ])
    func finds(old: String, new: String, common: String) {
        let diff = SequenceDiff(Self.numbers(old), Self.numbers(new))
        let kept = diff.runs.flatMap { Array(old.utf8)[$0.old..<($0.old + $0.count)] }
        if let count = Int(common) {
            #expect(kept.count == count)
        } else {
            #expect(String(decoding: kept, as: UTF8.self) == common)
        }
    }

    /// Compares with the table of all longest common subsequences.
    @Test(arguments: SeededGenerator.seeds)
    func isLongest(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<3_000 {
            let letters = random.number(1...6)
            let old = (0..<random.number(0...14)).map { _ in random.number(0...letters) }
            let new = (0..<random.number(0...14)).map { _ in random.number(0...letters) }
            let diff = SequenceDiff(old, new)
            #expect(diff.isLongest)
            #expect(Self.isAlignment(diff, old, new), "\(old) \(new)")
            #expect(diff.runs.reduce(0) { $0 + $1.count } == Self.longest(old, new), "\(old) \(new)")
        }
    }

    /// With very little work allowed the diff may find less, but nothing wrong.
    @Test(arguments: SeededGenerator.seeds)
    func isAnAlignmentWithLittleWork(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<3_000 {
            let old = (0..<random.number(0...40)).map { _ in random.number(0...12) }
            let new = (0..<random.number(0...40)).map { _ in random.number(0...12) }
            let diff = SequenceDiff(old, new, workLimit: random.number(0...300))
            #expect(Self.isAlignment(diff, old, new), "\(old) \(new)")
        }
    }

    @Test(.timeLimit(.minutes(1))) func longSequencesTakeLittleTime() {
        var random = SeededGenerator(seed: 7)
        let count = runsLongTests ? 100_000 : 30_000
        let numbers = Array(0..<count)
        let shuffled = numbers.shuffled(using: &random)
        // Two random letters: no alignment stands out, and the search must stop.
        let old = numbers.map { _ in random.number(0...1) }
        let new = numbers.map { _ in random.number(0...1) }
        let moved = SequenceDiff(numbers, shuffled)
        #expect(moved.isLongest && !moved.runs.isEmpty)
        let others = SequenceDiff(numbers, numbers.map { $0 + count })
        #expect(others.runs.isEmpty)
        let edited = SequenceDiff(numbers, numbers.filter { $0 % 1_000 != 7 } + [5, 5, 5])
        #expect(edited.isLongest && edited.runs.reduce(0) { $0 + $1.count } == count - count / 1_000)
        #expect(Self.isAlignment(SequenceDiff(old, new), old, new))
    }

    @Test(arguments: SeededGenerator.seeds)
    func longestIncreasingSubsequence(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let numbers = Array(0..<random.number(0...12)).shuffled(using: &random)
            let places = IncreasingSubsequence.longest(of: numbers)
            #expect(places == places.sorted() && zip(places, places.dropFirst()).allSatisfy { numbers[$0] < numbers[$1] })
            #expect(places.count == Self.longest(numbers, numbers.sorted()))
        }
    }

    private static func numbers(_ text: String) -> [Int] { text.utf8.map(Int.init) }

    private static func isAlignment(_ diff: SequenceDiff, _ old: [Int], _ new: [Int]) -> Bool {
        var (oldEnd, newEnd) = (0, 0)
        for run in diff.runs {
            guard run.count > 0, run.old >= oldEnd, run.new >= newEnd else { return false }
            (oldEnd, newEnd) = (run.old + run.count, run.new + run.count)
            guard oldEnd <= old.count, newEnd <= new.count, old[run.old..<oldEnd] == new[run.new..<newEnd] else { return false }
        }
        return true
    }

    private static func longest(_ old: [Int], _ new: [Int]) -> Int {
        var row = Array(repeating: 0, count: new.count + 1)
        for left in old {
            var next = row
            for (place, right) in new.enumerated() {
                next[place + 1] = left == right ? row[place] + 1 : max(row[place + 1], next[place])
            }
            row = next
        }
        return row[new.count]
    }
}
