import Testing

/// The history of a path, a value, a table or a row in the versions of a capsule.
@Suite struct LogPathTests {
    private let session: Session

    init() throws {
        session = try Session(["make.py": Self.script])
        for (number, label) in [nil, "before", nil, nil, "after", nil].enumerated() {
            _ = try session.run("python3 make.py \(number + 1)")
            let outcome = try session.run(
                "SOURCE_DATE_EPOCH=\(1778492400 + number * 86_400) capsule pack -q C \(label.map { "--label \($0) " } ?? "")"
                    + "\(number == 0 ? "-o" : "--append -o") c.capsule")
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    /// Writes the container of a version. `os._exit` leaves the rows in the log of the database.
    private static let script = #"""
        import os, plistlib, sqlite3, sys
        i = int(sys.argv[1])
        os.makedirs("C/Documents/deep", exist_ok=True); os.makedirs("C/Library/Preferences", exist_ok=True)
        value = {"launches": i // 2, "list": [{"name": "a"}, "b"], "token": "0123456789abcde%d" % (i // 3)}
        if i in (2, 3): value["flag"] = i == 3
        plistlib.dump(value, open("C/Library/Preferences/app.plist", "wb"))
        db = sqlite3.connect("C/Documents/list.sqlite")
        if i == 1:
            db.execute("create table items(id integer primary key, title, size real)")
            db.execute("insert into items values(1, 'cat', 1)")
            db.commit()
            db.execute("pragma journal_mode=wal")
        if i == 2: db.execute("insert into items values(7, 'dog', 2)")
        if i == 3: db.execute("update items set title = 'cow' where id = 7")
        if i == 5: db.execute("delete from items where id = 7")
        if i == 6: db.execute("create table later(x)")
        db.commit()
        open("C/Documents/deep/note.txt", "w").write("line\n" * (i // 3))
        if i == 3: open("C/Documents/deep/new.txt", "w").write("new\n")
        if i == 4: os.rename("C/Documents/deep/new.txt", "C/Documents/deep/old.txt")
        if i == 5: os.remove("C/Documents/deep/old.txt")
        os._exit(0)
        """#

    @Test func values() throws {
        try session.expect(
            """
            $ capsule log c.capsule app.plist:/launches
            6  -       2026-05-16T09:40:00Z  /launches: 2 → 3
            4  -       2026-05-14T09:40:00Z  /launches: 1 → 2
            2  before  2026-05-12T09:40:00Z  /launches: 0 → 1
            1  -       2026-05-11T09:40:00Z  /launches added: 0
            $ capsule log c.capsule Library/Preferences/app.plist:flag
            4  -       2026-05-14T09:40:00Z  /flag deleted: true
            3  -       2026-05-13T09:40:00Z  /flag: false → true
            2  before  2026-05-12T09:40:00Z  /flag added: false
            $ capsule log c.capsule app.plist:/token
            6  2026-05-16T09:40:00Z  /token: hidden (secret) → hidden (secret)
            3  2026-05-13T09:40:00Z  /token: hidden (secret) → hidden (secret)
            1  2026-05-11T09:40:00Z  /token added: hidden (secret)
            3 secrets hidden; '--show-secrets' shows them
            $ capsule log -p c.capsule app.plist:/launches
            6  -       2026-05-16T09:40:00Z  /launches: 2 → 3
            ~ Library/Preferences/app.plist (plist)
                ~ /launches: 2 → 3
            4  -       2026-05-14T09:40:00Z  /launches: 1 → 2
            ~ Library/Preferences/app.plist (plist)
                ~ /launches: 1 → 2
            2  before  2026-05-12T09:40:00Z  /launches: 0 → 1
            ~ Library/Preferences/app.plist (plist)
                ~ /launches: 0 → 1
            1  -       2026-05-11T09:40:00Z  /launches added: 0
            ~ Library/Preferences/app.plist (plist)
                + /launches: 0
            """)
    }

    /// The rows are in the log of the database.
    @Test func rowsAndTables() throws {
        try session.expect(
            """
            $ capsule log c.capsule list.sqlite:items[7]
            5  after   2026-05-15T09:40:00Z  items[7] deleted: title "cow", size 2.0
            3  -       2026-05-13T09:40:00Z  items[7]: title "dog" → "cow"
            2  before  2026-05-12T09:40:00Z  items[7] added: title "dog", size 2.0
            $ capsule log c.capsule list.sqlite:later
            6  2026-05-16T09:40:00Z  added: table later
            $ capsule log c.capsule list.sqlite:ITEMS
            5  after   2026-05-15T09:40:00Z  items[7] deleted: title "cow", size 2.0
            3  -       2026-05-13T09:40:00Z  items[7]: title "dog" → "cow"
            2  before  2026-05-12T09:40:00Z  items[7] added: title "dog", size 2.0
            1  -       2026-05-11T09:40:00Z  added: table items
            """)
    }

    @Test func paths() throws {
        try session.expect(
            """
            $ capsule log c.capsule note.txt
            6  2026-05-16T09:40:00Z  text, 1 change, +1 -0 lines, 5 bytes → 10 bytes
            3  2026-05-13T09:40:00Z  text, 1 change, +1 -0 lines, 0 bytes → 5 bytes
            1  2026-05-11T09:40:00Z  added, 0 bytes
            $ capsule log c.capsule Documents/deep
            6  -      2026-05-16T09:40:00Z  Documents/deep/note.txt: text, 1 change, +1 -0 lines, 5 bytes → 10 bytes
            5  after  2026-05-15T09:40:00Z  Documents/deep/old.txt: deleted, 4 bytes
            4  -      2026-05-14T09:40:00Z  Documents/deep/new.txt → Documents/deep/old.txt: renamed
            3  -      2026-05-13T09:40:00Z  2 entries differ: 1 added, 1 modified
            1  -      2026-05-11T09:40:00Z  2 entries differ: 2 added
            $ capsule log c.capsule --stat
            6  -       2026-05-16T09:40:00Z  3 entries differ: 3 modified
            5  after   2026-05-15T09:40:00Z  2 entries differ: 1 deleted, 1 modified
            4  -       2026-05-14T09:40:00Z  2 entries differ: 1 modified, 1 renamed
            3  -       2026-05-13T09:40:00Z  4 entries differ: 1 added, 3 modified
            2  before  2026-05-12T09:40:00Z  2 entries differ: 2 modified
            1  -       2026-05-11T09:40:00Z  7 entries differ: 7 added
            """)
    }

    /// Each version has the lines that `diff` has for it and the one before.
    @Test(arguments: ["Library/Preferences/app.plist", "Documents/list.sqlite", "Documents/deep", "Documents"])
    func sameAsDiff(path: String) throws {
        let all = try session.run("capsule log c.capsule \(path) --json").text.split(separator: "\n")
        var found: [Int: [Substring]] = [:]
        var version = 6
        for line in all.dropFirst() {
            if line.hasPrefix(#"{"kind":"version""#) {
                version = try #require(line.split(separator: ",")[1].split(separator: ":").last.flatMap { Int($0) })
                found[version] = []
            } else {
                found[version]?.append(line)
            }
        }
        for version in 2...6 {
            let lines = try session.run("capsule diff --all --json c.capsule@\(version - 1)..\(version) \(path)").text
                .split(separator: "\n").dropFirst().dropLast()
            #expect(found[version] ?? [] == Array(lines), "\(version)")
        }
    }

    @Test func forMachines() throws {
        let lines = try session.run("capsule log c.capsule list.sqlite:items[7] --json").jsonLines
        #expect(
            lines.map { $0["kind"] as? String } == ["header"]
                + Array(repeating: ["version", "modified", "row"], count: 3).joined())
        #expect(lines[0]["place"] as? String == "items[7]" && lines[0]["path"] as? String == "Documents/list.sqlite")
        #expect(
            lines[1]["label"] as? String == "after"
                && lines.map { $0["op"] as? String }.compactMap { $0 } == ["deleted", "modified", "added"])
        let counts = try session.run("capsule log c.capsule --stat --json").jsonLines
        #expect(counts.count == 7 && counts[3]["renamed"] as? Int == 1)
    }

    @Test func whatIsNotThere() throws {
        try session.expect(
            rows: """
                2 | log c.capsule app.plist:/lunches | Library/Preferences/app.plist:/lunches: no key "lunches" (at /lunches) | did you mean 'launches'?
                2 | log c.capsule list.sqlite:item | Documents/list.sqlite:item: has no table 'item' | did you mean 'items'?
                2 | log c.capsule list.sqlite:items[9] | Documents/list.sqlite:items[9]: has no row with the key '9' in table items
                2 | log c.capsule nowhere | nowhere: is not in the container | 'capsule ls c.capsule' lists its paths
                2 | log C nowhere | C: is a directory, not a capsule | 'capsule pack' turns a container into a capsule
                64 | log c.capsule --stat -p | '--stat' and '--patch' cannot be used together | '--stat' shows no values
                """)
    }
}
