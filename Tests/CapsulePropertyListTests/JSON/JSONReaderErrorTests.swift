import CapsulePropertyList
import Testing

@Suite struct JSONReaderErrorTests {
    static let cases: [ErrorCase] = [
        ErrorCase("", .syntax, 1, 1), ErrorCase(" \n ", .syntax, 2, 2), ErrorCase("{", .syntax, 1, 2),
        ErrorCase("[", .syntax, 1, 2, "/0"),
        ErrorCase("[1", .syntax, 1, 3, "/1"), ErrorCase("[1,", .syntax, 1, 4, "/1"), ErrorCase("[1,]", .syntax, 1, 4, "/1"),
        ErrorCase("[,1]", .syntax, 1, 2, "/0"), ErrorCase("[1,,2]", .syntax, 1, 4, "/1"), ErrorCase("[1 2]", .syntax, 1, 4, "/1"),
        ErrorCase("[1}", .syntax, 1, 3, "/1"), ErrorCase("]", .syntax, 1, 1), ErrorCase("}", .syntax, 1, 1),
        ErrorCase(#"{"a":1]"#, .syntax, 1, 7), ErrorCase(#"{"a"}"#, .syntax, 1, 5, "/a"),
        ErrorCase(#"{"a" 1}"#, .syntax, 1, 6, "/a"),
        ErrorCase(#"{"a":}"#, .syntax, 1, 6, "/a"), ErrorCase(#"{"a":1,}"#, .syntax, 1, 8), ErrorCase("{,}", .syntax, 1, 2),
        ErrorCase(#"{"a"=1}"#, .syntax, 1, 5, "/a"), ErrorCase(#"{"a":1;}"#, .syntax, 1, 7),
        ErrorCase(#"{"a":1 "b":2}"#, .syntax, 1, 8),
        ErrorCase("{a:1}", .syntax, 1, 2), ErrorCase("{'a':1}", .syntax, 1, 2), ErrorCase("{1:2}", .syntax, 1, 2),
        ErrorCase("['a']", .syntax, 1, 2, "/0"), ErrorCase("[1]x", .syntax, 1, 4), ErrorCase("1 2", .syntax, 1, 3),
        ErrorCase("[][]", .syntax, 1, 3), ErrorCase("[nul]", .syntax, 1, 2, "/0"), ErrorCase("nulll", .syntax, 1, 1),
        ErrorCase("tru", .syntax, 1, 1), ErrorCase("[True]", .syntax, 1, 2, "/0"), ErrorCase("NaN", .syntax, 1, 1),
        ErrorCase("[Infinity]", .syntax, 1, 2, "/0"), ErrorCase("// a\n1", .syntax, 1, 1), ErrorCase("1 // a", .syntax, 1, 3),
        ErrorCase("[1, /* a */ 2]", .syntax, 1, 5, "/1"), ErrorCase("{ # a\n}", .syntax, 1, 3),
        ErrorCase("[\u{A0}1]", .syntax, 1, 2, "/0"),
        ErrorCase("[1\u{B}]", .syntax, 1, 3, "/1"), ErrorCase("[é]", .syntax, 1, 2, "/0"), ErrorCase("\0", .syntax, 1, 1),
    ]

    static let scalars: [ErrorCase] = [
        ErrorCase("01", .invalidScalar, 1, 1), ErrorCase("-01", .invalidScalar, 1, 1), ErrorCase("00", .invalidScalar, 1, 1),
        ErrorCase("1.", .invalidScalar, 1, 1), ErrorCase(".5", .invalidScalar, 1, 1), ErrorCase("+1", .invalidScalar, 1, 1),
        ErrorCase("-", .invalidScalar, 1, 1), ErrorCase("--1", .invalidScalar, 1, 1), ErrorCase("-a", .invalidScalar, 1, 1),
        ErrorCase("1e", .invalidScalar, 1, 1), ErrorCase("1e+", .invalidScalar, 1, 1), ErrorCase("1.e1", .invalidScalar, 1, 1),
        ErrorCase("0x10", .invalidScalar, 1, 1), ErrorCase("1_000", .invalidScalar, 1, 1),
        ErrorCase("1.5.2", .invalidScalar, 1, 1),
        ErrorCase("1a", .invalidScalar, 1, 1), ErrorCase("1é", .invalidScalar, 1, 1),
        ErrorCase("[1,\n 01]", .invalidScalar, 2, 2, "/1"),
        ErrorCase("-Infinity", .invalidScalar, 1, 1), ErrorCase("18446744073709551616", .outOfRange, 1, 1),
        ErrorCase("-9223372036854775809", .outOfRange, 1, 1), ErrorCase("[1, 99999999999999999999]", .outOfRange, 1, 5, "/1"),
        ErrorCase(#"{"a": 1e400}"#, .outOfRange, 1, 7, "/a"), ErrorCase("-1e400", .outOfRange, 1, 1),
        ErrorCase("\"abc", .syntax, 1, 5), ErrorCase("\"", .syntax, 1, 2), ErrorCase("\"\\", .syntax, 1, 3),
        ErrorCase("\"\\\"", .syntax, 1, 4),
        ErrorCase("\"a\nb\"", .syntax, 1, 3), ErrorCase("\"\t\"", .syntax, 1, 2), ErrorCase("\"12345678\u{1F}\"", .syntax, 1, 10),
        ErrorCase(#""\x""#, .syntax, 1, 2), ErrorCase(#""\'""#, .syntax, 1, 2),
        ErrorCase(#""\u12""#, .syntax, 1, 2), ErrorCase(#""\u12G4""#, .syntax, 1, 2), ErrorCase(#""\U0041""#, .syntax, 1, 2),
        ErrorCase(#""\uD800""#, .syntax, 1, 2), ErrorCase(#""a\uDC00""#, .syntax, 1, 3),
        ErrorCase(#""\uD800\u0041""#, .syntax, 1, 2),
        ErrorCase(#""\uD83Dx""#, .syntax, 1, 2), ErrorCase(#""\uD83D\uD83D\uDE00""#, .syntax, 1, 2),
        ErrorCase(#""\uD83D\u""#, .syntax, 1, 8),
        ErrorCase("\"\\\n\"", .syntax, 1, 2), ErrorCase("\"\\é\"", .syntax, 1, 2), ErrorCase(#"["a\q"]"#, .syntax, 1, 4, "/0"),
        ErrorCase(#"{"a\q":1}"#, .syntax, 1, 4),
        ErrorCase(#"{"x":[{"a/b~c":[true,1e]}]}"#, .invalidScalar, 1, 22, "/x/0/a~1b~0c/1"),
    ]

    @Test(arguments: cases + scalars)
    func namesThePlace(_ expected: ErrorCase) {
        expected.check(failure { () throws(PlistError) in try readJSON(expected.document) })
    }

    /// Python must reject every text of the table, except those that it accepts on purpose.
    @Test(.enabled(if: JSONOracle.isThere)) func pythonAgrees() throws {
        let taken = ["NaN", "[Infinity]", "-Infinity", "\\uD8", "\\uDC", "99999999999999999999", "1844674", "-9223372", "e400"]
        let texts = (Self.cases + Self.scalars).map { $0.document }.filter { text in !taken.contains { text.contains($0) } }
        #expect(texts.count > 70)
        for (text, isAccepted) in zip(texts, try JSONOracle.accepts(texts)) { #expect(!isAccepted, "\(text)") }
    }

    @Test(
        arguments: [
            [0x22, 0x80, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22],
            [0x22, 0xE2, 0x82, 0x22],
        ] as [[UInt8]])
    func invalidTextIsAnErrorAtItsPlace(_ bytes: [UInt8]) {
        let error = readingError([0x5B, 0x0A] + bytes + [0x5D])
        #expect(error?.code == .encoding)
        #expect(error?.location == .text(line: 2, column: 2))
        #expect(error?.pointer == "/0")
    }

    @Test func aKeyThatComesTwiceIsAnErrorWithBothPlaces() {
        let error = readingError(Array("[{\"a\": 1,\n  \"\\u0061\": 2}]".utf8))
        #expect(error?.code == .duplicateKey)
        #expect(error?.location == .text(line: 2, column: 3))
        #expect(error?.related == .text(line: 1, column: 3))
        #expect(error?.pointer == "/0/a")
        #expect(error?.message == "duplicate key \"a\", first at 1:3")
    }

    @Test(arguments: [
        ("[True]", "write true"), ("[None]", "write null"), ("[NaN]", "JSON has no such number"), ("[yes]", "write true"),
        ("[\"\t\"]", "write a newline as \\n and a tab as \\t"), ("[\"\\x\"]", "write a backslash as \\\\"),
    ])
    func knowsWhatWasMeant(_ document: String, _ hint: String) {
        #expect(failure { () throws(PlistError) in try readJSON(document) }?.hint == hint)
    }

    @Test(arguments: [513, 100_000, 3_000_000], ["[", "{\"a\":"])
    func deepNestingIsAnErrorInBoundedTime(_ depth: Int, _ bracket: String) {
        let error = readingError(Array(String(repeating: bracket, count: depth).utf8))
        #expect(error?.code == .limitExceeded)
        #expect(error?.location == .text(line: 1, column: 512 * bracket.utf8.count + 1))
        #expect(error?.message == "containers nest deeper than 512 levels")
    }
}
