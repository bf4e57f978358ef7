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

    /// A text that begins like a `.strings` file, or has conflict marks, gets an error with a place.
    @Test(arguments: [
        ("\"a\" = \"A\"\n\"b\" = \"B\";", "1:10: no semicolon after a value", nil),
        ("/* c */\n\"a\" = \"say \"hi\"\";", "2:13: no semicolon after a value", "write a quotation mark in a string as \\\""),
        ("\u{201C}a b\u{201D} = 1;", "1:1: not a value", "write straight quotation marks (\") instead of typographic ones"),
        (
            "\"a\" = \u{201E}A\u{201C};", "1:7: not a value (at /a)",
            "write straight quotation marks (\") instead of typographic ones"
        ),
        ("<<<<<<< a\n{}\n=======\n", "1:1: a conflict mark of a merge", "resolve the conflict first"),
        ("{\n<<<<<<< a\n\"b\": 1\n", "2:1: a conflict mark of a merge", "resolve the conflict first"),
        ("{\"a\": 1,\n<<<<<<< a\n\"b\": 1\n", "2:1: a conflict mark of a merge", "resolve the conflict first"),
        ("\"a\" = \"b\";\n<<<<<<< a\n", "2:1: a conflict mark of a merge", "resolve the conflict first"),
    ])
    func errorsInTheFirstEntryHaveAPlace(_ text: String, _ description: String, _ hint: String?) {
        let error = readingError(Array(text.utf8))
        #expect(error?.description == description && error?.hint == hint)
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

@Suite struct PlistReaderTests {
    @Test func errorsDescribeThemselves() {
        let errors: [(PlistError?, String)] = [
            (readingError(xml("<array><int/></array>")), "1:29: unknown element <int> (at /0)"),
            (readingError(BinaryFixture.bytes([[0x00]])), "byte 8, object 0: a null, which property lists do not support"),
            (readingError([]), "not a property list: empty"),
            (writingError([.date(0.5)]), "XML can't hold fractions of a second in a date: 0.5 (at /0)"),
        ]
        for (error, text) in errors { #expect(error?.description == text) }
        #expect(PlistError.Code.duplicateKey.description == "duplicateKey")
        #expect(PlistLocation.binary(offset: 3, object: nil).description == "byte 3")
    }
}

/// Tests `--lossy`: the nearest value, and a note for each change.
@Suite struct PlistConversionTests {
    /// A value, an encoding, and the converted value; nil if nothing is left.
    @Test(
        arguments: [
            (.null, .xml, nil), (.null, .binary, nil), (.null, .openStep, nil), (.date(1.75), .xml, .date(1)),
            (.date(-0.25), .xml, .date(-1)), (.date(-0.0), .xml, .date(0)), (.date(.nan), .xml, "nan"),
            (.date(1e12), .xml, "1000000000000.0"),
            ("a\u{1}\u{FFFE}b", .xml, "a\u{FFFD}\u{FFFD}b"), (.real(.signalingNaN), .xml, .real(.nan)),
            (["CF$UID": 3], .xml, .uid(3)),
            (.data([0, 1]), .json, "AAE="), (.date(0.5), .json, "2001-01-01T00:00:00.5Z"), (.uid(7), .json, 7),
            (.real(.infinity), .json, "+infinity"), (.real(.nan), .json, "nan"), (-5, .openStep, "-5"), (1.5, .openStep, "1.5"),
            (true, .openStep, "YES"), (false, .openStep, "NO"), (.date(0), .openStep, "2001-01-01T00:00:00Z"),
            (.uid(9), .openStep, "9"),
        ] as [(PlistValue, PlistFormat, PlistValue?)])
    func isTheNearestValue(_ value: PlistValue, _ format: PlistFormat, _ expected: PlistValue?) throws {
        let conversion = try PlistConversion(of: ["a/b": ["x", value, "y"], "c": "d"], to: format)
        #expect(conversion.value == ["a/b": .array(["x"] + (expected.map { [$0] } ?? []) + ["y"]), "c": "d"])
        #expect(conversion.notes.map { $0.code } == [.notRepresentable])
        #expect(conversion.notes.map { $0.pointer } == ["/a~1b/1"])
        let alone = Result { () throws(PlistError) in try PlistConversion(of: value, to: format).value }
        #expect((try? alone.get()) == expected)
    }

    @Test func whatCanBeHeldIsLeftAlone() throws {
        let value: PlistValue = ["a": [1, 1.5, true, .null, "x\u{1}"]]
        let conversion = try PlistConversion(of: value, to: .json)
        #expect(conversion.value == value)
        #expect(conversion.notes.isEmpty)
        let typed: PlistValue = [.date(.nan), .data([1]), .uid(1)]
        #expect(try PlistConversion(of: typed, to: .json, json: .typed).notes.isEmpty)
        #expect(try PlistConversion(of: typed, to: .binary).notes.isEmpty)
    }

    @Test func nullLeavesNoKey() throws {
        #expect(try PlistConversion(of: ["a": .null, "b": ["c": .null]], to: .xml).value == ["b": [:]])
    }

    @Test func keysMayBecomeEqual() throws {
        let conversion = try PlistConversion(of: ["a\u{1}": 1, "a\u{2}": 2, "b": 3], to: .xml)
        #expect(conversion.value == ["a\u{FFFD}": 2, "b": 3])
        #expect(conversion.notes.map { $0.pointer } == ["/a\u{1}", "/a\u{2}", ""])
    }

    @Test func notesAreBounded() throws {
        let many = PlistValue.array(Array(repeating: true, count: 200))
        let notes = try PlistConversion(of: many, to: .openStep).notes
        #expect(notes.count == 65)
        #expect(notes.last?.message == "more values change; they are not listed")
        #expect(notes.last?.pointer == nil)
    }

    @Test func depthIsBounded() {
        let error = failure { () throws(PlistError) in try PlistConversion(of: nestedArrays(513), to: .openStep) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.pointer == String(repeating: "/0", count: 512))
    }

    /// After the conversion, every encoding's writer accepts the value, and it reads back the same.
    @Test(arguments: SeededGenerator.seeds)
    func whatIsConvertedCanBeWritten(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let value = PlistValue.array([random.freeValue(depth: 4)])
            let xml = try PlistConversion(of: value, to: .xml)
            #expect(try PlistReader.read(try XMLPlistWriter.write(xml.value)).value == xml.value, "seed \(seed)")
            let json = try PlistConversion(of: value, to: .json)
            #expect(try PlistReader.read(try JSONPlistWriter.write(json.value)).value == json.value, "seed \(seed)")
            let openStep = try PlistConversion(of: value, to: .openStep)
            #expect(try PlistReader.read(try OpenStepPlistWriter.write(openStep.value)).value == openStep.value, "seed \(seed)")
            #expect(json.notes.isEmpty == (json.value == value))
        }
    }
}
