import CapsulePropertyList
import TestSupport
import Testing

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
