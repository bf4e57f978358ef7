import Testing

/// `capsule redact --dry-run`: what reports would hide is listed with its place, and never printed.
@Suite struct RedactTests {
    private let session: Session

    private static let secret = "s3cr3t-tok3n-0123456789abcdef"

    init() throws {
        session = try Session(
            [
                "c/Documents/notes.txt": "hello\nAuthorization: Bearer \(Self.secret)\nbye otter@example.com\n",
                "c/Documents/plain.txt": "nothing to see\n",
                "c/Documents/state.json": #"{"user": {"accessToken": "\#(Self.secret)", "name": "otter"}, "count": 7}"#,
                "c/Library/Preferences/x.plist":
                    "<plist version=\"1.0\"><dict><key>password</key><string>\(Self.secret)</string></dict></plist>",
                "c/blob.bin": "\u{0}\u{1}\u{2}\u{3}",
            ])
        try session.python(
            """
            import os, sqlite3
            connection = sqlite3.connect("c/Documents/data.sqlite")
            connection.executescript("create table account (id integer primary key, name, token); create table other (a)")
            connection.execute("insert into account values (7, 'otter', '\(Self.secret)')")
            connection.execute("insert into other values ('otter@example.com')")
            connection.commit()
            os.symlink("https://otter:\(Self.secret)@example.com/", "c/Documents/link")
            """)
    }

    @Test func placesAreListedWithoutTheirSecrets() throws {
        let outcome = try session.run("capsule redact c --dry-run")
        #expect(outcome.status == 1)
        let lines = outcome.text.split(separator: "\n").map(String.init)
        for line in [
            "Documents/data.sqlite:account[7]: secret", "Documents/notes.txt:2: secret",
            "Documents/state.json:/user/accessToken: secret", "Library/Preferences/x.plist:/password: secret",
            "Documents/link: secret",
        ] { #expect(lines.contains(line), "\(line) is not in:\n\(outcome.text)") }
        #expect(!outcome.text.contains("plain.txt") && !outcome.text.contains("/count"))
        #expect(!(outcome.text + outcome.errors).contains(Self.secret))
        #expect(
            lines.last == "5 findings in 5 entries; 1 file is a picture or has no known format and was not searched for secrets")
    }

    @Test func textsOfTheUserAreFound() throws {
        let outcome = try session.run("capsule redact c --dry-run --find OTTER@example.com --json")
        #expect(outcome.status == 1)
        for line in [
            #"{"kind":"finding","path":"Documents/notes.txt","place":"3","why":"text","count":1}"#,
            #"{"kind":"finding","path":"Documents/data.sqlite","place":"other[1]","why":"text","count":1}"#,
            #"{"kind":"opaque","path":"blob.bin"}"#,
        ] { #expect(outcome.text.contains(line), "\(line) is not in:\n\(outcome.text)") }
        #expect(!outcome.text.contains(Self.secret))
    }

    @Test func nothingFoundIsSuccess() throws {
        let outcome = try session.run("capsule redact c --dry-run Documents/plain.txt")
        #expect(outcome.status == 0 && outcome.text == "nothing found\n")
        #expect(try session.run("capsule redact c --dry-run Documents/none").status == 2)
        #expect(try session.run("capsule redact c").status == 64)
        #expect(try session.run("capsule redact c --dry-run --find ''").status == 64)
        #expect(try session.run("capsule pack -q c -o c.capsule").status == 0)
        #expect(try session.run("capsule redact c.capsule --dry-run").status == 1)
    }

    /// What can't be searched may have anything.
    @Test func unreadableFilesAreAFailure() throws {
        try session.python(
            """
            with open("c/Documents/data.sqlite", "r+b") as file:
                file.seek(4096)
                file.write(b"x" * 4096)
            """)
        let outcome = try session.run("capsule redact c --dry-run")
        #expect(outcome.status == 2 && outcome.errors.contains("Documents/data.sqlite: can't be searched"))
        #expect(outcome.text.contains("Documents/notes.txt:2: secret"))
    }

    @Test func theResultHasNoSecrets() throws {
        let outcome = try session.run("capsule redact c -o c.capsule --find otter@example.com")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("note: replaced: 2 values in 5 entries"))
        #expect(!(outcome.text + outcome.errors).contains(Self.secret))
        #expect(try session.run("capsule redact c.capsule --dry-run --find otter@example.com").status == 0)
        #expect(
            try session.run("capsule cat c.capsule Documents/notes.txt").text
                == "hello\nAuthorization: Bearer redacted-2\nbye redacted-1\n")
        let state = #"{"user": {"accessToken": "redacted-2", "name": "otter"}, "count": 7}"#
        #expect(try session.run("capsule cat c.capsule Documents/state.json").text == state)
        let diff = try session.run("capsule diff c c.capsule")
        #expect(diff.text.contains("/user/accessToken: hidden (secret) \u{2192} \"redacted-2\""))
        let packed = try session.run("capsule pack c -o d.capsule --redact --find otter@example.com")
        #expect(packed.status == 0 && packed.errors.contains("replaced: 2 values"))
        #expect(try session.run("capsule diff c.capsule d.capsule").status == 0)
    }

    @Test func keptPlacesStay() throws {
        let all =
            "--keep Documents/notes.txt --keep Documents/state.json --keep Library/Preferences/x.plist --keep Documents/link"
        #expect(try session.run("capsule redact c -o c.capsule \(all) --keep Documents/data.sqlite").status == 0)
        #expect(try session.run("capsule cat c.capsule Documents/notes.txt").text.contains(Self.secret))
        // Elsewhere it is still a secret, so that it is replaced where only a place is kept.
        #expect(try session.run("capsule redact c -f -o c.capsule --keep Documents/state.json:/user").status == 0)
        #expect(!(try session.run("capsule cat c.capsule Documents/state.json").text.contains(Self.secret)))
        #expect(try session.run("capsule redact c -f -o c.capsule --keep Documents/none").status == 2)
        // Its directory has another name, and so has the file's path.
        try session.write("x otter@example.com", to: "c/Documents/otter@example.com/kept.txt")
        let kept = "--find otter@example.com --keep Documents/otter@example.com/kept.txt"
        #expect(try session.run("capsule redact c -f -o c.capsule \(kept)").status == 0)
        #expect(try session.run("capsule cat c.capsule Documents/redacted-1/kept.txt").text == "x otter@example.com")
        #expect(try session.run("capsule verify c.capsule").status == 0)
    }

    /// Without its log, a database lacks the last writes.
    @Test func aKeptDatabaseKeepsItsLog() throws {
        try session.python("import planted_secrets; planted_secrets.make('p')")
        let keep = "--keep 'Library/Application Support/Model.sqlite'"
        #expect(try session.run("capsule redact p -o p.capsule \(keep) --find otter.finder@example.com").status == 0)
        let diff = try session.run("capsule diff p p.capsule 'Library/Application Support/Model.sqlite'")
        #expect(diff.status == 0, "\(diff.text)")
        #expect(try session.run("capsule ls p.capsule").text.contains("Model.sqlite-wal"))
    }

    @Test func furtherNamesAndTexts() throws {
        try session.write("nothing to\r\n\nOTTER@EXAMPLE.COM\n", to: "finds.txt")
        #expect(try session.run("capsule redact c -o c.capsule --key '*.name' --find-file finds.txt").status == 0)
        try session.write("\u{FEFF}nothing to\n", to: "marked.txt")
        #expect(try session.run("capsule redact c -o marked.capsule --find-file marked.txt").status == 0)
        #expect(try session.run("capsule cat marked.capsule Documents/plain.txt").text == "redacted-1 see\n")
        #expect(try session.run("capsule cat c.capsule Documents/plain.txt").text == "redacted-1 see\n")
        #expect(try session.run("capsule cat c.capsule Documents/state.json").text.contains(#""name": "redacted-"#))
    }

    @Test func wrongUses() throws {
        for (line, status, part) in [
            ("capsule redact c", 64, "needs '-o FILE'"), ("capsule redact c -o -", 64, "not standard output"),
            ("capsule redact c -o c.capsule Documents", 64, "no paths"),
            ("capsule redact c -o c.capsule --dry-run", 64, "writes nothing"),
            ("capsule redact c -o c.capsule --find xy", 64, "too short"),
            ("capsule redact c -o c.capsule --strict", 2, "blob.bin"),
            ("capsule redact c -o c.capsule --drop nonsense", 64, "class"), ("capsule pack c --find otter", 64, "--redact"),
            ("capsule redact c -o c.capsule --find-file none", 2, "none"),
            ("capsule pack c --redact --append -o c.capsule", 64, "the secrets"),
        ] {
            let outcome = try session.run(line)
            #expect(outcome.status == Int32(status) && outcome.errors.contains(part), "\(line): \(outcome.errors)")
        }
        #expect(try session.run("capsule redact c -o c.capsule --strict --keep blob.bin").status == 0)
        let existing = try session.run("capsule redact c -o c.capsule")
        #expect(existing.status == 2 && existing.errors.contains("choose another name") && !existing.errors.contains("--append"))
    }

    /// The proof covers the note and the overlays of a pack, too.
    @Test func theNoteAndOverlaysAreSearched() throws {
        try session.write(
            "<plist version=\"1.0\"><dict><key>a</key><string>otter@example.com</string></dict></plist>", to: "overlay.plist")
        for part in ["-m 'from otter@example.com'", "--overlay Library/Preferences/x.plist=overlay.plist"] {
            let outcome = try session.run("capsule pack c -o c.capsule --redact --find otter@example.com \(part)")
            #expect(outcome.status == 2 && outcome.errors.contains("the note or an overlay has a secret"))
        }
        #expect(try session.run("capsule pack -q c -o o.capsule --overlay Library/Preferences/x.plist=overlay.plist").status == 0)
        #expect(try session.run("capsule redact o.capsule -o c.capsule --find otter@example.com").status == 0)
        #expect(try session.run("capsule info c.capsule --json").text.contains("redacted-1"))
    }

    /// History never travels: of several versions, one must be named.
    @Test func oneVersionTravels() throws {
        #expect(try session.run("capsule pack -q c -o v.capsule").status == 0)
        #expect(try session.run("capsule pack -q c --append -o v.capsule").status == 0)
        let outcome = try session.run("capsule redact v.capsule -o r.capsule")
        #expect(outcome.status == 64 && outcome.errors.contains("has 2 versions"))
        #expect(try session.run("capsule redact v.capsule@latest -o r.capsule").status == 0)
        #expect(try session.run("capsule redact v.capsule@1 -f -o r.capsule").status == 0)
        #expect(try session.run("capsule redact r.capsule --dry-run").status == 0)
        #expect(try session.run("capsule info r.capsule").text.contains("1 of 1 version"))
    }

    /// Sixty values in all formats, and a reader that knows none of our code.
    @Test func plantedSecretsAreGone() throws {
        try session.python("import planted_secrets; planted_secrets.make('p')")
        let hunt = "import planted_secrets, sys; sys.exit(planted_secrets.hunt(sys.argv[1], 'p.secrets') != bool(sys.argv[2:]))"
        try session.python(hunt, "p", "found")
        #expect(try session.run("capsule redact p -o p.capsule --find otter.finder@example.com").status == 0)
        #expect(try session.run("capsule unpack -q p.capsule -o out").status == 0)
        try session.python(hunt, "out")
        try session.python("import planted_secrets; planted_secrets.open_all('out')")
        #expect(try session.run("capsule redact p.capsule --dry-run --find otter.finder@example.com").status == 0)
        #expect(try session.run("capsule redact p.capsule -o again.capsule --find otter.finder@example.com").status == 0)
        #expect(try session.run("capsule diff p.capsule again.capsule").status == 0)
    }

    /// Redaction doesn't rewrite archives, so the proof refuses a secret in one.
    @Test func aSecretInAnArchiveIsRefused() throws {
        try session.python(
            """
            import zipfile
            with zipfile.ZipFile("c/Documents/logs.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("deep/log.txt", "\(Self.secret) " * 20)
            """)
        let outcome = try session.run("capsule redact c -o c.capsule")
        #expect(outcome.status == 2)
        #expect(
            outcome.errors.contains("Documents/logs.zip: still has a secret that was removed elsewhere, in a file of the archive")
        )
        #expect(try session.run("capsule redact c -o c.capsule --exclude Documents/logs.zip").status == 0)
    }

    /// The text of a property list may say more than its values.
    @Test func escapesInStringsFilesAreSearched() throws {
        try session.write("\"k\" = \"otter\\x40example.com\";\n", to: "c/Documents/a.strings")
        let outcome = try session.run("capsule redact c -o c.capsule --find otter@example.com")
        #expect(outcome.status == 2 && outcome.errors.contains("Documents/a.strings: still has a secret"), "\(outcome.errors)")
    }

    /// The scan decodes more than can be written again: then the proof refuses it.
    @Test func compressedBase64IsRefused() throws {
        try session.python(
            """
            import base64, gzip, json
            text = base64.b64encode(gzip.compress(b'{"authToken": "Zk93plantedQ7x"}')).decode()
            json.dump({"state": text}, open("c/Documents/twice.json", "w"))
            """)
        let outcome = try session.run("capsule redact c -o c.capsule")
        #expect(outcome.status == 2 && outcome.errors.contains("Documents/twice.json: still has a secret"), "\(outcome.errors)")
    }

    /// All files that are refused are listed at once, by their own names, and the hint for one runs as printed.
    @Test func allRefusedFilesAreListed() throws {
        try session.python(
            """
            import zipfile
            for name in ["c/Documents/a.zip", "c/Documents/otter b.zip"]:
                with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
                    archive.writestr("log.txt", "otter@example.com " * 20)
            """)
        let both = try session.run("capsule redact c -o c.capsule --find otter@example.com --find 'otter b'")
        #expect(both.status == 2 && both.errors.contains("2 files still have a secret"))
        #expect(both.errors.contains("Documents/a.zip: in a file of the archive"))
        let one = try session.run(
            "capsule redact c -o c.capsule --find otter@example.com --find 'otter b' --exclude Documents/a.zip")
        #expect(one.status == 2 && one.errors.contains("'--exclude Documents/otter\\ b.zip' leaves it out"), "\(one.errors)")
    }

    /// Schemas of apps use JSON functions, and a number can be an integer, a real number or a text.
    @Test func columnsOfJSONAndNumbers() throws {
        try session.python(
            """
            import plistlib, sqlite3
            database = sqlite3.connect("c/Documents/json.sqlite")
            database.executescript('''
                CREATE TABLE t (m, e AS (json_extract(m, '$.email')), r REAL, i, CHECK (json_valid(m)));
                CREATE INDEX x ON t (json_extract(m, '$.email'));
                INSERT INTO t (m, r, i) VALUES ('{"email": "otter@example.com"}', 9988776655443, 9988776655443);''')
            database.commit()
            with open("c/Documents/n.plist", "wb") as file:
                plistlib.dump({"r": 9988776655443.0, "i": 9988776655443, "o": 9988776655444.0}, file, fmt=plistlib.FMT_BINARY)
            """)
        let outcome = try session.run("capsule redact c -o c.capsule --find otter@example.com --find 9988776655443")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try session.run("capsule unpack -q c.capsule -o out").status == 0)
        try session.python(
            """
            import plistlib, sqlite3
            database = sqlite3.connect("out/AppData/Documents/json.sqlite")
            assert database.execute("SELECT e, r, i FROM t").fetchall() == [("redacted-1", 0, 0)]
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            with open("out/AppData/Documents/n.plist", "rb") as file:
                assert plistlib.load(file) == {"r": 0.0, "i": 0, "o": 9988776655444.0}
            """)
    }

    /// A number has a sign, and digits after its point. An R-tree has it in a blob, too.
    @Test func numbersOfOtherForms() throws {
        try session.python(
            """
            import sqlite3
            database = sqlite3.connect("c/Documents/n.sqlite")
            database.executescript("CREATE TABLE t (a); INSERT INTO t VALUES (-77712345678), (77712345678.25), (77712345679.25)")
            database = sqlite3.connect("c/Documents/tree.sqlite")
            database.executescript("CREATE VIRTUAL TABLE r USING rtree(id, x0, x1); INSERT INTO r VALUES (77712345678, 1, 2)")
            """)
        let tree = try session.run("capsule redact c -o c.capsule --find 77712345678")
        #expect(
            tree.status == 2
                && tree.errors.contains("Documents/tree.sqlite: can't be redacted: the R-tree of its table 'r_rowid'"))
        #expect(try session.run("capsule redact c -o c.capsule --find 77712345678 --exclude Documents/tree.sqlite").status == 0)
        #expect(try session.run("capsule unpack -q c.capsule -o out").status == 0)
        try session.python(
            """
            import sqlite3
            rows = sqlite3.connect("out/AppData/Documents/n.sqlite").execute("SELECT a FROM t").fetchall()
            assert rows == [(0,), (0,), (77712345679.25,)], rows
            """)
    }

    /// The header of gzip can have a name, which ends with a zero byte.
    @Test func aNameInGzip() throws {
        try session.python(
            """
            import gzip, io
            data = io.BytesIO()
            with gzip.GzipFile("otter@example.com.txt", "wb", fileobj=data) as file: file.write(b"hello")
            open("c/Documents/n.gz", "wb").write(data.getvalue())
            """)
        #expect(try session.run("capsule redact c -o c.capsule --find otter@example.com").status == 0)
        #expect(try session.run("capsule unpack -q c.capsule -o out").status == 0)
        try session.python("import gzip; assert gzip.open('out/AppData/Documents/n.gz').read() == b'hello'")
    }

    @Test func nothingToReplace() throws {
        try session.write("x", to: "d/Documents/a.txt")
        #expect(
            try session.run("capsule redact d -o d.capsule --find otter").errors.contains("note: nothing was found to replace"))
    }

    /// A header as a whole is a secret, and so is the token in it, wherever it is alone; names in any case; and lists in texts stay lists.
    @Test func partsAndCases() throws {
        try session.python(
            """
            import json, plistlib
            def write(name, text): open("c/Documents/" + name, "w", encoding="utf-8").write(text)
            with open("c/Documents/h.plist", "wb") as file: plistlib.dump({"Authorization": "Bearer abc123abc123abc123abc1"}, file)
            write("alone.txt", "it was abc123abc123abc123abc1.")
            write("name.txt", "Иван Петров, ИВАН ПЕТРОВ")
            write("broken.json", '{"tokens": ["aaa11122233344", "bbb11122233344"], "x": NaN}')
            write("second.txt", "bbb11122233344")
            """)
        let outcome = try session.run("capsule redact c -o c.capsule --find 'иван петров'")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try session.run("capsule unpack -q c.capsule -o out").status == 0)
        try session.python(
            """
            import json, re
            def read(name): return open("out/AppData/Documents/" + name, encoding="utf-8").read()
            assert re.fullmatch(r"it was redacted-\\d+\\.", read("alone.txt")), read("alone.txt")
            assert re.fullmatch(r"(redacted-\\d+), \\1", read("name.txt")), read("name.txt")
            tokens = json.loads(read("broken.json"))["tokens"]
            assert len(set(tokens)) == 2 and tokens[1] == read("second.txt"), tokens
            """)
        try session.write("иВАН петров", to: "c/Documents/odd.txt")
        let odd = try session.run("capsule redact c -o o.capsule --find 'иван петров'")
        #expect(odd.status == 2 && odd.errors.contains("Documents/odd.txt"))
    }

    @Test func aHintForAnOddName() throws {
        try session.python(
            """
            import zipfile
            with zipfile.ZipFile("c/Documents/a[1].zip", "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("log.txt", "\(Self.secret) " * 20)
            """)
        let outcome = try session.run("capsule redact c -o c.capsule")
        #expect(outcome.errors.contains("'--exclude Documents/a\\?1\\?.zip' leaves it out"), "\(outcome.errors)")
        #expect(try session.run("capsule redact c -o c.capsule --exclude 'Documents/a?1?.zip'").status == 0)
    }

    /// JSON in a cell, in a string or in a log stays JSON, and redacting it again finds nothing.
    @Test func numbersInTextsStayNumbers() throws {
        try session.python(
            """
            import json, sqlite3
            database = sqlite3.connect("c/Documents/j.sqlite")
            database.executescript("CREATE TABLE s (j CHECK (json_valid(j))); CREATE INDEX x ON s (json_extract(j, '$.id'));")
            cell = json.dumps({"pin": 12345678, "id": 8374625199, "n": [-8374625199.25, 83746251990]})
            database.execute("INSERT INTO s VALUES (?)", (cell,))
            database.commit()
            open("c/Documents/n.ndjson", "w").write(cell + "\\n" + cell + "\\n")
            open("c/Documents/n.json", "w").write(json.dumps({"state": cell}))
            """)
        let outcome = try session.run("capsule redact c -o c.capsule --find 8374625199")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try session.run("capsule unpack -q c.capsule -o out").status == 0)
        try session.python(
            """
            import json, sqlite3
            expected = {"pin": 0, "id": 0, "n": [0, 10]}
            def check(text): assert json.loads(text, parse_float=lambda text: int(float(text))) == expected, text
            check(sqlite3.connect("out/AppData/Documents/j.sqlite").execute("SELECT j FROM s").fetchone()[0])
            for line in open("out/AppData/Documents/n.ndjson"): check(line)
            check(json.load(open("out/AppData/Documents/n.json"))["state"])
            """)
        #expect(try session.run("capsule redact c.capsule --dry-run --find 8374625199").status == 0)
    }
}
