import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge
@testable import CapsuleOverlay

@Suite struct TextDiffTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let old: String
        let new: String
        var context = 1
        let hunks: String
        var testDescription: String { name }
    }

    static func content(_ text: String) throws -> TextContent { try TextContent(Array(text.utf8)) }

    private static let cases: [Case] = [
        Case(name: "changed", old: "a\nb\nc\n", new: "a\nB\nc\n", hunks: "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"),
        Case(name: "from nothing", old: "", new: "a\nb\n", hunks: "@@ -0,0 +1,2 @@\n+a\n+b\n"),
        Case(name: "to nothing", old: "a\n", new: "", hunks: "@@ -1 +0,0 @@\n-a\n"),
        Case(
            name: "last line feed", old: "a\nb", new: "a\nb\n",
            hunks: "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"),
        Case(name: "line ending", old: "a\nb\n", new: "a\r\nb\n", hunks: "@@ -1,2 +1,2 @@\n-a\n+a\r\n b\n"),
        Case(name: "no context", old: "a\nb\nc\n", new: "a\nc\n", context: 0, hunks: "@@ -2 +1,0 @@\n-b\n"),
        Case(
            name: "added block ends where people end it", old: "{\n1\n}\n{\n3\n}\n", new: "{\n1\n}\n{\n2\n}\n{\n3\n}\n",
            context: 0,
            hunks: "@@ -4,0 +5,3 @@\n+2\n+}\n+{\n"),
        Case(name: "same line again", old: "a\na\nb\n", new: "a\na\na\nb\n", context: 0, hunks: "@@ -2,0 +3 @@\n+a\n"),
        Case(
            name: "touching", old: "a\n1\n2\nb\n", new: "A\n1\n2\nB\n", hunks: "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n-b\n+B\n"),
        Case(
            name: "apart", old: "a\n1\n2\n3\nb\n", new: "A\n1\n2\n3\nB\n",
            hunks: "@@ -1,2 +1,2 @@\n-a\n+A\n 1\n@@ -4,2 +4,2 @@\n 3\n-b\n+B\n"),
        Case(name: "negative context", old: "a\nb\n", new: "a\nc\n", context: -4, hunks: "@@ -2 +2 @@\n-b\n+c\n"),
        Case(name: "any context", old: "a\nb\n", new: "a\nc\n", context: .max, hunks: "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"),
    ]

    @Test(arguments: cases)
    func hunks(_ expected: Case) throws {
        let (old, new) = (try Self.content(expected.old), try Self.content(expected.new))
        let comparison = TextDiff(old, new, context: expected.context)
        let change = try #require(comparison.text)
        #expect(UnifiedDiff.hunks(change) == expected.hunks)
        #expect(change.hunkCount == change.hunks.count)
        #expect(change.encoding == "utf-8")
        #expect(comparison.encoding == nil)
        #expect(comparison.limit == nil)
        #expect(UnifiedDiff.applied(change, to: old) == new.utf8)
    }

    // MARK: Encodings

    struct EncodingCase: CustomTestStringConvertible, Sendable {
        let old: [UInt8]
        let new: [UInt8]
        let words: [String]
        var textDiffers = false
        var testDescription: String { words.joined(separator: " ") + (textDiffers ? " and text" : "") }
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let text = "abcd\n"
    private static let little = TextContentTests.utf16(text, isBigEndian: false)
    private static let big = TextContentTests.utf16(text, isBigEndian: true)

    private static let encodingCases: [EncodingCase] = [
        EncodingCase(old: Array(text.utf8), new: little, words: ["utf-8", "utf-16le"]),
        EncodingCase(old: [0xFF, 0xFE] + little, new: [0xFE, 0xFF] + big, words: ["utf-16le", "utf-16be"]),
        EncodingCase(old: big, new: mark + Array(text.utf8), words: ["utf-16be", "utf-8"]),
        EncodingCase(old: Array(text.utf8), new: mark + Array(text.utf8), words: ["utf-8", "utf-8-bom"]),
        EncodingCase(old: [0xFF, 0xFE] + little, new: little, words: ["utf-16le-bom", "utf-16le"]),
        EncodingCase(old: Array("other\n".utf8), new: little, words: ["utf-8", "utf-16le"], textDiffers: true),
    ]

    @Test(arguments: encodingCases)
    func encodings(_ expected: EncodingCase) throws {
        let comparison = TextDiff(try TextContent(expected.old), try TextContent(expected.new))
        #expect(comparison.encoding == EncodingChange(old: expected.words[0], new: expected.words[1]))
        #expect((comparison.text != nil) == expected.textDiffers)
        #expect(comparison.details.map(\.word) == (expected.textDiffers ? ["encoding", "text"] : ["encoding"]))
    }

    @Test func sameText() throws {
        let text = try Self.content("a\nb")
        #expect(TextDiff(text, text).details.isEmpty)
    }

    // MARK: Limits

    @Test(arguments: [(0, 0), (1, 1), (4, 4), (7, 7), (8, 8), (nil, 8), (1000, 8)] as [(Int?, Int)])
    func linesThatAreShown(_ lines: Int?, _ shown: Int) throws {
        let comparison = TextDiff(
            try Self.content("a\n1\n2\n3\nb\n"), try Self.content("A\n1\n2\n3\nB\nC\nD\n"), context: 1, lines: lines)
        let change = try #require(comparison.text)
        #expect(change.hunks.map(\.old) == [.init(start: 1, count: 2), .init(start: 4, count: 2)])
        #expect(change.hunks.map(\.new) == [.init(start: 1, count: 2), .init(start: 4, count: 4)])
        #expect((change.added, change.deleted, change.hunkCount) == (4, 2, 2))
        #expect(change.hunks.reduce(0) { $0 + $1.lines.count } == shown)
        #expect(comparison.limit == (shown == 8 ? nil : Truncation("lines", shown: UInt64(shown), total: 8, isJudged: true)))
        let whole = "-a\n+A\n 1\n 3\n-b\n+B\n+C\n+D\n".split(separator: "\n").prefix(shown)
        #expect(change.hunks.flatMap(\.lines).map { UnifiedDiff.line($0).dropLast() } == Array(whole))
    }

    @Test func hunksThatAreListed() throws {
        let count = TextDiff.hunkLimit + 10
        let old = try Self.content((0..<count).map { "\($0)\nsame\n" }.joined())
        let new = try Self.content((0..<count).map { "\($0)!\nsame\n" }.joined())
        let some = TextDiff(old, new, context: 0, lines: 10)
        #expect(some.text?.hunks.count == TextDiff.hunkLimit)
        #expect(some.text?.hunkCount == count)
        #expect(some.limit == Truncation("lines", shown: 10, total: UInt64(2 * count), isJudged: true))
        let all = TextDiff(old, new, context: 0, lines: nil)
        #expect(all.text?.hunks.count == count)
        #expect(all.limit == nil)
    }

    @Test(arguments: [("x", 0), ("x", 5000), ("é", 0), ("🙂", 9001)])
    func longLines(_ character: String, _ common: Int) throws {
        let head = String(repeating: character, count: common)
        let tail = String(repeating: character, count: 6000)
        let change = try #require(
            TextDiff(try Self.content(head + "old" + tail), try Self.content(head + "new" + tail + "\n")).text)
        let lines = try #require(change.hunks.first?.lines)
        #expect(lines.map(\.kind) == [.deleted, .added])
        for (line, word) in zip(lines, ["old", "new"]) {
            #expect(line.isCut)
            #expect(line.text.contains(word))
            #expect(line.text.hasPrefix("…") == (common > 0))
            #expect(line.text.hasSuffix("…"))
            #expect(!line.text.contains("\u{FFFD}"))
            #expect(line.text.unicodeScalars.count { $0 != "…" } == TruncatedLine.limit)
        }
    }

    @Test func linesOfTheLimitAreWhole() throws {
        let line = String(repeating: "x", count: TruncatedLine.limit)
        let lines = try #require(TextDiff(try Self.content(line), try Self.content(line + "y")).text?.hunks.first?.lines)
        #expect(lines.map(\.isCut) == [false, true])
        #expect(lines[0].text == line)
        #expect(lines[1].text.hasPrefix("…x"))
        #expect(lines[1].text.hasSuffix("xy"))
    }
}

/// Compares the results for texts with those of GNU `diff`, and applies them with `patch`.
@Suite struct TextDiffOracleTests {
    /// A text of a few lines, and another one made from it.
    private static func texts(_ generator: inout SeededGenerator) -> (old: String, new: String) {
        var lines = (0..<generator.number(0...40)).map { _ in generator.pick(["a", "b", "c", "d\r", "", "é"]) }
        let old = lines
        for _ in 0..<generator.number(0...8) {
            let place = generator.number(0...lines.count)
            if generator.isLucky(oneIn: 2) || place == lines.count {
                lines.insert(generator.pick(["a", "b", "c", "x"]), at: place)
            } else {
                lines.remove(at: place)
            }
        }
        func text(_ lines: [String], _ generator: inout SeededGenerator) -> String {
            lines.joined(separator: "\n") + (lines.isEmpty || generator.isLucky(oneIn: 4) ? "" : "\n")
        }
        return (text(old, &generator), text(lines, &generator))
    }

    /// The hunks patch the old text to the new one, and have no more changed lines than necessary.
    @Test(arguments: SeededGenerator.seeds)
    func patches(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        for number in 0..<25 {
            let (old, new) = Self.texts(&generator)
            try Files.write(old, to: directory["old"])
            try Files.write(new, to: directory["new"])
            let (oldText, newText) = (try TextDiffTests.content(old), try TextDiffTests.content(new))
            let context = generator.number(0...4)
            let change = TextDiff(oldText, newText, context: context).text
            #expect((change == nil) == (oldText == newText), "seed \(seed), number \(number)")
            guard let change else { continue }

            let minimal = try Program.run("diff", ["-d", "--normal", "old", "new"], in: directory.path)
            let marks = minimal.output.split(separator: 0x0A).map { $0.first }
            #expect(change.deleted == marks.count { $0 == UInt8(ascii: "<") }, "seed \(seed), number \(number)")
            #expect(change.added == marks.count { $0 == UInt8(ascii: ">") }, "seed \(seed), number \(number)")
            #expect(UnifiedDiff.applied(change, to: oldText) == newText.utf8, "seed \(seed), number \(number)")

            try Files.write("--- old\n+++ old\n" + UnifiedDiff.hunks(change), to: directory["patch"])
            let patched = try Program.run(
                "patch", ["--binary", "-s", "-F0", "-o", "patched", "old", "patch"], in: directory.path)
            #expect(patched.status == 0, "seed \(seed), number \(number): \(patched.text)\(patched.errors)")
            #expect(try Files.read(directory["patched"]) == newText.utf8, "seed \(seed), number \(number)")
        }
    }

    /// If each line occurs once, there is one shortest alignment: the hunks are those of `diff -U`, byte for byte.
    @Test(arguments: SeededGenerator.seeds)
    func hunks(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        for number in 0..<20 {
            let old = (0..<generator.number(1...120)).map { "line \($0)" }
            var new: [String] = []
            for line in old {
                if generator.isLucky(oneIn: 12) { new.append("new \(generator.next())") }
                if !generator.isLucky(oneIn: 10) { new.append(line) }
            }
            if new == old { new.append("more") }
            try Files.write(old.joined(separator: "\n"), to: directory["old"])
            try Files.write(new.joined(separator: "\n"), to: directory["new"])
            let context = generator.number(0...6)
            let diff = try Program.run("diff", ["-d", "-U", "\(context)", "old", "new"], in: directory.path)
            let expected = diff.text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
            let change = try #require(
                TextDiff(
                    try TextContent(Files.read(directory["old"])), try TextContent(Files.read(directory["new"])), context: context
                ).text)
            #expect(UnifiedDiff.hunks(change) == expected.last.map { String($0) }, "seed \(seed), number \(number)")
        }
    }
}

/// Makes unified diffs from changes.
enum UnifiedDiff {
    /// The hunks, as `diff -u` prints them.
    static func hunks(_ change: TextChange) -> String {
        change.hunks.map { hunk in
            "@@ -\(range(hunk.old)) +\(range(hunk.new)) @@\n" + hunk.lines.map { line($0) }.joined()
        }.joined()
    }

    private static func range(_ range: TextChange.LineRange) -> String {
        range.count == 1 ? "\(range.start)" : "\(range.start),\(range.count)"
    }

    static func line(_ line: TextChange.Line) -> String {
        let sign =
            switch line.kind {
            case .context: " "
            case .deleted: "-"
            case .added: "+"
            }
        return sign + line.text + "\n" + (line.lacksNewline ? "\\ No newline at end of file\n" : "")
    }

    /// Returns the new text: the hunks applied to the old one; nil if they do not fit.
    static func applied(_ change: TextChange, to old: TextContent) -> [UInt8]? {
        var result: [UInt8] = []
        var next = 0
        for hunk in change.hunks {
            let start = hunk.old.count == 0 ? hunk.old.start : hunk.old.start - 1
            guard start >= next, start + hunk.old.count <= old.lineCount else { return nil }
            for number in next..<start { result += old.line(number) }
            next = start
            var newCount = 0
            for line in hunk.lines {
                let bytes = Array(line.text.utf8) + (line.lacksNewline ? [] : [0x0A])
                if line.kind != .added {
                    guard next < old.lineCount, old.line(next).elementsEqual(bytes) else { return nil }
                    next += 1
                }
                if line.kind != .deleted {
                    result += bytes
                    newCount += 1
                }
            }
            guard next == start + hunk.old.count, newCount == hunk.new.count else { return nil }
        }
        for number in next..<old.lineCount { result += old.line(number) }
        return result
    }
}
