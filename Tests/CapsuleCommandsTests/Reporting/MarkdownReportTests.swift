import CapsuleCore
import CapsulePropertyList
import CapsuleRules
import TestSupport
import Testing

@testable import CapsuleCommands

@Suite struct MarkdownReportTests {
    private static func text(_ diff: ContainerDiff, showsNoise: Bool = false) -> String {
        String(decoding: MarkdownReport(diff, DiffStyle(showsNoise: showsNoise)).bytes(), as: UTF8.self)
    }

    private static func diff(_ entries: [EntryChange]) -> ContainerDiff {
        ContainerDiff(old: .init(source: Array("a".utf8)), new: .init(source: Array("b".utf8)), entries: entries)
    }

    private static func entry(_ name: String, changes: Int = 0, length: Int = 1) throws -> EntryChange {
        let details = (0..<changes).map { number in
            ChangeDetail(
                .value(
                    PlistChange(
                        .added(.string(PlistString(String(repeating: "x", count: length)))),
                        at: PlistPointer(steps: [PlistString("\(number)")]))))
        }
        return EntryChange(
            .modified, at: try RelativePath(validating: Array(name.utf8)), handler: "plist", details: details)
    }

    @Test func names() throws {
        let names = [
            "a|b", "a\\|b", "`", "a``b`c", " x ", "<b>&</b>", "@team #12 https://example.com",
            "a\nb\u{1B}\u{202E}\u{200B}\u{FEFF}",
            "*a* _b_ ~c~ [d](e) ![f](g)", "</code></summary></details>",
        ].map { $0.replacing("/", with: "\u{2215}") }
        var entries = try names.map { try Self.entry($0) }
        entries[9].details = [ChangeDetail(.encoding(EncodingChange(old: "````", new: "@team")))]
        #expect(
            Self.text(Self.diff(entries)) == #"""
                <!-- capsule diff -->
                ### `a` → `b`

                **10 changes** in 10 entries

                | Entry | Changes |
                |---|---|
                | `a\|b` | `plist` |
                | `a\\\|b` | `plist` |
                | `` ` `` | `plist` |
                | ```a``b`c``` | `plist` |
                | `  x  ` | `plist` |
                | `<b>&<∕b>` | `plist` |
                | `@team #12 https:∕∕example.com` | `plist` |
                | `a\nb\x1B\xE2\x80\xAE\xE2\x80\x8B\xEF\xBB\xBF` | `plist` |
                | `*a* _b_ ~c~ [d](e) ![f](g)` | `plist` |
                | `<∕code><∕summary><∕details>` | `plist, 1 change` |

                <details><summary><code>&lt;∕code&gt;&lt;∕summary&gt;&lt;∕details&gt;</code></summary>

                `````diff
                ~ encoding only: ```` → @team
                `````

                </details>

                """#)
    }

    /// What is in no code is written by the program itself.
    @Test func hostileTextIsCode() throws {
        let text = Self.text(try HostileDiff.make(), showsNoise: true)
        for mark in ["\u{202E}", "\u{2066}", "\u{1B}", "\u{2028}", "\u{FEFF}", "\u{200B}"] {
            #expect(!text.contains(mark), "\(mark)")
        }
        // All code is taken away: blocks, spans, and what is in elements.
        var rest = text.replacing(#/(?ms)^(`{3,})diff\n.*?^\1$/#, with: "")
        rest = rest.replacing(#/(`+)(?!`).*?[^`]\1(?!`)/#, with: "").replacing(
            #/<code>[^<>]*(?:<i>[^<>]*<\/i>[^<>]*)*<\/code>/#, with: "")
        for part in ["<!-- capsule diff -->\n", "<details><summary></summary>", "</details>"] {
            rest = rest.replacing(part, with: "")
        }
        #expect(!rest.contains(#/[<>@\[\]()`&]/#), "\(rest)")
        #expect(text.utf16.count <= MarkdownReport.limit)
    }

    @Test func nothingDiffers() throws {
        #expect(Self.text(Self.diff([])) == "<!-- capsule diff -->\n### `a` → `b`\n\n**Nothing differs**\n")
        var noise = try Self.entry("tmp/x")
        noise.noise = .tmp
        #expect(
            Self.text(Self.diff([noise])).hasSuffix("\n**Only noise differs**; 1 change hidden as noise: `tmp` 1\n"))
        #expect(Self.text(Self.diff([noise]), showsNoise: true).contains("\n| `tmp/x` | `plist  [tmp]` |\n"))
    }

    /// Every cut is counted, and entries share the space.
    @Test func whatIsCut() throws {
        let many = Self.text(Self.diff(try (0..<10_000).map { try Self.entry("file \($0)", changes: 1) }))
        let listed = many.matches(of: #/(?m)^\| `file/#).count
        #expect(many.contains("\n\(Quantity.grouped(UInt64(10_000 - listed))) more entries.\n"))
        let folded = many.matches(of: #/<details>/#).count
        #expect(many.hasSuffix("\n\(Quantity.grouped(UInt64(10_000 - folded))) entries' details are left out.\n"))
        #expect(listed > 500 && folded > 200 && many.utf16.count <= MarkdownReport.limit)
        let long = Self.text(Self.diff(try ["a", "b"].map { try Self.entry($0, changes: 5_000, length: 60) }))
        let lines = long.matches(of: #/(?m)^\+ /#).count
        let cuts = long.matches(of: #/(?m)^([0-9,]+) more lines\.$/#).compactMap { Int($0.1.replacing(",", with: "")) }
        #expect(cuts.count == 2 && cuts.reduce(lines, +) == 10_000 && long.utf16.count > 55_000)
        #expect(long.utf16.count <= MarkdownReport.limit)
    }

    @Test func aLongLineIsShortened() throws {
        let name = String(repeating: String(repeating: "\u{1F98A}", count: 60) + "/", count: 16) + "\u{1F98A}"
        let text = Self.text(Self.diff(try (0..<100).map { try Self.entry(name + "\($0)", changes: 1) }))
        #expect(text.utf16.count <= MarkdownReport.limit)
        #expect(!text.contains("shortened"))
        let sides = ContainerDiff(
            old: .init(source: Array(repeating: 0x60, count: 5_000)), new: .init(source: [0xFF]), entries: [])
        let marks = String(repeating: "\\x60", count: 1_000)
        #expect(Self.text(sides).hasPrefix("<!-- capsule diff -->\n### `\(marks)…` → `\\xFF`\n"))
        #expect(Self.text(sides).hasSuffix("\n**Nothing differs**\n\n1 line is shortened.\n"))
    }
}
