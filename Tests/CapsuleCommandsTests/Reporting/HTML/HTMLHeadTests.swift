import TestSupport
import Testing

@testable import CapsuleCommands
@testable import CapsuleCore
@testable import CapsulePropertyList

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
