import TestSupport
import Testing

/// The page of one state: `show --html`.
@Suite struct StatePageTests {
    private let session: Session

    init() throws {
        session = try Session(["nothing": ""])
        try session.python(
            #"""
            import os, plistlib, sqlite3
            for number in (1, 2):
                root = f"C{number}/"
                os.makedirs(root + "Library/Preferences"); os.makedirs(root + "Library/Caches"); os.makedirs(root + "Documents")
                value = {"launches": 5 + number, "deep": {"er": [True, 1.5]}, "token": "0123456789abcdef"}
                plistlib.dump(value, open(root + "Library/Preferences/app.plist", "wb"))
                open(root + "Documents/note.txt", "w").write("one\ntwo\n" * number)
                open(root + "Documents/data.bin", "wb").write(bytes([0, 1, 255]) + b"AB")
                open(root + "Documents/empty", "wb")
                open(root + "Library/Caches/blob", "wb").write(bytes(3000))
                db = sqlite3.connect(root + "Documents/list.sqlite")
                db.executescript("create table items(id integer primary key, title); create table bare(x);")
                db.executemany("insert into items values(?, ?)", [(n, f"item {n}") for n in range(20 + 10 * number)])
                db.commit()
            """#)
        try #require(session.run("capsule pack -q C1 -o x.capsule --label base").status == 0)
        try #require(session.run("capsule pack -q C2 --append -o x.capsule --label second").status == 0)
    }

    private func page(_ arguments: String) throws -> (bytes: [UInt8], page: PageText, text: String) {
        let outcome = try session.run("capsule show \(arguments) --html -")
        try #require(outcome.status == 0, "\(outcome.errors)")
        let page = try PageText(outcome.output)
        #expect(page.problems == [])
        #expect(Set(page.ids).count == page.ids.count)
        let missing = page.links.filter { $0.hasPrefix("#") && !page.ids.contains(String($0.dropFirst())) }
        #expect(missing == [])
        let text = page.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return (outcome.output, page, text)
    }

    @Test func everythingIsOnThePage() throws {
        let (_, page, shown) = try page("x.capsule")
        #expect(page.title == "x.capsule@2 (second) · capsule show")
        let wanted = [
            "What takes the space", "Documents/list.sqlite", "--drop caches", "Library/Preferences/app.plist",
            "launches integer 7", "er", "real 1.5", "one two one two", "Table items 20 of 40 rows", "\"item 7\"",
            "Empty table: bare", "0000 00 01 ff 41 42", "Empty file", "hidden (",
            "All of it: capsule show x.capsule Documents/list.sqlite:TABLE",
        ]
        for text in wanted { #expect(shown.contains(text), "\(text)") }
        #expect(!shown.contains("0123456789abcdef"))
        #expect(page.policy.hasPrefix("default-src 'none'; img-src data:; style-src 'sha256-"))
    }

    /// A column for each version, a cell for each path that changed in it, and the changes behind the cell.
    @Test func theTimelineLeadsToTheChanges() throws {
        let (_, page, shown) = try page("x.capsule")
        #expect(shown.contains("1base2second"))
        #expect(page.links.contains("#~2/Documents/list.sqlite"))
        #expect(page.links.contains("#~2/Library/Preferences/app.plist"))
        #expect(!page.links.contains { $0.hasPrefix("#~1") })
        #expect(shown.contains("Version 2 second"))
        #expect(try !self.page("C2").text.contains("Versions"))
    }

    @Test func theSizeIsLimited() throws {
        try session.python(
            """
            import os
            os.makedirs("C3/Documents")
            for number in range(1800):
                open(f"C3/Documents/{number:04}.txt", "w").write(f"text {number}\\n" * 20)
            """)
        let whole = try page("C3 --full")
        #expect(whole.text.contains("text 1799"))
        for limit in [600_000] {
            let page = try page("C3 --max-bytes \(limit)")
            #expect(page.bytes.count <= limit)
            #expect(page.bytes.count > limit / 2)
            #expect(page.text.contains("more entries with"))
            #expect(page.text.contains("in 1,801 entries"))
        }
    }

    /// Tables beyond the first hundred are counted.
    @Test func tablesThatAreNotShownAreCounted() throws {
        try session.python(
            """
            import os, sqlite3
            os.makedirs("T/Documents")
            db = sqlite3.connect("T/Documents/many.sqlite")
            for number in range(103):
                db.execute(f"create table t{number:03}(a)"); db.execute(f"insert into t{number:03} values({number})")
            db.commit()
            """)
        let shown = try page("T").text
        #expect(shown.contains("Table t099 1 row"))
        #expect(shown.contains("3 more tables with rows not shown"))
    }

    @Test func contentsAreLeftOutOnRequest() throws {
        let shown = try page("x.capsule --no-content").text
        #expect(shown.contains("app.plist"))
        for text in ["launches", "item 7", "one two", "not on this page"] { #expect(!shown.contains(text), "\(text)") }
    }

    /// Noise is the same, with contents and without.
    @Test(arguments: ["", " --no-content"]) func noiseStaysNoise(flag: String) throws {
        for side in ["before", "after"] {
            let packed = try session.run(
                "capsule pack -q \(PackageFiles.samples)/Gifs-\(side).xcappdata --append -o gifs.capsule")
            try #require(packed.status == 0)
        }
        let (_, page, shown) = try page("gifs.capsule" + flag)
        #expect(shown.contains("8 paths have only noise"))
        #expect(page.links.contains("#~2/Library/Preferences/com.example.gifs.plist"))
    }

    /// Names, keys and texts from a container are text.
    @Test func hostileNamesAreText() throws {
        try session.python(
            #"""
            import os, plistlib, sqlite3
            bad = ["<script>alert(1)<", "\"onload=x", "'><img src=x onerror=y>", "a\nb", "\u202egnp.exe", "&lt;", "~2", "x" * 200]
            os.makedirs("H/Documents/" + bad[2].replace("/", ""))
            for number, name in enumerate(bad):
                name = name.replace("/", "")
                open(f"H/Documents/{name}.txt", "w").write("".join(bad) + "\n")
                open(f"H/Documents/{bad[2]}/{name}.txt", "w").write("x")
            plistlib.dump({name: {name: name} for name in bad if "\u202e" not in name}, open("H/bad.plist", "wb"))
            deep = "x"
            for number in range(200): deep = {f"k{number}": deep}
            plistlib.dump(deep, open("H/deep.plist", "wb"))
            db = sqlite3.connect("H/bad.sqlite")
            for name in bad:
                quoted = '"' + name.replace('"', '""') + '"'
                db.execute(f"create table {quoted}({quoted}, b)"); db.execute(f"insert into {quoted} values(?, ?)", (name, name.encode()))
            db.commit()
            open("H/torn.sqlite", "wb").write(open("H/bad.sqlite", "rb").read()[:5000])
            """#)
        let (_, page, shown) = try page("H")
        #expect(page.elements["script"] == 1)
        #expect(page.depth < 200)
        #expect(shown.contains("<script>alert(1)<.txt"))
    }

    @Test func callsThatMakeNoPage() throws {
        for (line, words) in [
            ("show C1 --html p.html Documents", "omit PATH"), ("show C1 --max-bytes 600000", "'--max-bytes'"),
            ("show C1 --no-content", "'--no-content'"), ("show C1 --html p.html --json", "'--json'"),
            ("show C1 --html - --open", "only a file can be opened"),
        ] {
            let outcome = try session.run("capsule \(line)")
            #expect(outcome.status == 64, "\(line)")
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
        #expect(!session.exists("p.html"))
        try session.write("mine", to: "p.html")
        #expect(try session.run("capsule show C1 --html p.html").status == 2)
        #expect(try session.text("p.html") == "mine")
        #expect(try session.run("capsule show C1 --html p.html --force").status == 0)
        // A page replaces a page.
        #expect(try session.run("capsule show C2 --html p.html").status == 0)
        // Nobody is there to see it.
        let outcome = try session.run("capsule show C1 --open")
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("'--html FILE' writes it"))
    }
}
