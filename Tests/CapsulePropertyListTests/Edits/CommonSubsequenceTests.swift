import CapsulePropertyList
import TestSupport
import Testing

@Suite struct CommonSubsequenceTests {
    /// The length of a longest common subsequence, by the book.
    private static func longest(_ left: [Int], _ right: [Int]) -> Int {
        var row = [Int](repeating: 0, count: right.count + 1)
        for element in left {
            var diagonal = 0
            for (column, other) in right.enumerated() {
                let above = row[column + 1]
                row[column + 1] = element == other ? diagonal + 1 : max(above, row[column])
                diagonal = above
            }
        }
        return row[right.count]
    }

    private static func isCommon(_ pairs: [(left: Int, right: Int)], _ left: [Int], _ right: [Int]) -> Bool {
        pairs.allSatisfy { left[$0.left] == right[$0.right] }
            && zip(pairs, pairs.dropFirst()).allSatisfy { $0.left < $1.left && $0.right < $1.right }
    }

    @Test(arguments: Array(1...100) + SeededGenerator.seeds)
    func isLongest(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let letters = generator.number(1...12)
        let left = (0..<generator.number(0...40)).map { _ in generator.number(0...letters) }
        let right = (0..<generator.number(0...40)).map { _ in generator.number(0...letters) }
        let pairs = CommonSubsequence(left, right).pairs
        #expect(Self.isCommon(pairs, left, right), "seed \(seed)")
        #expect(pairs.count == Self.longest(left, right), "seed \(seed)")
    }

    /// 100,000 elements, of which one in a hundred, or in three, has gone or has come or has changed places.
    @Test(.timeLimit(.minutes(1)), arguments: [100, 3], SeededGenerator.seeds)
    func longSequencesAreMatched(odds: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let left = Array(0..<100_000)
        var right: [Int] = []
        var kept = 0
        for element in left {
            if generator.isLucky(oneIn: odds) {
                if generator.isLucky(oneIn: 2) { right.append(-1 - element) }
            } else {
                kept += 1
                right.append(element)
            }
        }
        let pairs = CommonSubsequence(left, right).pairs
        #expect(Self.isCommon(pairs, left, right), "seed \(seed)")
        #expect(pairs.count == kept, "seed \(seed)")
    }

    /// Sequences that share no element that is there once, and many others: whatever is found, it is found soon.
    @Test(.timeLimit(.minutes(1)))
    func nothingTakesForEver() {
        var generator = SeededGenerator(seed: 1)
        let left = (0..<100_000).map { _ in generator.number(0...1) }
        let right = (0..<100_000).map { _ in generator.number(0...1) }
        #expect(Self.isCommon(CommonSubsequence(left, right).pairs, left, right))
        #expect(CommonSubsequence(left, left.reversed()).pairs.count <= left.count)
        #expect(CommonSubsequence(left, left).pairs.count == left.count)
    }
}
