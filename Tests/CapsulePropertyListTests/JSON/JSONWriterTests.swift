import CapsulePropertyList
import TestSupport
import Testing

@Suite struct JSONWriterTests {
    @Test(
        arguments: [
            (true, "true"), (false, "false"), (.null, "null"), ([], "[]"), ([:], "{}"), ("", "\"\""), (0, "0"), (-1, "-1"),
            (.integer(PlistInteger(UInt64.max)), "18446744073709551615"),
            (.integer(PlistInteger(Int64.min)), "-9223372036854775808"),
            ("a/b \" \\ ' < é日本😀\u{7F}\u{2028}", "\"a/b \\\" \\\\ ' < é日本😀\u{7F}\u{2028}\""),
            ("\0\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}", #""\u0000\u0001\b\t\n\u000b\f\r\u001f""#),
            ("12345678\"12345678\\", #""12345678\"12345678\\""#),
            (
                ["b": [1, [], [:]], "a\"": ["": .null]],
                "{\n  \"b\": [\n    1,\n    [],\n    {}\n  ],\n  \"a\\\"\": {\n    \"\": null\n  }\n}"
            ),
            ([[["a"]], 2], "[\n  [\n    [\n      \"a\"\n    ]\n  ],\n  2\n]"),
        ] as [(PlistValue, String)])
    func spellsEachValueOneWay(_ value: PlistValue, _ text: String) throws {
        #expect(try writeJSON(value) == text)
        #expect(try readJSON(text) == value)
    }

    @Test(
        arguments: [
            (0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (-1.5, "-1.5"), (0.1, "0.1"), (1e15, "1000000000000000.0"),
            (9_007_199_254_740_992, "9007199254740992.0"), (1e17, "1e+17"), (1e300, "1e+300"), (1.5e300, "1.5e+300"),
            (0.0001, "0.0001"), (0.00001, "1e-05"), (.leastNonzeroMagnitude, "5e-324"), (1.0 / 3, "0.3333333333333333"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        ] as [(Double, String)])
    func aRealIsNoInteger(_ real: Double, _ text: String) throws {
        #expect(try writeJSON(.real(real)) == text)
        #expect(try readJSON(text) == .real(real))
    }

    @Test func compactTextHasNoSpaces() throws {
        let value: PlistValue = ["b": [1, [], [:], .null], "$a": ["": " \n"]]
        #expect(try String(decoding: JSONPlistWriter.compact(value), as: UTF8.self) == #"{"b":[1,[],{},null],"$a":{"":" \n"}}"#)
    }

    @Test(
        arguments: [
            (.data([1]), "JSON has no data"), (.date(0), "JSON has no date"), (.uid(1), "JSON has no UID"),
            (.real(.nan), "JSON can't hold the number nan"), (.real(-.infinity), "JSON can't hold the number -inf"),
        ] as [(PlistValue, String)])
    func namesWhatJSONCannotHold(_ value: PlistValue, _ message: String) {
        let error = failure { () throws(PlistError) in try JSONPlistWriter.write(["a/b": [true, value]]) }
        #expect(error?.code == .notRepresentable)
        #expect(error?.pointer == "/a~1b/1")
        #expect(error?.message == message)
        #expect(failure { () throws(PlistError) in try JSONPlistWriter.write(value) }?.pointer == "")
    }

    @Test(arguments: SeededGenerator.seeds)
    func whatIsWrittenReadsBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<rounds(100) {
            let value = random.jsonValue(depth: 5)
            let written = try JSONPlistWriter.write(value)
            let (back, format) = try PlistReader.read(written)
            #expect(back == value, "seed \(seed)")
            #expect(format == .json)
            #expect(try JSONPlistWriter.write(back) == written, "seed \(seed)")
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func realsReadBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let reals = (0..<3000).map { _ in random.real() }.filter { $0.isFinite }.map { PlistValue.real($0) }
        #expect(try readJSON(try writeJSON(.array(reals))) == .array(reals), "seed \(seed)")
    }

    @Test func depthIsBoundedAsInReading() throws {
        #expect(try readJSON(try writeJSON(nestedArrays(512))) == nestedArrays(512))
        let error = failure { () throws(PlistError) in try JSONPlistWriter.write(nestedArrays(513)) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.pointer == String(repeating: "/0", count: 512))
        #expect(
            failure { () throws(PlistError) in try JSONPlistWriter.write([[]], limits: PlistLimits(depth: 1)) }?.pointer == "/0")
    }

    @Test(.timeLimit(.minutes(1)))
    func tooMuchIsNotWrittenOut() {
        let large = largeValue(2 << 30)
        for limits in [PlistLimits.standard, PlistLimits(outputBytes: 1 << 16)] {
            let error = failure { () throws(PlistError) in try JSONPlistWriter.write(["a": large], limits: limits) }
            #expect(error?.code == .limitExceeded)
            #expect(error?.message == "the text would be larger than \(limits.outputBytes) bytes")
        }
        let error = failure { () throws(PlistError) in try JSONPlistWriter.reportLine(large, dataLength: nil) }
        #expect(error?.code == .limitExceeded)
    }
}
