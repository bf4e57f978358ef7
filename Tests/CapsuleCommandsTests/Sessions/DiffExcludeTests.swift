import Testing

/// `--exclude`: the report says what is left out, and an expectation that may need it fails.
@Suite struct DiffExcludeTests {
    private func session() throws -> Session {
        let session = try Session()
        try session.python(
            """
            import os, sqlite3
            for side, value in ("a", 1), ("b", 2):
                for name in "Documents/Logs", "Documents/Keep", "Library":
                    os.makedirs(f"{side}/{name}")
                for name in "Documents/Logs/x.txt", "Documents/Logs/y.log", "Documents/Keep/z.log", "Documents/Keep/note.txt", "Library/c.log":
                    with open(f"{side}/{name}", "w") as file:
                        file.write(f"{name} {value}\\n")
                if os.fork() == 0:
                    database = sqlite3.connect(f"{side}/Library/Store.sqlite")
                    database.execute("PRAGMA journal_mode=WAL")
                    database.execute("CREATE TABLE T(v)")
                    database.execute("INSERT INTO T VALUES (?)", [value])
                    database.commit()
                    os._exit(0)
                os.wait()
            """)
        try session.expect(
            """
            $ capsule pack -q a -o c.capsule
            $ capsule pack -q b --append -o c.capsule
            """)
        return session
    }

    private static let pairs = ["a b", "c.capsule@1 b", "a c.capsule@2", "c.capsule@1..2"]

    @Test(arguments: pairs)
    func whatIsLeftOutIsCounted(pair: String) throws {
        let session = try session()
        try session.expect(
            """
            [1] $ capsule diff \(pair) --name-only --exclude '*.log' --exclude Documents/Logs --exclude '*.sqlite'
            Documents/Keep/note.txt
            > capsule: note: not compared: 3 entries that match '*.log'
            > capsule: note: not compared: 3 entries that match 'Documents/Logs'
            > capsule: note: not compared: 3 entries that match '*.sqlite'
            $ capsule diff -q \(pair) --exclude Documents --exclude Library
            """)
        let text = try session.run("capsule diff \(pair) --exclude '*.log' --json").text
        #expect(text.contains("\n" + #"{"kind":"excluded","pattern":"*.log","entries":3}"# + "\n"))
        #expect(!text.contains(/"path":"[^"]*\.log"/))
    }

    @Test(arguments: pairs)
    func belowAPath(pair: String) throws {
        let outcome = try session().run("capsule diff \(pair) Documents --exclude Documents/Keep --name-only")
        #expect((outcome.status, outcome.text) == (1, "Documents/Logs/x.txt\nDocuments/Logs/y.log\n"))
    }

    private static let unjudged = [
        #""MustNot": [{"Path": "Library/c.log"}]"#, #""MustNot": [{"Path": "**/c*"}]"#, #""MustNot": [{"Table": "U"}]"#,
        #""May": [{"Path": "Library/*.log", "Count": {"Max": 5}}]"#, #""Must": [{"Path": "Documents/**", "Count": 2}]"#,
    ]

    @Test(arguments: pairs)
    func whatCannotBeJudgedFails(pair: String) throws {
        let session = try session()
        for clause in Self.unjudged {
            let outcome = try session.judge(clause, "\(pair) --exclude '*.log' --strict-patterns")
            #expect(outcome.status == 1, "\(clause) \(outcome.errors)")
            #expect(outcome.text.contains("log is not compared: '--exclude *.log'\n"), "\(clause)")
        }
        #expect(try session.judge(#""Must": [{"Path": "Library/c.log"}]"#, "\(pair) --exclude '*.log'").status == 1)
    }

    @Test(arguments: pairs)
    func whatHasNothingToDoWithItIsJudged(pair: String) throws {
        let clauses =
            #""Must": [{"Path": "Documents/**"}], "MustNot": [{"Path": "Library/d.txt", "Kind": "added"}], "May": [{"Path": "Library/c.log"}]"#
        let outcome = try session().judge(clauses, "\(pair) --exclude '*.log' --strict-patterns")
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("passed"))
    }

    @Test func aPatternThatMatchesNothingLeavesOutNothing() throws {
        let session = try session()
        try session.expect(
            """
            [1] $ capsule diff a b --exclude '*.none' --name-only
            Documents/Keep/note.txt
            Documents/Keep/z.log
            Documents/Logs/x.txt
            Documents/Logs/y.log
            Library/Store.sqlite
            Library/c.log
            > capsule: warning: '--exclude *.none' matches nothing
            > capsule: hint: a pattern with '/', or without wildcards, must match the whole path: '**/NAME' matches in every directory
            [2] $ capsule diff a b --exclude '*.none' --strict-patterns --html page.html
            > capsule: error: '--exclude *.none' matches nothing; nothing was written
            > capsule: hint: a pattern with '/', or without wildcards, must match the whole path: '**/NAME' matches in every directory
            [1] $ capsule diff a b --exclude '*.log' --html page.html -q
            $ grep -c 'not compared: 3 entries' page.html
            1
            [64] $ capsule diff a b --exclude /Documents
            > capsule: error: /Documents: matches no path: paths don't start or end with '/'
            > capsule: hint: write the path as 'capsule ls' prints it; a directory includes everything in it
            [64] $ capsule diff a b --exclude '*.log' --overlay o.capsule
            > capsule: error: '--exclude' and '--overlay' cannot be used together
            > capsule: hint: an overlay covers whole containers
            [64] $ capsule diff a/Library/c.log b/Library/c.log --exclude '*.log'
            > capsule: error: PATH and '--exclude' are for containers, and these are single files
            > capsule: hint: 'capsule diff A B PATH' compares a part of two containers
            """)
    }

    @Test func aRunLeavesItOutToo() throws {
        try session().expect(
            rows: """
                0 | run a --name-only --exclude '*.log' -- sh -c 'echo new > a/Library/c.log; echo new > a/Documents/Keep/note.txt' | Documents/Keep/note.txt | capsule: note: not compared: 3 entries that match '*.log'
                """)
    }
}
