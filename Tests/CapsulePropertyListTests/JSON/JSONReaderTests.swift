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
