import CapsulePropertyList
import TestSupport
import Testing

@Suite struct JSONReaderTests {
    static let documents: [(String, PlistValue)] = [
        ("[]", []), (" \t\r\n[ ] \n", []), ("{}", [:]), ("{ \n}", [:]), ("[[],{}]", [[], [:]]), ("null", .null), ("true", true),
        ("false", false), ("[true,false,null]", [true, false, .null]), ("\"\"", ""), ("\"a\"", "a"),
        (#"{"a":1,"b":{"c":[2]}}"#, ["a": 1, "b": ["c": [2]]]), (#"{"":0}"#, ["": 0]),
        ("0", 0), ("-0", 0), ("-1", -1), ("1234567890", 1_234_567_890),
        ("9223372036854775807", .integer(PlistInteger(Int64.max))), ("-9223372036854775808", .integer(PlistInteger(Int64.min))),
        ("18446744073709551615", .integer(PlistInteger(UInt64.max))), ("1.0", 1.0), ("-0.0", .real(-0.0)), ("1e2", 100.0),
        ("1E+2", 100.0), ("1e-2", 0.01), ("0e0", 0.0), ("0.5e1", 5.0), ("0.1", 0.1), ("123456789.123456789", 123456789.123456789),
        ("123456789012345678901234567890.0", 123456789012345678901234567890.0), ("1e-400", 0.0), ("-1e-400", .real(-0.0)),
        ("9007199254740993.0", 9007199254740992.0),
        ("1.7976931348623157e308", .real(.greatestFiniteMagnitude)), ("5e-324", .real(.leastNonzeroMagnitude)),
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u00E9\uD83D\uDE00""#, "Aéé😀"), (#""\u0000""#, "\0"),
        (#""\uFFFE\uFFFF""#, "\u{FFFE}\u{FFFF}"), ("\"é日本😀\u{7F}\u{2028}\"", "é日本😀\u{7F}\u{2028}"),
        (#""12345678\n12345678\\""#, "12345678\n12345678\\"), (#""'/""#, "'/"), (#"["a",["b"],"c"]"#, ["a", ["b"], "c"]),
        (#"{"$data":"AA=="}"#, ["$data": "AA=="]), (#"{"CF$UID":1}"#, ["CF$UID": 1]),
    ]

    @Test(arguments: documents)
    func isRead(_ document: String, _ value: PlistValue) throws {
        #expect(try readJSON(document) == value)
        let (again, format) = try PlistReader.read(Array(document.utf8))
        #expect(again == value)
        #expect(format == .json)
    }

    @Test func keepsTheOrderOfKeys() throws {
        let value = try readJSON(#"{"b":1,"a":2,"":3,"é":4}"#)
        #expect(value.dictionary?.keys.map { $0.string } == ["b", "a", "", "é"])
    }

    @Test func normalisationFormsAreTwoKeys() throws {
        #expect(try readJSON("{\"\u{E9}\":1,\"e\u{301}\":2}").dictionary?.count == 2)
    }

    @Test(arguments: XMLEncodingTests.Encoding.allCases, [true, false])
    func isReadInEveryEncoding(_ encoding: XMLEncodingTests.Encoding, mark: Bool) throws {
        let bytes = encoding.bytes("{\"é日本😀\": [1, \"\\u00e9\"]}\n", mark: mark)
        let (value, format) = try PlistReader.read(bytes)
        #expect(value == ["é日本😀": [1, "é"]])
        #expect(format == .json)
        let error = readingError(encoding.bytes("{\"é\":\r\n [\"😀\", bad]}", mark: mark))
        #expect(error?.location == .text(line: 2, column: 8))
    }

    @Test func aLenientReadingKeepsTheLastValue() throws {
        let text = "{\"a\": 1,\n \"b\": 2, \"a\": 3}"
        let (value, format, warnings) = try PlistReader.readLeniently(Array(text.utf8))
        #expect(value == ["a": 3, "b": 2])
        #expect(value.dictionary?.keys.first == "a")
        #expect(format == .json)
        #expect(warnings.map { $0.code } == [.duplicateKey])
        #expect(warnings.first?.location == .text(line: 2, column: 10))
        #expect(warnings.first?.related == .text(line: 1, column: 2))
    }

    @Test(arguments: SeededGenerator.seeds)
    func anySpellingIsRead(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<rounds(200) {
            let value = random.jsonValue(depth: 4)
            let text = random.json(value)
            #expect(try readJSON(text) == value, "seed \(seed): \(text)")
        }
    }

    /// We read what Python writes.
    @Test(.enabled(if: JSONOracle.isThere), arguments: SeededGenerator.seeds)
    func agreesWithPython(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let values = (0..<150).map { _ in random.jsonValue(depth: 4) }
        let theirs = try JSONOracle.rewrite(try values.map { value throws(PlistError) in try JSONPlistWriter.write(value) })
        for (value, text) in zip(values, theirs) {
            #expect(try PlistReader.read(text, accepting: [.json]).value == value, "seed \(seed): \(value)")
        }
    }
}

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

/// The convention that lets JSON represent every value.
@Suite struct JSONTypedTests {
    @Test(
        arguments: [
            (.data([]), #"{"$data": ""}"#), (.data([0, 1, 2]), #"{"$data": "AAEC"}"#), (.uid(5), #"{"$uid": 5}"#),
            (.uid(.max), #"{"$uid": "18446744073709551615"}"#), (.date(0), #"{"$date": "2001-01-01T00:00:00Z"}"#),
            (.date(0.5), #"{"$date": "2001-01-01T00:00:00.5Z"}"#), (.date(-0.25), #"{"$date": "2000-12-31T23:59:59.75Z"}"#),
            (.date(-0.0), #"{"$date": -0.0}"#), (.date(1e-300), #"{"$date": 1e-300}"#),
            (.date(.nan), #"{"$date": {"$real": "nan"}}"#),
            (.date(1e12), #"{"$date": 1000000000000.0}"#), (.date(-.infinity), #"{"$date": {"$real": "-infinity"}}"#),
            (.real(1), #"{"$real": "1.0"}"#), (.real(-0.0), #"{"$real": "-0.0"}"#), (.real(.nan), #"{"$real": "nan"}"#),
            (.real(1e300), #"{"$real": "1e+300"}"#), (.real(.infinity), #"{"$real": "infinity"}"#),
            (.real(Double(bitPattern: 0x7FF8_0000_0000_0001)), #"{"$real": "nan(0x7ff8000000000001)"}"#),
            (.integer(PlistInteger(9_007_199_254_740_991)), "9007199254740991"),
            (.integer(PlistInteger(-9_007_199_254_740_991)), "-9007199254740991"),
            (.integer(PlistInteger(9_007_199_254_740_992)), #"{"$int": "9007199254740992"}"#),
            (.integer(PlistInteger(Int64.min)), #"{"$int": "-9223372036854775808"}"#), (.null, "null"), ("$data", #""$data""#),
            (["a": .data([255])], "{\n  \"a\": {\"$data\": \"/w==\"}\n}"),
            (
                ["a": 1, "$b": ["$c": .uid(1)], "d": [2]],
                """
                {"$dict": [
                  ["a", 1],
                  ["$b", {"$dict": [
                    ["$c", {"$uid": 1}]
                  ]}],
                  ["d", [
                    2
                  ]]
                ]}
                """
            ),
        ] as [(PlistValue, String)])
    func everyValueHasASpelling(_ value: PlistValue, _ text: String) throws {
        #expect(try writeJSON(value, options: .typed) == text)
        #expect(try readJSON(text, options: .typed) == value)
    }

    @Test(
        arguments: [
            (#"{"$int": 5}"#, 5), (#"{"$real": 1.5}"#, 1.5), (#"{"$real": "1"}"#, 1.0),
            (#"{"$data": "AA==", "bytes": 1}"#, .data([0])),
            (#"{"$dict": []}"#, [:]), ("1.5", 1.5), (#"{"$date": 5}"#, .date(5)),
            (#"{"$date": "2001-01-01T00:00:01.50Z"}"#, .date(1.5)),
            (#"{"a$": 1}"#, ["a$": 1]), (#"{"$data": "AA==", "bytes": 1, "cut": false}"#, .data([0])),
        ] as [(String, PlistValue)])
    func otherSpellingsAreReadToo(_ text: String, _ value: PlistValue) throws {
        #expect(try readJSON(text, options: .typed) == value)
    }

    @Test(arguments: [
        #"{"$other": 1}"#, #"{"$int": "x"}"#, #"{"$int": 1.5}"#, #"{"$int": "18446744073709551616"}"#, #"{"$real": "x"}"#,
        #"{"$real": "nan(0x1)"}"#, #"{"$real": "nan(0x7ff8000000000001"}"#, #"{"$date": "2001"}"#,
        #"{"$date": "2001-01-01T00:00:00.Z"}"#,
        #"{"$data": "A"}"#, #"{"$data": "AA==", "bytes": 2}"#, #"{"$data": "AA==", "cut": true}"#, #"{"$data": "AA==", "x": 1}"#,
        #"{"$uid": -1}"#, #"{"$dict": {}}"#, #"{"$dict": [["a"]]}"#, #"{"$dict": [[1, 2]]}"#, #"{"$dict": [["a", 1], ["a", 2]]}"#,
        #"{"$int": 1, "a": 2}"#, #"{"a": 1, "$b": 2}"#, #"{"$int": true}"#, #"{"$real": null}"#, #"{"$date": []}"#,
    ])
    func whatHasNoMeaningIsAnError(_ text: String) {
        let error = failure { () throws(PlistError) in try readJSON("{\"k\": [\(text)]}", options: .typed) }
        #expect(error?.code == .invalidScalar)
        #expect(error?.location == .text(line: 1, column: 8))
        #expect(error?.pointer == "/k/0")
        #expect(throws: Never.self) { try readJSON(text) }
    }

    @Test(arguments: SeededGenerator.seeds)
    func everyValueReadsBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            let value = random.freeValue(depth: 4)
            let written = try JSONPlistWriter.write(value, options: .typed)
            let (back, format) = try PlistReader.read(written, json: .typed)
            #expect(back == value, "seed \(seed): \(String(decoding: written, as: UTF8.self))")
            #expect(format == .json)
            #expect(try JSONPlistWriter.write(back, options: .typed) == written, "seed \(seed)")
        }
    }

    /// A reader counts every bracket, so the writer must do the same.
    @Test func depthIsBoundedAsInReading() {
        let limits = PlistLimits(depth: 3)
        for (value, isAllowed) in [
            ([[.data([])]], true), ([[[.data([])]]], false), (["$": 1], true), (["$": []], false), ([["$": 1]], false),
            ([[[]]], true),
        ] as [(PlistValue, Bool)] {
            do throws(PlistError) {
                let written = try JSONPlistWriter.write(value, options: .typed, limits: limits)
                #expect(isAllowed)
                #expect(try PlistReader.read(written, json: .typed, limits: limits).value == value)
            } catch {
                #expect(!isAllowed)
                #expect(error.code == .limitExceeded)
            }
        }
    }
}
