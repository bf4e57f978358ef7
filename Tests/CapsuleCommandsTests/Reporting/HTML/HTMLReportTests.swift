import CapsuleHashing
import TestSupport
import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands
@testable import CapsuleCore
@testable import CapsulePropertyList
@testable import CapsuleRules

@Suite struct HTMLReportTests {
    private static func page(_ diff: ContainerDiff, isFull: Bool = false) throws -> PageText {
        try PageText(HTMLReport(diff, isFull: isFull).bytes())
    }

    private static func diff(_ entries: [EntryChange], isComplete: Bool = true) -> ContainerDiff {
        ContainerDiff(old: SampleDiff.old, new: SampleDiff.new, entries: entries, isComplete: isComplete)
    }

    @Test func markupIsSound() throws {
        let many = try (0..<500).map { try SampleDiff.entry(.added, "a\($0 % 7)/b\($0 % 5)/\($0)", new: UInt64($0)) }
        for diff in [try SampleDiff.rich(), try HostileDiff.make(), Self.diff([]), Self.diff(many)] {
            for isFull in [false, true] {
                let page = try Self.page(diff, isFull: isFull)
                #expect(page.problems == [])
                #expect(Set(page.ids).count == page.ids.count)
                #expect(page.links.allSatisfy { page.ids.contains(String($0.dropFirst())) })
                #expect(page.elements["script"] == 1 && page.elements["style"] == 1 && page.elements["h1"] == 1)
                #expect(page.style.utf8.elementsEqual(HTML(joining: PageStyle.parts).bytes))
                #expect(page.script.utf8.elementsEqual(HTML(joining: PageScript.parts).bytes))
            }
        }
    }

    @Test func everythingCanBeFound() throws {
        let diff = try SampleDiff.rich()
        let page = try Self.page(diff)
        for entry in diff.entries {
            #expect(page.text.contains(entry.path.description))
            for side in [entry.old, entry.new].compactMap(\.self) {
                #expect(page.text.contains(side.mode.octal) && page.text.contains(side.modified.iso8601()))
                if side.kind == .file { #expect(page.text.contains(side.digest.hex)) }
            }
        }
        let wanted = [
            // Sources and numbers.
            "captures/onboarding-base.capsule@1", "2026-11-20 10:12.31.004.xcappdata", "33 changes", "17 entries",
            "6 changes hidden as noise", ": caches\u{A0}2, clock\u{A0}1, core-data\u{A0}1, scene-sessions\u{A0}1, tmp\u{A0}1",
            // Values.
            "/launches", "/accounts/[id=ada@example.com]", #"{"name": "Ada", "admin": true, "score": 9.5}"#,
            "/legacy~1date~0stamp",
            #""2026-10-01""#, "string \"1\"", "integer 1", "/state/<archive>/root/edited", "in NTSession", "2026-05-09T06:13:20Z",
            #"["a", "b", "c"]"#, "/blob/<plist>", "encoded as xml", "encoded as binary",
            // Rows and schema.
            "CREATE INDEX ZNOTE_EDITED ON ZNOTE (ZEDITED COLLATE BINARY ASC)", "\tZCOLOR VARCHAR\n)", "Table ZNOTE",
            "entity Note",
            "3 rows", "title ZTITLE", #""Draft""#, #""Final""#, "2026-11-21T10:12:31.25Z", "/<plist>/blocks/0/level",
            "data of 4096 bytes", "external file 7E1B4D2C-0F6A-4B51, 91.8 kB", "no key",
            "Z_OPT core-data",
            #""It was a dark"… (9,182 bytes)"#,
            // Text.
            "@@ −10,5 +10,7 @@", "@@ −41 +43,2 @@", "\tsession = warm", #"if (a < b && b > c) { print("<ok>") }"#,
            "1 more hunk is not shown",
            "no newline at the end",
            // Bytes, cookies, metadata, encodings, pictures, types.
            "12,608,475 0xC063DB", "99.3 %", "none: the new file is shorter", "sid .example.com /", "hidden (cookie)",
            "2027-05-09T06:13:20Z",
            "com.apple.metadata:kMDItemWhereFroms", "0600", "xml → binary", "PNG, 96 × 96 px, 358 bytes",
            "PNG, 128 × 128 px, 635 bytes",
            "GIF, 1 × 1 px, 35 bytes, shown at 8×", "HEIC, 4032 × 3024 px, 1,204,113 bytes", "HEIC: not shown", "to Caches/../v2",
            "lrwxrwxrwx",
            "was Documents/Inbox/draft.md",
            // Notes on what is not shown.
            "All changes are counted, but not all are shown",
            "Compared as bytes, not as sqlite. The new side: file is not a database",
            "Not everything is shown: 1,000 of 52,311 rows of the table ZLOG", "5 values are shortened",
        ]
        for text in wanted { #expect(page.text.contains(text), "\(text)") }
        #expect(page.title == "onboarding-base.capsule@1 → com.example.Notes 2026-11-20 10:12.31.004.xcappdata · capsule diff")
    }

    @Test func hostileTextStaysText() throws {
        let bytes = HTMLReport(try HostileDiff.make()).bytes()
        let raw = String(decoding: bytes, as: UTF8.self)
        let page = try PageText(bytes)
        #expect(page.elements["img"] == nil && page.images.isEmpty)
        for mark in [
            "<svg/", "<svg xmlns", "onerror=\"", "onload=a ", "--><", "\u{202E}", "\u{2066}", "\u{1B}", "\u{2028}", "\u{FEFF}",
        ] {
            #expect(!raw.contains(mark), "\(mark)")
        }
        #expect(page.text.components(of: HostileDiff.markup) > 30)
        #expect(raw.utf8.elementsEqual(bytes))
    }

    @Test func sameDifferenceSameBytes() throws {
        #expect(HTMLReport(try SampleDiff.rich()).bytes() == HTMLReport(try SampleDiff.rich()).bytes())
        #expect(HTMLReport(try HostileDiff.make()).bytes() == HTMLReport(try HostileDiff.make()).bytes())
    }

    /// The browser accepts only content with these digests.
    @Test func policyKnowsStyleAndScript() throws {
        let page = try Self.page(Self.diff([]))
        func digest(_ text: String) -> String {
            let digest = SHA256Hasher.digest(of: Array(text.utf8))
            return String(decoding: Base64.encode(digest.withBytes { Array($0) }), as: UTF8.self)
        }
        #expect(
            page.policy == "default-src 'none'; img-src data:; style-src 'sha256-\(digest(page.style))'; "
                + "script-src 'sha256-\(digest(page.script))'; base-uri 'none'; form-action 'none'")
        for text in [page.style, page.script] {
            for word in ["http:", "https:", "url(", "@import", "innerHTML", "eval(", "fetch(", "<!--", "</"] {
                #expect(!text.contains(word))
            }
        }
    }

    @Test func longValuesAreCutUnlessAllIsWanted() throws {
        let long = String(repeating: "x", count: 5_000)
        let deep = PlistValue.array([PlistValue](repeating: 1, count: 80))
        let line = TextChange(
            encoding: "utf-8", added: 1, deleted: 0, hunkCount: 1,
            hunks: [.init(old: .init(start: 0, count: 0), new: .init(start: 1, count: 1), lines: [.init(.added, long)])])
        let diff = Self.diff([
            try SampleDiff.entry(
                .modified, "a", old: 1, new: 2,
                [
                    SampleDiff.value(.added(.string(PlistString(long))), ["s"]), SampleDiff.value(.added(deep), ["n"]),
                    SampleDiff.value(.added(.data([UInt8](repeating: 0, count: 4_000))), ["d"]), .text(line),
                    SampleDiff.value(.added("short"), ["t"]),
                ])
        ])
        let cut = try Self.page(diff)
        #expect(cut.text.contains("4 values are shortened") && !cut.text.contains(String(repeating: "x", count: 1_001)))
        #expect(cut.text.contains("(5,000 bytes)") && cut.text.contains("data of 4000 bytes"))
        let full = try Self.page(diff, isFull: true)
        #expect(full.text.components(of: long) == 2 && !full.text.contains("values are shortened") && !full.text.contains("…"))
    }

    /// A property list of a few objects that expands to more values than fit in memory.
    @Test func valuesThatExpandEndSomewhere() throws {
        var value = PlistValue.string(PlistString(String(repeating: "bomb", count: 1_000)))
        for _ in 0..<60 { value = .array([value, value]) }
        let diff = Self.diff([try SampleDiff.entry(.modified, "a", old: 1, new: 2, [SampleDiff.value(.added(value), ["b"])])])
        for isFull in [false, true] {
            let bytes = HTMLReport(diff, isFull: isFull).bytes()
            #expect(bytes.count < 32 << 20 && bytes.count > 1_000)
            #expect(
                String(decoding: bytes.suffix(20_000), as: UTF8.self).contains("1 value is shortened"))
        }
    }

    @Test func elementsAreNotTooDeepForBrowsers() throws {
        // Deeper than any element of the page may be.
        let depth = runsLongTests ? 1_000 : 300
        let name = Array(repeating: "d", count: depth)
        let entries = try (1...depth).map { try SampleDiff.entry(.added, name.prefix($0).joined(separator: "/"), new: 1) }
        let page = try Self.page(Self.diff(entries))
        #expect(page.problems == [] && page.depth < 256)
    }

    @Test func onlyImagesThatBrowsersShowAreShown() throws {
        func page(_ old: EntryChange.Picture?, _ new: EntryChange.Picture?, isFull: Bool = false) throws -> PageText {
            var entry = try SampleDiff.entry(.modified, "a.png", old: 1, new: 2)
            entry.pictures = (old, new)
            return try Self.page(Self.diff([entry]), isFull: isFull)
        }
        let both = try page(SamplePictures.disc, SamplePictures.dot)
        #expect(both.images.map(\.type) == ["image/png", "image/gif"] && both.images.map(\.bytes) == [358, 35])
        // The type of a picture is taken from its bytes: no other type reaches the page.
        #expect(try page(.init(type: "text/html", bytes: SamplePictures.disc.bytes), nil).images.map(\.type) == ["image/png"])
        for type in ["image/svg+xml", "image/png", "text/html"] {
            let none = try page(nil, .init(type: type, bytes: Array("<svg><script>alert(1)</script></svg>".utf8)))
            #expect(none.images.isEmpty && none.text.contains("Not shown") && none.problems == [])
        }
        var huge = SamplePictures.disc.bytes
        huge.replaceSubrange(16..<24, with: [0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF])
        #expect(try page(nil, .init(type: "image/png", bytes: huge)).text.contains("too many pixels"))
        // The page's budget for pictures.
        let large = EntryChange.Picture(
            type: "image/png", bytes: SamplePictures.disc.bytes + [UInt8](repeating: 0, count: 40 << 20))
        let room = HTMLReport(
            Self.diff([
                try {
                    var entry = try SampleDiff.entry(.modified, "a.png", old: 1, new: 2)
                    entry.pictures = (large, large)
                    return entry
                }()
            ])
        ).bytes()
        #expect(room.count > 50 << 20 && room.count < 60 << 20)
        #expect(String(decoding: room.suffix(40_000), as: UTF8.self).contains("too many pictures"))
    }

    @Test func noiseIsCountedAndMarked() throws {
        let noise = try SampleDiff.entry(.added, "Library/Caches/x", new: 1, noise: .caches)
        let only = try Self.page(Self.diff([noise]))
        #expect(
            only.text.contains("Only noise differs") && only.text.contains("1 change hidden as noise")
                && only.text.contains(": caches\u{A0}1"))
        #expect(only.text.contains("Only noise differs. Turn on the noise filter to see it."))
        #expect(only.ids.contains("f-n") && only.ids.contains("f-a") && !only.ids.contains("f-d"))
        let none = try Self.page(Self.diff([try SampleDiff.entry(.deleted, "a", old: 1)]))
        #expect(!none.text.contains("noise") && !none.ids.contains("f-n") && none.ids.contains("f-d"))
        let raw = String(decoding: HTMLReport(try SampleDiff.rich()).bytes(), as: UTF8.self)
        #expect(raw.contains(#"<details class="entry v na" id="/Library/Caches/com.example.Notes/Cache.db">"#))
        // A row that is noise, one column of another, and an entry that is noise by its details.
        #expect(raw.contains(#"<div class="scroll nz">"#) && raw.contains(#"<tr class="nz">"#))
        #expect(raw.contains(#"<div class="edit nz">"#))
        #expect(raw.contains(#"<details class="entry v nm" id="/Library/Preferences/com.apple.idle.plist""#))
        #expect(raw.contains("1 change hidden as noise</p>"))
    }

    /// Returns a report with a verdict on every kind of change: not allowed, forbidden, missing and miscounted.
    static func judged() throws -> HTMLReport {
        let diff = try SampleDiff.rich()
        let expectation = try Expectation([
            "CapsuleExpectation": 1, "Noise": "check",
            "Must": [
                ["Path": "Library/Preferences/com.example.Notes.plist", "Pointer": "/launches", "To": 99], ["Path": "gone"],
            ],
            "May": [["Kind": "row", "Count": 100]], "MustNot": [["Table": "ZNOTE", "Note": "<never> \"x\""], ["Kind": "text"]],
        ])
        return HTMLReport(diff, judgement: PageVerdict(expectation.evaluate(diff), by: bytes("run<1>.json")))
    }

    /// A passed verdict says nothing about a clause that can't match anything.
    @Test func whatCanNotMatchIsAWarning() throws {
        var diff = Self.diff([try SampleDiff.entry(.deleted, "a", old: 1)])
        let paths: [PlistValue] = (0..<25).map { ["Path": .string(PlistString("<gone \($0)>"))] }
        let expectation = try Expectation([
            "CapsuleExpectation": 1, "Other": "allow", "Must": [["Path": "b"]], "MustNot": .array(paths),
        ])
        diff.paths = [RelativePath(named: Array("a".utf8)), RelativePath(named: Array("<gone x>".utf8))]
        let result = expectation.evaluate(diff)
        let page = try PageText(HTMLReport(diff, judgement: PageVerdict(result, by: bytes("run.json"))).bytes())
        #expect(page.text.contains("Warning: 25 clauses can't match anything."))
        #expect(page.text.contains("MustNot 20: no path matches '<gone 19>' on either side"))
        #expect(page.text.contains("did you mean '<gone x>'?"))
        #expect(!page.text.contains("MustNot 21:") && page.text.contains("5 clauses are not listed."))
        // A missing change is a finding by itself.
        #expect(!page.text.contains("Must 1:"))
    }

    @Test func findingsLeadToTheirMarks() throws {
        let report = try Self.judged()
        let page = try PageText(report.bytes())
        #expect(page.problems == [] && page.elements["style"] == 1)
        #expect(Set(page.ids).count == page.ids.count)
        #expect(page.links.allSatisfy { page.ids.contains(String($0.dropFirst())) })
        let findings = report.judgement?.result.findings.count ?? 0
        let listed = page.links.filter { $0.hasPrefix("#~f") }.count
        // Among the missing changes, only those with a near match have a place.
        #expect(findings > 20 && listed >= findings - 2)
        for text in [
            "Failed run<1>.json: ", "forbidden: ZNOTE (<never> \"x\")", "missing: gone", "not allowed", "wrong number",
            "not as expected", "expected",
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        #expect(page.ids.contains("f-x"))
        // Every marked change is visible without showing noise.
        let raw = String(decoding: report.bytes(), as: UTF8.self)
        for entry in raw.split(separator: "<details class=\"entry v ").dropFirst() where entry.contains("class=\"fx ") {
            #expect(entry.hasPrefix("s") && entry.prefix(10).contains(" hit\""), "\(entry.prefix(60))")
            #expect(!entry.contains("nz\"><td class=\"k\"><span class=\"fx"))
        }
        let digest = SHA256Hasher.digest(of: Array(page.style.utf8))
        let allowed = String(decoding: Base64.encode(digest.withBytes { Array($0) }), as: UTF8.self)
        #expect(page.policy.contains("style-src 'sha256-\(allowed)'; ") && page.style.contains(".judged"))
    }

    @Test func aVerdictThatHoldsIsShown() throws {
        let diff = try SampleDiff.rich()
        let result = try Expectation(["CapsuleExpectation": 1, "Other": "allow"]).evaluate(diff)
        #expect(result.holds == diff.isExact)
        let same = Self.diff([])
        let passed = try Expectation(["CapsuleExpectation": 1]).evaluate(same)
        let page = try PageText(HTMLReport(same, judgement: PageVerdict(passed, by: bytes("run.json"))).bytes())
        #expect(page.text.contains("Passed run.json: 0 changes") && !page.ids.contains("f-x") && page.problems == [])
        #expect(!(try Self.page(same)).ids.contains("~outcome"))
    }

    @Test(arguments: [true, false]) func aCommandThatFailedLeavesNothingPassed(isJudged: Bool) throws {
        let same = Self.diff([])
        let verdict = PageVerdict(try Expectation(["CapsuleExpectation": 1]).evaluate(same), by: bytes("run.json"))
        let command = CommandResult(name: "make", failure: "was ended by signal 9")
        let page = try PageText(HTMLReport(same, judgement: isJudged ? verdict : nil, command: command).bytes())
        #expect(page.text.contains("Failed make: was ended by signal 9") && page.problems == [])
        #expect(!page.text.contains("Passed") && page.text.contains("No findings run.json: 0 changes") == isJudged)
    }

    @Test func manyFindingsFold() throws {
        let many = Self.diff(try (0..<600).map { try SampleDiff.entry(.added, "f\($0)", new: 1) })
        let result = try Expectation(["CapsuleExpectation": 1]).evaluate(many)
        let page = try PageText(HTMLReport(many, judgement: PageVerdict(result, by: bytes("run.json"))).bytes())
        #expect(
            page.text.contains("600 findings") && page.text.contains("190 more")
                && page.text.contains("400 findings are not listed"))
        #expect(page.links.filter { $0.hasPrefix("#~f") }.count == 200)
        #expect(page.ids.filter { $0.hasPrefix("~f") }.count == 600)
    }

    @Test func emptyDifferenceSaysSo() throws {
        let page = try Self.page(Self.diff([]))
        #expect(page.text.contains("Nothing differs") && page.text.contains("The two are identical."))
        #expect(page.elements["details"] == nil && page.elements["input"] == nil)
        #expect(try Self.page(Self.diff([], isComplete: false)).text.contains("This report is incomplete"))
    }
}

extension String {
    /// Returns the number of occurrences of another text.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
