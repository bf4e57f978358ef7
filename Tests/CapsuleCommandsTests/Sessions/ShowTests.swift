import Testing

/// One state: a container at a glance, files, values, tables and rows.
@Suite struct ShowTests {
    private let session: Session

    init() throws {
        session = try Session(["nothing": ""])
        try session.python(
            #"""
            import os, plistlib, sqlite3
            os.makedirs("C/Documents/deep"); os.makedirs("C/Library/Preferences")
            inner = plistlib.dumps({"count": 3}, fmt=plistlib.FMT_BINARY)
            value = {"launches": 6, "list": [{"name": "a"}, "b"], "state": inner, "token": "0123456789abcdef", "none": {}}
            plistlib.dump(value, open("C/Library/Preferences/app.plist", "wb"))
            open("C/Documents/deep/note.txt", "w").write("one\ntwo")
            open("C/Documents/twin.txt", "w").write("x\n"); open("C/Documents/deep/twin.txt", "w").write("y\n")
            open("C/Documents/data.bin", "wb").write(bytes([0, 1, 255]) + b"AB")
            db = sqlite3.connect("C/Documents/list.sqlite")
            db.executescript("""
                create table items(id integer primary key, title, size real, data blob);
                insert into items values(1, 'cat, "old"', 1.5, x'0102'), (2, NULL, 2, NULL), (7, 'dog', NULL, NULL);
                create table pairs(a text, b text, v, primary key(a, b)) without rowid;
                insert into pairs values('x', 'y', 1), ('x', 'z', 2);
                """)
            db.commit()
            """#)
    }

    @Test func atAGlance() throws {
        try session.expect(
            """
            $ capsule show C
            C
            10 entries, 12.8 kB

            Largest directories
                 12.3 kB  Documents
               538 bytes  Library/Preferences
                 9 bytes  Documents/deep

            Largest files
                 12.3 kB  Documents/list.sqlite
               538 bytes  Library/Preferences/app.plist
                 7 bytes  Documents/deep/note.txt
                 5 bytes  Documents/data.bin
                 2 bytes  Documents/deep/twin.txt

            Databases
              Documents/list.sqlite: items 3, pairs 2

            Preferences
              Library/Preferences/app.plist: 5 keys

            'capsule show C PATH' shows a file, 'capsule show C Documents/list.sqlite:TABLE' the rows of a table
            """)
    }

    @Test func files() throws {
        try session.expect(
            """
            $ capsule show C app.plist note.txt data.bin
            Library/Preferences/app.plist (plist, 538 bytes)
                /launches: 6
                /list/0/name: "a"
                /list/1: "b"
                /none: {}
                /state/<plist>/count: 3
                /token: hidden (secret)
            1 secret hidden; '--show-secrets' shows it
            Documents/deep/note.txt (text, 7 bytes)
                one
                two
            Documents/data.bin (bytes, 5 bytes)
                0000  00 01 ff 41 42                                   ...AB
            $ capsule show C app.plist:/list
            Library/Preferences/app.plist (plist, 538 bytes)
                /list/0/name: "a"
                /list/1: "b"
            """)
    }

    @Test func tablesAndRows() throws {
        try session.expect(
            """
            $ capsule show C list.sqlite
            Documents/list.sqlite (sqlite, 12.3 kB)
                items, 3 rows: id, title, size, data
                pairs, 2 rows: a, b, v
            $ capsule show C Documents/list.sqlite:ITEMS --limit 2
            Documents/list.sqlite (sqlite, 12.3 kB)
                items
                    id 1: title "cat, \\"old\\"", size 1.5, data data of 2 bytes, AQI=
                    id 2: size 2.0
                ! 2 of 3 rows of items are shown; '--limit N' shows more
            $ capsule show C list.sqlite:items[7]
            Documents/list.sqlite (sqlite, 12.3 kB)
                items
                    id 7: title "dog"
            $ capsule show C/Documents/list.sqlite pairs[x,z]
            list.sqlite (sqlite, 12.3 kB)
                pairs
                    a "x", b "z": v 2
            """)
        #expect(
            try session.run("capsule show C:list.sqlite:items --csv").text
                == "id,title,size,data\r\n1,\"cat, \"\"old\"\"\",1.5,AQI=\r\n2,,2.0,\r\n7,dog,,\r\n")
    }

    @Test func forMachines() throws {
        let lines = try session.run("capsule show C list.sqlite:items[2] app.plist:/launches --json").jsonLines
        #expect(lines.map { $0["kind"] as? String } == ["header", "file", "table", "row", "file"])
        #expect(lines[0]["schema"] as? String == "capsule.show" && lines[2]["rows"] as? Int == 3)
        #expect((lines[3]["row"] as? [String: Int]) == ["id": 2] && lines[4]["value"] as? Int == 6)
        let overview = try session.run("capsule show C --json").jsonLines
        #expect(overview.map { $0["kind"] as? String } == ["header", "overview", "database", "table", "table"])
        let secret = try session.run("capsule show C app.plist:/token --json")
        #expect(secret.status == 0 && !secret.text.contains("0123456789abcdef") && secret.text.contains("$hidden"))
        #expect(overview[1]["entries"] as? Int == 10)
    }

    @Test func whatIsNotThere() throws {
        try session.expect(
            rows: """
                2 | show C list.sqlite:item | list.sqlite:item: has no table 'item' | did you mean 'items'?
                2 | show C list.sqlite:items[3] | list.sqlite:items[3]: has no row with the key '3' in table items
                64 | show C twin.txt | twin.txt: is the name of 2 files | name one of them by its path: Documents/deep/twin.txt, Documents/twin.txt
                2 | show C Documents | Documents: is a directory | 'capsule ls' lists its entries
                2 | show C app.plist:/lunches | app.plist:/lunches: no key "lunches" (at /lunches) | did you mean 'launches'?
                2 | show C nowhere | nowhere: is not in the container | 'capsule ls C' lists its paths
                2 | show missing | missing: cannot open: no such file or directory
                64 | show C --csv | '--csv' needs one table | name it as 'PATH:TABLE'; 'capsule show CONTAINER PATH' lists the tables of a database
                64 | show C list.sqlite --csv | '--csv' needs one table | name it as 'PATH:TABLE'; 'capsule show CONTAINER PATH' lists the tables of a database
                """)
    }

    /// The log of a database belongs to it, and so do versions and archives.
    @Test func anyFormOfContainer() throws {
        try session.python(
            #"""
            import os, sqlite3
            db = sqlite3.connect("C/Documents/list.sqlite")
            db.execute("pragma journal_mode=wal")
            db.execute("insert into items values(9, 'only in the log', 0, NULL)")
            db.commit()
            os._exit(0)
            """#)
        _ = try session.run("capsule pack -q C -o c.capsule")
        _ = try session.run("cd C && tar cf ../c.tar Documents Library")
        let row = "        id 9: title \"only in the log\", size 0.0\n"
        for container in ["C", "c.capsule", "c.capsule@1", "c.tar"] {
            let outcome = try session.run("capsule show \(container) list.sqlite:items[9]")
            #expect(outcome.status == 0 && outcome.text.hasSuffix(row), "\(container)")
        }
    }
}
