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
}
