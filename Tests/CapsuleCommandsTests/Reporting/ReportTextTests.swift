import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules
import TestSupport
import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands

@Suite struct JUnitTextTests {
    private static func result(_ expectation: PlistValue, _ diff: ContainerDiff) throws -> [UInt8] {
        JUnitText().bytes(of: try Expectation(expectation).evaluate(diff), in: diff)
    }

    private static func diff(_ paths: String..., isComplete: Bool = true) throws -> ContainerDiff {
        let entries = try paths.map { EntryChange(.added, at: try RelativePath(validating: Array($0.utf8))) }
        return ContainerDiff(old: .init(source: []), new: .init(source: []), entries: entries, isComplete: isComplete)
    }

    private static let expectation: PlistValue = [
        "CapsuleExpectation": 1, "Must": [["Path": "a"], ["Path": "b", "Kind": "added", "Note": "b & <c>"]],
        "May": [["Path": "m"], ["Path": "n", "Count": ["Max": 0]]], "MustNot": [["Path": "x*"]],
    ]

    @Test func theDocument() throws {
        let text = String(decoding: try Self.result(Self.expectation, try Self.diff("a", "q", "x1", "x2")), as: UTF8.self)
        #expect(
            text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuite name="capsule diff" tests="5" failures="3" errors="0" skipped="0">
                  <testcase classname="capsule diff.Must" name="a"/>
                  <testcase classname="capsule diff.Must" name="b (added) (b &amp; &lt;c&gt;)">
                    <failure message="missing: b (added) (b &amp; &lt;c&gt;)" type="Must">no change matches</failure>
                  </testcase>
                  <testcase classname="capsule diff.May" name="n"/>
                  <testcase classname="capsule diff.MustNot" name="x*">
                    <failure message="forbidden: x*" type="MustNot">x1 (added)
                x2 (added)</failure>
                  </testcase>
                  <testcase classname="capsule diff.Other" name="nothing else changed">
                    <failure message="1 change is not allowed" type="Other">q (added)</failure>
                  </testcase>
                </testsuite>

                """)
    }

    /// A check of the document with another XML reader.
    private static let oracle = """
        import sys, xml.etree.ElementTree as tree
        root = tree.parse(sys.argv[1]).getroot()
        cases = root.findall("testcase")
        assert root.tag == "testsuite" and int(root.get("tests")) == len(cases) and root.get("errors") == "0"
        assert int(root.get("failures")) == sum(case.find("failure") is not None for case in cases)
        assert all(len(case) < 2 and case.get("name") and case.get("classname") for case in cases)
        assert all(case.find("failure").get("message") for case in cases if len(case))
        print(root.get("failures"), root.get("tests"))
        """

    @Test func pythonReadsIt() throws {
        let hostile = "]]>&\"'<a>\u{1}\u{7F}\u{85}\n\u{FFFE}é\u{202E}"
        let note = PlistValue.string(PlistString(hostile))
        let directory = try TemporaryDirectory()
        func check(_ expectation: PlistValue, _ diff: ContainerDiff, _ counts: String) throws {
            try Files.write(try Self.result(expectation, diff), to: directory["junit.xml"])
            let run = try Program.run("python3", ["-c", Self.oracle, directory["junit.xml"]])
            #expect(run.text == counts + "\n", "\(run.errors)")
        }
        try check(Self.expectation, try Self.diff("a", "b"), "0 5")
        try check(Self.expectation, try Self.diff(hostile, "x\(hostile)"), "4 5")
        try check(Self.expectation, try Self.diff("a", "b", isComplete: false), "1 5")
        try check(
            ["CapsuleExpectation": 1, "Other": "allow", "Must": [["Path": note, "Pointer": note, "To": note, "Note": note]]],
            try Self.diff(hostile, isComplete: false), "2 2")
        try check(["CapsuleExpectation": 1], try Self.diff(), "0 1")
    }

    /// A character that turns the direction of text could show a failure as another one.
    @Test func hiddenCharactersAreVisible() {
        #expect(JUnitText.escaped("a\u{202E}\n\u{85}\u{FFFE}<é") == "a\\xE2\\x80\\xAE\\n\\xC2\\x85\u{FFFD}&lt;é")
    }

    /// A passed test would suggest that the clause checks something.
    @Test func whatCanNotMatchIsSkipped() throws {
        var diff = try Self.diff("a")
        let expectation = try Expectation([
            "CapsuleExpectation": 1, "Other": "allow", "Must": [["Path": "b"]],
            "May": [["Path": "m"], ["Path": "n", "Count": ["Max": 0]]],
            "MustNot": [["Path": "x<"], ["Path": "y"], ["Path": "a"]],
        ])
        diff.paths = [RelativePath(named: Array("a".utf8)), RelativePath(named: Array("y".utf8))]
        let result = expectation.evaluate(diff)
        let text = String(decoding: JUnitText().bytes(of: result, in: diff), as: UTF8.self)
        #expect(text.contains("tests=\"5\" failures=\"2\" errors=\"0\" skipped=\"2\">"))
        #expect(
            text.contains(
                """
                  <testcase classname="capsule diff.MustNot" name="x&lt;">
                    <skipped message="can&apos;t match anything: no path matches &apos;x&lt;&apos; on either side"/>
                  </testcase>
                  <testcase classname="capsule diff.MustNot" name="y"/>

                """))
    }

    /// A green report for a red test would be believed.
    @Test(arguments: [
        (nil, 0, "/>"), ("failed with status 7", 1, ">\n    <failure message=\"failed with status 7\" type=\"Command\">"),
    ])
    func theCommandIsACase(_ failure: String?, _ failures: Int, _ end: String) throws {
        let diff = try Self.diff()
        let result = try Expectation(["CapsuleExpectation": 1]).evaluate(diff)
        let command = CommandResult(name: "<test>", failure: failure)
        let text = String(decoding: JUnitText(command: command).bytes(of: result, in: diff), as: UTF8.self)
        #expect(text.contains("tests=\"2\" failures=\"\(failures)\""))
        #expect(text.contains("<testcase classname=\"capsule diff.Command\" name=\"&lt;test&gt;\"\(end)"))
    }

    @Test func listsEnd() throws {
        var diff = try Self.diff()
        diff.entries = try (0..<1_200).map { EntryChange(.added, at: try RelativePath(validating: Array("f\($0)".utf8))) }
        let other = String(decoding: try Self.result(["CapsuleExpectation": 1], diff), as: UTF8.self)
        #expect(other.contains("message=\"1200 changes are not allowed\""))
        #expect(other.contains("f999 (added)\nand 200 more</failure>"))
        let forbidden = try Self.result(["CapsuleExpectation": 1, "MustNot": [["Path": "**"]], "Other": "allow"], diff)
        #expect(String(decoding: forbidden, as: UTF8.self).contains("f99 (added)\nand 1100 more</failure>"))
    }
}

@Suite struct JSONValueTests {
    private static func text(_ value: any JSONValue) -> String {
        var json: [UInt8] = []
        value.append(to: &json)
        return String(decoding: json, as: UTF8.self)
    }

    @Test func membersHaveTheirOrderAndNilHasNone() {
        let none: String? = nil
        var object: JSONObject = ["b": 1, "none": none, "a": [true, false], "o": ["x": "y"] as JSONObject]
        object.add([:])
        object.add(["k\"": JSONShare(0.25)])
        #expect(Self.text(object) == #"{"b":1,"a":[true,false],"o":{"x":"y"},"k\"":0.25}"#)
        #expect(String(decoding: JSONObject(header: "ls", [:]).line, as: UTF8.self) == "\(Self.header)\n")
    }

    private static let header = #"{"kind":"header","schema":"capsule.ls","version":1}"#

    @Test(
        arguments: [
            ("a\"\\\n\u{1}\u{7F}\u{E9}", #""a\"\\\u000a\u0001\u007f"# + "\u{E9}\""), (UInt64(1) << 53 - 1, "9007199254740991"),
            (UInt64(1) << 53, #"{"$int":"9007199254740992"}"#), ([] as [String], "[]"), ([[1, 2], [3]], "[[1,2],[3]]"),
            (JSONShare(0.99999), "0.9999"), (JSONShare(1), "1"), (JSONShare(0), "0"), (JSONData([0xFF]), #""/w==""#),
            (["n": JSONName([0x61])] as JSONObject, #"{"n":"a"}"#), (["n": JSONName([0xFF])] as JSONObject, #"{"n64":"/w=="}"#),
        ] as [(any JSONValue & Sendable, String)])
    func valuesAreWrittenAsTheyAreRead(value: any JSONValue & Sendable, text: String) {
        #expect(Self.text(value) == text)
    }
}

@Suite struct ProgressMeterTests {
    /// The time left is shown once there is enough progress to estimate it.
    @Test(arguments: [
        (1.9, 50, false), (2.0, 50, true), (10.0, 1, false), (10.0, 2, true), (10.0, 0, false), (3.0, 100, true),
    ])
    func timeLeftIsNoGuess(seconds: Double, percent: UInt64, isTold: Bool) {
        var report = ProgressReport()
        report.totalBytes = 1_000_000
        report.bytes = percent * 10_000
        let line = ProgressMeter.line(report, elapsed: .seconds(seconds))
        #expect(line.hasSuffix(" left") == isTold, "\(line)")
        #expect(!line.contains("files"), "\(line)")
    }
}

@Suite struct ReportEscapesTests {
    private static func escaped(_ text: String, isJSON: Bool = false, isForGitHub: Bool = true) -> String {
        let escapes = ReportEscapes(isJSON: isJSON, isForGitHub: isForGitHub)
        return String(decoding: escapes.escaped(Array(text.utf8)), as: UTF8.self)
    }

    /// GitHub's runner would do what a name or a text of the app says.
    @Test(
        arguments: [
            ("::a::b\n", "\\x3A:a::b\n"), ("a ::b\n :: c\n", "a ::b\n \\x3A: c\n"), ("a\r::b", "a\r\\x3A:b"),
            ("\u{3000}\u{85}\t::b", "\u{3000}\u{85}\t\\x3A:b"), ("\u{FEFF}::b", "\u{FEFF}\\x3A:b"), (":::b", "\\x3A::b"),
            ("a ##[b]c###[d]\n", "a \\x23#[b]c#\\x23#[d]\n"), ("## a: [b]\n", "## a: [b]\n"), ("é::a\n", "é::a\n"),
            (" ##[a]\n::b", " \\x23#[a]\n\\x3A:b"), ("", ""), (":", ":"),
        ])
    func noLineIsACommand(text: String, escaped: String) {
        #expect(Self.escaped(text) == escaped)
        #expect(Self.escaped(text, isForGitHub: false) == text)
    }

    @Test func bytesThatAreNotTextStay() {
        let bytes = [0x20, 0xFF, 0x3A, 0x3A, 0x0A, 0xE2, 0x80, 0x0A, 0x3A, 0x3A] as [UInt8]
        #expect(ReportEscapes(isJSON: false, isForGitHub: true).escaped(bytes) == bytes.dropLast(2) + Array("\\x3A:".utf8))
        #expect(ReportEscapes(isJSON: true, isForGitHub: true).escaped([0xE2, 0x80]) == [0xE2, 0x80])
    }

    /// The strings are the same for a reader, who could be shown another text by one that isn't escaped.
    @Test(
        arguments: [
            (#"{"a":":::"}"#, #"{"a":":\u003a\u003a"}"#), (###"["##[a]","#["]"###, ###"["\u0023#[a]","#["]"###),
            ("[\"\u{202E}é€\u{85}\u{61C}\u{2069}\"]", #"["\u202e"# + "é€" + #"\u0085\u061c\u2069"]"#),
        ])
    func stringsOfJSONKeepTheirValues(json: String, escaped: String) {
        #expect(Self.escaped(json, isJSON: true) == escaped)
    }

    @Test func withoutGitHubOnlyHiddenCharactersAreEscaped() {
        #expect(Self.escaped("[\"::##[\u{200F}\"]", isJSON: true, isForGitHub: false) == #"["::##[\u200f"]"#)
    }
}

@Suite struct WrappedLineTests {
    @Test func linesBreakAtSpacesUnderTheFirstColumn() {
        let line = "    + 3: title \"fox\", url \"https://example.com\", seen 7"
        #expect(
            WrappedLine(line, width: 32, indent: 9).text == """
                    + 3: title "fox", url
                         "https://example.com",
                         seen 7
                """)
        #expect(WrappedLine(line, width: 80, indent: 9).text == line)
    }

    @Test func wordsThatDoNotFitAreCut() {
        let line = "~ " + String(repeating: "a", count: 70)
        let lines = WrappedLine(line, width: 30, indent: 2).text.split(separator: "\n")
        #expect(lines.map(\.count) == [30, 30, 16] && lines.joined().filter { $0 == "a" }.count == 70)
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  a") })
    }

    @Test(arguments: [30, 31, 37, 40, 64, 79, 80, 100], [0, 2, 6, 20, 90]) func nothingIsLostAndAllLinesFit(
        width: Int, indent: Int
    ) {
        let words = (1...60).map { String(repeating: "x\($0)", count: $0 % 9 + 1) }
        let line = "    " + words.joined(separator: " ")
        let lines = WrappedLine(line, width: width, indent: indent).text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.count <= width && !$0.isEmpty })
        #expect(lines.joined().filter { $0 != " " } == line.filter { $0 != " " })
    }

    @Test func colorsEndAndBeginWithEachLine() {
        let line = "\u{1B}[32m+ " + String(repeating: "word ", count: 12) + "end\u{1B}[0m  [noise]"
        let lines = WrappedLine(line, width: 32, indent: 2).text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("\u{1B}[32m+ word") && lines[0].hasSuffix("word\u{1B}[0m"))
        #expect(lines[1].hasPrefix("  \u{1B}[32mword"))
        #expect(lines.last?.hasSuffix("[noise]") == true)
        for line in lines { #expect(line.ranges(of: "\u{1B}[32m").count == line.ranges(of: "\u{1B}[0m").count) }
    }

    @Test func wideCharactersTakeTwoColumns() {
        #expect(WrappedLine.columns(of: "日本") == 4 && WrappedLine.columns(of: "e\u{301}") == 1)
        #expect(WrappedLine.columns(of: "🦊") == 2 && WrappedLine.columns(of: "→ab") == 3)
        let lines = WrappedLine(String(repeating: "日", count: 40), width: 30, indent: 2).text.split(separator: "\n")
        #expect(lines.map(\.count) == [15, 16, 13])
    }

    /// A terminal this narrow wraps lines itself.
    @Test func veryNarrowTerminalsGetLinesAsTheyAre() {
        let line = String(repeating: "word ", count: 20)
        #expect(WrappedLine(line, width: 20, indent: 4).text == line)
    }
}
