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
}
