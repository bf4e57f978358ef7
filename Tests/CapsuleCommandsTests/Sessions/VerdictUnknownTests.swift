import TestSupport
import Testing

/// No verdict holds over what was not looked into, or is hidden.
@Suite struct VerdictUnknownTests {
    private static let cases = Result {
        let session = try Session()
        try session.python(
            #"""
            import gzip, os, plistlib, sqlite3
            BINARY, XML = plistlib.FMT_BINARY, plistlib.FMT_XML

            def make(path, data):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(data)

            def database(path, *rows):
                os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
                made = sqlite3.connect(path)
                made.execute("create table t(k integer primary key, v)")
                made.executemany("insert into t values(?, ?)", enumerate(rows, 1))
                made.commit()
                made.close()

            def wrapped(data, layers):
                for _ in range(layers):
                    data = gzip.compress(data, mtime=0)
                return data

            def plist(secret, length=0, form=BINARY):
                return plistlib.dumps({"pad": "x" * length, "secret": secret} if length else {"secret": secret}, fmt=form)

            for side, secret in ("a", 0), ("b", 1):
                database(side + ".db", secret)
                with open(side + ".db", "rb") as file:
                    make(f"zipped/{side}/x.db.gz", wrapped(file.read(), 1))
                for layers in 3, 4:
                    make(f"layers-{layers}/{side}/x.plist.gz", wrapped(plist(secret), layers))
                make(f"empty/{side}/x.plist", plist(1) if secret else b"")
                make(f"grown/{side}/x.plist", plist(1) if secret else b"none\n")
                database(f"text/{side}/x.db", plist(secret, 2 << 20, XML).decode())
                database(f"blob/{side}/x.db", plist(secret, 2 << 20))
                database(f"longest/{side}/x.db", plist(secret, 65 << 20))
                database(f"cell/{side}/x.db", plist(1) if secret else "none")
                database(f"null/{side}/x.db", plist(1) if secret else None)
                database(f"broken/{side}/x.db", plist(secret)[:-1])
                make(f"damaged/{side}/x.plist", plist(secret)[:-3])
                # Property lists in data, in a file and in a cell.
                for form, inner in ("cut", plist(secret)[:-3]), ("come", plist(1) if secret else b"none"), ("data", b"none %d" % secret):
                    value = plistlib.dumps({"d": inner, "n": secret}, fmt=BINARY)
                    make(f"{form}/{side}/x.plist", value)
                    database(f"{form}/{side}/x.db", value)
                database(f"other/{side}/x.db", f"<html>{secret}</html>")
                name = "0F5C9A3E-7B1D-4C22-9E55-3A6B7C8D9E0F"
                for form, data in ("external", plist(secret, 2 << 20)), ("picture", b"GIF89a%d" % secret * (1 << 18)):
                    database(f"{form}/{side}/x.db", b"\2" + name.encode())
                    store = sqlite3.connect(f"{form}/{side}/x.db")
                    store.executescript("create table Z_METADATA(Z_VERSION integer primary key, Z_UUID varchar(255), Z_PLIST blob);"
                                        "create table Z_PRIMARYKEY(Z_ENT integer primary key, Z_NAME varchar, Z_SUPER integer, Z_MAX integer);"
                                        "create table Z_MODELCACHE(Z_CONTENT blob);"
                                        "create table ZDOC(Z_PK integer primary key, Z_ENT integer, Z_OPT integer, ZBODY blob);"
                                        "insert into ZDOC select k, 1, 1, v from t; drop table t")
                    store.close()
                    make(f"{form}/{side}/.x_SUPPORT/_EXTERNAL_DATA/{name}", data)
                cookies = b"cook secret-%d" % secret
                value = plistlib.dumps({"jar": cookies, "jars": [cookies], "s": "x"}, fmt=BINARY)
                make(f"hidden/{side}/x.plist", value)
                database(f"hidden/{side}/x.db", value, cookies)
                # Rows that an expectation can't tell apart.
                made = sqlite3.connect(f"hidden/{side}/u.db")
                made.execute("create table t(k text primary key, v)")
                made.executemany("insert into t values(?, ?)", [(name, b"%d" % secret), (name[:-1] + "0", cookies)])
                made.commit()
                made.close()
            """#)
        return session
    }

    private let session: Session

    init() throws { session = try Self.cases.get() }

    /// The place of a secret in a property list in a cell.
    private static let secret = #"{"Pointer": "/<plist>/secret"}"#

    @Test(arguments: [
        ("zipped", #"{"Table": "t"}"#, Verdict.unknown), ("zipped", #"{"Kind": "row"}"#, .unknown),
        ("zipped", #"{"Pointer": "/secret"}"#, .unknown), ("zipped", #"{"Kind": "text"}"#, .passes),
        ("layers-3", #"{"Pointer": "/secret"}"#, .forbidden),
        ("empty", #"{"Pointer": "/secret"}"#, .unknown), ("grown", #"{"Pointer": "/secret"}"#, .unknown),
        // Only a property list has places.
        ("other", secret, .passes), ("picture", secret, .passes),
        // The places of a property list in a cell begin at the value.
        ("blob", #"{"Pointer": "/debugMenu"}"#, .passes), ("blob", #"{"Pointer": "/debug*/**"}"#, .passes),
        ("blob", #"{"Pointer": ""}"#, .passes), ("blob", #"{"Pointer": "/<archive>/$top"}"#, .unknown),
        ("blob", #"{"Pointer": "/*/secret"}"#, .unknown), ("blob", #"{"Pointer": "debugMenu"}"#, .unknown),
        ("blob", #"{"Pointer": "/<p*/a"}"#, .unknown),
        ("cut", #"{"Pointer": "/n/**/secret"}"#, .passes), ("come", #"{"Pointer": "/n/**/secret"}"#, .passes),
        ("cut", #"{"Pointer": "/d"}"#, .forbidden), ("come", #"{"Pointer": "/d"}"#, .forbidden),
        // Nor is it known how a property list is written that can't be read.
        ("damaged", #"{"Kind": "encoding"}"#, .unknown),
        ("hidden", #"{"Pointer": "/jar", "To": {"Is": "string"}}"#, .passes),
        ("hidden", #"{"Pointer": "/jar", "To": {"Is": "absent"}}"#, .passes),
    ])
    func guards(name: String, clause: String, verdict: Verdict) throws {
        #expect(try session.guarded(name, against: clause).verdict == verdict)
    }

    @Test func whatIsCompressedIsNotLookedIntoAndThatIsSaid() throws {
        let schema = try session.guarded("zipped", against: #"{"Kind": "schema"}"#)
        #expect(schema.verdict == .unknown && schema.text.contains("not compared as sqlite: in compressed data\n"))
        let layers = try session.guarded("layers-4", against: #"{"Pointer": "/secret"}"#)
        #expect(layers.verdict == .unknown && layers.text.contains("not compared as gzip: compressed more than 3 times\n"))
        let text = try session.run("capsule diff zipped/a zipped/b").text
        #expect(text.hasPrefix("~ x.db.gz (gzip/bytes)\n    ! not compared as sqlite: both sides: in compressed data\n"))
    }

    @Test(arguments: ["text", "blob", "external"])
    func aPropertyListInALongCellIsLookedIntoInFull(name: String) throws {
        let outcome = try session.guarded(name, against: Self.secret)
        #expect(outcome.verdict == .unknown && outcome.errors.contains("hint: '--full' compares long values in full"))
        #expect(try session.guarded(name, against: Self.secret, "--full").verdict == .forbidden)
        #expect(try session.guarded(name, against: #"{"Pointer": "/<plist>/secret", "Kind": "value"}"#).verdict == .unknown)
    }

    @Test func theLongestIsNot() throws {
        #expect(try session.guarded("longest", against: Self.secret, "--full").verdict == .unknown)
    }

    @Test(arguments: ["cell", "null", "broken"])
    func norIsOneThatIsDamagedOrThatTheOtherSideLacks(name: String) throws {
        let outcome = try session.guarded(name, against: Self.secret)
        #expect(outcome.verdict == .unknown && !outcome.errors.contains("hint"))
    }

    /// Data of a property list is unknown where it is damaged, and looked into where it came as a whole.
    @Test(arguments: [("cut", Verdict.unknown), ("come", .forbidden)], ["/d/<plist>/secret", "/<plist>/d/<plist>/secret"])
    func dataOfAPropertyList(of form: (name: String, verdict: Verdict), place: String) throws {
        #expect(try session.guarded(form.name, against: #"{"Pointer": "\#(place)"}"#).verdict == form.verdict)
        #expect(try session.guarded(form.name, against: #"{"Pointer": "\#(place)", "Kind": "added"}"#).verdict == form.verdict)
        #expect(try session.guarded("data", against: #"{"Pointer": "\#(place)"}"#).verdict == .passes)
        let sides = "\(form.name)/a \(form.name)/b"
        let counted = try session.judge(#""May": [{"Pointer": "\#(place)", "Count": 0}]"#, sides)
        #expect(counted.status == 1)
        let findings =
            form.verdict == .unknown ? ["! can't be judged: ", "not compared as plist: "] : ["! 1 change instead of 0: "]
        for finding in findings { #expect(counted.text.contains(finding)) }
        #expect(try session.judge(#""May": [{"Pointer": "\#(place)", "Count": 0}]"#, "data/a data/b").status == 0)
        for kind in ["", #", "Kind": "added""#] {
            let rules = #"{"Class": "mine", "Path": "**"}, {"Class": "signal", "Path": "**", "Pointer": "\#(place)"\#(kind)}"#
            #expect(try session.classify(rules, sides).status == 1)
            #expect(try session.classify(rules, "data/a data/b").status == 0)
        }
    }

    private static let ruled: [(String, String, Int32)] =
        [
            ("zipped", #"{"Class": "signal", "Path": "**", "Table": "t"}"#, 1),
            ("zipped", #"{"Class": "signal", "Path": "**", "Kind": "row"}"#, 1),
            ("empty", #"{"Class": "signal", "Path": "**", "Table": "t"}"#, 0),
        ]
        + ["zipped", "layers-4", "empty", "grown", "damaged"].flatMap { name -> [(String, String, Int32)] in
            [
                (name, #"{"Class": "signal", "Path": "**", "Pointer": "/secret"}"#, 1),
                (name, #"{"Class": "signal", "Path": "other/**", "Pointer": "/secret"}"#, 0),
                (name, #"{"Class": "signal", "Path": "**", "Kind": "renamed"}"#, 0),
                (name, #"{"Class": "signal", "Path": "**", "Pointer": "/secret"}, {"Class": "later", "Path": "x*"}"#, 0),
            ]
        }

    /// A rule that takes a place out of noise takes out what may be there, also in a file that was not looked into.
    @Test(arguments: ruled)
    func rules(name: String, rule: String, status: Int32) throws {
        let outcome = try session.classify(#"{"Class": "mine", "Path": "**"}, \#(rule)"#, "\(name)/a \(name)/b")
        #expect(outcome.status == status)
        if rule.hasSuffix(#""Pointer": "/secret"}"#), status == 1 { #expect(outcome.text.contains("\n    ! not compared as ")) }
    }

    @Test func aRuleForAPlaceInACell() throws {
        let rules =
            #"{"Class": "mine", "Path": "x.db", "Table": "t"}, {"Class": "signal", "Path": "x.db", "Pointer": "/<plist>/secret"}"#
        #expect(try session.classify(rules, "blob/a blob/b").status == 1)
        #expect(try session.classify(rules, "other/a other/b").status == 0)
    }

    @Test(arguments: [
        #"{"Pointer": "/jar", "To": {"Is": "data"}}"#, #"{"Pointer": "/<plist>/jar", "To": {"Is": "data"}}"#,
        #"{"Table": "t", "Row": {"k": 2}, "To": {"Is": "data"}}"#,
    ])
    func aHiddenValueIsJudgedAsWhatItIsAndNotShown(clause: String) throws {
        let outcome = try session.guarded("hidden", against: clause)
        #expect(outcome.verdict == .forbidden && !outcome.text.contains("secret-"))
        #expect(try session.guarded("hidden", against: clause, "--show-secrets").verdict == .forbidden)
    }

    @Test(arguments: ["", "--json", "--full"])
    func norIsItShownWhereItIsNestedInACell(option: String) throws {
        let outcome = try session.run("capsule diff hidden/a hidden/b \(option)")
        #expect(outcome.status == 1 && !outcome.text.contains("secret-"))
    }

    /// An expectation or a rule about a hidden value does not show it, and holds with and without it.
    @Test(arguments: [
        ("--expect-write", "--expect", "<string>hidden (cookie)</string>"), ("--learn", "--rules", "<string>string</string>"),
    ])
    func whatIsWrittenOfIt(writing: String, reading: String, word: String) throws {
        let directory = try TemporaryDirectory()
        let written = directory["written"]
        #expect(try session.run("capsule diff hidden/a hidden/b -q \(writing) \(written)").status == 1)
        let text = String(decoding: try Files.read(written), as: UTF8.self)
        #expect(!text.contains("secret-") && !text.contains(word))
        for option in ["--show-secrets", "--all"] {
            #expect(try session.run("capsule diff hidden/a hidden/b \(reading) \(written) \(option)").status == 0)
        }
    }

    @Test(arguments: ["zipped", "layers-4", "text", "cell"])
    func whatWasWrittenHolds(name: String) throws { try session.expectWritten("\(name)/a \(name)/b") }
}
