import TestSupport
import Testing

@testable import CapsuleCore

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
