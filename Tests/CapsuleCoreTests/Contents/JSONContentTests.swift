import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore

@Suite struct JSONContentTests {
    private static let documents: [(String, PlistValue)] = [
        ("[1, null, true, \"a\"]", [1, .null, true, "a"]),
        ("12", 12), ("\"a\"", "a"), ("null", .null), (" {} ", [:]), ("-0.0", .real(-0.0)), ("1E2", .real(100)),
        ("18446744073709551615", .integer(PlistInteger(UInt64.max))), ("-9223372036854775808", .integer(PlistInteger(Int64.min))),
        ("{\"$data\": \"AA==\"}", ["$data": "AA=="]), ("\"\\ud83d\\ude42\"", "🙂"), ("\u{FEFF}{\"\": 0}", ["": 0]),
    ]

    @Test(arguments: documents)
    func values(_ text: String, _ expected: PlistValue) throws {
        #expect(try JSONContent.read(Array(text.utf8)) == expected)
    }

    /// Documents that a value can't hold without loss are compared as text.
    @Test(arguments: [
        ("{\"a\": 1, \"a\": 2}", PlistError.Code.duplicateKey), ("18446744073709551616", .outOfRange), ("1e400", .outOfRange),
        ("{\"a\": 1}\n{\"a\": 2}", .syntax), ("", .syntax), ("{a: 1}", .syntax), ("[1,]", .syntax),
    ])
    func failures(_ text: String, _ code: PlistError.Code) {
        let error = #expect(throws: PlistError.self) { try JSONContent.read(Array(text.utf8)) }
        #expect(error?.code == code)
    }

    @Test func depth() {
        let deep = Array(repeating: UInt8(ascii: "["), count: 600) + Array(repeating: UInt8(ascii: "]"), count: 600)
        let error = #expect(throws: PlistError.self) { try JSONContent.read(deep) }
        #expect(error?.code == .limitExceeded)
    }

    /// Documents that Python writes are read with the values that they have in Python.
    @Test func documentsOfPython() throws {
        let script = """
            import json
            for value in ([], {}, [[1.5, -7, 1e300]], {"ä": {"b": [None, False, "\\u2028\\n"]}}, 0, "x", None):
                print(json.dumps(value))
            """
        let lines = try Program.run("python3", ["-c", script]).output.split(separator: 0x0A)
        let expected: [PlistValue] = [
            [], [:], [[1.5, -7, 1e300]], ["ä": ["b": [.null, false, "\u{2028}\n"]]], 0, "x", .null,
        ]
        #expect(try lines.map { try JSONContent.read(Array($0)) } == expected)
    }

    @Test func everyCut() {
        let whole = Array("{\"a\": [1, {\"b\": null}], \"c\": \"\\u00e9\"}".utf8)
        for count in whole.indices {
            #expect(throws: PlistError.self, "\(count) bytes") { try JSONContent.read(Array(whole.prefix(count))) }
        }
    }

    @Test(arguments: [
        ("{}\n{}", true), ("[]\n\n  []", true), ("{\"a\":\"\\\"}\"}\n{", true), ("{}", false), ("{}\n", false), ("{} {}", false),
        ("{\n}\n", false), ("{\"}\n{\": 1", false), ("{}\nx", false), ("1\n2", false),
    ])
    func lines(_ text: String, _ expected: Bool) {
        #expect(JSONContent.isLines(Array(text.utf8)) == expected)
    }
}
