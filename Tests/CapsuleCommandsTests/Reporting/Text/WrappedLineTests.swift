import Testing

@testable import CapsuleCommands

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
