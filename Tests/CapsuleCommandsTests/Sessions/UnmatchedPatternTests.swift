import TestSupport
import Testing

/// A pattern that protects and matches nothing is an error before anything is written. One that leaves out or judges is a warning.
@Suite struct UnmatchedPatternTests {
    private let session: Session

    init() throws {
        session = try Session(["a/Documents/note.txt": "old\n", "b/Documents/note.txt": "new\n"])
        #expect(try session.run("capsule pack -q a -o a.capsule").status == 0)
    }

    @Test func keepAndOnly() throws {
        try session.expect(
            rows: """
                2 | restore a.capsule b --keep 'Documnets/**' | '--keep Documnets/**' matches nothing; nothing was written | a pattern with '/', or without wildcards, must match the whole path: '**/NAME' matches in every directory; '--allow-unmatched' restores anyway
                2 | restore a.capsule b --keep 'Documnets/**' --dry-run | '--keep Documnets/**' matches nothing; nothing was written | a pattern with '/', or without wildcards, must match the whole path: '**/NAME' matches in every directory; '--allow-unmatched' restores anyway
                2 | restore a.capsule b --keep 'Documnets/**' --check | '--keep Documnets/**' matches nothing; nothing was written | a pattern with '/', or without wildcards, must match the whole path: '**/NAME' matches in every directory; '--allow-unmatched' restores anyway
                2 | restore a.capsule b --keep 'Documnets/**' --undo undo.capsule | '--keep Documnets/**' matches nothing; nothing was written | a pattern with '/', or without wildcards, must match the whole path: '**/NAME' matches in every directory; '--allow-unmatched' restores anyway
                0 | $ cat b/Documents/note.txt && ls | new | a | a.capsule | b
                2 | restore a.capsule b --only note.txt | '--only note.txt' matches nothing; nothing was written | did you mean 'Documents/note.txt'?
                0 | $ cp -R b c
                0 | restore a.capsule c --keep 'note.*' | c: nothing to change
                0 | restore a.capsule c -q --only '*.txt'
                0 | $ cat c/Documents/note.txt | old
                2 | restore a.capsule c --only './*.txt' | '--only ./*.txt' matches nothing; nothing was written | a pattern with '/', or without wildcards, must match the whole path: '**/NAME' matches in every directory; '--allow-unmatched' restores anyway
                2 | restore a.capsule b --keep one --keep Documents/note.txt --keep two | 2 patterns of '--keep' match nothing; nothing was written | capsule: note: one | capsule: note: two | a pattern with '/', or without wildcards, must match the whole path: '**/NAME' matches in every directory; '--allow-unmatched' restores anyway
                0 | $ mkfifo b/pipe
                0 | restore a.capsule b -q --keep pipe --keep Documents
                0 | $ rm b/Documents/note.txt
                0 | restore a.capsule b -q --keep 'Documents/*.txt'
                0 | $ ls b/Documents
                0 | restore a.capsule b -q --keep nothing --allow-unmatched | capsule: warning: '--keep nothing' matches nothing
                0 | $ ls b/Documents | note.txt
                """)
    }

    /// Nothing is reported about a class of noise that does not occur.
    @Test func exclude() throws {
        try session.expect(
            rows: """
                0 | pack -q a -o x.capsule --exclude './*.txt' --drop caches | capsule: warning: '--exclude ./*.txt' matches nothing | a pattern with '/', or without wildcards, must match the whole path: '**/NAME' matches in every directory
                2 | pack a -o y.capsule --exclude './*.txt' --strict-patterns | '--exclude ./*.txt' matches nothing; nothing was written | a pattern with '/', or without wildcards, must match the whole path: '**/NAME' matches in every directory
                2 | pack a -o - --exclude './*.txt' --strict-patterns | '--exclude ./*.txt' matches nothing; nothing was written | a pattern with '/', or without wildcards, must match the whole path: '**/NAME' matches in every directory
                0 | $ cp x.capsule before
                2 | pack a --append -o x.capsule --exclude './*.txt' --strict-patterns | '--exclude ./*.txt' matches nothing; nothing was written | a pattern with '/', or without wildcards, must match the whole path: '**/NAME' matches in every directory
                0 | $ cmp before x.capsule
                0 | pack -q a -o y.capsule --exclude '*.txt' --drop caches --strict-patterns
                """)
    }

    /// A warning for each of the first ten comes before a report or learned rules are written.
    @Test func rules() throws {
        try session.write(
            #"{"CapsuleRules": 1, "Rules": [{"Path": "Documents/*", "Class": "signal"}, {"Path": "tmp/x", "Class": "mine"}, "#
                + #"{"Path": "Documents/note.txt", "Class": "mine"}, {"Pointer": "/a", "Class": "mine"}]}"#, to: "rules.json")
        let gone = (0..<12).map { #"{"Path": "gone/\#($0)", "Class": "mine"}"# }.joined(separator: ",")
        try session.write(#"{"CapsuleRules": 1, "Rules": [\#(gone)]}"#, to: "many.json")
        for (name, path) in [("one", "tmp/x"), ("inside", "AppData/Documents/**"), ("note", "Documents/note.txt")] {
            try session.write(#"{"CapsuleRules": 1, "Rules": [{"Path": "\#(path)", "Class": "mine"}]}"#, to: "\(name).json")
        }
        try session.expect(
            rows: """
                0 | diff a b --rules rules.json | 1 change hidden as noise (mine 1); --all shows them | capsule: warning: rules.json: rule 1 is unused: Documents/* | capsule: warning: rules.json: rule 2 is unused: tmp/x | capsule: warning: rules.json: rule 4 is unused: /a | no change matches them, or a later rule also matches and wins
                2 | diff a b --rules rules.json --strict-patterns --html report.html --learn learned.plist | rules.json: 3 rules are unused | capsule: note: rule 1: Documents/* | capsule: note: rule 2: tmp/x | capsule: note: rule 4: /a | no change matches them, or a later rule also matches and wins
                1 | diff a b --name-only --rules many.json | Documents/note.txt | capsule: warning: many.json: rule 1 is unused: gone/0 | capsule: warning: many.json: rule 2 is unused: gone/1 | capsule: warning: many.json: rule 3 is unused: gone/2 | capsule: warning: many.json: rule 4 is unused: gone/3 | capsule: warning: many.json: rule 5 is unused: gone/4 | capsule: warning: many.json: rule 6 is unused: gone/5 | capsule: warning: many.json: rule 7 is unused: gone/6 | capsule: warning: many.json: rule 8 is unused: gone/7 | capsule: warning: many.json: rule 9 is unused: gone/8 | capsule: warning: many.json: rule 10 is unused: gone/9 | capsule: warning: many.json: 2 more rules are unused | no change matches them, or a later rule also matches and wins
                2 | diff a b --rules many.json --strict-patterns | many.json: 12 rules are unused | capsule: note: rule 1: gone/0 | capsule: note: rule 2: gone/1 | capsule: note: rule 3: gone/2 | capsule: note: rule 4: gone/3 | capsule: note: rule 5: gone/4 | capsule: note: rule 6: gone/5 | capsule: note: rule 7: gone/6 | capsule: note: rule 8: gone/7 | capsule: note: rule 9: gone/8 | capsule: note: rule 10: gone/9 | capsule: note: 2 more rules are unused | no change matches them, or a later rule also matches and wins
                2 | diff a b --rules one.json --strict-patterns | one.json: rule 1 is unused: tmp/x | no change matches it, or a later rule also matches and wins
                1 | diff a b --name-only --rules inside.json | Documents/note.txt | capsule: warning: inside.json: rule 1 is unused: AppData/Documents/** | paths begin inside AppData: write 'Documents/**'
                0 | diff a b --rules note.json --strict-patterns | 1 change hidden as noise (mine 1); --all shows them
                0 | $ ls | a | a.capsule | b | inside.json | many.json | note.json | one.json | rules.json
                """)
        // In JSON each has a line, before those of the expectation.
        let lines = try session.run("capsule diff a b --rules rules.json --json").text.split(separator: "\n")
        #expect(lines.count(where: { $0.hasPrefix(#"{"kind":"unused""#) }) == 3)
        #expect(
            lines.contains(
                #"{"kind":"unused","message":"rule 2 is unused: tmp/x","rule":{"part":"Rules","number":2,"pointer":"/Rules/1","#
                    + #""class":"mine","match":{"Path":"tmp/x"}},"suggestions":[]}"#))
    }

    /// If a pattern does not begin inside AppData, where paths begin, the hint says what to write.
    @Test func pathsBeginInsideAppData() throws {
        try session.expect(
            rows: """
                2 | ls a AppData/Documents/note.txt | AppData/Documents/note.txt: is not in the container | did you mean 'Documents/note.txt'?
                2 | ls a 'AppData/Documents/*.txt' | AppData/Documents/*.txt: matches nothing in the container | did you mean 'Documents/*.txt'?
                2 | ls a 'AppData/**/note.txt' | AppData/**/note.txt: matches nothing in the container | did you mean '**/note.txt'?
                2 | ls a AppData/gone.txt | AppData/gone.txt: is not in the container | 'capsule ls a' lists its paths
                2 | unpack a -o out.tar.gz AppData/Documents/note.txt | AppData/Documents/note.txt: is not in the container | did you mean 'Documents/note.txt'?
                2 | unpack a -o out.tar.gz 'AppData/Documents/*.txt' | AppData/Documents/*.txt: matches nothing in the container | did you mean 'Documents/*.txt'?
                2 | unpack a -o out.tar.gz 'AppData/**/note.txt' | AppData/**/note.txt: matches nothing in the container | did you mean '**/note.txt'?
                2 | unpack a -o out.tar.gz AppData/gone.txt | AppData/gone.txt: is not in the container | 'capsule ls a' lists its paths
                2 | diff a b AppData/Documents/note.txt | AppData/Documents/note.txt: matches nothing on either side | did you mean 'Documents/note.txt'?
                2 | diff a b 'AppData/Documents/*.txt' | AppData/Documents/*.txt: matches nothing on either side | did you mean 'Documents/*.txt'?
                2 | diff a b 'AppData/**/note.txt' | AppData/**/note.txt: matches nothing on either side | did you mean '**/note.txt'?
                2 | diff a b AppData/gone.txt | AppData/gone.txt: matches nothing on either side | 'capsule ls' lists what is in each
                2 | cat a AppData/Documents/note.txt | AppData/Documents/note.txt: is not in the container | did you mean 'Documents/note.txt'?
                2 | cat a 'AppData/Documents/*.txt' | AppData/Documents/*.txt: matches nothing in the container | did you mean 'Documents/*.txt'?
                2 | cat a 'AppData/**/note.txt' | AppData/**/note.txt: matches nothing in the container | did you mean '**/note.txt'?
                2 | cat a AppData/gone.txt | AppData/gone.txt: is not in the container | 'capsule ls a' lists its paths
                2 | ls a.capsule AppData/Documents/note.txt | AppData/Documents/note.txt: is not in the container | did you mean 'Documents/note.txt'?
                2 | ls a.capsule 'AppData/Documents/*.txt' | AppData/Documents/*.txt: matches nothing in the container | did you mean 'Documents/*.txt'?
                2 | ls a.capsule 'AppData/**/note.txt' | AppData/**/note.txt: matches nothing in the container | did you mean '**/note.txt'?
                2 | ls a.capsule AppData/gone.txt | AppData/gone.txt: is not in the container | 'capsule ls a.capsule' lists its paths
                2 | unpack a.capsule -o out.tar.gz AppData/Documents/note.txt | AppData/Documents/note.txt: is not in the container | did you mean 'Documents/note.txt'?
                2 | unpack a.capsule -o out.tar.gz 'AppData/Documents/*.txt' | AppData/Documents/*.txt: matches nothing in the container | did you mean 'Documents/*.txt'?
                2 | unpack a.capsule -o out.tar.gz 'AppData/**/note.txt' | AppData/**/note.txt: matches nothing in the container | did you mean '**/note.txt'?
                2 | unpack a.capsule -o out.tar.gz AppData/gone.txt | AppData/gone.txt: is not in the container | 'capsule ls a.capsule' lists its paths
                2 | cat a.capsule AppData/Documents/note.txt | AppData/Documents/note.txt: is not in the container | did you mean 'Documents/note.txt'?
                2 | cat a.capsule 'AppData/Documents/*.txt' | AppData/Documents/*.txt: matches nothing in the container | did you mean 'Documents/*.txt'?
                2 | cat a.capsule 'AppData/**/note.txt' | AppData/**/note.txt: matches nothing in the container | did you mean '**/note.txt'?
                2 | cat a.capsule AppData/gone.txt | AppData/gone.txt: is not in the container | 'capsule ls a.capsule' lists its paths
                0 | $ ls | a | a.capsule | b
                """)
        for kind in ["modified", "added"] {
            for pair in ["a b", "\(PackageFiles.samples)/Gifs-before.xcappdata \(PackageFiles.samples)/Gifs-after.xcappdata"] {
                let clause = #""MustNot": [{"Path": "AppData/Documents/*.log", "Kind": "\#(kind)"}]"#
                let outcome = try session.judge(clause, pair)
                #expect(outcome.status == 0)
                #expect(
                    outcome.errors == """
                        capsule: warning: expect.json: MustNot 1: no path matches 'AppData/Documents/*.log' on either side
                        capsule: hint: paths begin inside AppData: write 'Documents/*.log'

                        """)
            }
        }
    }

    /// A path that no entry can have guards nothing: in expectations, rules and preferences.
    @Test(arguments: ["/Documents/note.txt", "Documents/", "./Documents", "../x", "a//b"])
    func aPathThatNoEntryCanHave(path: String) throws {
        let judged = try session.judge(#""MustNot": [{"Path": "\#(path)"}]"#, "a b")
        #expect(judged.status == 2 && judged.errors.contains(/^expect\.json:1:[0-9]+: error: .*matches no path/))
        let classified = try session.classify(#"{"Path": "\#(path)", "Class": "mine"}"#, "a b")
        #expect(classified.status == 2 && classified.errors.contains("matches no path"))
        let preferred = try session.run(#"capsule merge a a b -o none --prefer 'ours={"Path":"\#(path)"}'"#)
        #expect(preferred.status == 64 && preferred.errors.contains("matches no path"))
        if path == "./Documents" { return }
        let packed = try session.run("capsule pack a -o none --exclude \(path)")
        #expect(packed.status == 64 && packed.errors.contains("matches no path"))
    }

    @Test func preferencesGroupsAndApps() throws {
        try session.expect(
            rows: #"""
                0 | $ cp -r a c && echo other > c/Documents/note.txt && mkdir group app
                0 | merge -q a b c -o preferred --prefer theirs --prefer 'ours={"Path":"Documnets/**"}' | conflict 1: text Documents/note.txt line 1: edits overlap: base "old\n", ours "new\n", theirs "other\n"; takes theirs, by --prefer theirs | capsule: warning: no conflict matches '--prefer ours={"Path":"Documnets/**"}'
                0 | merge -q a a c -o quiet --prefer 'ours={"Path":"Documnets/**"}'
                0 | $ cp -R $SAMPLES/Gifs-before.xcappdata g.xcappdata && cp -R $SAMPLES/Gifs-after.xcappdata h.xcappdata
                1 | diff -q g.xcappdata h.xcappdata --overlay o.capsule
                0 | apply o.capsule g.xcappdata --group g.typo=group --app app --dry-run -q | capsule: warning: no overlay applies to the app group g.typo | capsule: warning: no overlay applies to the app: '--app' has no effect
                0 | unpack -q a.capsule --overlays -o none-there | capsule: warning: the version has no overlays: '--overlays' has no effect
                0 | $ printf '<plist version="1.0"><dict><key>a</key><integer>1</integer></dict></plist>' > p.plist && cp p.plist a
                0 | pack -q a --overlay p.plist=p.plist -o over.capsule
                0 | unpack -q over.capsule --overlays --app app -o over | capsule: warning: no overlay applies to the app: '--app' has no effect
                64 | diff p.plist a/p.plist --group g=a | a: '--group' is for containers, but these are property lists | name the group's property list itself
                64 | apply p.plist a/p.plist --group g=a | a: '--group' is for containers, but these are property lists | name the group's property list itself
                """#)
    }
}

/// Clauses of an expectation that can never match: a path, a table or a column that neither side has.
@Suite struct UnmatchableClauseTests {
    private let session: Session

    init() throws {
        session = try Session()
        try session.python(
            """
            import os, sqlite3
            for side in "x", "y":
                os.makedirs(f"{side}/Documents")
                database = sqlite3.connect(f"{side}/Documents/B.sqlite")
                database.execute("CREATE TABLE Note(id INTEGER PRIMARY KEY, title TEXT)")
                database.execute("CREATE TABLE Other(id INTEGER PRIMARY KEY)")
                if side == "y": database.execute("INSERT INTO Other VALUES (1)")
                database.commit()
                open(f"{side}/Documents/same.txt", "w").close()
            """)
    }

    private static let misspelled =
        #""May": [{"Path": "Documents/same.txt"}, {"Path": "Documnets/**", "Kind": "modified"}], "#
        + #""MustNot": [{"Path": "**/B.sqlite", "Table": "Note"}, {"Path": "**/B.sqlite", "Table": "Notee"}, "#
        + #"{"Table": "Note", "Column": "titel"}, {"Table": "Note", "Row": {"idd": 1}}, {"Path": "gone.txt"}]"#

    @Test func eachIsAWarning() throws {
        let outcome = try session.judge(Self.misspelled, "x y")
        #expect((outcome.status, outcome.text) == (0, "expect.json: passed: 1 change\n"))
        #expect(
            outcome.errors == """
                capsule: warning: expect.json: May 2: no path matches 'Documnets/**' on either side
                capsule: hint: did you mean 'Documents/**'?
                capsule: warning: expect.json: MustNot 2: no table 'Notee' in **/B.sqlite on either side
                capsule: hint: did you mean 'Note'?
                capsule: warning: expect.json: MustNot 3: no column 'titel' in Note on either side
                capsule: hint: did you mean 'title'?
                capsule: warning: expect.json: MustNot 4: no column 'idd' in Note on either side
                capsule: hint: did you mean 'id'?
                capsule: warning: expect.json: MustNot 5: no path matches 'gone.txt' on either side

                """)
        let json = try session.judge(Self.misspelled, "x y --json")
        let lines = json.jsonLines.filter { $0["kind"] as? String == "unmatchable" }
        #expect(json.status == 0 && lines.count == 5 && lines[1]["what"] as? String == "table")
        #expect(lines[1]["name"] as? String == "Notee" && lines[1]["suggestions"] as? [String] == ["Note"])
        let strict = try session.judge(Self.misspelled, "x y --strict-patterns --html report.html")
        #expect(strict.status == 2 && !session.exists("report.html"))
        #expect(strict.errors.hasPrefix("capsule: error: expect.json: 5 clauses can't match anything\n"))
        #expect(strict.errors.contains("\ncapsule: note: MustNot 3: no column 'titel' in Note on either side\n"))
    }

    @Test(arguments: [
        // What a run may add need not be there yet. So it is with tables.
        #"{"Path": "Documents/crash.log", "Kind": "added"}"#, #"{"Path": "New/*.csv", "Kind": ["added", "modified"]}"#,
        #"{"Path": "**/*.sqlite", "Table": "ZTEMP", "Kind": "schema"}"#, #"{"Path": "Documents/B.sqlite", "Row": {"rowid": 9}}"#,
        // What can't be read may hold anything.
        #"{"Path": "Documents/C.sqlite", "Table": "Notee"}"#,
    ])
    func whatMayMatchIsNone(clause: String) throws {
        #expect(try session.run("for s in x y; do head -c 3000 x/Documents/B.sqlite > $s/Documents/C.sqlite; done").status == 0)
        let outcome = try session.judge(#""MustNot": [\#(clause)]"#, "x y --strict-patterns")
        #expect((outcome.status, outcome.errors) == (0, ""))
    }

    @Test func aMisspelledDirectoryIsToldAndAMissingMustIsAFinding() throws {
        let misspelled = try session.judge(
            #""MustNot": [{"Path": "Documnets/crash.log", "Kind": "added"}]"#, "x y --strict-patterns")
        #expect(misspelled.status == 2)
        #expect(
            misspelled.errors == """
                capsule: error: expect.json: MustNot 1: no path matches 'Documnets/crash.log' on either side
                capsule: hint: did you mean 'Documents/crash.log'?

                """)
        let missing = try session.judge(#""Must": [{"Path": "Documents/B.sqlite", "Table": "note"}]"#, "x y --strict-patterns")
        #expect((missing.status, missing.errors) == (1, ""))
        #expect(missing.text.contains("\n    no table 'note' in Documents/B.sqlite on either side\n"))
    }

    /// Entities and attributes of Core Data are known by both of their names. Around a container is a wrapper, which is not compared.
    @Test(arguments: [
        (
            #"{"Table": "Gif", "Column": "title", "To": "zzz"}, {"Table": "ZGIF", "Row": {"title": "zzz"}}, {"Table": "Giff"}"#,
            ["MustNot 3: no table 'Giff' on either side"]
        ),
        (
            #"{"Path": "AppDataInfo.plist"}, {"Path": "AppData"}, {"Path": "Documents"}"#,
            [
                "MustNot 1: no path matches 'AppDataInfo.plist' on either side",
                "MustNot 2: no path matches 'AppData' on either side",
            ]
        ),
    ])
    func inTheSamples(clauses: String, warnings: [String]) throws {
        let sides = ["before", "after"].map { "\(PackageFiles.samples)/Gifs-\($0).xcappdata" }.joined(separator: " ")
        let outcome = try session.judge(#""MustNot": [\#(clauses)]"#, sides)
        #expect(outcome.status == 0)
        let found = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("capsule: warning: ") }
        #expect(found == warnings.map { "capsule: warning: expect.json: \($0)" })
    }

    @Test func aSinglePropertyListHasNoPathButItsName() throws {
        try session.write("{\"a\": 1}", to: "p.json")
        try session.write("{\"a\": 1}", to: "a/p.json")
        let outcome = try session.judge(
            #""MustNot": [{"Path": "q.json", "Pointer": "/x"}, {"Path": "p.json", "Pointer": "/a"}]"#, "a/p.json p.json")
        #expect(
            (outcome.status, outcome.errors)
                == (
                    0,
                    "capsule: warning: expect.json: MustNot 1: no path matches 'q.json' on either side\ncapsule: hint: did you mean 'p.json'?\n"
                ))
    }

    /// A green test would hide such a clause, so JUnit skips it and the page lists it. A clause that fails is a failed test with the reason.
    @Test func inReports() throws {
        let clauses = #""MustNot": [{"Path": "Documnets/**", "Kind": "modified"}, {"Path": "Documents/same.txt"}]"#
        #expect(try session.judge(clauses, "x y --junit junit.xml --html page.html").status == 0)
        let (junit, page) = (try session.text("junit.xml"), try session.text("page.html"))
        #expect(junit.contains(#"tests="2" failures="0" errors="0" skipped="1""#))
        #expect(
            junit.contains(
                #"<skipped message="can&apos;t match anything: no path matches &apos;Documnets/**&apos; on either side""#))
        #expect(page.contains("<strong>Passed</strong>") && page.contains(/<p>Warning: 1 clause can.t match anything\.<\/p>/))
        #expect(page.contains(/<li>MustNot 1: no path matches .*<span class="seen">did you mean .*Documents/))
        let failed = try session.judge(
            #""Must": [{"Path": "Documnets/**", "Kind": "modified"}]"#, "x y --junit junit.xml --html page.html")
        #expect(failed.status == 1 && failed.text.contains("\n    no path matches 'Documnets/**' on either side"))
        #expect(try session.text("junit.xml").contains(#"failures="1" errors="0" skipped="0""#))
        #expect(!(try session.text("page.html").contains("Warning:")))
    }
}
