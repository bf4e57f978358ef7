import Testing

/// PATH of ls, cat, unpack and diff: paths, patterns, and what may have been meant.
@Suite struct PathTests {
    private static let made = Result {
        let session = try Session([
            "odd/[a]*": "1\n", "odd/a": "2\n", "1.json": "{}", "e.json": #"{"CapsuleExpectation": 1, "Other": "allow"}"#,
        ])
        try session.expect(
            """
            $ cp -R $SAMPLES/Gifs-before.xcappdata a.xcappdata && cp -R $SAMPLES/Gifs-after.xcappdata b.xcappdata
            $ capsule pack -q a.xcappdata -o c.capsule --label a
            $ capsule pack -q b.xcappdata --append -o c.capsule --label b
            $ cp -R a.xcappdata piped.xcappdata && mkfifo piped.xcappdata/AppData/Documents/pipe
            """)
        return session
    }

    private let session: Session

    init() throws { session = try Self.made.get() }

    @Test(arguments: ["a.xcappdata", "c.capsule@a"])
    func pathsOfAContainer(container: String) throws {
        let rows = """
            0 | ls % 'Documents/Exports/*.csv' | Documents/Exports/week 19.csv
            0 | ls % 'Doc*/Exp*' 'Library/Preferences/group*' | Documents/Exports | Documents/Exports/week 19.csv | Library/Preferences/group.com.example.gifs.plist
            0 | ls % '**/*.sqlite' | Library/Application Support/Model.sqlite
            0 | ls % '*.sqlite' | Library/Application Support/Model.sqlite
            0 | ls % './D*s/E*' | Documents/Exports | Documents/Exports/week 19.csv
            2 | ls % './*.sqlite' | ./*.sqlite: matches nothing in the container | 'capsule ls %' lists its paths; put quotes around a pattern
            0 | cat % 'Documents/Exports/*.csv' | title,views | cat,41 | otter,17
            0 | cat % 'Documents/Exports/week 19.csv' | title,views | cat,41 | otter,17
            0 | cat % 'week 1?.csv' | title,views | cat,41 | otter,17
            64 | cat % 'Documents/Notes/*' | Documents/Notes/*: matches 3 entries, but must match one file | some are: Documents/Notes/Café menu.txt, Documents/Notes/Shopping list.txt, Documents/Notes/日本語 メモ.txt
            2 | ls % 'documents/exports/WEEK 19.csv' | documents/exports/WEEK 19.csv: is not in the container | did you mean 'Documents/Exports/week 19.csv'?
            2 | cat % 'documents/exports/WEEK 19.csv' | documents/exports/WEEK 19.csv: is not in the container | did you mean 'Documents/Exports/week 19.csv'?
            2 | ls % 'week 19.csv' | week 19.csv: is not in the container | did you mean 'Documents/Exports/week 19.csv'?
            0 | cat % 'week 19.csv' | title,views | cat,41 | otter,17
            2 | cat % 'Documents/Notes/Café menu.txt' | Documents/Notes/Café menu.txt: is not in the container | did you mean 'Documents/Notes/Café menu.txt'?
            2 | ls % 'Documents/*.none' | Documents/*.none: matches nothing in the container | 'capsule ls %' lists its paths; put quotes around a pattern
            2 | cat % 'Documents/*.none' | Documents/*.none: matches nothing in the container | 'capsule ls %' lists its paths; put quotes around a pattern
            2 | ls % 'documents/exports/*.csv' | documents/exports/*.csv: matches nothing in the container | case matters: in another case it matches 'Documents/Exports/week 19.csv'
            2 | cat % 'documents/exports/*.csv' | documents/exports/*.csv: matches nothing in the container | case matters: in another case it matches 'Documents/Exports/week 19.csv'
            2 | ls % 'WEEK*.csv' | WEEK*.csv: matches nothing in the container | case matters: in another case it matches 'Documents/Exports/week 19.csv'
            2 | cat % 'WEEK*.csv' | WEEK*.csv: matches nothing in the container | case matters: in another case it matches 'Documents/Exports/week 19.csv'
            2 | ls % nowhere | nowhere: is not in the container | 'capsule ls %' lists its paths
            2 | cat % nowhere | nowhere: is not in the container | 'capsule ls %' lists its paths
            64 | ls % 'a[' | a[: not a valid pattern: '[' is not closed
            64 | cat % 'a[' | a[: not a valid pattern: '[' is not closed
            2 | unpack -q % 'none*' --as directory -o none | none*: matches nothing in the container | 'capsule ls %' lists its paths; put quotes around a pattern
            0 | unpack -q % '*.csv' --as directory -o csv-%
            0 | unpack -q % '**/Model.sqlite' --as directory -o d-%
            0 | unpack -q % 'Documents/E*' 'Documents/Notes' --as zip -o z-%.zip
            0 | ls z-%.zip | Documents | Documents/Exports | Documents/Exports/week 19.csv | Documents/Notes | Documents/Notes/Café menu.txt | Documents/Notes/Shopping list.txt | Documents/Notes/日本語 メモ.txt
            """
        try session.expect(rows: rows.replacing("%", with: container))
        try session.expect(
            """
            $ cd csv-\(container) && find . -type f
            ./Documents/Exports/week 19.csv
            $ cd d-\(container) && find . -type f | sort
            ./Library/Application Support/.Model_SUPPORT/_EXTERNAL_DATA/4E6C8A30-93B5-4A57-8C61-2B7F0D1E5A44
            ./Library/Application Support/Model.sqlite
            ./Library/Application Support/Model.sqlite-shm
            ./Library/Application Support/Model.sqlite-wal
            """)
    }

    @Test func aNameWithSuchSignsIsWhatItIs() throws {
        try session.expect(
            rows: #"""
                0 | cat odd '[a]*' | 1
                0 | ls odd '\[a\]\*' | [a]*
                """#)
    }

    @Test(arguments: ["a.xcappdata b.xcappdata", "c.capsule@a c.capsule@b", "a.xcappdata c.capsule@b"])
    func diffComparesOnlyWhatIsNamedOnEitherSide(sides: String) throws {
        let rows = """
            1 | diff % Documents --stat | Documents/Exports/week 20.csv | added, 34 bytes | Documents/Gifs/dog.gif → Documents/Gifs/good dog.gif | renamed | Documents/Gifs/old joke.gif | deleted, 981 bytes | Documents/Notes/Shopping list.txt | text, 1 change, +2 -1 lines, 127 bytes → 146 bytes | 4 entries differ: 1 added, 1 deleted, 1 modified, 1 renamed
            1 | diff % Documents --name-status | A	Documents/Exports/week 20.csv | R100	Documents/Gifs/dog.gif	Documents/Gifs/good dog.gif | D	Documents/Gifs/old joke.gif | M	Documents/Notes/Shopping list.txt
            1 | diff % --name-status -- 'Documents/Exports/*20*' '**/*.sqlite' | A	Documents/Exports/week 20.csv | M	Library/Application Support/Model.sqlite
            0 | diff % 'Documents/emp*'
            2 | diff % nowhere | nowhere: matches nothing on either side | 'capsule ls' lists what is in each
            2 | diff % documents | documents: matches nothing on either side | did you mean 'Documents'?
            64 | diff % Documents --expect e.json | '--expect' compares whole containers, so it can't be used with PATH | omit PATH or '--expect'
            64 | diff % Documents --expect-write w.json | '--expect-write' compares whole containers, so it can't be used with PATH | omit PATH or '--expect-write'
            64 | diff % Documents --overlay o.capsule | '--overlay' compares whole containers, so it can't be used with PATH | omit PATH or '--overlay'
            1 | diff % 'Documents/Gifs/old joke.gif' --name-status | D	Documents/Gifs/old joke.gif
            1 | diff % 'Documents/Exports/week 20.csv' --stat | Documents/Exports/week 20.csv | added, 34 bytes | 1 entry differs: 1 added
            2 | diff % AppDataInfo.plist | AppDataInfo.plist: is not part of the data, so it is not compared | 'capsule diff A:AppDataInfo.plist B:AppDataInfo.plist' compares it
            """
        try session.expect(rows: rows.replacing("%", with: sides))
        let text = try session.run("capsule diff \(sides) -- 'Documents/Exports/*20*' '**/*.sqlite'").text
        #expect(text.contains("+ Documents/Exports/week 20.csv") && text.contains("Z_PK 2: favourite 0 → 1\n"))
        #expect(!session.exists("w.json") && !session.exists("o.capsule"))
    }

    @Test func pathsBehindARangeOfVersions() throws {
        try session.expect(
            rows: """
                1 | diff c.capsule@a..b 'Documents/Gifs/old joke.gif' --name-status | D	Documents/Gifs/old joke.gif
                1 | diff c.capsule@a..b 'Documents/Exports/week 20.csv' --stat | Documents/Exports/week 20.csv | added, 34 bytes | 1 entry differs: 1 added
                2 | diff c.capsule@a..b AppDataInfo.plist | AppDataInfo.plist: is not part of the data, so it is not compared | 'capsule diff A:AppDataInfo.plist B:AppDataInfo.plist' compares it
                1 | diff c.capsule@a..b Documents '**/*.plist' --name-status | A	Documents/Exports/week 20.csv | R100	Documents/Gifs/dog.gif	Documents/Gifs/good dog.gif | D	Documents/Gifs/old joke.gif | M	Documents/Notes/Shopping list.txt | E	Library/Application Support/Catalog.plist | M	Library/Preferences/com.example.gifs.plist
                2 | diff c.capsule@a..b nowhere | nowhere: matches nothing on either side | 'capsule ls' lists what is in each
                2 | diff c.capsule Documents | Documents: cannot open: no such file or directory | 'capsule diff c.capsule@~1.. Documents' compares a part of the last two versions
                0 | diff c.capsule@~1.. Library/Caches | 4 changes hidden as noise (caches 4); --all shows them
                64 | diff c.capsule@..b | c.capsule@..b: the range has no start | write 'FILE@1..2'; a range without an end goes to the latest
                2 | diff missing.capsule | missing.capsule: cannot open: no such file or directory
                64 | diff 1.json 1.json Documents | PATH and '--exclude' are for containers, and these are single files | 'capsule diff A B PATH' compares a part of two containers
                """)
    }

    /// Sockets and pipes are in no form of a container. A note says that they are not compared, unless both sides have them.
    @Test func pipes() throws {
        try session.expect(
            rows: """
                0 | diff a.xcappdata piped.xcappdata | capsule: note: sockets, pipes and devices are not compared: Documents/pipe
                0 | pack -q piped.xcappdata -o piped.capsule | capsule: warning: 1 entry was left out or altered | 'capsule info piped.capsule' shows the list
                0 | diff c.capsule@a piped.capsule | capsule: note: sockets, pipes and devices are not compared: Documents/pipe
                0 | diff piped.xcappdata piped.capsule
                """)
    }
}
