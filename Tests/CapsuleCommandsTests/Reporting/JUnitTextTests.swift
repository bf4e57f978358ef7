import CapsuleCore
import CapsulePropertyList
import TestSupport
import Testing

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
