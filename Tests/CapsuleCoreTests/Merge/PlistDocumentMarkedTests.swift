import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge

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

    /// Each half of a block has the comments of its side.
    @Test func commentsInBlocks() throws {
        #expect(
            try Self.marked("A = \"1\" /* x */;\n", "A = \"2\" /* y */;\n", "A = \"3\" /* x */;\n")
                == "<<<<<<< main\nA = \"2\" /* y */;\n=======\nA = \"3\" /* x */;\n>>>>>>> feature\n")
    }

    /// Comment lines that both sides changed are a conflict.
    @Test func commentsAlone() throws {
        let texts = ["old", "ours", "theirs"].map { "/* \($0) */\nA = \"1\";\n" }
        #expect(
            try Self.marked(texts[0], texts[1], texts[2])
                == "<<<<<<< main\n/* ours */\n=======\n/* theirs */\n>>>>>>> feature\nA = \"1\";\n")
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

@Suite struct MarkedReadingsTests {
    private static func readings(_ text: String) -> [String]? {
        MarkedReadings(Array(text.utf8)).map { [$0.ours, $0.theirs].map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test(arguments: [
        ("a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\nd\n", "a\nb\nd\n", "a\nc\nd\n"),
        ("<<<<<<<\nb\n|||||||\nx\n=======\nc\n>>>>>>>\n", "b\n", "c\n"),
        ("<<<<<<< ours\n||||||| base\nx\n=======\n>>>>>>> theirs\nd", "d", "d"),
        ("<<< ours\r\nb\r\n===\r\nc\r\n>>> theirs\r\nd\r\n", "b\r\nd\r\n", "c\r\nd\r\n"),
        // Two blocks, and lines that are not marks at their place, or are of another size.
        (
            "=======\n<<<<<<<<< a\n<<<<<<< b\n=======\n=========\n>>>>>>> c\n>>>>>>>>> d\n>>>>>>>>> e\n<<<<<<<<< a\n1\n=========\n2\n"
                + ">>>>>>>>> d\n",
            "=======\n<<<<<<< b\n=======\n>>>>>>>>> e\n1\n", "=======\n>>>>>>> c\n>>>>>>>>> e\n2\n"
        ),
        ("<<<<<<<x\n<<<<<<< y\n=======\n=======\n>>>>>>>z\n>>>>>>> z\n", "<<<<<<<x\n", "<<<<<<<x\n=======\n>>>>>>>z\n"),
    ])
    func eitherSide(text: String, ours: String, theirs: String) {
        #expect(Self.readings(text) == [ours, theirs])
    }

    @Test(arguments: [
        "", "a\n", "<<<<<<< ours\n", "<<<<<<< ours\na\n=======\nb\n", "=======\n>>>>>>> theirs\n", "<<\na\n==\nb\n>>\n",
        "<<<<<<< ours\na\n>>>>>>> theirs\n", "<<<<<<< ours\na\n======\n>>>>>>> theirs\n",
        "<<<<<<< ours\n\u{0}\n=======\n>>>>>>>\n",
    ])
    func textsWithoutABlock(text: String) {
        #expect(Self.readings(text) == nil)
    }

    @Test(arguments: TextEncoding.allCases, [false, true])
    func encodingsStay(encoding: TextEncoding, hasMark: Bool) throws {
        let text = "one\n<<<<<<< ours\ntwo\n=======\nthree\n>>>>>>> theirs\nfour\n"
        let readings = try #require(MarkedReadings(encoding.bytes(of: Array(text.utf8), hasMark: hasMark)))
        #expect(readings.ours == encoding.bytes(of: Array("one\ntwo\nfour\n".utf8), hasMark: hasMark))
        #expect(readings.theirs == encoding.bytes(of: Array("one\nthree\nfour\n".utf8), hasMark: hasMark))
        #expect(readings.size == 7)
        #expect(readings.labels == MergeLabels(ours: "ours", theirs: "theirs"))
    }

    /// Written marks read as the same texts, and marking these again gives the same text.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func writtenMarksAreRead(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func text() -> [UInt8] {
            var lines = ["begin"]
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                lines.append(["a", "b", "c", "=", "<<"].randomElement(using: &generator) ?? "")
            }
            return Array((lines + ["end"]).map { $0 + "\n" }.joined().utf8)
        }
        let (ours, theirs) = (text(), text())
        var marks = ConflictMarks(size: 9, labels: MergeLabels(ours: "x y", theirs: "z"))
        try marks.add(linesOf: ours, base: nil, theirs)
        guard ours != theirs else {
            #expect(marks.text == ours)
            return
        }
        let lines = try #require(MarkedLines(marks.text, size: 9))
        #expect(lines[.ours] == ours && lines[.theirs] == theirs)
        let readings = try #require(MarkedReadings(marks.text))
        #expect(readings.ours == ours && readings.theirs == theirs)
        #expect(try readings.marking(ours: ours, theirs: theirs) == marks.text)
    }
}

/// The texts that result from a text with blocks of marks if one side is taken everywhere.
struct MarkedLines {
    enum Side { case ours, base, theirs }

    let blocks: Int
    private let sides: [Side: [UInt8]]

    /// Reads UTF-8 with marks of a size; nil if they do not nest as git writes them, or are not lines of their own.
    init?(_ text: [UInt8], size: Int = 7) {
        var sides: [Side: [UInt8]] = [.ours: [], .base: [], .theirs: []]
        var current: Side?
        var blocks = 0
        func isMark(_ line: ArraySlice<UInt8>, _ character: Character) -> Bool {
            let mark = Array(String(repeating: character, count: size).utf8)
            guard line.starts(with: mark) else { return false }
            let rest = line.dropFirst(size)
            return rest.first == 0x20 || rest.first == 0x0A || rest.first == 0x0D
        }
        var rest = text[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            let line = rest[..<end]
            rest = rest[end...]
            if isMark(line, "<") {
                guard current == nil else { return nil }
                current = .ours
            } else if isMark(line, "|") {
                guard current == .ours else { return nil }
                current = .base
            } else if isMark(line, "="), current != nil {
                guard current != .theirs else { return nil }
                current = .theirs
            } else if isMark(line, ">") {
                guard current == .theirs else { return nil }
                current = nil
                blocks += 1
            } else if let current {
                sides[current, default: []] += line
            } else {
                for side in [Side.ours, .base, .theirs] { sides[side, default: []] += line }
            }
        }
        guard current == nil else { return nil }
        self.blocks = blocks
        self.sides = sides
    }

    subscript(_ side: Side) -> [UInt8] { sides[side] ?? [] }
}
