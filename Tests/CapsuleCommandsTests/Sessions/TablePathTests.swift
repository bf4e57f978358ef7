import Testing

/// A table of a database as the path of `diff` and `cat`.
@Suite struct TablePathTests {
    private let session: Session

    init() throws {
        session = try Session(["make.py": Self.script])
        _ = try session.run("python3 make.py A 1")
        _ = try session.run("python3 make.py B 2")
    }

    private static let script = #"""
        import os, plistlib, sqlite3, sys
        top, step = sys.argv[1], int(sys.argv[2])
        os.makedirs(top + "/Documents/deep"); os.makedirs(top + "/Library")
        db = sqlite3.connect(top + "/Documents/list.sqlite")
        db.executescript("""
            create table items(id integer primary key, title);
            insert into items values(1, 'cat'), (2, NULL);
            create table pairs(a text primary key, token text) without rowid;
            insert into pairs values('x', '0123456789abcdef');
            create table same(x); insert into same values(1);
            """)
        if step == 2:
            db.execute("insert into items values(3, 'a, b')")
            db.execute("update pairs set token = '0123456789abcdee'")
            db.execute("create table later(id integer primary key)")
            db.execute("insert into later values(5)")
            db.execute("pragma user_version = 7")
        db.commit(); db.close()
        store = sqlite3.connect(top + "/Documents/Model.sqlite")
        store.executescript("""
            create table Z_PRIMARYKEY(Z_ENT integer primary key, Z_NAME varchar, Z_SUPER integer, Z_MAX integer);
            create table Z_METADATA(Z_VERSION integer primary key, Z_UUID varchar(255), Z_PLIST blob);
            create table ZGIF(Z_PK integer primary key, Z_ENT integer, Z_OPT integer, ZTITLE varchar);
            insert into Z_PRIMARYKEY values(1, 'Gif', 0, 1);
            insert into ZGIF values(1, 1, 1, 'old');
            """)
        if step == 2: store.execute("update ZGIF set ZTITLE = 'new'"); store.execute("update Z_PRIMARYKEY set Z_MAX = 2")
        store.commit(); store.close()
        open(top + "/Documents/a:items", "w").write("%d\n" % step)
        open(top + "/Documents/deep/note.txt", "w").write("note\n")
        plistlib.dump({"key": 1}, open(top + "/Library/p.plist", "wb"))
        if step == 2:
            only = sqlite3.connect(top + "/Documents/only.sqlite")
            only.execute("create table one(x)"); only.commit(); only.close()
        os.chmod(top + "/Documents/list.sqlite", 0o600 if step == 1 else 0o644)
        """#

    @Test func changesOfATable() throws {
        try session.expect(
            """
            [1] $ capsule diff A B Documents/list.sqlite:items
            ~ Documents/list.sqlite (sqlite)
                items
                    + id 3: title "a, b"
            $ capsule diff A B Documents/list.sqlite:same
            [1] $ capsule diff A B list.sqlite:LATER list.sqlite:items
            ~ Documents/list.sqlite (sqlite)
                + table later: CREATE TABLE later(id integer primary key)
                items
                    + id 3: title "a, b"
                later
                    + id 5
            [1] $ capsule diff A B Documents/Model.sqlite:Gif
            ~ Documents/Model.sqlite (sqlite)
                ZGIF (Gif)
                    ~ Z_PK 1: title "old" → "new"
            """)
    }

    @Test func countsAndStatus() throws {
        try session.expect(
            """
            [1] $ capsule diff A B Documents/list.sqlite:items --stat
            Documents/list.sqlite | sqlite, 1 change, +1, 16.4 kB → 20.5 kB
            1 entry differs: 1 modified
            [1] $ capsule diff A B Documents/list.sqlite:items --name-status
            M\tDocuments/list.sqlite
            $ capsule diff A B Documents/list.sqlite:same --name-status
            """)
        let lines = try session.run("capsule diff A B Documents/list.sqlite:items --json").jsonLines
        #expect(lines.map { $0["kind"] as? String } == ["header", "modified", "row", "end"])
        #expect(lines[1]["details"] as? Int == 1 && lines[3]["changes"] as? Int == 1)
    }

    @Test func filesComeFirst() throws {
        try session.expect(
            """
            [1] $ capsule diff A B Documents/a:items
            ~ Documents/a:items (text)
                @@ -1 +1 @@
                -1
                +2
            [1] $ capsule diff A B Documents/only.sqlite:one
            + Documents/only.sqlite (8.2 kB)
            [1] $ capsule diff A B Documents/list.sqlite Documents/list.sqlite:same --stat
            Documents/list.sqlite | sqlite, 6 changes, +3 ~2, 16.4 kB → 20.5 kB
            1 entry differs: 1 modified
            $ capsule cat A Documents/a:items
            1
            """)
    }

    @Test func rowsAsCSV() throws {
        let rows = "id,title\r\n1,cat\r\n2,\r\n3,\"a, b\"\r\n"
        #expect(try session.run("capsule cat B Documents/list.sqlite:items").text == rows)
        #expect(try session.run("capsule cat B:list.sqlite:items").text == rows)
        #expect(try session.run("capsule cat B list.sqlite:items[3]").text == "id,title\r\n3,\"a, b\"\r\n")
        #expect(try session.run("capsule cat B Model.sqlite:Gif").text == "Z_PK,Z_ENT,Z_OPT,ZTITLE\r\n1,1,1,new\r\n")
        #expect(try session.run("capsule cat A list.sqlite:pairs").text == "a,token\r\nx,0123456789abcdef\r\n")
    }

    /// More rows than `show` and `diff` list by themselves.
    @Test func allRows() throws {
        try session.python(
            #"""
            import sqlite3
            db = sqlite3.connect("A/Documents/list.sqlite")
            db.executemany("insert into items values(?, ?)", ((n, "t%d" % n) for n in range(10, 2510)))
            db.commit()
            """#)
        #expect(try session.run("capsule cat A list.sqlite:items").text.split(separator: "\r\n").count == 2503)
    }

    @Test func whatIsNotThere() throws {
        try session.expect(
            rows: """
                2 | diff A B Documents/list.sqlite:item | Documents/list.sqlite:item: has no table 'item' | did you mean 'items'?
                2 | diff A B only.sqlite:two | only.sqlite:two: has no table 'two' | its tables are: one
                2 | diff A B Documents/deep/note.txt:x | Documents/deep/note.txt:x: is not a table, because the file is not a database | 'capsule diff A:PATH B:PATH' compares one file
                2 | diff A A Documents/list.sqlite:item | Documents/list.sqlite:item: has no table 'item' | did you mean 'items'?
                2 | cat A list.sqlite:item | list.sqlite:item: has no table 'item' | did you mean 'items'?
                2 | cat A nowhere:x | nowhere: is not in the container | 'capsule ls A' lists its paths
                64 | cat A p.plist:key | p.plist:key: is a value, but 'cat' prints files and tables | 'capsule show CONTAINER PATH:POINTER' shows a value
                """)
    }

    /// Names and texts that look alike, or like something else, stay what they are.
    @Test func unusualNamesAndTexts() throws {
        try session.python(
            #"""
            import os, sqlite3
            os.makedirs("O")
            db = sqlite3.connect("O/o.db")
            db.execute('create table "x[1]"(a)')
            db.execute('create table own(rowid, "\u00e9", "e\u0301")')
            db.execute("create table one(a)")
            db.execute('insert into "x[1]" values(?)', ('"\u0301, \n\u0308',))
            db.execute("insert into own values(NULL, 1, 2)")
            db.executemany("insert into one values(?)", [(None,), ("",), ("z",)])
            db.commit()
            """#)
        _ = try session.run("capsule pack -q O -o o.capsule")
        #expect(try session.run("capsule show O/o.db:x[1] --csv").text == "a\r\n\"\"\"\u{301}, \n\u{308}\"\r\n")
        #expect(try session.run("capsule cat O o.db:own").text == "rowid,\u{e9},e\u{301}\r\n,1,2\r\n")
        #expect(try session.run("capsule cat O o.db:one").text == "a\r\n\"\"\r\n\"\"\r\nz\r\n")
        try session.python(
            "import sqlite3; db = sqlite3.connect('O/o.db'); db.execute('insert into \"x[1]\" values (2)'); db.commit()")
        _ = try session.run("capsule pack -q O --append -o o.capsule")
        let log = try session.run("capsule log o.capsule o.db:x[1]")
        #expect(log.text.contains("x[1][2] added: a 2") && log.text.contains("added: table x[1]"), "\(log.text)\(log.errors)")
    }
}
