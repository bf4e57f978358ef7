import Foundation
import TestSupport
import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands
@testable import CapsuleCore
@testable import CapsulePropertyList
@testable import CapsuleRules

private let hasBrowser: Bool = {
    let script = "import sys; sys.path.insert(0, sys.argv[1]); import browser; sys.exit(0 if browser.find() else 1)"
    let run = try? Program.run(
        "python3", ["-c", script, PackageFiles.tools], environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    return run?.status == 0
}()

/// Pages in a real browser: see Tests/Tools/check_report.py.
@Suite(.enabled(if: hasBrowser, "there is no Chromium here"))
struct HTMLBrowserTests {
    private static func check(_ page: [UInt8], _ arguments: [String]) throws -> Program { try check([page], arguments) }

    /// The pages are named `0.html` and so on.
    private static func check(_ pages: [[UInt8]], _ arguments: [String]) throws -> Program {
        let directory = try TemporaryDirectory()
        let names = pages.indices.map { directory["\($0).html"] }
        for (name, page) in zip(names, pages) { try Files.write(page, to: name) }
        try FileManager.default.createDirectory(atPath: directory["tmp"], withIntermediateDirectories: false)
        let checked = try Program.run(
            "python3", [PackageFiles.tools + "/check_report.py", "--seconds", "300"] + arguments + ["--"] + names,
            environment: ["TMPDIR": directory["tmp"], "PYTHONDONTWRITEBYTECODE": "1"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory["tmp"]) == [])
        return checked
    }

    @Test func everyKindOfChangeIsShown() throws {
        let has = [
            "/launches", "/state/<archive>/root/edited", "ZTITLE", "CREATE INDEX ZNOTE_EDITED", "session = warm", "0xC063DB",
            "hidden (cookie)", "Library/Preferences/com.example.Notes.plist", "file is not a database", "1,000 of 52,311 rows",
        ]
        let noise = ["/lastLaunch", "fsCachedData", "Z_PRIMARYKEY", "Z_OPT", "upload.part"]
        let checked = try Self.check(
            HTMLReport(try SampleDiff.rich()).bytes(),
            has.flatMap { ["--has", $0] } + noise.flatMap { ["--noise", $0] } + ["--images", "4", "--pairs", "0"])
        #expect(checked.status == 0, "\(checked.text)\(checked.errors)")
    }

    /// The page of one state, of a capsule with two versions.
    @Test func aStateIsShown() throws {
        let session = try Session()
        for side in ["before", "after"] {
            let packed = try session.run(
                "capsule pack -q \(PackageFiles.samples)/Gifs-\(side).xcappdata --append -o gifs.capsule --label \(side)")
            try #require(packed.status == 0, "\(packed.errors)")
        }
        let page = try session.run("capsule show gifs.capsule --html -")
        let has = ["launches", "party parrot", "ZCATEGORY", "Empty file", "external file"]
        let checked = try Self.check(page.output, has.flatMap { ["--has", $0] } + ["--pairs", "0"])
        #expect(checked.status == 0, "\(checked.text)\(checked.errors)")
    }

    /// Rows with many columns, long values, and pictures of the same size fit.
    @Test func wideAndSmallThingsFit() throws {
        let columns = (0..<30).map { number in
            RowChange.Column(
                "COLUMN_\(number)",
                new: .value(.string(PlistString("value \(number) " + String(repeating: "x", count: 9 * number)))))
        }
        var small = try SampleDiff.entry(
            .modified, "Documents/icon.png", old: 1, new: 1, handler: "image",
            [
                .image(
                    ImageChange(
                        old: .init(format: "gif", width: 1, height: 1, bytes: 35),
                        new: .init(format: "gif", width: 1, height: 1, bytes: 35)))
            ])
        small.pictures = (SamplePictures.dot, SamplePictures.dot)
        let rows = (0..<40).map { number in
            ChangeDetail.Content.row(
                RowChange(
                    number % 2 == 0 ? .added : .deleted, table: "wide",
                    key: [.init("id", .value(.integer(PlistInteger(number))))],
                    columns: Array(columns.dropFirst(number % 3))))
        }
        let diff = ContainerDiff(
            old: SampleDiff.old, new: SampleDiff.new,
            entries: [small, try SampleDiff.entry(.modified, "Documents/wide.sqlite", old: 1, new: 2, handler: "sqlite", rows)])
        let checked = try Self.check(
            HTMLReport(diff).bytes(), ["--images", "2", "--pairs", "1", "--has", "COLUMN_29"])
        #expect(checked.status == 0, "\(checked.text)\(checked.errors)")
    }

    /// The verdict is at the top, each finding links to a mark, and the filter shows only marked entries.
    @Test func findingsAreMarkedAndFiltered() throws {
        let report = try HTMLReportTests.judged()
        let count = try #require(report.judgement).result.findings.count
        let checked = try Self.check(
            report.bytes(), ["--findings", String(count), "--has", "/launches", "--has", "not as expected"])
        #expect(checked.status == 0, "\(checked.text)\(checked.errors)")
    }

    @Test func hostileTextsDoNothing() throws {
        let checked = try Self.check(HTMLReport(try HostileDiff.make()).bytes(), ["--has", "alert(1)", "--images", "0"])
        #expect(checked.status == 0, "\(checked.text)\(checked.errors)")
    }

    @Test func nothingCanBeShownToo() throws {
        let same = ContainerDiff(old: SampleDiff.old, new: SampleDiff.new, entries: [])
        let checked = try Self.check(HTMLReport(same).bytes(), ["--has", "The two are identical.", "--brief"])
        #expect(checked.status == 0, "\(checked.text)\(checked.errors)")
    }

    /// The check itself finds errors in a page. One browser looks at all of them.
    @Test func wrongIsSeen() throws {
        let errors = [
            ("<main id=\"main\">", "<main id=\"main\"><img alt=\"\" src=\"http://127.0.0.1:9/x.png\">", "127.0.0.1"),
            ("<main id=\"main\">", "<main id=\"main\"><p style=\"color: red\">x</p>", "Content"),
            ("\"use strict\";", "\"use strict\"; console.log(1);", "Content"),
            ("<p class=\"verdict\">", "<p class=\"verdict\"><svg width=\"600\" height=\"9\"></svg>", "sideways"),
            ("no newline at the end", "", "can't be read"),
            ("data:image/gif;base64,", "data:image/gif;base64,AAAA", "not drawn"),
            ("<label class=\"more\">", "<p><br><br><br></p><label class=\"more\">", "pixels of a phone"),
            ("</b></label>", "</b><b>0</b></label>", "a filter of nothing"),
        ]
        let page = String(decoding: HTMLReport(try SampleDiff.rich()).bytes(), as: UTF8.self)
        for (text, _, _) in errors { #expect(page.contains(text)) }
        let checked = try Self.check(
            errors.map { text, other, _ in Array(page.replacing(text, with: other).utf8) },
            ["--brief", "--has", "no newline at the end"])
        #expect(checked.status == 1)
        let lines = checked.text.split(separator: "\n")
        for (number, (_, _, told)) in errors.enumerated() {
            let own = lines.filter { $0.contains("/\(number).html: ") }
            #expect(own.contains { $0.contains(told) }, "\(told): \(own)\(checked.errors)")
        }
    }
}

/// Writes the samples to the directory in `CAPSULE_HTML_SAMPLE`, for viewing in a browser.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["CAPSULE_HTML_SAMPLE"] != nil, "CAPSULE_HTML_SAMPLE is not set"))
struct HTMLSampleTests {
    @Test func samples() throws {
        let directory = try #require(ProcessInfo.processInfo.environment["CAPSULE_HTML_SAMPLE"])
        let empty = ContainerDiff(old: SampleDiff.old, new: SampleDiff.new, entries: [])
        for (name, diff) in [("rich", try SampleDiff.rich()), ("hostile", try HostileDiff.make()), ("same", empty)] {
            try Files.write(HTMLReport(diff).bytes(), to: "\(directory)/\(name).html")
            #expect(Files.exists("\(directory)/\(name).html"))
        }
        var many: [EntryChange] = []
        for number in 0..<10_000 {
            let name = String(number * 7_919 % 10_000 + 10_000)
            many.append(
                try SampleDiff.entry(
                    number % 3 == 0 ? .added : .modified, "Documents/\(name.suffix(2))/\(name.suffix(1))/\(name).plist",
                    old: number % 3 == 0 ? nil : 5, new: 7, handler: "plist",
                    number % 3 == 0 ? [] : [SampleDiff.value(.modified(old: 1, new: 2), ["count"])]))
        }
        let large = ContainerDiff(old: SampleDiff.old, new: SampleDiff.new, entries: many)
        try Files.write(HTMLReport(large).bytes(), to: "\(directory)/large.html")
    }
}
