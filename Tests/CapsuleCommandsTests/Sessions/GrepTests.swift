import Testing

/// Places where a text occurs.
@Suite struct GrepTests {
    private let session: Session

    init() throws {
        session = try Session()
        try session.python(
            #"""
            import gzip, os, plistlib, sqlite3
            os.makedirs("C/Documents/otter"); os.makedirs("C/Library/Preferences")
            inner = plistlib.dumps({"pet": "an Otter"}, fmt=plistlib.FMT_BINARY)
            value = {"otters": 6, "state": inner, "token": "otter-0123456789abcdef", "none": "cat"}
            plistlib.dump(value, open("C/Library/Preferences/app.plist", "wb"))
            open("C/Documents/note.txt", "w").write("one\ntwo otters\n-----BEGIN PRIVATE KEY-----\notter\n-----END PRIVATE KEY-----\n")
            gzip.GzipFile("C/Documents/log.gz", "wb", mtime=0).write(b"x\nan otter\n")
            open("C/Documents/data.bin", "wb").write(bytes(2 << 20) + b"\xffotter")
            db = sqlite3.connect("C/Documents/list.sqlite")
            db.executescript("""
                create table otter(id integer primary key, title, data blob);
                insert into otter values(1, 'cat', NULL), (7, 'sea otter', x'0102');
                """)
            db.execute("insert into otter values(8, 'list', ?)", (inner,))
            db.commit()
            """#)
    }

    @Test func everyKindOfPlace() throws {
        try session.expect(
            """
            $ capsule grep otter C
            Documents/data.bin: the bytes have it
            Documents/list.sqlite:otter: table otter: CREATE TABLE otter(id integer primary key, title, data blob)
            Documents/list.sqlite:otter[7]: title "sea otter"
            Documents/log.gz:2: an otter
            Documents/note.txt:2: two otters
            Documents/note.txt:4: hidden (secret)
            Documents/otter
            Library/Preferences/app.plist:/otters: 6
            Library/Preferences/app.plist:/token: hidden (secret)
            $ capsule grep -i OTTER C Library '*.sqlite' -c
            Documents/list.sqlite: 3
            Library/Preferences/app.plist: 3
            $ capsule grep -l otter C Documents/note.txt Library/Preferences
            Documents/note.txt
            Library/Preferences/app.plist
            [1] $ capsule grep dog C
            [64] $ capsule grep '' C
            > capsule: error: the text to search for is empty
            """)
        let lines = try session.run("capsule grep 'an Otter' C --json").jsonLines
        #expect(lines.map { $0["kind"] as? String } == ["header", "hit", "hit"])
        #expect(lines.dropFirst().map { $0["place"] as? String } == ["otter[8]", "/state/<plist>/pet"])
    }

    /// Rows and lines are left out early only if they can't have the text in any spelling.
    @Test func everySpelling() throws {
        try session.python(
            #"""
            import os, sqlite3
            os.makedirs("D")
            db = sqlite3.connect("D/list.sqlite")
            db.executescript("""
                create table items(id integer primary key, title, amount);
                insert into items values(1, 'Straße', 4711.5), (2, 'Kelvin', NULL), (4711, NULL, 1e300), (5, 'date', 9e999);
                """)
            db.commit()
            open("D/wide.txt", "wb").write("\ufeffone\nkelvin in UTF-16\n".encode("utf-16-le"))
            open("D/latin.txt", "wb").write("Stra\u00dfe\n".encode("utf-8") + b"x\n")
            """#)
        try session.expect(
            """
            $ capsule grep 711.5 D
            list.sqlite:items[1]: amount 4711.5
            $ capsule grep -c 4711 D
            list.sqlite: 2
            $ capsule grep -i kelvin D
            list.sqlite:items[2]: title "Kelvin"
            wide.txt:2: kelvin in UTF-16
            $ capsule grep kelvin D
            wide.txt:2: kelvin in UTF-16
            $ capsule grep Straße D
            latin.txt:1: Straße
            list.sqlite:items[1]: title "Straße"
            $ capsule grep e+30 D
            list.sqlite:items[4711]: amount 1e+300
            """)
    }

    /// Keys of dictionaries and arrays are found, but not the numbers of elements and rows.
    @Test func everyKeyButNoNumber() throws {
        try session.python(
            #"""
            import os, plistlib, sqlite3
            os.makedirs("K")
            inner = plistlib.dumps({"seal 7": {"x": "y"}}, fmt=plistlib.FMT_BINARY)
            value = {"seals": {"deep": ["a"] * 9}, "none": [], "data": inner, "7 seals": "z"}
            plistlib.dump(value, open("K/app.plist", "wb"))
            open("K/app.json", "w").write('[["seal"], {"seals": {"x": 1}}, 0, 0, 0, 0, 0, 0]')
            db = sqlite3.connect("K/list.sqlite")
            db.execute("create table items(data)")
            db.executemany("insert into items values(?)", [("x",)] * 7 + [(inner,)])
            db.commit()
            """#)
        try session.expect(
            """
            $ capsule grep seal K '*.json' '*.plist'
            app.json:/0/0: "seal"
            app.json:/1/seals
            app.plist:/7 seals: "z"
            app.plist:/data/<plist>/seal 7
            app.plist:/seals
            $ capsule grep 'seal 7' K -c
            app.plist: 1
            list.sqlite: 1
            $ capsule grep 7 K -c
            app.plist: 2
            list.sqlite: 1
            """)
    }

    @Test func aPlaceHidesTheSecretThatItIsNamedBy() throws {
        try session.python(
            #"""
            import sqlite3
            db = sqlite3.connect("C/Documents/keys.sqlite")
            db.execute("create table sessions(token text primary key, name) without rowid")
            db.execute("insert into sessions values('0123456789abcdef', 'walrus')")
            db.commit()
            """#)
        let outcome = try session.run("capsule grep walrus C")
        #expect(outcome.text == "Documents/keys.sqlite:sessions[hidden]: name \"walrus\"\n")
    }

    /// Each content is searched once, in the first version that has it.
    @Test func allVersions() throws {
        _ = try session.run("capsule pack -q C -o c.capsule")
        try session.write("dogs and otters\n", to: "C/Documents/new.txt")
        _ = try session.run("capsule pack -q C --append -o c.capsule")
        try session.expect(
            """
            $ capsule grep --versions otters c.capsule
            1:Documents/note.txt:2: two otters
            1:Library/Preferences/app.plist:/otters: 6
            2:Documents/new.txt:1: dogs and otters
            """)
    }

    @Test func aDamagedFileIsAnErrorAfterTheRest() throws {
        try session.python(#"open("C/Documents/bad.sqlite", "wb").write(b"SQLite format 3\0" + bytes(5000))"#)
        let outcome = try session.run("capsule grep otter C Documents/bad.sqlite Documents/note.txt")
        #expect(outcome.status == 2 && outcome.text.hasPrefix("Documents/note.txt:2: two otters\n"))
        #expect(outcome.errors.contains("Documents/bad.sqlite: can't be searched: "))
    }
}
