import CapsulePropertyList
import Testing

@Suite struct PlistDocumentTests {
    /// A wrong document is an error. Read leniently, it is a warning, and an edit writes a document of the same kind.
    @Test(
        arguments: [
            (string("a\u{1}b\u{0}"), ["a\u{1}b\u{0}"], 2), (string("&#1;<!-- \u{2} --><![CDATA[\u{3}]]>"), ["\u{1}\u{3}"], 3),
            (string("&#xD83D;"), ["\u{FFFD}"], 1), (string("\u{FFFF}"), ["\u{FFFF}"], 1),
            (bytes("[\"\\ud83d\\u0041\"]"), ["\u{FFFD}A"], 1), (bytes("[\"\\ud83d\\ude00\\udc00\"]"), ["\u{1F600}\u{FFFD}"], 1),
            (bytes("(\"\\Ud83d\\U41\")"), ["\u{FFFD}A"], 1),
            (bytes("<array><string>") + [0xED, 0xA0, 0xBD] + bytes("</string></array>"), ["\u{FFFD}\u{FFFD}\u{FFFD}"], 1),
            (bytes("[\"") + [0xE9] + bytes("\"]"), ["\u{E9}"], 1), (bytes("(\"") + [0xE9] + bytes("\")"), ["\u{E9}"], 1),
            (
                bytes("<?xml version='1.0' encoding='iso-8859-1'?><array><string>") + [0xC3, 0xA9] + bytes("</string></array>"),
                ["\u{C3}\u{A9}"], 1
            ),
            (bytes("[1]\0\0"), [1], 1), (bytes("(a)\0"), ["a"], 1), (string("a") + [0], ["a"], 1),
            ([0xFF, 0xFE] + Array("(a)\0\0").flatMap { [$0.asciiValue ?? 0, 0] }, ["a"], 1),
            (bytes("[123456789012345678901]"), [123456789012345678901.0], 1),
            (bytes("<array><integer>-9223372036854775809</integer></array>"), [-9223372036854775808.0], 1),
        ] as [([UInt8], PlistValue, Int)])
    func aLenientReadingRepairs(_ document: [UInt8], _ value: PlistValue, _ warnings: Int) throws {
        #expect(throws: PlistError.self) { try PlistDocument.read(document, isLenient: true) }
        let repaired = try PlistDocument.repairing(document)
        #expect(repaired.value == value && repaired.warnings.count == warnings)
        #expect(repaired.warnings.allSatisfy { $0.location != nil })
        let longer = PlistValue.array((value.array ?? []) + ["b"])
        #expect(try PlistDocument.repairing(repaired.bytes(holding: longer)).value == longer)
    }

    /// Only what is certainly text of another encoding is read as such.
    @Test(arguments: [
        "<?xml version='1.0' encoding='Shift_JIS'?><array><string>\u{E9}</string></array>", "[01]", "{\"a\": \"\n\"}",
    ])
    func notEverythingIsRepaired(_ text: String) {
        #expect(throws: PlistError.self) { try PlistDocument.repairing(Array(text.utf8)) }
    }

    @Test func repairsHaveALimit() throws {
        let document = Self.string(String(repeating: "\u{1}", count: 1000))
        let few = try PlistDocument.repairing(document, limits: PlistLimits(warnings: 3)).warnings
        #expect(few.map(\.message).last == "more such errors follow")
        #expect(try PlistDocument.repairing(document).warnings.count == 65)
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    private static func string(_ content: String) -> [UInt8] { bytes("<array><string>\(content)</string></array>") }

    @Test func knowsItsBytesFormatAndValue() throws {
        let bytes = xml("<dict><key>a</key><true/></dict>")
        let document = try PlistDocument.read(bytes)
        #expect(document.bytes == bytes)
        #expect(document.format == .xml)
        #expect(document.value == ["a": true])
        #expect(document.warnings.isEmpty)
    }

    @Test func theLastOfEqualKeysCountsInXML() throws {
        let bytes = xml("<dict><key>a</key><true/>\n<key>b</key><dict/><key>a</key><false/></dict>")
        let document = try PlistDocument.read(bytes)
        #expect(document.value == ["a": false, "b": [:]])
        let warning = try #require(document.warnings.first)
        #expect((warning.code, warning.pointer) == (.duplicateKey, "/a"))
        #expect((warning.location, warning.related) == (.text(line: 2, column: 20), .text(line: 1, column: 28)))
        #expect(document.location(of: try PlistPointer("/a")) == .text(line: 2, column: 20))
        #expect(document.location(of: try PlistPointer("/b")) == .text(line: 2, column: 1))
        // ``PlistReader`` reads documents in Capsule's own formats.
        #expect(throws: PlistError.self) { try PlistReader.read(bytes) }
    }

    /// Also in a `.strings` file, which translators often append to.
    @Test(arguments: ["{a = 1;\nb = 3; a = 2;}", "a = 1;\nb = 3; \"\\U0061\" = 2;"])
    func theLastOfEqualKeysCountsInOpenStep(_ text: String) throws {
        let document = try PlistDocument.read(Array(text.utf8))
        #expect(document.value == ["a": "2", "b": "3"])
        let warning = try #require(document.warnings.first)
        #expect((warning.code, warning.pointer) == (.duplicateKey, "/a"))
        #expect(warning.location == .text(line: 2, column: 8))
        #expect(warning.related == .text(line: 1, column: text.hasPrefix("{") ? 2 : 1))
        #expect(document.location(of: try PlistPointer("/a")) == warning.location)
        #expect(throws: PlistError.self) { try PlistReader.read(Array(text.utf8)) }
    }

    @Test func readsAsStrictlyAsAsked() throws {
        let bytes = Array(#"{"a": true, "a": false}"#.utf8)
        #expect(throws: PlistError.self) { try PlistDocument.read(bytes) }
        let document = try PlistDocument.read(bytes, isLenient: true)
        #expect(document.value == ["a": false])
        #expect(document.warnings.map { $0.code } == [.duplicateKey])
        #expect(throws: PlistError.self) {
            try PlistDocument.read(bytes, limits: PlistLimits(documentBytes: 10), isLenient: true)
        }
    }

    /// The document, its new value, and the expected document.
    @Test(
        arguments: [
            (
                "<key>a</key><true/><key>b</key><true/><key>a</key><false/>", ["a": 1, "b": true],
                "<key>a</key><true/><key>b</key><true/><key>a</key><integer>1</integer>"
            ),
            ("<key>a</key><true/><key>&#97;</key><false/><key>b</key><true/>", ["b": true], "<key>b</key><true/>"),
            (
                "<key>a</key><true/><key>a</key><false/>", ["a": false, "b": true],
                "<key>a</key><true/><key>a</key><false/><key>b</key><true/>"
            ),
            ("<key/><true/><key></key><false/>", ["": 1], "<key/><true/><key></key><integer>1</integer>"),
            (
                "<key>CF$UID</key><integer>1</integer><key>CF$UID</key><integer>2</integer>", .uid(3),
                "<key>CF$UID</key><integer>1</integer><key>CF$UID</key><integer>3</integer>"
            ),
        ] as [(String, PlistValue, String)])
    func theLastOfEqualKeysIsEdited(_ before: String, _ value: PlistValue, _ after: String) throws {
        let document = try PlistDocument.read(xml("<dict>\(before)</dict>"), isLenient: true)
        let edited = try document.bytes(holding: value)
        #expect(edited == xml("<dict>\(after)</dict>"))
        #expect(try PlistReader.readLeniently(edited).value == value)
    }

    // MARK: Errors

    @Test(
        arguments: [
            ("<dict><key>a</key><array><true/></array></dict>", ["a": [true, .null]], "/a/1"),
            ("<dict><key>a</key><array><true/></array></dict>", ["a": [.date(0.5)]], "/a/0"),
            ("<dict/>", ["a/b": ["x": ["\u{1}"]]], "/a~1b/x/0"), ("<dict/>", ["a": ["\u{0}": 1]], "/a/\u{0}"),
            ("<dict/>", ["\u{0}": 1], "/\u{0}"), ("<true/>", .null, ""), ("<string>a</string>", "\u{FFFE}", ""),
            ("<array><dict><key>CF$UID</key><integer>1</integer><key>a</key><true/></dict></array>", [["CF$UID": 1]], "/0"),
            ("<array><dict><key>CF$UID</key><string/></dict></array>", [["CF$UID": 1]], "/0"),
            ("<array/>", [["CF$UID": 1]], "/0"),
        ] as [(String, PlistValue, String)])
    func whatXMLCannotHoldIsNamed(_ before: String, _ value: PlistValue, _ pointer: String) throws {
        let error = try editingError(xml(before), to: value)
        #expect(error?.code == .notRepresentable)
        #expect(error?.pointer == pointer)
    }

    @Test func binaryDocumentsStayBinary() throws {
        let document = try PlistDocument.read(BinaryFixture.bytes([[0x09]]))
        #expect(try document.bytes(holding: true) == document.bytes)
        let edited = try PlistDocument.read(try document.bytes(holding: false))
        #expect(edited.format == .binary)
        #expect(edited.value == false)
    }

    // MARK: Limits

    @Test func outputBytes() throws {
        for (before, value) in [
            ("<true/>", false), ("<array/>", [1, "abc", ["a": .data([1, 2])]]), ("<array><true/></array>", [[:], true]),
        ]
            as [(String, PlistValue)]
        {
            let size = try edit(xml(before), to: value).count
            #expect(try editingError(xml(before), to: value, limits: PlistLimits(outputBytes: size)) == nil)
            #expect(try editingError(xml(before), to: value, limits: PlistLimits(outputBytes: size - 1))?.code == .limitExceeded)
        }
        let wide = XMLEncodingTests.Encoding.utf16LittleEndian.bytes("<true/>", mark: true)
        #expect(try editingError(wide, to: false, limits: PlistLimits(outputBytes: 17))?.code == .limitExceeded)
        #expect(try editingError(wide, to: false, limits: PlistLimits(outputBytes: 18)) == nil)
    }

    /// Removed content makes space for new content.
    @Test func theSizeIsThatOfTheResult() throws {
        let text = PlistValue.string(PlistString(String(repeating: "a", count: 1000)))
        let before = try XMLPlistWriter.write(["a": text])
        #expect(try editingError(before, to: ["b": text], limits: PlistLimits(outputBytes: before.count)) == nil)
        #expect(
            try editingError(before, to: ["b": text, "c": text], limits: PlistLimits(outputBytes: before.count))?.code
                == .limitExceeded)
    }

    @Test func depth() throws {
        let before = nestedXML(510)
        #expect(try editingError(before, to: nestedArrays(512)) == nil)
        let error = try editingError(before, to: nestedArrays(513))
        #expect(error?.code == .limitExceeded)
        #expect(error?.pointer == String(repeating: "/0", count: 512))
    }

    @Test(.timeLimit(.minutes(1)))
    func tooMuchIsNotWrittenOut() throws {
        let huge = largeValue(2 << 30)
        for (before, value) in [("<true/>", huge), ("<array><array/></array>", [huge, huge]), ("<dict/>", ["a": huge])]
            as [(String, PlistValue)]
        {
            #expect(try editingError(xml(before), to: value, limits: PlistLimits(outputBytes: 1 << 16))?.code == .limitExceeded)
            #expect(try editingError(xml(before), to: value)?.code == .limitExceeded)
        }
        // Many values that each fit can be too large together.
        let large = PlistValue.string(PlistString(String(repeating: "a", count: 1 << 16)))
        let many = PlistValue.dictionary(PlistDictionary((0..<1000).map { (PlistString("\($0)"), large) }))
        #expect(try editingError(xml("<dict/>"), to: many, limits: PlistLimits(outputBytes: 1 << 20))?.code == .limitExceeded)
    }
}
