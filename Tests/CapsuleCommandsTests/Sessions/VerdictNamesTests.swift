import TestSupport
import Testing

/// A verdict knows a table by each of its names, and says what one form of container cannot hold.
@Suite struct VerdictNamesTests {
    private static func make() throws -> Session {
        let session = try Session()
        try session.python(
            #"""
            import os, sqlite3
            MODULES = {"notes": "fts5(body)", "old": "fts4(body)", "outside": "fts5(body, content='')", "boxes": "rtree(id, x0, x1)"}

            for side, new in ("a", 0), ("b", 1):
                os.makedirs(side)
                for name, module in MODULES.items():
                    database = sqlite3.connect(f"{side}/{name}.db")
                    database.execute(f"create virtual table {name} using {module}")
                    columns = "id, x0, x1" if name == "boxes" else "rowid, body"
                    for row in range(1, 3 + new):
                        values = (row, row, row + 1) if name == "boxes" else (row, f"text {row}")
                        database.execute(f"insert into {name}({columns}) values ({', '.join('?' * len(values))})", values)
                    database.execute("create table plain(x)")
                    database.commit()
                    database.close()
                store = sqlite3.connect(f"{side}/store.db")
                store.executescript("create table Z_PRIMARYKEY(Z_ENT integer primary key, Z_NAME varchar, Z_SUPER integer, Z_MAX integer);"
                                    "create table Z_METADATA(Z_VERSION integer primary key, Z_UUID varchar(255), Z_PLIST blob);"
                                    "insert into Z_PRIMARYKEY values(1, 'Note', 0, 99);"
                                    "create table ZNOTE(Z_PK integer primary key, Z_ENT integer, ZTITLE varchar)")
                store.executemany("insert into ZNOTE values(?, 1, ?)", ((row, f"title {row} {new}") for row in range(50)))
                store.commit()
                store.close()
            """#)
        return session
    }

    private static let sides = Result { try make() }

    private func verdict(_ clause: String, of sides: String = "a b", in session: Session? = nil) throws -> Verdict? {
        try (session ?? Self.sides.get()).judge(#""MustNot": [\#(clause)]"#, sides).verdict
    }

    @Test(arguments: ["notes", "old", "outside", "boxes"])
    func aVirtualTableAndTheTablesThatKeepItsData(name: String) throws {
        let file = #""Path": "\#(name).db""#
        #expect(try verdict(#"{\#(file), "Table": "\#(name)"}"#) == .forbidden)
        #expect(try verdict(#"{\#(file), "Table": "\#(name)_*"}"#) == .forbidden)
        #expect(try verdict(#"{\#(file), "Table": "plain"}"#) == .passes)
        #expect(try verdict(#"{\#(file), "Table": "\#(name)", "Kind": "deleted"}"#) == .passes)
        for rows in [0, 1000] {
            let rules = #"{"Class": "mine", \#(file), "Table": "\#(name)"}"#
            let outcome = try Self.sides.get().classify(rules, "a b --rows \(rows)")
            #expect(outcome.status == 1 && outcome.text.contains("hidden as noise (mine "))
            #expect(!outcome.text.contains("~ \(name).db"))
        }
    }

    @Test(arguments: ["Note", "ZNOTE", "No*"], [0, 10, 1000])
    func rowsThatAreNotShownAreNoiseByTheNameOfAnEntityToo(name: String, rows: Int) throws {
        let rules = #"{"Class": "mine", "Path": "**", "Table": "\#(name)"}"#
        let outcome = try Self.sides.get().classify(rules, "a b --rows \(rows)")
        #expect(outcome.status == 1 && outcome.text.contains("\n50 changes hidden as noise (mine 50)"))
        #expect(!outcome.text.contains("~ store.db"))
    }

    @Test func schemas() throws {
        let session = try Self.make()
        try session.expect(
            """
            $ sqlite3 b/notes.db 'create virtual table more using fts5(body)'
            $ sqlite3 b/store.db 'alter table ZNOTE add column ZNEW'
            """)
        for (clause, wanted) in [
            (#"{"Table": "more", "Kind": "schema"}"#, Verdict.forbidden), (#"{"Table": "more", "Kind": "row"}"#, .passes),
            (#"{"Table": "ZNOTE", "Kind": "schema"}"#, .forbidden), (#"{"Table": "Note", "Kind": "schema"}"#, .forbidden),
            (#"{"Table": "Other", "Kind": "schema"}"#, .passes),
        ] {
            #expect(try verdict(clause, in: session) == wanted, "\(clause)")
        }
    }

    /// A zip file has no extended attributes, and some have no modes: whether these changed is not known.
    @Test func whatAnArchiveCannotHold() throws {
        let session = try Session(["a/x": "x\n", "a/y": "y\n"])
        try session.python(
            #"""
            import zipfile
            with zipfile.ZipFile("a.zip", "w") as made:
                for name in "x", "y": made.write(f"a/{name}", name)
            with zipfile.ZipFile("plain.zip", "w") as made:
                for name in "x", "y":
                    entry = zipfile.ZipInfo(name)
                    entry.create_system = 0
                    made.writestr(entry, name + "\n")
            """#)
        try session.expect(
            rows: """
                0 | diff a a.zip
                0 | diff a plain.zip | capsule: note: modes are not compared because only one side can have them: x and 1 more
                """)
        let metadata = #"{"Kind": "metadata"}"#
        let found = try session.judge(#""MustNot": [\#(metadata)]"#, "a plain.zip")
        #expect(found.status == 1 && found.text.contains(/! can't be judged: .*: x: only one side can have modes\n/))
        for (clause, sides, wanted) in [
            (metadata, "a a.zip", Verdict.passes), (#"{"Kind": "metadata", "Path": "y"}"#, "plain.zip a", .unknown),
            (#"{"Kind": "metadata", "Path": "z"}"#, "a plain.zip", .passes),
            (#"{"Kind": "metadata", "To": {"Is": "absent"}}"#, "a plain.zip", .passes),
            // What asks for nothing in particular is of what can be compared.
            (#"{"Path": "**"}"#, "a plain.zip", .passes), (metadata, "plain.zip plain.zip", .passes),
        ] {
            #expect(try verdict(clause, of: sides, in: session) == wanted, "\(clause)")
        }
        #expect(try session.run("capsule diff a plain.zip --expect-write written.json").status == 0)
        #expect(try session.run("capsule diff a plain.zip --expect written.json").status == 0)
    }

    @Test(.enabled(if: FileSystemTraits.temporary.keepsAttributes && !PlatformCalls.isApple))
    func anArchiveWithoutExtendedAttributes() throws {
        let session = try Session(["a/x": "x\n", "a/y": "y\n"])
        try session.python(
            """
            import os, zipfile
            with zipfile.ZipFile("a.zip", "w") as made:
                for name in "x", "y": made.write(f"a/{name}", name)
            os.setxattr("a/x", "user.note", b"kept")
            """)
        try session.expect(
            rows: """
                0 | diff a.zip a | capsule: note: extended attributes are not compared because only one side can have them: x
                """)
        let metadata = #"{"Kind": "metadata"}"#
        let found = try session.judge(#""MustNot": [\#(metadata)]"#, "a.zip a")
        #expect(found.text.contains(/! can't be judged: .*: x: only one side can have extended attributes\n/))
        for (clause, sides, wanted) in [
            (metadata, "a.zip a", Verdict.unknown), (#"{"Kind": "metadata", "Path": "y"}"#, "a.zip a", .passes),
            (#"{"Path": "**"}"#, "a.zip a", .passes), (metadata, "a a", .passes),
        ] {
            #expect(try verdict(clause, of: sides, in: session) == wanted, "\(clause)")
        }
    }
}
