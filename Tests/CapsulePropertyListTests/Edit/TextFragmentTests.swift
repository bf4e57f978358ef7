import Testing

@testable import CapsulePropertyList

/// Values that are written to be inserted into an existing document.
@Suite struct TextFragmentTests {
    static let value: PlistValue = ["a": ["b c", [], [:], ["d": "e"]], "f": "g"]
    static let style = PlistTextStyle(newline: [0x0D, 0x0A], indentation: Array("> ".utf8), unit: Array("..".utf8))
    static let inline = PlistTextStyle(isInline: true)

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func json() throws {
        let lines = [
            "{", "> ..\"a\": [", "> ....\"b c\",", "> ....[],", "> ....{},", "> ....{", "> ......\"d\": \"e\"", "> ....}",
            "> ..],",
            "> ..\"f\": \"g\"", "> }",
        ]
        #expect(text(try JSONPlistWriter.fragment(Self.value, style: Self.style)) == lines.joined(separator: "\r\n"))
        #expect(
            text(try JSONPlistWriter.fragment(Self.value, style: Self.inline))
                == #"{"a": ["b c", [], {}, {"d": "e"}], "f": "g"}"#)
        #expect(text(JSONPlistWriter.fragment(key: "a\"b")) == #""a\"b""#)
    }

    @Test func openStep() throws {
        let lines = [
            "{", "> ..a = (", "> ....\"b c\",", "> ....(),", "> ....{},", "> ....{", "> ......d = e;", "> ....},", "> ..);",
            "> ..f = g;", "> }",
        ]
        #expect(text(try OpenStepPlistWriter.fragment(Self.value, style: Self.style)) == lines.joined(separator: "\r\n"))
        #expect(
            text(try OpenStepPlistWriter.fragment(Self.value, style: Self.inline))
                == #"{ a = ("b c", (), {}, { d = e; }); f = g; }"#)
        #expect(text(try OpenStepPlistWriter.fragment("word", style: Self.inline)) == "word")
        #expect(text(OpenStepPlistWriter.fragment(key: "a b")) == "\"a b\"")
        #expect(text(OpenStepPlistWriter.fragment(key: "ab")) == "ab")
    }

    /// The containers around a fragment count towards the depth.
    @Test func depthCountsFromTheDocumentsRoot() {
        let limits = PlistLimits(depth: 3)
        for depth in 0...3 {
            let style = PlistTextStyle(isInline: true, depth: depth)
            let json = failure { () throws(PlistError) in try JSONPlistWriter.fragment([[]], style: style, limits: limits) }
            let openStep = failure { () throws(PlistError) in try OpenStepPlistWriter.fragment([[]], style: style, limits: limits)
            }
            #expect((json == nil) == (depth <= 1))
            #expect((openStep == nil) == (depth <= 1))
            #expect(json?.message ?? "containers nest deeper than 3 levels" == "containers nest deeper than 3 levels")
        }
    }
}
