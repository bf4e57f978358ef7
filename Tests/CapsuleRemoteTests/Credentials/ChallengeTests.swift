import CapsuleRemote
import TestSupport
import Testing

@Suite struct ChallengeTests {
    private static func spelled(_ challenges: [Challenge]) -> [String] {
        challenges.map { challenge in
            ([challenge.scheme] + challenge.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(
                separator: "|")
        }
    }

    @Test(
        arguments: [
            (["Basic realm=\"r\""], ["basic|realm=r"]),
            (["basic"], ["basic"]),
            (
                ["Bearer realm=\"https://a/t\",service=\"a\",scope=\"repository:x/y:pull,push\""],
                ["bearer|realm=https://a/t|scope=repository:x/y:pull,push|service=a"]
            ),
            (["Bearer realm=\"https://a/t\" , Service = a"], ["bearer|realm=https://a/t|service=a"]),
            (["Basic realm=\"a\", Bearer realm=\"b\""], ["basic|realm=a", "bearer|realm=b"]),
            (["Basic realm=\"a\"", "Bearer realm=\"b\""], ["basic|realm=a", "bearer|realm=b"]),
            (["Negotiate, Basic realm=a"], ["negotiate", "basic|realm=a"]),
            (["Negotiate YWJj==, Basic realm=a"], ["negotiate", "basic|realm=a"]),
            (["NTLM a/b+c, Basic"], ["ntlm", "basic"]),
            ([", ,Basic realm=a,,"], ["basic|realm=a"]),
            (["Basic realm=\"a \\\"q\\\" \\\\\""], ["basic|realm=a \"q\" \\"]),
            (["Bearer realm=\"Basic realm=x, y\""], ["bearer|realm=Basic realm=x, y"]),
            (["Basic realm=\"é\""], ["basic|realm=é"]),
            (["Basic realm=\"\""], ["basic|realm="]),
            (["Basic realm=\"a"], []),
            (["Basic realm=a, realm=b"], []),
            (["Basic realm=a, Bearer realm=\"b"], ["basic|realm=a"]),
            (["\"x\""], []),
            ([""], []),
            ([], []),
        ] as [([String], [String])])
    func parses(values: [String], challenges: [String]) {
        #expect(Self.spelled(Challenge.parse(values)) == challenges)
    }

    @Test func kinds() {
        let both = Challenge.parse(["Basic realm=a, Bearer realm=b, Bearer service=c"])
        #expect(both.map(\.isBasic) == [true, false, false])
        // A token can't be asked for without an address.
        #expect(both.map(\.isBearer) == [false, true, false])
    }

    @Test(arguments: SeededGenerator.seeds)
    func anyTextIsParsed(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = ["Basic", "Bearer", " ", ",", "=", "\"", "\\", "realm", "a", "/", "é", "\t", "\r\n", "\u{0}"]
        for _ in 0..<rounds(4_000) {
            let text = (0..<random.number(0...12)).map { _ in random.pick(pieces) }.joined()
            for challenge in Challenge.parse([text]) { #expect(!challenge.scheme.isEmpty, "seed \(seed)") }
        }
    }

    @Test func lengthsAreLimited() {
        #expect(Challenge.parse([String](repeating: "Basic", count: 100)).count == 32)
        #expect(Challenge.parse(["Basic realm=\"\(String(repeating: "a", count: 20_000))\""]).isEmpty)
        #expect(Challenge.parse(["Basic " + (0..<100).map { "p\($0)=1" }.joined(separator: ",")]).isEmpty)
    }
}
