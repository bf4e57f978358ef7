import CapsulePropertyList
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge

@Suite struct PlistDocumentMergeTests {
    static func xml(_ lines: String, encoding: String = "UTF-8") -> String {
        """
        <?xml version="1.0" encoding="\(encoding)"?>
        <plist version="1.0">
        <dict>
        \(lines)
        </dict>
        </plist>

        """
    }

    static func document(_ text: String) throws -> PlistDocument { try .read(Array(text.utf8)) }

    static func document(_ value: PlistValue, _ format: PlistFormat) throws -> PlistDocument {
        try .read(try PlistWriter.write(value, as: format), accepting: [format])
    }

    private static func entry(_ key: String, _ value: String) -> String { "\t<key>\(key)</key>\n\t<string>\(value)</string>" }

    /// Merges without decisions. No conflict may stay open.
    private func clean(
        _ base: PlistDocument?, _ ours: PlistDocument, _ theirs: PlistDocument
    ) throws -> PlistDocumentMerge.Outcome {
        var decisions = MergeDecisions()
        let outcome = try PlistDocumentMerge().merge(base: base, ours: ours, theirs: theirs, &decisions)
        #expect(decisions.conflicts.isEmpty)
        #expect(try PlistReader.read(outcome.bytes, accepting: [outcome.format]).value == outcome.value)
        return outcome
    }

    // MARK: Layout

    struct LayoutCase: CustomTestStringConvertible, Sendable {
        let name: String
        let base: String
        let ours: String
        let theirs: String
        let result: String
        var notes: [String] = []
        var testDescription: String { name }
    }

    private static let layoutCases: [LayoutCase] = [
        LayoutCase(
            name: "comments of both live",
            base: xml([entry("A", "1"), entry("B", "2"), entry("C", "3")].joined(separator: "\n")),
            ours: xml(["\t<!-- ours -->", entry("A", "one"), entry("B", "2"), entry("C", "3")].joined(separator: "\n")),
            theirs: xml([entry("A", "1"), entry("B", "2"), "\t<!-- theirs -->", entry("C", "three")].joined(separator: "\n")),
            result: xml(
                ["\t<!-- ours -->", entry("A", "one"), entry("B", "2"), "\t<!-- theirs -->", entry("C", "three")].joined(
                    separator: "\n"))),
        LayoutCase(
            name: "neighbouring lines, no layout",
            base: xml("<key>A</key><string>1</string>\n<key>B</key><string>2</string>"),
            ours: xml("<key>A</key><string>one</string>\n<key>B</key><string>2</string>"),
            theirs: xml("<key>A</key><string>1</string>\n<key>B</key><string>two</string>"),
            result: xml("<key>A</key><string>one</string>\n<key>B</key><string>two</string>")),
        LayoutCase(
            name: "neighbouring lines, a comment of ours",
            base: xml("<key>A</key><string>1</string>\n<key>B</key><string>2</string>"),
            ours: xml("<key>A</key><string>one</string> <!-- ours -->\n<key>B</key><string>2</string>"),
            theirs: xml("<key>A</key><string>1</string>\n<key>B</key><string>two</string>"),
            result: xml("<key>A</key><string>one</string> <!-- ours -->\n<key>B</key><string>two</string>")),
        LayoutCase(
            name: "neighbouring lines, a comment of theirs",
            base: xml("<key>A</key><string>1</string>\n<key>B</key><string>2</string>"),
            ours: xml("<key>A</key><string>one</string>\n<key>B</key><string>2</string>"),
            theirs: xml("<key>A</key><string>1</string>\n<key>B</key><string>two</string> <!-- theirs -->"),
            result: xml("<key>A</key><string>one</string>\n<key>B</key><string>two</string> <!-- theirs -->")),
        LayoutCase(
            name: "neighbouring lines, comments of both",
            base: xml("<key>A</key><string>1</string>\n<key>B</key><string>2</string>"),
            ours: xml("<key>A</key><string>one</string> <!-- ours -->\n<key>B</key><string>2</string>"),
            theirs: xml("<key>A</key><string>1</string>\n<key>B</key><string>two</string> <!-- theirs -->"),
            result: xml("<key>A</key><string>one</string> <!-- ours -->\n<key>B</key><string>two</string> <!-- theirs -->")),
        LayoutCase(
            name: "layout of one, values of the other",
            base: xml(entry("A", "1")), ours: xml("<!-- c -->\n" + entry("A", "1")), theirs: xml(entry("A", "2")),
            result: xml("<!-- c -->\n" + entry("A", "2"))),
        LayoutCase(
            name: "reformatted by theirs", base: xml(entry("A", "1")), ours: xml(entry("A", "1")),
            theirs: xml("<key>A</key><string>1</string>"), result: xml("<key>A</key><string>1</string>")),
        LayoutCase(
            name: "strings", base: "/* a */\n\"A\" = \"1\";\n\n/* b */\n\"B\" = \"2\";\n",
            ours: "/* a, ours */\n\"A\" = \"one\";\n\n/* b */\n\"B\" = \"2\";\n",
            theirs: "/* a */\n\"A\" = \"1\";\n\n/* b, theirs */\n\"B\" = \"two\";\n",
            result: "/* a, ours */\n\"A\" = \"one\";\n\n/* b, theirs */\n\"B\" = \"two\";\n"),
        LayoutCase(
            name: "JSON with null", base: "{\n  \"a\": 1,\n  \"b\": null,\n  \"c\": [true]\n}\n",
            ours: "{\n  \"a\":   2,\n  \"b\": null,\n  \"c\": [true]\n}\n",
            theirs: "{\n  \"a\": 1,\n  \"b\": null,\n  \"c\": [true, null]\n}\n",
            result: "{\n  \"a\":   2,\n  \"b\": null,\n  \"c\": [true, null]\n}\n"),
        LayoutCase(
            name: "JSON on one line", base: "{\"a\": 1, \"b\": 2}", ours: "{\"a\": 10, \"b\": 2}",
            theirs: "{\"a\": 1, \"b\": 20}",
            result: "{\"a\": 10, \"b\": 20}"),
        LayoutCase(
            name: "JSON array", base: "[{\"k\": 1}, {\"k\": 2}, {\"k\": 3}]", ours: "[{\"k\": 0}, {\"k\": 2}, {\"k\": 3}]",
            theirs: "[{\"k\": 1}, {\"k\": 2}, {\"k\": 4}]", result: "[{\"k\": 0}, {\"k\": 2}, {\"k\": 4}]"),
        LayoutCase(
            name: "one key, added by both at two places",
            base: xml([entry("A", "1"), entry("B", "2"), entry("C", "3")].joined(separator: "\n")),
            ours: xml([entry("N", "9"), entry("A", "1"), entry("B", "2"), entry("C", "3")].joined(separator: "\n")),
            theirs: xml([entry("A", "1"), entry("B", "2"), entry("C", "3"), entry("N", "9")].joined(separator: "\n")),
            result: xml([entry("N", "9"), entry("A", "1"), entry("B", "2"), entry("C", "3")].joined(separator: "\n"))),
        LayoutCase(
            name: "odd keys",
            base: "{\"é\": 1,\n\n\"e\u{301}\": 1,\n\n\"a/b~c\": 1,\n\n\"\": 1,\n\n\"🙂\": {\"[a=b]\": 1}}",
            ours: "{\"é\": 2,\n\n\"e\u{301}\": 1,\n\n\"a/b~c\": 1,\n\n\"\": 3,\n\n\"🙂\": {\"[a=b]\": 1}}",
            theirs: "{\"é\": 1,\n\n\"e\u{301}\": 4,\n\n\"a/b~c\": 5,\n\n\"\": 1,\n\n\"🙂\": {\"[a=b]\": 6}}",
            result: "{\"é\": 2,\n\n\"e\u{301}\": 4,\n\n\"a/b~c\": 5,\n\n\"\": 3,\n\n\"🙂\": {\"[a=b]\": 6}}"),
    ]

    @Test(arguments: layoutCases)
    func layout(_ expected: LayoutCase) throws {
        let (base, ours) = (try Self.document(expected.base), try Self.document(expected.ours))
        let outcome = try clean(base, ours, try Self.document(expected.theirs))
        #expect(String(decoding: outcome.bytes, as: UTF8.self).utf8.elementsEqual(expected.result.utf8))
        #expect(outcome.notes.map(\.message).filter { $0.contains("layout") } == expected.notes)
        #expect(outcome.format == base.format)
        let swapped = try clean(base, try Self.document(expected.theirs), ours)
        #expect(swapped.value == outcome.value)
        #expect(swapped.notes.filter { $0.message.contains("layout") }.count <= expected.notes.count + 1)
    }

    @Test func binaryStaysBinary() throws {
        let base = try Self.document(["A": 1, "B": .date(0.25), "C": .data([1])], .binary)
        let ours = try Self.document(["A": 2, "B": .date(0.25), "C": .data([1])], .binary)
        let theirs = try Self.document(["A": 1, "B": .date(0.5), "C": .data([1]), "D": .uid(4)], .binary)
        let outcome = try clean(base, ours, theirs)
        #expect(outcome.format == .binary)
        #expect(outcome.value == ["A": 2, "B": .date(0.5), "C": .data([1]), "D": .uid(4)])
        #expect(outcome.notes.isEmpty)
        #expect(outcome.bytes == (try ours.bytes(holding: outcome.value)))
    }

    @Test func bothAdded() throws {
        let ours = try Self.document(Self.xml("<!-- a --><key>A</key><string>1</string>"))
        let theirs = try Self.document(Self.xml("<key>A</key><string>1</string>\n<!-- b --><key>B</key><string>2</string>"))
        let outcome = try clean(nil, ours, theirs)
        #expect(outcome.value == ["A": "1", "B": "2"])
        #expect(["<!-- a -->", "<!-- b -->"].allSatisfy(String(decoding: outcome.bytes, as: UTF8.self).contains))
        #expect(outcome.notes.map(\.message) == ["the layout of theirs is lost"])
        #expect(try clean(nil, ours, ours).bytes == ours.bytes)
    }

    /// An open conflict keeps ours, and the rest is merged.
    @Test func openValue() throws {
        let base = try Self.document(["A": 1, "B": 1], .xml)
        let ours = try Self.document(["A": 2, "B": 1], .xml)
        let theirs = try Self.document(["A": 3, "B": 3], .xml)
        let path = try RelativePath(validating: Array("Info.plist".utf8))
        var decisions = MergeDecisions()
        let outcome = try PlistDocumentMerge(path: path).merge(base: base, ours: ours, theirs: theirs, &decisions)
        #expect(outcome.value == ["A": 2, "B": 3])
        #expect(try PlistReader.read(outcome.bytes).value == outcome.value)
        #expect(decisions.conflicts.map(\.kind) == [.value])
        #expect(decisions.conflicts.first?.path == path)
        var taken = MergeDecisions(resolutions: ["1": .theirs])
        #expect(try PlistDocumentMerge().merge(base: base, ours: ours, theirs: theirs, &taken).bytes == theirs.bytes)
    }

    // MARK: Encodings

    struct EncodingCase: CustomTestStringConvertible, Sendable {
        let base: PlistFormat?
        let ours: PlistFormat
        let theirs: PlistFormat
        let result: PlistFormat
        var isConflict = false
        var resolution: Resolution?
        var testDescription: String { "\(base?.word ?? "-") \(ours.word) \(theirs.word) \(resolution.map { "\($0)" } ?? "")" }
    }

    private static let encodingCases: [EncodingCase] = [
        EncodingCase(base: .xml, ours: .xml, theirs: .binary, result: .binary),
        EncodingCase(base: .xml, ours: .binary, theirs: .xml, result: .binary),
        EncodingCase(base: .binary, ours: .xml, theirs: .xml, result: .xml),
        EncodingCase(base: .openStep, ours: .openStep, theirs: .xml, result: .xml),
        EncodingCase(base: .json, ours: .xml, theirs: .json, result: .xml),
        EncodingCase(base: .xml, ours: .binary, theirs: .json, result: .binary, isConflict: true),
        EncodingCase(base: .xml, ours: .binary, theirs: .json, result: .json, isConflict: true, resolution: .theirs),
        EncodingCase(base: .xml, ours: .binary, theirs: .json, result: .xml, isConflict: true, resolution: .base),
        EncodingCase(base: .xml, ours: .binary, theirs: .json, result: .json, isConflict: true, resolution: .value("json")),
        EncodingCase(
            base: .xml, ours: .binary, theirs: .json, result: .openStep, isConflict: true, resolution: .value("openstep")),
        EncodingCase(base: nil, ours: .openStep, theirs: .xml, result: .openStep, isConflict: true),
        EncodingCase(base: nil, ours: .openStep, theirs: .xml, result: .xml, isConflict: true, resolution: .theirs),
        EncodingCase(base: nil, ours: .openStep, theirs: .openStep, result: .openStep),
    ]

    @Test(arguments: encodingCases)
    func encodings(_ expected: EncodingCase) throws {
        let base = try expected.base.map { try Self.document(["A": "1", "B": "1"], $0) }
        let ours = try Self.document(expected.base == nil ? ["A": "2"] : ["A": "2", "B": "1"], expected.ours)
        let theirs = try Self.document(expected.base == nil ? ["B": "2"] : ["A": "1", "B": "2"], expected.theirs)
        var decisions = MergeDecisions(resolutions: expected.resolution.map { ["1": $0] } ?? [:])
        let outcome = try PlistDocumentMerge().merge(base: base, ours: ours, theirs: theirs, &decisions)
        #expect(outcome.format == expected.result)
        #expect(outcome.value == ["A": "2", "B": "2"])
        #expect(try PlistReader.read(outcome.bytes, accepting: [expected.result]).value == outcome.value)
        #expect(decisions.conflicts.map(\.kind) == (expected.isConflict ? [.encoding] : []))
        #expect(decisions.openCount == (expected.isConflict && expected.resolution == nil ? 1 : 0))
        if let conflict = decisions.conflicts.first {
            #expect(conflict.base?.string?.string == expected.base?.word)
            #expect(conflict.ours?.string?.string == expected.ours.word)
            #expect(conflict.theirs?.string?.string == expected.theirs.word)
            #expect(conflict.reason == (base == nil ? "both added" : "both changed"))
        }
    }

    @Test(arguments: [Resolution.absent, .value("yaml"), .value(1), .value("XML")])
    func unfitEncodings(_ resolution: Resolution) throws {
        let base = try Self.document(["A": "1"], .xml)
        let (ours, theirs) = (try Self.document(["A": "1"], .binary), try Self.document(["A": "1"], .openStep))
        var decisions = MergeDecisions(resolutions: ["1": resolution])
        let outcome = try PlistDocumentMerge().merge(base: base, ours: ours, theirs: theirs, &decisions)
        #expect(outcome.bytes == ours.bytes)
        #expect(decisions.openCount == 1)
        #expect(decisions.unfitNumbers == ["1"])
    }

    /// The encoding of a text's characters is part of the document's encoding.
    @Test func characterEncodings() throws {
        func text(_ text: String, _ isBigEndian: Bool? = nil) -> [UInt8] {
            guard let isBigEndian else { return Array(text.utf8) }
            let encoding: TextEncoding = isBigEndian ? .utf16BigEndian : .utf16LittleEndian
            return encoding.bytes(of: Array(text.utf8), hasMark: true)
        }
        let lines = ["A", "B", "C"].map { Self.entry($0, "é") }
        func changed(_ place: Int) -> String {
            var lines = lines
            lines[place] = Self.entry(["A", "B", "C"][place], "ü")
            return Self.xml(lines.joined(separator: "\n"), encoding: "UTF-16")
        }
        func plain(_ text: String) -> String { text.replacing("UTF-16", with: "UTF-8") }
        let base = try PlistDocument.read(text(Self.xml(lines.joined(separator: "\n"))))
        let ours = try PlistDocument.read(text(changed(0), true))
        let theirs = try PlistDocument.read(text(plain(changed(2))))
        let outcome = try clean(base, ours, theirs)
        #expect(outcome.value == ["A": "ü", "B": "é", "C": "ü"])
        #expect(outcome.bytes.starts(with: [0xFE, 0xFF]))
        #expect(outcome.notes.isEmpty)

        let other = try PlistDocument.read(text(changed(2), false))
        var decisions = MergeDecisions()
        let open = try PlistDocumentMerge().merge(base: base, ours: ours, theirs: other, &decisions)
        #expect(open.bytes.starts(with: [0xFE, 0xFF]))
        #expect(
            decisions.conflicts.map { [$0.base, $0.ours, $0.theirs].map { $0?.string?.string } } == [
                ["xml utf-8", "xml utf-16be-bom", "xml utf-16le-bom"]
            ])
        var taken = MergeDecisions(resolutions: ["1": .value("xml utf-16le-bom")])
        let little = try PlistDocumentMerge().merge(base: base, ours: ours, theirs: other, &taken)
        #expect(little.bytes.starts(with: [0xFF, 0xFE]))
        #expect(little.value == outcome.value)
        #expect(taken.openCount == 0)
        var ambiguous = MergeDecisions(resolutions: ["1": .value("xml")])
        _ = try PlistDocumentMerge().merge(base: base, ours: ours, theirs: other, &ambiguous)
        #expect(ambiguous.unfitNumbers == ["1"])
    }

    /// A merge that throws leaves no conflict behind.
    @Test func whatAnEncodingCannotHold() throws {
        let base = try Self.document(["A": "1"], .xml)
        let (ours, theirs) = (try Self.document(["A": "1"], .json), try Self.document(["A": .data([1])], .xml))
        var decisions = MergeDecisions()
        let error = #expect(throws: OverlayError.self) {
            try PlistDocumentMerge().merge(base: base, ours: ours, theirs: theirs, &decisions)
        }
        #expect(error?.code == .unsupported)
        #expect(error?.target?.description == "/A")
        #expect(decisions.conflicts.isEmpty)
    }

    struct UnheldCase: CustomTestStringConvertible, Sendable {
        let name: String
        let base: String
        let ours: String
        let theirs: String
        let result: PlistFormat
        let note: String
        var testDescription: String { name }
    }

    private static let number = "<key>A</key><string>1</string>"

    /// A value in an open conflict, or one that only theirs changed, can't always be written in the encoding of the result.
    private static let unheldCases = [
        UnheldCase(
            name: "the encoding is open", base: "{\"A\": 1}", ours: "A = 1;\n", theirs: xml("<key>B</key><integer>1</integer>"),
            result: .xml,
            note:
                "OpenStep property lists support only strings and data, not an integer; while conflicts are open, the result is xml"
        ),
        UnheldCase(
            name: "a value is open", base: xml(number), ours: xml("<key>A</key><integer>2</integer>"), theirs: "A = 3;\n",
            result: .xml,
            note:
                "OpenStep property lists support only strings and data, not an integer; while conflicts are open, the result is xml"
        ),
        UnheldCase(
            name: "no encoding can", base: "{\"A\": 1, \"B\": null}", ours: "{\"A\": null, \"B\": null}",
            theirs: xml("<key>A</key><integer>2</integer><key>C</key><data>AA==</data>"),
            result: .json, note: "XML has no null; while conflicts are open, the result is ours"),
    ]

    /// The conflicts are reported nevertheless. They are the same with swapped sides and with any decisions.
    @Test(arguments: unheldCases)
    func unheld(_ expected: UnheldCase) throws {
        let (base, ours) = (try Self.document(expected.base), try Self.document(expected.ours))
        let theirs = try Self.document(expected.theirs)
        var (decisions, swapped) = (MergeDecisions(), MergeDecisions())
        let outcome = try PlistDocumentMerge().merge(base: base, ours: ours, theirs: theirs, &decisions)
        _ = try PlistDocumentMerge().merge(base: base, ours: theirs, theirs: ours, &swapped)
        #expect(decisions.conflicts.map(\.swapped) == swapped.conflicts)
        #expect(decisions.openCount > 0)
        #expect(outcome.format == expected.result)
        #expect(outcome.notes.last?.message == expected.note)
        #expect(try PlistReader.read(outcome.bytes, accepting: [expected.result]).value == outcome.value)

        let numbers = decisions.conflicts.map(\.id)
        var taken = MergeDecisions(resolutions: Dictionary(uniqueKeysWithValues: numbers.map { ($0, .ours) }))
        let error = #expect(throws: OverlayError.self) {
            try PlistDocumentMerge().merge(base: base, ours: ours, theirs: theirs, &taken)
        }
        #expect(error?.code == .invalid)
        #expect(error?.message.hasPrefix("the value chosen for conflict") == true)
        #expect(taken.conflicts.isEmpty)

        let labels = MergeLabels(ours: "ours", base: nil, theirs: "theirs")
        let marked = try PlistDocumentMerge().marked(base: base, ours: ours, theirs: theirs, labels: labels)
        #expect(MarkedLines(marked)?.blocks == 1)
    }

    /// The place of the error shows which decision can't be written.
    @Test func theDecisionThatCannotBeWritten() throws {
        let base = try Self.document(["A": 1, "B": 1], .xml)
        let (ours, theirs) = (try Self.document(["A": 2, "B": 2], .xml), try Self.document(["A": 3, "B": 3], .xml))
        var decisions = MergeDecisions(resolutions: ["1": .ours, "2": .value(.null)])
        let error = #expect(throws: OverlayError.self) {
            try PlistDocumentMerge().merge(base: base, ours: ours, theirs: theirs, &decisions)
        }
        #expect(error?.message == "the value chosen for conflict '2' can't be written: XML has no null")
        #expect(error?.target?.description == "/B")
    }

    /// The layout of a side in another format is lost, with a note. New comments would be lost, too, so that is a conflict.
    @Test func layoutOfAnotherFormat() throws {
        let base = try Self.document(Self.xml(Self.entry("A", "1") + "\n" + Self.entry("B", "1")))
        let ours = try Self.document(Self.xml("\n\n" + Self.entry("A", "2") + "\n" + Self.entry("B", "1")))
        let theirs = try Self.document(["A": "1", "B": "2"], .binary)
        let outcome = try clean(base, ours, theirs)
        #expect(outcome.value == ["A": "2", "B": "2"])
        #expect(outcome.format == .binary)
        #expect(outcome.notes.map(\.message) == ["the comments and layout of ours are lost"])
    }
}
