import CapsulePropertyList
import TestSupport
import Testing

@Suite struct OpenStepWriterTests {
    @Test(
        arguments: [
            ([], "()"), ([:], "{}"), ("", "\"\""), ("word", "\"word\""), (["word"], "(\n\tword,\n)"), ([""], "(\n\t\"\",\n)"),
            (["a b"], "(\n\t\"a b\",\n)"), (["a-b"], "(\n\t\"a-b\",\n)"), (["a_$/:.9"], "(\n\ta_$/:.9,\n)"),
            (["//"], "(\n\t\"//\",\n)"),
            (["a//b"], "(\n\t\"a//b\",\n)"), (["/a/b"], "(\n\t/a/b,\n)"), (["é日本😀"], "(\n\t\"é日本😀\",\n)"),
            (["1", "YES"], "(\n\t1,\n\tYES,\n)"),
            (["\" \\ ' /* \u{2028}"], "(\n\t\"\\\" \\\\ ' /* \u{2028}\",\n)"),
            (["\0\u{1}\u{7}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}"], "(\n\t\"\\U0000\\U0001\\a\\b\\t\\n\\v\\f\\r\\U001f\\U007f\",\n)"),
            (.data([]), "<>"), (.data([0x0F]), "<0f>"), (.data([0x0F, 0xBD, 0x77, 0x1C, 0x27, 0x35, 0xAE]), "<0fbd771c 2735ae>"),
            (
                ["b": ["x", [], [:], .data([1, 2, 3, 4])], "a b": ["": "é"]],
                "{\n\tb = (\n\t\tx,\n\t\t(),\n\t\t{},\n\t\t<01020304>,\n\t);\n\t\"a b\" = {\n\t\t\"\" = \"é\";\n\t};\n}"
            ),
        ] as [(PlistValue, String)])
    func spellsEachValueOneWay(_ value: PlistValue, _ text: String) throws {
        #expect(try writeOpenStep(value) == text)
        #expect(try readOpenStep(text) == value)
        #expect(try PlistReader.read(Array(text.utf8)).value == value)
    }

    @Test(arguments: [1, 1.5, true, .date(0), .uid(1), .null] as [PlistValue])
    func namesWhatOpenStepCannotHold(_ value: PlistValue) {
        let error = failure { () throws(PlistError) in try OpenStepPlistWriter.write(["a/b": ["x", value]]) }
        #expect(error?.code == .notRepresentable)
        #expect(error?.pointer == "/a~1b/1")
        #expect(error?.message == "OpenStep property lists support only strings and data, not \(value.typeNameWithArticle)")
    }

    @Test(arguments: SeededGenerator.seeds)
    func whatIsWrittenReadsBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<rounds(100) {
            let value = random.openStepValue(depth: 5)
            let written = try OpenStepPlistWriter.write(value)
            #expect(try PlistReader.read(written).value == value, "seed \(seed): \(String(decoding: written, as: UTF8.self))")
            let back = try PlistReader.read(written, accepting: [.openStep]).value
            #expect(back == value, "seed \(seed)")
            #expect(try OpenStepPlistWriter.write(back) == written, "seed \(seed)")
        }
    }

    @Test func depthIsBoundedAsInReading() throws {
        #expect(try readOpenStep(try writeOpenStep(nestedArrays(512))) == nestedArrays(512))
        let error = failure { () throws(PlistError) in try OpenStepPlistWriter.write(nestedArrays(513)) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.pointer == String(repeating: "/0", count: 512))
    }

    @Test(.timeLimit(.minutes(1)))
    func tooMuchIsNotWrittenOut() {
        let error = failure { () throws(PlistError) in try OpenStepPlistWriter.write(largeValue(2 << 30)) }
        #expect(error?.code == .limitExceeded)
    }
}
