import Testing

/// A verdict looks at every change, however few of them are shown.
@Suite struct VerdictCountTests {
    /// 1,300 rows in a and b, of which 1,000 are shown, and 10,200 keys in p and q, of which 10,000 are.
    private static let made = Result {
        let session = try Session()
        try session.python(
            #"""
            import datetime, os, plistlib, sqlite3
            for new, (rows, keys) in enumerate([("a", "p"), ("b", "q")]):
                os.makedirs(rows)
                os.makedirs(keys)
                database = sqlite3.connect(f"{rows}/B.sqlite")
                database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, value, seen TEXT)")
                database.executemany(
                    "INSERT INTO t VALUES (?, ?, ?)",
                    [(i, i + new, f"00000000-0000-4000-8000-{i + 5000 * new:012d}") for i in range(1300)])
                database.commit()
                day = datetime.datetime(2024, 5, 17 + new)
                with open(f"{keys}/P.plist", "wb") as file:
                    plistlib.dump({f"k{i:06d}": i + new if i % 2 else day for i in range(10200)}, file, fmt=plistlib.FMT_BINARY)
            """#)
        return session
    }

    private let session: Session

    init() throws { session = try Self.made.get() }

    private static let never = #""MustNot": [{"Path": "**/B.sqlite", "Row": {"id": 1200}, "Note": "never"}]"#

    @Test(arguments: ["--full", "--rows=1000", "--rows=10", "--rows=0", "--stat", ""])
    func whatIsForbiddenIsFoundBehindWhatIsShown(option: String) throws {
        let outcome = try session.judge(Self.never, "a b \(option)")
        #expect(outcome.status == 1)
        if option == "--stat" { return }
        #expect(outcome.text.hasSuffix("expect.json: failed: 1 finding\n"))
        #expect(outcome.text.contains(/(?m)^! forbidden: .*"id": 1200} \(never\)$/))
    }

    @Test func aCountCountsAll() throws {
        for (clauses, sides, finding) in [
            (
                #""May": [{"Path": "B.sqlite", "Table": "t", "Count": {"Max": 1200}}]"#, "a b",
                "! 1300 changes instead of 0 to 1200: "
            ),
            (#""May": [{"Kind": "value", "Count": {"Max": 10100}}]"#, "p q", "! 10200 changes instead of 0 to 10100: "),
            (#""MustNot": [{"Pointer": "/k010199"}]"#, "p q", "! forbidden: /k010199\n"),
        ] {
            let outcome = try session.judge(clauses, sides)
            #expect(outcome.status == 1 && outcome.text.contains(finding), "\(clauses)")
        }
        let passed = try session.judge(#""Must": [{"Path": "B.sqlite", "Kind": "row", "Count": 1300}]"#, "a b")
        #expect(passed.status == 0 && passed.text.hasSuffix("passed: 1,300 changes\n"))
    }

    /// They are shown as far as anybody reads.
    @Test func changesThatNothingAllowsAreCounted() throws {
        let clause = #"{"CapsuleExpectation": 1, "May": [{"Path": "B.sqlite", "Column": "seen"}]}"#
        let outcome = try session.run(
            "capsule diff a b --rows 10 --expect other.json --junit junit.xml", with: ["other.json": clause, "junit.xml": ""])
        #expect(outcome.status == 2)
        let shown = try session.run(
            "capsule diff a b --rows 10 --expect other.json --junit counted.xml", with: ["other.json": clause])
        #expect(shown.status == 1 && shown.text.count(where: \.isNewline) == 1001)
        #expect(shown.text.hasSuffix("\nother.json: failed: 1,300 findings, 1,000 shown\n"))
        #expect(shown.text.contains("\n! not allowed: B.sqlite t id=999 value: 999 → 1000\n"))
        #expect(try session.text("counted.xml").contains("1300 changes are not allowed"))
    }

    @Test func anExpectationHoldsForItsDiffAndForNoOther() throws {
        try session.expect(
            rows: """
                1 | diff a b --rows 10 --expect-write rows.plist -q
                0 | diff a b --expect rows.plist | rows.plist: passed: 1,300 changes
                0 | diff a b --rows 0 --expect rows.plist | rows.plist: passed: 1,300 changes
                0 | $ cp -R b c && sqlite3 c/B.sqlite 'UPDATE t SET value = 0 WHERE id = 1299'
                1 | diff p q --expect-write keys.plist -q
                0 | diff p q --expect keys.plist -q
                """)
        let changed = try session.run("capsule diff a c --rows 10 --expect rows.plist")
        #expect(changed.status == 1 && changed.text.contains("1299"))
    }

    /// Rules say of each row what it is, and not of those that are shown.
    @Test func rules() throws {
        try session.expect(
            rows: """
                1 | diff a b --rows 10 --learn learned.plist -q
                0 | diff a b --rows 10 --rules learned.plist | 1,300 changes hidden as noise (learned 1300); --all shows them
                """)
        let few = #"{"Class": "few", "Path": "B.sqlite", "Row": {"id": {"Max": 1199}}}"#
        let outcome = try session.classify(few, "a b --rows 10 --stat")
        #expect(outcome.status == 1 && outcome.text.contains("B.sqlite | sqlite, 100 changes, ~100\n"))
    }

    @Test func everyReportCountsAllAndSaysWhatItDoesNotShow() throws {
        #expect(try session.run("capsule diff a b --stat").text.contains("B.sqlite | sqlite, 1,300 changes, ~1300\n"))
        #expect(try session.run("capsule diff a b").text.hasSuffix("\n1,300 changes, 1,000 of them shown; --full shows all\n"))
        let json = try session.run("capsule diff a b --json").text
        #expect(json.contains(#""what":"rows","table":"t","shown":1000,"total":1300,"judged":true}"#))
        let end = #"{"kind":"end","status":1,"changes":1300,"noise":0,"complete":%,"exact":true,"shown":#}"# + "\n"
        #expect(json.hasSuffix(end.replacing("%", with: "false").replacing("#", with: "1000")))
        #expect(
            try session.run("capsule diff a b --full --json").text.hasSuffix(
                end.replacing("%", with: "true").replacing("#", with: "1300")))
        #expect(try session.run("capsule diff a b -q --html report.html").status == 1)
        let page = try session.text("report.html")
        #expect(page.contains("<strong>1,300 changes</strong>") && page.contains("shows 1,000 of them"))
    }

    @Test func anOverlayHasEveryChange() throws {
        try session.expect(
            rows: """
                0 | $ cp p/P.plist turned.plist
                1 | diff -q p/P.plist q/P.plist --overlay turning.plist
                0 | apply -q turning.plist turned.plist
                0 | diff turned.plist q/P.plist
                """)
    }
}
