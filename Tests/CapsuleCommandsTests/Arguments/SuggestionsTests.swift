import Testing

@testable import CapsuleCommands
@testable import CapsuleCore

@Suite struct SuggestionsTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "ab", 2), ("pack", "pack", 0), ("pakc", "pack", 1), ("pck", "pack", 1),
        ("paack", "pack", 1),
        ("puck", "pack", 1), ("ca", "abc", 3), ("kitten", "sitting", 3),
    ])
    func distanceCountsLetters(left: String, right: String, distance: Int) {
        #expect(Suggestions.distance(Array(left), Array(right)) == distance)
        #expect(Suggestions.distance(Array(right), Array(left)) == distance)
    }

    @Test(arguments: [
        ("pakc", ["pack"]), ("PACK", ["pack"]), ("unpac", ["unpack"]), ("unp", ["unpack"]), ("l", ["ls"]), ("verfy", ["verify"]),
        ("gen", ["generate"]), ("x", []), ("dif", ["diff"]), ("", []),
    ])
    func nearVerbsAreFound(typed: String, expected: [String]) {
        #expect(Suggestions(for: typed, among: CommandTable.capsule.verbNames).words == expected)
    }

    @Test func nearestStandsFirstAndThreeAreEnough() {
        #expect(
            Suggestions(for: "--le", among: ["--level", "--length", "--left", "--leap"]).words == [
                "--leap", "--left", "--length",
            ])
        #expect(Suggestions(for: "abcdef", among: ["abcxyf", "abcdex"]).words == ["abcdex", "abcxyf"])
    }

    @Test func hintListsThem() {
        #expect(Suggestions.hint(for: []) == nil)
        #expect(Suggestions.hint(for: ["a"]) == "did you mean 'a'?")
        #expect(Suggestions.hint(for: ["a", "b", "c"]) == "did you mean 'a', 'b' or 'c'?")
    }

    @Test func aLongWordCostsLittle() {
        let long = Array(repeating: UInt8(ascii: "x"), count: 100_000)
        let took = ContinuousClock().measure {
            #expect(throws: UsageError.self) { try CommandLineParser().parse([long]) }
            #expect(throws: UsageError.self) { try CommandLineParser().parse([bytes("pack"), bytes("--") + long]) }
        }
        #expect(took < .seconds(5))
    }
}
