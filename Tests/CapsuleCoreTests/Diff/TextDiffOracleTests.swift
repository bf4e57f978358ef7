import TestSupport
import Testing

@testable import CapsuleCore

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
