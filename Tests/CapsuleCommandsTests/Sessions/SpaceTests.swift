import TestSupport
import Testing

/// `du`, and `ls -lh`.
@Suite struct SpaceTests {
    private let session: Session

    init() throws {
        session = try Session([
            "c/Documents/a/x": "12345", "c/Documents/a/deep/y": "12", "c/Documents/a-b": "1", "c/Documents/b/z": "1234567",
            "c/Library/Caches/i.png": "\u{89}PNG", "c/Library/Preferences/p.plist": "<plist version=\"1.0\"><dict/></plist>",
            "c/tmp/t": "1",
        ])
        try session.expect("$ mkdir c/Documents/empty")
    }

    /// Each file with its kind, the largest first.
    @Test func files() throws {
        let session = try Session(["c/Documents/a.txt": "one\n", "c/Documents/b.json": #"{"a": [1, 2, 3]}"#])
        try session.expect(
            """
            $ capsule du c --by file
                size           kind  file
            20 bytes        2 files  total
            16 bytes  property list  Documents/b.json
             4 bytes          other  Documents/a.txt
            """)
    }

    @Test func directories() throws {
        try session.expect(
            """
            $ capsule du c
                size  files  directory
            57 bytes      7  .
            41 bytes      2  Library
            36 bytes      1  Library/Preferences
            15 bytes      4  Documents
             7 bytes      2  Documents/a
             7 bytes      1  Documents/b
             5 bytes      1  Library/Caches
             2 bytes      1  Documents/a/deep
              1 byte      1  tmp
            $ capsule du c -d 1
                size  files  directory
            57 bytes      7  .
            41 bytes      2  Library
            15 bytes      4  Documents
              1 byte      1  tmp
            $ capsule du c Documents -d 1 --json
            {"kind":"header","schema":"capsule.du","version":1,"source":"c","by":"directory"}
            {"kind":"directory","path":"Documents","bytes":15,"files":4}
            {"kind":"directory","path":"Documents/a","bytes":7,"files":2}
            {"kind":"directory","path":"Documents/b","bytes":7,"files":1}
            {"kind":"end","bytes":15,"files":4}
            $ capsule du c Documents/a/deep Documents/b
               size  files  directory
            9 bytes      2  Documents
            7 bytes      1  Documents/b
            2 bytes      1  Documents/a
            2 bytes      1  Documents/a/deep
            $ capsule du c Documents/a/x
               size  files  directory
            5 bytes      1  Documents/a/x
            $ capsule du c '*.p*' -d 0
                size  files  directory
            41 bytes      2  Library
            $ capsule du c Documents/empty
               size  files  directory
            0 bytes      0  Documents/empty
            """)
        try session.expect(
            rows: """
                2 | du c Documants | Documants: is not in the container | did you mean 'Documents'?
                2 | du no | no: cannot open: no such file or directory
                64 | du c --by size | invalid value 'size' for '--by': expected directory, file, kind, class or version
                64 | du c --by kind --depth 1 | '--by file|kind|class|version' and '--depth' cannot be used together | '--depth' is for directories
                64 | du c --depth -1 | invalid value '-1' for '--depth': expected a whole number from 0 to 10000
                64 | du c --by version | c: has no versions, because it is not a capsule
                """)
    }

    @Test func kindsAndClasses() throws {
        try session.python(
            """
            import sqlite3
            for place in ("c/Documents/notes", "c/Library/Caches/cache"):
                database = sqlite3.connect(place)
                database.execute("PRAGMA page_size = 512")
                database.execute("CREATE TABLE t (a)")
                database.commit()
                database.close()
            open("c/Documents/notes-wal", "wb").write(b"x" * 32)
            open("c/Documents/j", "w").write("{}")
            """)
        try session.expect(
            """
            $ capsule du c --by kind
                size  files  kind
              2.1 kB     11  total
              1.1 kB      2  database
              1.0 kB      2  cache
            38 bytes      2  property list
            16 bytes      5  other
            $ capsule du c --by class
              size  files  class
            2.1 kB     11  total
            1.1 kB      8  no class
            1.0 kB      2  caches
            1 byte      1  tmp
            $ capsule du c --by class --json
            {"kind":"header","schema":"capsule.du","version":1,"source":"c","by":"class"}
            {"kind":"class","bytes":1109,"files":8}
            {"kind":"class","name":"caches","bytes":1029,"files":2}
            {"kind":"class","name":"tmp","bytes":1,"files":1}
            {"kind":"end","bytes":2139,"files":11}
            """)
    }

    /// Content that two files have counts for the first, and what the first version has counts for the second version, too.
    @Test func ofACapsule() throws {
        try session.expect(
            """
            $ head -c 100000 /dev/urandom > c/Documents/one
            $ capsule pack -q c -o c.capsule --label before
            $ cp c/Documents/one c/Documents/two
            $ capsule pack -q c -o c.capsule --append --label after
            """)
        for (line, wanted) in [
            ("c.capsule@2 Documents/one", 100_000), ("c.capsule@2 Documents/two", 100_000), ("c.capsule@2", 200_057),
        ] {
            let end = try #require(try session.run("capsule du \(line) --json").jsonLines.last)
            let stored = try #require(end["stored"] as? Int)
            #expect(end["bytes"] as? Int == wanted && (99_000...101_000).contains(stored), "\(line): \(end)")
        }
        let versions = try session.run("capsule du c.capsule --by version --json").jsonLines
        #expect(versions.map { $0["number"] as? Int } == [nil, 2, 1, nil])
        #expect(versions.map { $0["bytes"] as? Int } == [nil, 200_057, 100_057, 300_114])
        let added = versions.map { $0["stored"] as? Int ?? 0 }
        #expect(added[2] > 100_000 && added[1] < 5_000 && added[1] + added[2] == added[3])
        let text = try session.run("capsule du c.capsule --by version").text
        #expect(text.contains("  entries  version\n") && text.hasSuffix("  1  before\n"))
        #expect(
            try session.run("capsule du c.capsule -d 0").text.contains("    size    stored  files  directory\n200.1 kB  100."))
        try session.expect(
            rows:
                "64 | du c.capsule Documents --by version | '--by version' measures whole versions, so it can't be used with PATH"
        )
    }

    @Test func listingForPeople() throws {
        try session.expect(
            """
            $ head -c 1234567 /dev/zero > c/Documents/a/x
            """)
        for flags in ["-lh", "-hl", "-l -h", "-l --human-readable"] {
            let lines = try session.run("capsule ls \(flags) c Documents/a").text.split(separator: "\n").map(String.init)
            #expect(
                lines.map { $0.prefix(20) } == [
                    "drwxr-xr-x         -", "drwxr-xr-x         -", "-rw-r--r--   2 bytes", "-rw-r--r--    1.2 MB",
                ],
                "\(flags)")
        }
        #expect(try session.run("capsule ls -h -l c").text.hasPrefix("capsule ls: list the files"))
        #expect(try session.run("capsule du -lh c").status == 64)
        try session.expect(rows: "64 | ls --human-readable c | '--human-readable' needs '--long' | it sets how sizes are shown")
    }
}
