import CapsulePropertyList
import TestSupport
import Testing

@Suite struct PlistFormatTests {
    @Test(
        arguments: [
            ("bplist00", .binary), ("bplist15", .binary), ("<?xml version=\"1.0\"?>", .xml), ("<!DOCTYPE plist>", .xml),
            ("<!-- a -->", .xml), ("<plist version=\"1.0\">", .xml), ("<plist>", .xml), ("<dict/>", .xml), ("<array>", .xml),
            ("<data>", .xml), (" \r\n\t<plist>", .xml), ("\u{FEFF}<plist>", .xml),
            ("{}", .json), (" { } ", .json), ("{\"a\":1}", .json), ("{ \"a\" : 1", .json), ("{\"a", .json), ("{\"a\" 1}", .json),
            ("{a: 1}", .json), ("{'a': 1}", .json), ("{ // c\n \"a\": 1}", .json), ("{\"a\\\"b\": 1}", .json), ("{", .json),
            ("[]", .json), ("[1]", .json), ("[1,", .json), ("[-1.5e3, 2]", .json), ("[true]", .json), ("[null,", .json),
            ("[\"a\"]", .json),
            ("[\"a\", ", .json), ("[[[]]]", .json), ("[{\"a\":1}]", .json), ("[{}]", .json), ("[\n  {\n    \"a\"", .json),
            ("[", .json),
            ("// c\n[1]", .json),
            ("{ /* c */ }", .openStep), ("// c\n{}\n", .openStep), ("{} // c", .openStep),
            ("{ a = b; }", .openStep), ("{a=b;}", .openStep), ("{\"a\" = b; }", .openStep), ("{\"a\"; }", .openStep),
            ("{a;}", .openStep),
            ("{ a:b = c; }", .openStep), ("{ a", .openStep), ("// !$*UTF8*$!\n{\n\tarchiveVersion = 1;", .openStep),
            ("(a, b)", .openStep), ("()", .openStep), ("((a))", .openStep), ("({ a = b; })", .openStep), ("(<00>)", .openStep),
            ("(\"a b\", c)", .openStep), ("<0fbd77>", .openStep), ("<dada>", .openStep), ("<>", .openStep),
            ("< 00 11 >\n", .openStep),
            ("<*I5>", .openStep), ("a = b;", .openStep), ("\"a\" = \"b\";", .openStep), ("/* c */\n\"a\" = \"b\";", .openStep),
            ("'a' = 'b' ;", .openStep), ("a = { b = c; };", .openStep), ("a = (b, c);", .openStep), ("a = {};", .openStep),
            ("\u{FEFF}/* é */ \"é\" = \"é\";", .openStep),
        ] as [(String, PlistFormat)])
    func isJudgedByTheBeginning(_ text: String, _ format: PlistFormat) {
        #expect(PlistFormat.sniff(Array(text.utf8)) == format)
        for encoding in XMLEncodingTests.Encoding.allCases where format != .binary && !text.hasPrefix("\u{FEFF}") {
            #expect(PlistFormat.sniff(encoding.bytes(text, mark: true)) == format, "\(encoding)")
        }
    }

    @Test(arguments: [
        "", " ", "<", "<plist", "<html>", "<plistplist>", "<b>bold</b>", "<dd>text</dd>", "<00> text", "<0f", "<0>", "plain",
        "plain text",
        "\0\0\0\0", "bplis", "SQLite format 3\0", "Hello, world.\n", "Dear all (see below), this = that.", "(c) 2024 by somebody",
        "(see below)",
        "(define x 1)", "key = value", "FOO=bar\nBAZ=qux;\n", "a = ", "a = b", "int x = 5;", "x == y;",
        "\"use strict\";\nvar a = 1;", "word;",
        "\"quoted\"", "12", "true", "null", "-1.5", "// only a comment", "/* c */", "/* not closed", "# comment\na = b;",
        "#!/bin/sh\n", "%PDF-1.7",
        "[section]\nkey = value;", "[2024-01-01 12:00] started", "[INFO] text", "[1] a footnote", "[a, b]", "['a']",
        "{\\rtf1\\ansi", "{,}", "{1}}",
        "{} and more", "[] and more", "body { color: red; }", "/* c */ body { color: red; }", "// c\nimport Foundation",
        "config = { foo = 1, bar = 2 }",
        "local x = { a = 1 };", "GIF89a", "PK\u{3}\u{4}", "\u{7F}ELF", "a, b, c\n1, 2, 3", "- a: b", "a: b", "---\na: b",
        "é = b;",
    ])
    func otherFilesAreNoPropertyLists(_ text: String) {
        let expected: PlistFormat? = text == "{1}}" ? .openStep : nil
        #expect(PlistFormat.sniff(Array(text.utf8)) == expected)
    }

    @Test(arguments: SeededGenerator.seeds)
    func randomBytesAreNoPropertyList(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var recognised = 0
        for _ in 0..<5000 where PlistFormat.sniff(random.bytes(random.number(0...200))) != nil { recognised += 1 }
        #expect(recognised < 50, "seed \(seed)")
    }

    @Test(arguments: [
        "", "plain text", "<html></html>", "\u{FEFF}", "hello", "/* not closed", "/usr/bin", "// c\nword", "/* c */ a;", "\0\0",
        "word;", "a = b", "\"use strict\"; var a = 1;",
        "[section]\na = b",
    ])
    func anythingElseIsNoPropertyList(_ text: String) {
        let error = readingError(Array(text.utf8))
        #expect(error?.code == .notPropertyList)
        #expect(error?.message.hasPrefix("not a property list") == true)
        #expect(error?.pointer == nil)
    }

    /// A scalar alone is not recognized, but it is read: as JSON if it is valid JSON.
    @Test(
        arguments: [
            ("12", 12, .json), ("-1.5e3 ", -1500.0, .json), ("true", true, .json), (" null\n", .null, .json),
            ("\"a\\u0041\"", "aA", .json),
            ("\"a\\U0041\"", "aA", .openStep), ("'a b'", "a b", .openStep), ("\"a\nb\"", "a\nb", .openStep),
            ("\"a\";", ["a": "a"], .openStep),
            // A `.strings` file whose last entry was removed.
            (" \n", [:], .openStep), ("// only a comment", [:], .openStep), ("\t/* a */\n// é\n", [:], .openStep),
        ] as [(String, PlistValue, PlistFormat)])
    func aScalarAloneIsRead(_ text: String, _ value: PlistValue, _ format: PlistFormat) throws {
        #expect(PlistFormat.sniff(Array(text.utf8)) == nil)
        for encoding in XMLEncodingTests.Encoding.allCases {
            let result = try PlistReader.read(encoding.bytes(text, mark: true))
            #expect(result.value == value)
            #expect(result.format == format)
        }
        #expect(readingError(Array(text.utf8), accepting: PlistFormat.xmlOrBinary)?.code == .notPropertyList)
    }

    @Test(
        arguments: [
            ("{\"a\": 1}", [.xml, .binary], "expected a property list in XML or binary, found JSON"),
            ("a = b;", [.xml, .binary], "expected a property list in XML or binary, found OpenStep"),
            ("<plist><true/></plist>", [.json, .openStep], "expected a property list in JSON or OpenStep, found XML"),
            ("bplist00", [.xml], "expected a property list in XML, found binary"),
            ("{}", [.xml, .binary], "expected a property list in XML or binary, found JSON"),
        ] as [(String, Set<PlistFormat>, String)])
    func onlyWhatIsAcceptedIsRead(_ text: String, _ formats: Set<PlistFormat>, _ message: String) {
        let error = readingError(Array(text.utf8), accepting: formats)
        #expect(error?.code == .notPropertyList)
        #expect(error?.message == message)
    }

    @Test func emptyBracesAreOfEitherEncoding() throws {
        #expect(try PlistReader.read(Array("{}".utf8)).format == .json)
        #expect(try PlistReader.read(Array("{}".utf8), accepting: [.openStep, .xml]).format == .openStep)
    }
}
