import TestSupport
import Testing

@testable import CapsulePropertyList

@Suite struct DateSpellingTests {
    private func read(_ text: String) -> Double? {
        Array(text.utf8).withUnsafeBytes { DateSpelling.read($0) }
    }

    @Test(
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.5Z"), (-0.5, "2000-12-31T23:59:59.5Z"),
            (-1, "2000-12-31T23:59:59Z"),
            (-0.1, "2000-12-31T23:59:59.9Z"), (-1.25, "2000-12-31T23:59:58.75Z"),
            (694_224_000.123456, "2023-01-01T00:00:00.123456Z"),
            (0.0001, "2001-01-01T00:00:00.0001Z"), (-0.0001, "2000-12-31T23:59:59.9999Z"),
            (252_423_993_599.5, "9999-12-31T23:59:59.5Z"),
            (-63_145_526_400, "0000-01-01T00:00:00Z"), (-63_145_526_399.5, "0000-01-01T00:00:00.5Z"),
            (-2.05, "2000-12-31T23:59:57.95Z"),
        ] as [(Double, String)])
    func isISO8601(_ seconds: Double, _ text: String) {
        #expect(DateSpelling.spell(seconds) == text)
        #expect(read(text) == seconds)
    }

    @Test(arguments: [-0.0, 0.00001, .nan, .infinity, 252_423_993_600, -63_145_526_400.5, 1e300])
    func someDatesHaveNoText(_ seconds: Double) {
        #expect(DateSpelling.spell(seconds) == nil)
    }

    @Test(arguments: [
        "", "2001-01-01", "2001-01-01T00:00:00", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00,5Z", "2001-01-01T00:00:00.5",
        "2001-01-01T00:00:00.5z",
        "2001-01-01T00:00:00.5eZ", "2001-13-01T00:00:00.5Z", "2001-01-01T00:00:00ZZ", "2001-01-01 00:00:00Z",
        "2001-01-01T00:00:00.-5Z",
    ])
    func otherTextsAreNoDates(_ text: String) {
        #expect(read(text) == nil)
    }

    @Test func zerosAtTheEndDoNotCount() {
        #expect(read("2001-01-01T00:00:00.000Z") == 0)
        #expect(read("2000-12-31T23:59:59.50000Z") == -0.5)
    }

    @Test(arguments: SeededGenerator.seeds)
    func readsBackToTheBit(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5000 {
            let bound = random.pick([1, 1000, 1e6, 1e9, 6e10])
            let seconds = Double.random(in: -bound...bound, using: &random)
            guard let text = DateSpelling.spell(seconds) else {
                #expect(seconds.magnitude < 0.0001, "seed \(seed): \(seconds)")
                continue
            }
            #expect(read(text)?.bitPattern == seconds.bitPattern, "seed \(seed): \(seconds) \(text)")
        }
    }
}
