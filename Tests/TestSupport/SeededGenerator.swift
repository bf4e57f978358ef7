import Foundation

/// Random numbers that a seed determines (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// The seed of everything that tests draw. It is the same in each run, unless `CAPSULE_TEST_SEED` sets another one.
    package static let seed = ProcessInfo.processInfo.environment["CAPSULE_TEST_SEED"].flatMap { UInt64($0) } ?? 7

    /// The seeds of a property test. The long form has one more.
    package static let seeds: [UInt64] = runsLongTests ? [1, 20_240_517, seed] : [1, seed]

    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    package mutating func isLucky(oneIn odds: Int) -> Bool { number(1...odds) == 1 }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { withUnsafeBytes(of: next().littleEndian) { bytes.append(contentsOf: $0) } }
        return Array(bytes.prefix(count))
    }

    package mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }
}

/// True if the longer, exhaustive forms of tests run: `CAPSULE_LONG_TESTS=1`.
package let runsLongTests = ProcessInfo.processInfo.environment["CAPSULE_LONG_TESTS"] == "1"

/// Returns the number of rounds of a random test: all in the long form, a quarter in the short one.
package func rounds(_ count: Int) -> Int { runsLongTests ? count : max(1, count / 4) }

/// Returns the places that a test tries: all in the long form. In the short one, these are every `step`-th of them and the borders; the
/// seed says where they begin. A failure names its place.
///
/// - Parameters:
///   - first: the number of the first place that is tried; nil for the one that the seed draws.
///   - borders: the places at which parts begin. They are always tried, and so are those beside them.
package func sample(
    of places: Range<Int>, oneIn step: Int, from first: Int? = nil, borders: [Int] = []
) -> [Int] {
    guard !runsLongTests else { return Array(places) }
    let beside = (borders + [places.lowerBound, places.upperBound]).flatMap { [$0 - 1, $0, $0 + 1] }.filter(places.contains)
    let start = places.lowerBound + (first ?? Int(SeededGenerator.seed % UInt64(step))) % step
    return Set(beside).union(stride(from: start, to: places.upperBound, by: step)).sorted()
}
