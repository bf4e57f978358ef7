import TestSupport
import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands
@testable import CapsuleCore
@testable import CapsulePropertyList
@testable import CapsuleRules

/// The head of a page, its filters, and the line of metadata below an entry.
@Suite struct HTMLHeadTests {
    private static func page(
        _ entries: [EntryChange], notes: [String] = [], isComplete: Bool = true
    ) throws -> PageText {
        var diff = ContainerDiff(old: SampleDiff.old, new: SampleDiff.new, entries: entries, isComplete: isComplete)
        diff.notes = notes
        return try PageText(HTMLReport(diff).bytes())
    }

    @Test func sidesSayWhichVersionOfWhichAppTheyAre() throws {
        var old = SideOrigin(bundleIdentifier: "com.example.notes", appVersion: "2.4")
        old.file = Array("run.capsule".utf8)
        old.version = 1
        old.label = VersionLabel("before")
        old.captured = Timestamp(seconds: 1_790_000_000)
        let diff = ContainerDiff(
            old: .init(source: Array("ci/run.capsule@before".utf8), origin: old),
            new: .init(source: Array("After.xcappdata".utf8), origin: SideOrigin(bundleIdentifier: "com.example.notes")),
            entries: [])
        let page = try PageText(HTMLReport(diff, version: "9.8.7").bytes())
        #expect(page.title == "run.capsule@1 (before) → After.xcappdata · capsule diff")
        #expect(
            page.text.contains("version 1, before · captured 2026-09-21T14:13:20Z · com.example.notes 2.4")
                && page.text.contains("ci/run.capsule@before") && page.text.contains("After.xcappdata com.example.notes"))
        #expect(page.text.contains("capsule diff 9.8.7"))
    }

    @Test func notesAreCountedAndLeadToTheirEntries() throws {
        let gap = HandlerFallback(
            side: .a, from: HandlerFallback.content, to: HandlerFallback.nothing, reason: "can't be read: gone")
        let page = try Self.page(
            [
                try SampleDiff.entry(.modified, "a b", old: 1, new: 2, [.fallback(gap)]),
                try SampleDiff.entry(
                    .modified, "c", old: 1, new: 2, [.limit(Truncation("time")), .limit(Truncation("depth"))]),
            ], notes: ["the app group x is not compared"], isComplete: false)
        #expect(page.text.contains("This report is incomplete (4 notes):"))
        #expect(page.text.contains("a b: can't be read: gone") && page.text.contains("c: not fully compared"))
        #expect(page.text.contains("the app group x is not compared"))
        #expect(page.links.filter { $0 == "#/a%20b" }.count == 2)
        #expect(page.text.contains("at least 2 changes"))
        let many = try (0..<30).map { try SampleDiff.entry(.modified, "\($0)", old: 1, new: 2, [.limit(Truncation("time"))]) }
        #expect(try Self.page(many).text.contains("and 10 more entries"))
        #expect(try !Self.page([try SampleDiff.entry(.added, "a", new: 1)]).text.contains("note"))
    }

    @Test func aFilterIsForWhatIsThere() throws {
        let diff = ContainerDiff(
            old: SampleDiff.old, new: SampleDiff.new,
            entries: [
                try SampleDiff.entry(.added, "a", new: 1), try SampleDiff.entry(.added, "tmp/b", new: 1, noise: .tmp),
                try SampleDiff.entry(.deleted, "tmp/c", old: 1, noise: .tmp),
            ])
        let raw = String(decoding: HTMLReport(diff).bytes(), as: UTF8.self)
        // The filter for deleted entries appears with the noise and shows their number; the one for added entries has a number for each
        // state.
        #expect(raw.contains(#"<label class="chip on-only cd">"#) && raw.contains("deleted <b>1</b>"))
        #expect(raw.contains(#"added <b><span class="off-only">1</span><span class="on-only">2</span></b>"#))
        #expect(!raw.contains("<b>0</b>"))
    }

    @Test func factsAreOneLineUnlessMoreThanContentDiffers() throws {
        let same = try Self.page([try SampleDiff.entry(.modified, "a", old: 1_234, new: 2)])
        #expect(
            same.text.contains("afile, 0644 -rw-r--r--, 1,234 → 2 bytes, modified ")
                || same.text.contains("a file, 0644 -rw-r--r--, 1,234 → 2 bytes, modified "))
        #expect(same.text.ranges(of: "0644").count == 1 && same.text.ranges(of: "SHA-256").count == 1)
        var other = try SampleDiff.entry(.modified, "a", old: 1, new: 2)
        other.new?.mode = FileMode(0o600)
        let two = try Self.page([other])
        #expect(two.text.contains("Old file, 0644") && two.text.contains("New file, 0600"))
        let added = try Self.page([try SampleDiff.entry(.added, "a", new: 2)])
        #expect(added.text.ranges(of: "0644").count == 1)
    }

    @Test func aDatabaseThatChangedInItsLogSaysSo() throws {
        let row = RowChange(.added, table: "t", key: [.init("id", .value(1))], columns: [])
        var store = try SampleDiff.entry(.modified, "d/Notes.sqlite", old: 4_096, new: 4_096, handler: "sqlite", [.row(row)])
        store.old?.digest = try #require(store.new?.digest)
        store.companions = [try SampleDiff.path("d/Notes.sqlite-wal")]
        let digest = try #require(store.new?.digest.hex)
        let page = try Self.page([store])
        #expect(
            page.text.contains("SHA-256 \(digest) on both sides: the change is in Notes.sqlite-wal (write-ahead log)"))
        #expect(page.text.ranges(of: digest).count == 1)
        store.new?.digest = SampleDiff.file(store.path, digest: 0x44).digest
        #expect(try !Self.page([store]).text.contains("write-ahead log"))
    }

    @Test func smallPicturesAreEnlargedALittle() throws {
        func raw(_ old: EntryChange.Picture?, _ new: EntryChange.Picture?) throws -> String {
            let side = ImageChange.Side(format: "png", width: nil, height: nil, bytes: 1)
            var entry = try SampleDiff.entry(.modified, "a", old: 1, new: 2, [.image(ImageChange(old: side, new: side))])
            entry.pictures = (old, new)
            let diff = ContainerDiff(old: SampleDiff.old, new: SampleDiff.new, entries: [entry])
            return String(decoding: HTMLReport(diff).bytes(), as: UTF8.self)
        }
        let other = try raw(SamplePictures.dot, SamplePictures.disc)
        #expect(other.contains(#"<img class="px" alt="Old picture of a" width="8" height="8""#) && other.contains("shown at 8×"))
        #expect(other.contains(#"<img alt="New picture of a" width="96" height="96""#))
        // The comparison tools appear only if both pictures are shown and have the same size.
        #expect(!other.contains("<div class=\"compare"))
        #expect(try raw(SamplePictures.disc, SamplePictures.disc).contains("<div class=\"compare"))
        #expect(try !raw(nil, SamplePictures.disc).contains("<div class=\"compare"))
    }
}

/// Rows of databases in a page.
@Suite struct HTMLRowTests {
    private static func page(_ details: [ChangeDetail.Content]) throws -> String {
        let entry = try SampleDiff.entry(.modified, "a.sqlite", old: 1, new: 2, handler: "sqlite", details)
        let diff = ContainerDiff(old: SampleDiff.old, new: SampleDiff.new, entries: [entry])
        let bytes = HTMLReport(diff).bytes()
        #expect(try PageText(bytes).problems == [])
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func column(_ name: String, _ attribute: String? = nil, _ value: PlistValue) -> RowChange.Column {
        RowChange.Column(name, attribute: attribute, old: .value(value), new: .value(value))
    }

    private static func row(_ operation: ChangeOperation, _ key: Int, _ columns: [RowChange.Column]) -> RowChange {
        RowChange(
            operation, table: "ZNOTE", entity: "Note", key: [.init("Z_PK", .value(.integer(PlistInteger(key))))], columns: columns
        )
    }

    @Test func eachRowOfOneSideIsOneLine() throws {
        let page = try Self.page([
            .row(
                Self.row(
                    .added, 7,
                    [
                        Self.column("Z_ENT", nil, 2), Self.column("Z_OPT", nil, 1), Self.column("ZTITLE", "title", "new"),
                        Self.column("ZDATE", "date", 5),
                    ])),
            .row(Self.row(.deleted, 3, [Self.column("Z_ENT", nil, 2), Self.column("ZDATE", "date", 6)])),
        ])
        #expect(page.ranges(of: "<tr class=\"gain\">").count == 1 && page.ranges(of: "<tr class=\"loss\">").count == 1)
        // A NULL cell is empty, and Core Data's own columns are dimmed and at the end.
        func value(_ text: String) -> String { "<span class=\"val\">\(text)</span>" }
        #expect(
            page.contains(
                "<th scope=\"row\">\(value("7"))</th><td>\(value("&quot;new&quot;"))</td><td>\(value("5"))</td>"
                    + "<td class=\"own\">\(value("2"))</td><td class=\"own\">\(value("1"))</td></tr>"))
        #expect(
            page.contains(
                "<th scope=\"row\">\(value("3"))</th><td></td><td>\(value("6"))</td><td class=\"own\">\(value("2"))</td>"
                    + "<td class=\"own\"></td></tr>"))
        #expect(page.contains("<th scope=\"col\" class=\"own\"><span class=\"sql\">Z_ENT</span>"))
        #expect(!page.contains("absent"))
    }

    @Test func aModifiedRowHasAPairForEachColumn() throws {
        let page = try Self.page([
            .row(
                Self.row(
                    .modified, 2,
                    [
                        RowChange.Column("ZTITLE", attribute: "title", old: .value("a"), new: .value("b")),
                        RowChange.Column("ZRATE", old: .value("1"), new: .value(1)),
                        RowChange.Column("ZGONE", old: .value(3), new: .value(.null)),
                    ]))
        ])
        #expect(page.ranges(of: "<div class=\"edit\">").count == 3 && !page.contains("<tr class=\"gain\">"))
        #expect(
            page.contains(
                "<span class=\"old\"><span class=\"val\">&quot;a&quot;</span></span> <span class=\"arrow\">→</span> "
                    + "<span class=\"new\"><span class=\"val\">&quot;b&quot;</span></span>"))
        // The type is shown if nothing else differs.
        #expect(page.contains("<span class=\"type\">string</span>") && page.contains("<span class=\"type\">integer</span>"))
    }

    @Test func countsOfPartsSaySo() throws {
        let rows = (0..<3).map { ChangeDetail.Content.row(Self.row(.added, $0, [])) }
        let page = try Self.page(rows + [.limit(Truncation("rows", table: "ZNOTE", shown: 3, total: 5_000, isJudged: true))])
        #expect(page.contains("3 of 5,000 rows</span></h4>"))
        #expect(page.contains(">a.sqlite</a>: 3 of 5,000 rows of the table <span class=\"sql\">ZNOTE</span></li>"))
    }

    @Test func veryManyColumnsAreBelowEachOther() throws {
        let columns = (0..<70).map { Self.column("C\($0)", nil, .integer(PlistInteger($0))) }
        let page = try Self.page([.row(Self.row(.added, 1, columns))])
        #expect(!page.contains("class=\"grid\"") && page.contains("<table class=\"edits\">"))
        #expect(page.ranges(of: "<div class=\"edit\">").count == 70 && page.contains("<tr class=\"gain\">"))
    }

    @Test(
        arguments: [
            ([["a", "b", "c"]], ["a", "b", "c"]),
            // A row lacks the columns that are NULL in it.
            ([["a", "c"], ["a", "b", "c"]], ["a", "b", "c"]), ([["b"], ["a", "b"], ["b", "c"]], ["a", "b", "c"]),
            ([["a", "d"], ["b", "c"]], ["b", "c", "a", "d"]),
            ([["Z_ENT", "a", "Z_OPT"], ["Z_FOK", "b"]], ["b", "a", "Z_FOK", "Z_ENT", "Z_OPT"]),
            ([["a", "a"]], ["a"]), ([[]], []), ([["b", "a"], ["a", "b"], ["a", "x", "b", "y"]], ["b", "a", "x", "y"]),
        ] as [([[String]], [String])])
    func columnsOfAllRowsAreInTheTablesOrder(rows: [[String]], expected: [String]) {
        let columns = RowColumns(rows.map { Self.row(.added, 1, $0.map { Self.column($0, nil, 1) }) })
        #expect(columns.columns.map(\.column.name) == expected)
        for (place, name) in expected.enumerated() { #expect(columns.place(of: name) == place) }
    }

    /// Each row of a table adds one more column: even this worst case is fast.
    @Test func manyColumnsTakeLittleTime() {
        let names = (0..<2_000).map { "C\($0)" }
        let rows = (1...1_000).lazy.map { Self.row(.added, $0, names.prefix(2 * $0).map { Self.column($0, nil, 1) }) }
        var columns = 0
        let time = ContinuousClock().measure { columns = RowColumns(rows).columns.count }
        #expect(columns == 2_000 && time < .seconds(60))
    }
}

@Suite struct HTMLTests {
    private static func written(_ html: HTML) -> String { String(decoding: html.bytes, as: UTF8.self) }

    @Test(
        arguments: [
            (
                Array("plain \u{E9}e\u{301} \u{1F600} \u{1F469}\u{200D}\u{1F4BB} \\".utf8),
                "plain \u{E9}e\u{301} \u{1F600} \u{1F469}\u{200D}\u{1F4BB} \\"
            ),
            ([], ""), (Array("<a b='c' d=\"e\">&amp;".utf8), "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;amp;"),
            ([0x61, 0xFF, 0x62], "a<i>\\xFF</i>b"), ([0xC3], "<i>\\xC3</i>"), ([0xE2, 0x82], "<i>\\xE2</i><i>\\x82</i>"),
            ([0xED, 0xA0, 0x80], "<i>\\xED</i><i>\\xA0</i><i>\\x80</i>"),
            ([0xF4, 0x90, 0x80, 0x80], "<i>\\xF4</i><i>\\x90</i><i>\\x80</i><i>\\x80</i>"),
            ([0xC0, 0xBC], "<i>\\xC0</i><i>\\xBC</i>"),
            (Array("\n\t\r\u{1B}\u{7F}\u{0}".utf8), "<i>\\n</i><i>\\t</i><i>\\r</i><i>\\x1B</i><i>\\x7F</i><i>\\x00</i>"),
            (Array("\u{202E}x\u{85}".utf8), "<i>\\xE2\\x80\\xAE</i>x<i>\\xC2\\x85</i>"),
            (
                Array("\u{2028}\u{FEFF}\u{200B}\u{E000}\u{FFFE}".utf8),
                "<i>\\xE2\\x80\\xA8</i><i>\\xEF\\xBB\\xBF</i><i>\\xE2\\x80\\x8B</i><i>\\xEE\\x80\\x80</i><i>\\xEF\\xBF\\xBE</i>"
            ),
            (Array("\u{E0041}".utf8), "<i>\\xF3\\xA0\\x81\\x81</i>"),
        ] as [([UInt8], String)])
    func textIsText(bytes: [UInt8], html: String) {
        #expect(Self.written("\(bytes)") == html)
        // Attributes contain no markup, but the same escapes.
        let plain = html.replacing("<i>", with: "").replacing("</i>", with: "")
        #expect(Self.written("\(attribute: bytes)") == plain)
    }

    @Test func tabsAreKeptWhereAsked() {
        #expect(Self.written("\("a\tb\n", keepsTabs: true)") == "a\tb<i>\\n</i>")
    }

    @Test func onlyLiteralsAndMarkupAreNotEscaped() {
        let name = "<b>"
        let bold: HTML = "<b>\(name)</b>"
        let none: HTML? = nil
        #expect(
            Self.written("<p>\(bold), \(name), \("<b>"), \(name.utf8)</p>")
                == "<p><b>&lt;b&gt;</b>\(String(repeating: ", &lt;b&gt;", count: 3))</p>")
        #expect(Self.written("\(12) \(none)\([bold, "<br>"], separator: "<hr>")") == "12 <b>&lt;b&gt;</b><hr><br>")
        #expect(Self.written("\(if: true, "<a>")\(if: false, "<a>")\(if: false, "<a>", else: "<b>")") == "<a><b>")
    }

    @Test(
        arguments: [
            ("Library/Preferences/com.x~1_-.plist", "/Library/Preferences/com.x~1_-.plist"), ("", "/"),
            ("a b\"'<>&%#?\u{E9}", "/a%20b%22%27%3C%3E%26%25%23%3F%C3%A9"),
        ])
    func anchorsAreOfPlainBytes(path: String, name: String) {
        #expect(Self.written("\(anchor: Array(path.utf8))") == name)
    }

    /// For any bytes, the output is UTF-8 without markup, and its length is limited by theirs.
    @Test(arguments: SeededGenerator.seeds)
    func anyBytesAreHarmless(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let length = Int.random(in: 0...12, using: &random)
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Self.written("\(attribute: bytes)")
            #expect(!text.contains { "<>\"'".contains($0) } && text.utf8.count <= 6 * length, "\(bytes)")
            #expect(String(validating: text.utf8, as: UTF8.self) != nil)
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "\(bytes)")
        }
    }
}
