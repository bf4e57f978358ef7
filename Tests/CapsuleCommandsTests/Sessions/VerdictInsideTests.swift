import Testing

/// A guard sees what is inside of a value, a row or a file that came, went or changed as a whole.
@Suite struct VerdictInsideTests {
    private static let cases = Result {
        let session = try Session()
        try session.python(
            #"""
            import os, plistlib, shutil, sqlite3
            UID = plistlib.UID

            def write(path, value, form=plistlib.FMT_BINARY):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    plistlib.dump(value, file, fmt=form)

            def binary(value):
                return plistlib.dumps(value, fmt=plistlib.FMT_BINARY)

            def both(name, old, new):
                write(f"{name}/a/x.plist", old)
                write(f"{name}/b/x.plist", new)

            def archive(position, child):
                return {"$archiver": "NSKeyedArchiver", "$version": 100000, "$top": {"root": UID(1)}, "$objects": [
                    "$null", {"$class": UID(2), "position": position, "child": UID(3)}, {"$classname": "P", "$classes": ["P", "NSObject"]},
                    {"$class": UID(2), "position": 7, "child": UID(child)}]}

            def database(path, *rows):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                made = sqlite3.connect(path)
                made.execute("create table t(k integer primary key, v)")
                made.executemany("insert into t values(?, ?)", rows)
                made.commit()
                made.close()

            menu = {"menu": True}
            both("added", {}, {"debug": menu})
            both("deleted", {"debug": menu}, {})
            both("replaced", {"debug": menu}, {"debug": 5})
            both("list", {"l": []}, {"l": [{"menu": True, "id": "x"}], "whole": [{"menu": True, "id": "x"}]})
            both("data", {}, {"debug": binary(menu)})
            both("deep", {}, {"debug": {"in": binary({"x": binary(menu)})}})
            both("damaged", {}, {"debug": binary(menu)[:-1]})
            both("archived", {}, {"debug": archive(1, 0)})
            both("forged", {}, {"debug": archive(1, 99)})
            both("archive", archive(1, 0), archive(2, 0))
            both("broken", archive(1, 0), archive(2, 99))
            both("in-data", {"p": binary(archive(1, 0))}, {"p": binary(archive(2, 99))})
            both("one-side", {"p": {"position": 1}}, {"p": archive(2, 0)})
            for side, rows in ("a", []), ("b", [(1, binary(menu)), (2, "text"), (3, binary(menu)[:-1])]):
                database(f"row/{side}/x.db", *rows)
            for side, child in ("a", 0), ("b", 99):
                database(f"cell/{side}/x.db", (1, binary(archive(1 + child, child))))
            # Files that one side alone has.
            os.makedirs("file/a")
            write("file/b/x.plist", {"debug": menu, "n": 1})
            write("file/b/y.plist", {"n": 1})
            database("file/b/x.db", (1, "v"))
            with open("file/b/bad.plist", "wb") as file:
                file.write(b"bplist00 and no more")
            with open("file/b/bad.db", "wb") as file:
                file.write(b"SQLite format 3\0" + b"\1" * 4080)
            with open("file/b/x.json", "w") as file:
                file.write('{"debug": {"menu": true}}')
            shutil.copytree("file/b", "gone/a")
            os.makedirs("gone/b")
            """#)
        return session
    }

    private let session: Session

    init() throws { session = try Self.cases.get() }

    @Test(arguments: [
        ("added", #"{"Pointer": "/debug/menu", "To": true, "Kind": "added"}"#, Verdict.forbidden),
        ("deleted", #"{"Pointer": "/debug/menu", "From": true, "To": {"Is": "absent"}}"#, .forbidden),
        ("list", #"{"Pointer": "/l/*/menu"}"#, .forbidden), ("list", #"{"Pointer": "/l/0/menu"}"#, .forbidden),
        ("list", #"{"Pointer": "/whole/[id=x]/menu"}"#, .forbidden), ("list", #"{"Pointer": "/whole/0/menu"}"#, .forbidden),
        ("list", #"{"Pointer": "/l/**"}"#, .forbidden), ("list", #"{"Pointer": "/whole/[id=y]/menu"}"#, .passes),
        // In data, in archives, and in cells.
        ("data", #"{"Pointer": "/debug/<plist>/menu"}"#, .forbidden),
        ("deep", #"{"Pointer": "/debug/in/<plist>/x/<plist>/menu", "To": true}"#, .forbidden),
        ("damaged", #"{"Pointer": "/debug/<plist>/menu"}"#, .unknown), ("damaged", #"{"Pointer": "/debug/menu"}"#, .passes),
        ("archived", #"{"Pointer": "/debug/<archive>/root/position", "To": 1}"#, .forbidden),
        ("forged", #"{"Pointer": "/debug/<archive>/root/position", "To": 1}"#, .unknown),
        ("row", #"{"Pointer": "/<plist>/menu", "Row": {"k": 1}}"#, .forbidden),
        ("row", #"{"Pointer": "/<plist>/menu", "Column": "v", "Kind": "row"}"#, .forbidden),
        ("row", #"{"Pointer": "/<plist>/menu", "Row": {"k": 2}}"#, .passes),
        ("row", #"{"Pointer": "/<plist>/menu", "Row": {"k": 3}}"#, .unknown),
        ("row", #"{"Pointer": "/<plist>/menu", "Kind": "deleted"}"#, .passes),
        ("archive", #"{"Pointer": "/<archive>/root/position"}"#, .forbidden),
        ("cell", #"{"Pointer": "/<archive>/root/position"}"#, .unknown),
    ])
    func whatIsInside(name: String, clause: String, verdict: Verdict) throws {
        #expect(try session.guarded(name, against: clause).verdict == verdict)
    }

    @Test(arguments: ["added", "deleted", "replaced"])
    func aValueThatChangedAsAWhole(name: String) throws {
        for (clause, verdict) in [
            (#"{"Pointer": "/debug/menu"}"#, Verdict.forbidden), (#"{"Pointer": "**/menu", "Kind": "value"}"#, .forbidden),
            (#"{"Pointer": "/debug/other"}"#, .passes), (#"{"Pointer": "/debug/menu", "Kind": "modified"}"#, .passes),
            (#"{"Pointer": "/debug/menu", "To": false}"#, .passes),
        ] {
            #expect(try session.guarded(name, against: clause).verdict == verdict, "\(clause)")
        }
        // What is inside is not what has to change, or may.
        let sides = "\(name)/a \(name)/b"
        let missing = try session.run(
            "capsule diff \(sides) --expect must.json",
            with: ["must.json": #"{"CapsuleExpectation": 1, "Must": [{"Pointer": "/debug/menu"}]}"#])
        #expect(missing.status == 1 && missing.text.contains("! missing: ") && missing.text.contains("\n! not allowed: "))
        let counted = try session.judge(#""May": [{"Pointer": "/debug/menu", "Count": 0}]"#, sides)
        #expect(counted.status == 1 && counted.text.contains("! 1 change instead of 0: "))
        let rules = #"{"Class": "mine", "Path": "**"}, {"Class": "signal", "Path": "**", "Pointer": "/debug/menu"}"#
        #expect(try session.classify(rules, sides).status == 1)
        try session.expectWritten(sides)
    }

    /// Such an archive is compared as a property list, and that is said.
    @Test(arguments: [("broken", ""), ("in-data", "/p"), ("one-side", "/p")])
    func anArchiveThatLeadsNowhereOrIsOneOnOneSideAlone(name: String, place: String) throws {
        let pointer = "\(place)/<archive>/root/position"
        #expect(try session.guarded(name, against: #"{"Pointer": "\#(pointer)"}"#).verdict == .unknown)
        #expect(try session.guarded(name, against: #"{"Pointer": "/other"}"#).verdict == .passes)
        let outcome = try session.run("capsule diff \(name)/a \(name)/b")
        #expect(outcome.status == 1 && outcome.text.contains("\n    ! not compared as archive: "))
        let rules = #"{"Class": "mine", "Path": "**"}, {"Class": "signal", "Path": "**", "Pointer": "\#(pointer)"}"#
        #expect(try session.classify(rules, "\(name)/a \(name)/b").status == 1)
    }

    @Test(arguments: ["file", "gone"])
    func aFileThatOneSideAloneHas(name: String) throws {
        for (clause, verdict) in [
            (#"{"Path": "x.plist", "Pointer": "/debug/menu"}"#, Verdict.forbidden),
            (#"{"Path": "x.*", "Pointer": "/debug/menu", "Kind": ["added", "deleted"]}"#, .forbidden),
            (#"{"Path": "x.json", "Pointer": "/debug/menu"}"#, .forbidden),
            (#"{"Path": "x.db", "Table": "t", "Row": {"k": 1}}"#, .forbidden),
            (#"{"Path": "x.db", "Table": "t", "Row": {"k": 2}}"#, .passes),
            (#"{"Path": "x.db", "Table": "t", "Kind": "modified"}"#, .passes),
            (#"{"Path": "y.plist", "Pointer": "/debug/menu"}"#, .passes),
            (#"{"Path": "bad.plist", "Pointer": "/debug/menu"}"#, .unknown), (#"{"Path": "bad.db", "Table": "t"}"#, .unknown),
        ] {
            #expect(try session.guarded(name, against: clause).verdict == verdict, "\(clause)")
        }
        // What is reported, counted and written stays as it is.
        let sides = "\(name)/a \(name)/b"
        let counted = try session.judge(#""Must": [{"Path": "x.plist", "Kind": ["added", "deleted"], "Count": 1}]"#, sides)
        #expect(counted.status == 0 && counted.text.hasSuffix(": passed: 6 changes\n"))
        try session.expectWritten(sides)
        let rules =
            #"{"Class": "mine", "Path": "**"}, {"Class": "signal", "Path": "x.*", "Pointer": "/debug/menu"}, "#
            + #"{"Class": "signal", "Path": "x.*", "Table": "t"}"#
        let shown = try session.classify(rules, sides)
        #expect(shown.status == 1 && !shown.text.contains("y.plist"))
        for file in ["x.plist", "x.db"] { #expect(shown.text.contains(try Regex("(?m)^[+-] \(file)"))) }
    }

    /// A file whose objects multiply is undecided, and so is a value with more places than can be searched. A large value is looked into.
    @Test func valuesOfManyPlaces() throws {
        let session = try Session()
        try session.python(
            #"""
            import os
            for side in "ab": os.makedirs(f"shared/{side}")
            import plistlib
            import struct
            count = 62
            objects = [b"\xd1" + bytes([1, 2]), b"\x51l"] + [b"\xa2" + bytes([n + 1] * 2) for n in range(2, count - 1)] + [b"\x10\x01"]
            data, offsets = b"bplist00", []
            for item in objects:
                offsets.append(len(data))
                data += item
            table = len(data)
            data += b"".join(struct.pack(">H", offset) for offset in offsets)
            data += bytes(6) + bytes([2, 1]) + struct.pack(">QQQ", len(objects), 0, table)
            with open("shared/b/x.plist", "wb") as file: file.write(data)
            with open("shared/a/x.plist", "wb") as file: plistlib.dump({}, file, fmt=plistlib.FMT_BINARY)
            """#)
        #expect(try session.guarded("shared", against: #"{"Pointer": "**/none"}"#).verdict == .unknown)
        #expect(try session.guarded("shared", against: #"{"Pointer": "/other/**"}"#).verdict == .unknown)
        let write = "import plistlib; plistlib.dump({'l': %}, open('shared/b/x.plist', 'wb'), fmt=plistlib.FMT_BINARY)"
        try session.python(write.replacing("%", with: "[0] * (1 << 20)"))
        #expect(try session.guarded("shared", against: #"{"Pointer": "**/none"}"#).verdict == .unknown)
        #expect(try session.guarded("shared", against: #"{"Pointer": "/other/**"}"#).verdict == .passes)
        try session.python(write.replacing("%", with: "{f'k{n}': n for n in range(1 << 17)}"))
        #expect(try session.guarded("shared", against: #"{"Pointer": "/l/k7"}"#).verdict == .forbidden)
        #expect(try session.guarded("shared", against: #"{"Pointer": "/l/none"}"#).verdict == .passes)
    }

    @Test func whatIsHiddenInANewFileIsJudgedAndNotShown() throws {
        let session = try Session(["secret/a/": "", "secret/b/": ""])
        try session.python(
            """
            import plistlib
            data = {"jar": b"cook secret-1", "d": plistlib.dumps({"x": 1}, fmt=plistlib.FMT_BINARY)[:-1]}
            with open("secret/b/x.plist", "wb") as file: plistlib.dump(data, file, fmt=plistlib.FMT_BINARY)
            """)
        let unknown = try session.guarded("secret", against: #"{"Pointer": "/d/<plist>/x"}"#)
        #expect(unknown.verdict == .unknown)
        #expect(!unknown.text.contains("secret-1") && !unknown.text.contains("Y29vayBzZWNyZXQt"))
        let found = try session.guarded("secret", against: #"{"Pointer": "/jar", "To": {"Is": "data"}}"#)
        #expect(found.status == 1 && found.text.contains("\n    x.plist /jar: added hidden (cookie)\n"))
    }
}
