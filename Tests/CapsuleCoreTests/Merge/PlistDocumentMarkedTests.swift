import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore

@Suite struct PlistDocumentMarkedTests {
    private static let labels = MergeLabels(ours: "main", theirs: "feature")
    private static let labelsWithBase = MergeLabels(ours: "main", base: "old", theirs: "feature")

    private static func marked(
        _ base: String?, _ ours: String, _ theirs: String, _ labels: MergeLabels = labels, size: Int = 7
    ) throws -> String {
        let bytes = try PlistDocumentMerge().marked(
            base: try base.map { try PlistDocumentMergeTests.document($0) }, ours: try PlistDocumentMergeTests.document(ours),
            theirs: try PlistDocumentMergeTests.document(theirs), size: size, labels: labels)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func strings(_ a: String, _ b: String, _ c: String) -> String {
        "A = \"\(a)\";\nB = \"\(b)\";\nC = \"\(c)\";\n"
    }

    @Test func blocks() throws {
        let base = Self.strings("1", "1", "1")
        let (ours, theirs) = (Self.strings("1", "2", "2"), Self.strings("3", "3", "1"))
        #expect(
            try Self.marked(base, ours, theirs)
                == "A = \"3\";\n<<<<<<< main\nB = \"2\";\n=======\nB = \"3\";\n>>>>>>> feature\nC = \"2\";\n")
        #expect(
            try Self.marked(base, ours, theirs, Self.labelsWithBase, size: 3)
                == "A = \"3\";\n<<< main\nB = \"2\";\n||| old\nB = \"1\";\n===\nB = \"3\";\n>>> feature\nC = \"2\";\n")
        #expect(try Self.marked(base, ours, base) == ours)
        #expect(try Self.marked(base, Self.strings("2", "1", "1"), Self.strings("1", "2", "1")) == Self.strings("2", "2", "1"))
        #expect(
            try Self.marked(nil, Self.strings("1", "2", "1"), Self.strings("1", "3", "1"), Self.labelsWithBase)
                == "A = \"1\";\n<<<<<<< main\nB = \"2\";\n||||||| old\n=======\nB = \"3\";\n>>>>>>> feature\nC = \"1\";\n")
    }

    /// A line holds more than the open value, and the last line has no line feed.
    @Test func oneLine() throws {
        #expect(
            try Self.marked("{\"a\": 1, \"b\": 1}", "{\"a\": 2, \"b\": 1}", "{\"a\": 3, \"b\": 3}")
                == "<<<<<<< main\n{\"a\": 2, \"b\": 3}\n=======\n{\"a\": 3, \"b\": 3}\n>>>>>>> feature\n")
    }

    /// Each half of a block has the comments that its side has on these lines and above them.
    @Test func commentsOfEachSide() throws {
        func text(_ comment: String, _ value: String) -> String { "A = 1;\n// \(comment)\nB = \(value) /* \(comment) */;\n" }
        #expect(
            try Self.marked(text("x", "1"), text("y", "2"), text("z", "3"), Self.labelsWithBase)
                == "A = 1;\n<<<<<<< main\n// y\nB = 2 /* y */;\n||||||| old\n// x\nB = 1 /* x */;\n=======\n"
                + "// z\nB = 3 /* z */;\n>>>>>>> feature\n")
        func list(_ names: [String]) -> String {
            "{\n\tfiles = (\n" + names.map { "\t\t\($0) /* \($0).swift */,\n" }.joined() + "\t);\n}\n"
        }
        #expect(
            try Self.marked(list(["A"]), list(["A", "B"]), list(["A", "C", "D"]))
                == "{\n\tfiles = (\n\t\tA /* A.swift */,\n<<<<<<< main\n\t\tB /* B.swift */,\n=======\n"
                + "\t\tC /* C.swift */,\n\t\tD /* D.swift */,\n>>>>>>> feature\n\t);\n}\n")
        func plist(_ value: String, _ comment: String) -> String {
            "<plist>\n<dict>\n<!-- \(comment) -->\n<key>A</key>\n<string>\(value)</string> <!-- \(comment) -->\n</dict>\n</plist>\n"
        }
        #expect(
            try Self.marked(plist("1", "x"), plist("2", "x"), plist("3", "z"))
                == "<plist>\n<dict>\n<!-- z -->\n<key>A</key>\n<<<<<<< main\n<string>2</string> <!-- x -->\n=======\n"
                + "<string>3</string> <!-- z -->\n>>>>>>> feature\n</dict>\n</plist>\n")
    }

    /// A side without a line of its own there gets no comment of the other side.
    @Test func commentsOfTheOtherSideAreLeftOut() throws {
        #expect(
            try Self.marked("{\nA = 1;\n}\n", "{\nA = 2; /* ours */\n}\n", "{A = 3;}\n")
                == "{\n<<<<<<< main\nA = 2; /* ours */\n=======\nA = 3;\n>>>>>>> feature\n}\n")
    }

    /// The lines of the base have their own comments, and so has an element that was moved.
    @Test func commentsOfTheBase() throws {
        let texts = [["A", "B", "C"], ["A", "C"], ["A", "X", "C2"]].map { PlistDocumentMergeTests.list($0) }
        #expect(
            try Self.marked(texts[0], texts[1], texts[2], Self.labelsWithBase)
                == "{\n\tfiles = (\n\t\tA /* A.swift */,\n<<<<<<< main\n\t\tC /* C.swift */,\n||||||| old\n"
                + "\t\tB /* B.swift */,\n\t\tC /* C.swift */,\n=======\n"
                + "\t\tX /* X.swift */,\n\t\tC2 /* C2.swift */,\n>>>>>>> feature\n\t);\n}\n")
        func array(_ comment: String, _ names: [String]) -> String {
            let elements = names.map { "<string>\($0)</string> <!-- \(comment) \($0) -->\n" }.joined()
            return "<plist>\n<array>\n\(elements)</array>\n</plist>\n"
        }
        let arrays = [array("old", ["A", "B", "C"]), array("own", ["C"]), array("new", ["X", "C2"])]
        let marked = try Self.marked(arrays[0], arrays[1], arrays[2], Self.labelsWithBase)
        let halves = marked.split(separator: "\n").filter { $0.hasPrefix("<string>") }
        #expect(
            halves == [
                "<string>C</string> <!-- own C -->", "<string>A</string> <!-- old A -->", "<string>B</string> <!-- old B -->",
                "<string>C</string> <!-- old C -->", "<string>X</string> <!-- new X -->", "<string>C2</string> <!-- new C2 -->",
            ])
    }

    /// A line that is elsewhere in its side's text has the comment that it has there.
    @Test func commentsOfMovedLines() throws {
        let texts = [
            "{\na = 1; /* one */\nb = 2; /* two */\nc = 3; /* three */\n}\n",
            "{\nb = 2; /* two */\nc = 3; /* three */\na = 9; /* nine */\n}\n",
            "{\na = 5; /* five */\nb = 2; /* two */\nc = 3; /* three */\n}\n",
        ]
        #expect(
            try Self.marked(texts[0], texts[1], texts[2], Self.labelsWithBase)
                == "{\nb = 2; /* two */\nc = 3; /* three */\n<<<<<<< main\na = 9; /* nine */\n||||||| old\na = 1; /* one */\n"
                + "=======\na = 5; /* five */\n>>>>>>> feature\n}\n")
    }

    /// Comment lines that both sides changed are not a conflict of values, and nothing is marked.
    @Test func commentsAlone() throws {
        let texts = ["old", "ours", "theirs"].map { "/* \($0) */\nA = \"1\";\n" }
        #expect(try Self.marked(texts[0], texts[1], texts[2]) == texts[1])
    }

    @Test func deletedAndChanged() throws {
        let text = try Self.marked("{\n\"a\": 1,\n\"b\": 1\n}\n", "{\n\"a\": 1\n}\n", "{\n\"a\": 1,\n\"b\": 2\n}\n")
        let lines = try #require(MarkedLines(Array(text.utf8)))
        #expect(lines.blocks == 1)
        #expect(try PlistReader.read(lines[.ours]).value == ["a": 1])
        #expect(try PlistReader.read(lines[.theirs]).value == ["a": 1, "b": 2])
    }

    @Test func binaryBecomesXML() throws {
        let values: [PlistValue] = [["A": 1, "D": .date(0.5)], ["A": 2, "D": .date(0.5)], ["A": 3, "D": .date(0.5)]]
        let documents = try values.map { try PlistDocumentMergeTests.document($0, .binary) }
        var notes: [OverlayNote] = []
        let bytes = try PlistDocumentMerge().marked(
            base: documents[0], ours: documents[1], theirs: documents[2], labels: Self.labels, notes: &notes)
        let lines = try #require(MarkedLines(bytes))
        #expect(lines.blocks == 1)
        #expect(try PlistReader.read(lines[.ours], accepting: [.xml]).value == ["A": 2, "D": .date(0)])
        #expect(try PlistReader.read(lines[.theirs], accepting: [.xml]).value == ["A": 3, "D": .date(0)])
        #expect(notes.map { $0.target?.description } == ["/D"])
    }

    /// Values that are the same in XML are still in conflict.
    @Test func whatXMLCannotTellApart() throws {
        let documents = try [0, 0.25, 0.5].map { try PlistDocumentMergeTests.document(["D": .date($0)], .binary) }
        let bytes = try PlistDocumentMerge().marked(
            base: documents[0], ours: documents[1], theirs: documents[2], labels: Self.labels)
        #expect(try #require(MarkedLines(bytes)).blocks == 1)
    }

    @Test func encodingInQuestion() throws {
        let base = try PlistDocumentMergeTests.document(["A": "1", "B": "1"], .xml)
        let ours = try PlistDocumentMergeTests.document(["A": "2", "B": "1"], .openStep)
        let theirs = try PlistDocumentMergeTests.document(["A": "1", "B": "2"], .json)
        let bytes = try PlistDocumentMerge().marked(
            base: base, ours: ours, theirs: theirs, size: 9, labels: Self.labelsWithBase)
        let lines = try #require(MarkedLines(bytes, size: 9))
        #expect(lines.blocks == 1)
        #expect(bytes.starts(with: Array("<<<<<<<<< main\n".utf8)))
        let merged: PlistValue = ["A": "2", "B": "2"]
        #expect(try PlistReader.read(lines[.ours], accepting: [.openStep]).value == merged)
        #expect(try PlistReader.read(lines[.base], accepting: [.xml]).value == merged)
        #expect(try PlistReader.read(lines[.theirs], accepting: [.json]).value == merged)
        let decided = try PlistDocumentMerge().marked(
            base: base, ours: ours, theirs: theirs, labels: Self.labels, MergeDecisions(resolutions: ["1": .theirs]))
        #expect(try PlistReader.read(decided, accepting: [.json]).value == merged)
    }

    @Test func decidedBefore() throws {
        let documents = try ["1", "2", "3"].map { try PlistDocumentMergeTests.document(Self.strings($0, "-", $0)) }
        let bytes = try PlistDocumentMerge().marked(
            base: documents[0], ours: documents[1], theirs: documents[2], labels: Self.labels,
            MergeDecisions(resolutions: ["2": .value("mine")]))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "<<<<<<< main\nA = \"2\";\n=======\nA = \"3\";\n>>>>>>> feature\nB = \"-\";\nC = mine;\n"
                .replacing("C = mine", with: "C = \"mine\""))
    }

    @Test func carriageReturns() throws {
        let texts = ["1", "2", "3"].map { Self.strings("-", $0, "-").replacing("\n", with: "\r\n") }
        let text = try Self.marked(texts[0], texts[1], texts[2])
        #expect(text.utf8.count { $0 == 0x0A } == text.utf8.count { $0 == 0x0D })
        #expect(try #require(MarkedLines(Array(text.utf8))).blocks == 1)
    }

    /// Taking a side in all blocks gives a document with that side in all open conflicts.
    @Test(arguments: SeededGenerator.seeds)
    func laws(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let merge = PlistDocumentMerge(identities: SeededGenerator.identities)
        var (merged, marked) = (0, 0)
        for number in 0..<rounds(150) {
            let value = generator.propertyList()
            let (ours, theirs) = (
                generator.changed(value, generator.number(0...4)), generator.changed(value, generator.number(0...4))
            )
            let format = generator.pick([PlistFormat.xml, .binary])
            let documents = try [value, ours, theirs].map { try PlistDocumentMergeTests.document($0, format) }
            var decisions = MergeDecisions()
            let place = "seed \(seed), number \(number)"
            let outcome = try merge.merge(base: documents[0], ours: documents[1], theirs: documents[2], &decisions)
            merged += 1
            var swappedDecisions = MergeDecisions()
            let swapped = try merge.merge(
                base: documents[0], ours: documents[2], theirs: documents[1], &swappedDecisions)
            #expect(decisions.conflicts.map(\.pointer) == swappedDecisions.conflicts.map(\.pointer), "\(place)")
            #expect(decisions.conflicts.map(\.ours) == swappedDecisions.conflicts.map(\.theirs), "\(place)")
            if decisions.openCount == 0 { #expect(swapped.value == outcome.value, "\(place)") }
            #expect(try PlistReader.read(outcome.bytes, accepting: [format]).value == outcome.value, "\(place)")
            let bytes = try merge.marked(
                base: documents[0], ours: documents[1], theirs: documents[2], labels: Self.labelsWithBase)
            guard decisions.openCount > 0 else {
                #expect(bytes == outcome.bytes, "\(place)")
                continue
            }
            marked += 1
            let lines = try #require(MarkedLines(bytes), "\(place)")
            #expect(lines.blocks > 0, "\(place)")
            #expect(try PlistReader.read(lines[.ours], accepting: [.xml]).value == outcome.value, "\(place)")
            var preferring = MergeDecisions(preferences: [MergePreference(.theirs, text: "theirs")])
            let other = try merge.merge(base: documents[0], ours: documents[1], theirs: documents[2], &preferring)
            #expect(try PlistReader.read(lines[.theirs], accepting: [.xml]).value == other.value, "\(place)")
        }
        #expect(merged > rounds(50) && marked > rounds(10))
    }
}
