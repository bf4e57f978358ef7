import TestSupport
import Testing

/// CONTAINER:PATH, a file in a container, where one file is read.
@Suite struct ContainedFileTests {
    private let session: Session

    init() throws {
        session = try Session(["box/over.json": #"{"launches": 9}"#, "colons/a": "1\n", "colons/a:b": "2\n"])
        try session.expect(
            rows: """
                0 | $ python3 $SAMPLES/make_samples.py . > /dev/null && mv Gifs-before.xcappdata A.xcappdata && mv Gifs-after.xcappdata B.xcappdata
                0 | pack -q A.xcappdata -o run.capsule --label before
                0 | pack -q B.xcappdata -o run.capsule --append --label after
                0 | unpack -q run.capsule@1 -o old.zip --as zip
                0 | $ cp A.xcappdata/AppData/Library/Preferences/com.example.gifs.plist before.plist && cp B.xcappdata/AppData/Library/Preferences/com.example.gifs.plist after.plist && cp before.plist mine.plist
                0 | pack -q box -o box.capsule
                0 | pack -q colons -o colons.capsule
                """)
    }

    private static let preferences = "Library/Preferences/com.example.gifs.plist"

    @Test(arguments: ["run.capsule@1", "run.capsule@before", "A.xcappdata", "A.xcappdata/AppData", "old.zip"])
    func propertyListsInACapsuleABundleADirectoryAndAnArchive(container: String) throws {
        let file = "\(container):\(Self.preferences)"
        try session.expect(
            rows: """
                0 | plist get \(file) /launches | 6
                0 | diff \(file) before.plist
                """)
        #expect(try session.run("capsule plist print \(file)").text == session.run("capsule plist print before.plist").text)
        #expect(try session.run("capsule cat \(file)").output == Files.read(session["before.plist"]))
    }

    @Test func whatReadsAPropertyList() throws {
        try session.expect(
            rows: """
                0 | plist get run.capsule:Library/Preferences/com.example.gifs.plist launches | 7
                0 | plist lint run.capsule@1:Library/Preferences/com.example.gifs.plist before.plist | run.capsule@1:Library/Preferences/com.example.gifs.plist: OK, binary | before.plist: OK, binary
                0 | plist convert xml run.capsule@1:Library/Preferences/com.example.gifs.plist -o new.plist | new.plist: written
                0 | plist get new.plist /launches | 6
                0 | $ test $(stat -c %a new.plist) = $(stat -c %a before.plist)
                1 | diff run.capsule@1:Library/Preferences/com.example.gifs.plist after.plist --overlay change.plist -q
                0 | apply change.plist before.plist -o again.plist -q
                0 | diff again.plist after.plist
                0 | diff --exit-zero --stat before.plist run.capsule:Library/Preferences/com.example.gifs.plist | com.example.gifs.plist | plist, 8 changes, +2 -1 ~5 | 1 entry differs: 1 modified
                0 | apply -q box.capsule:over.json mine.plist
                0 | plist get mine.plist /launches | 9
                0 | overlay check box:over.json | box:over.json: OK, a JSON Merge Patch (RFC 7396), 1 step
                0 | merge run.capsule@1:Library/Preferences/com.example.gifs.plist mine.plist mine.plist -o merged.plist | merged.plist: merged
                0 | diff mine.plist merged.plist
                0 | apply -q box/over.json run.capsule@1:Library/Preferences/com.example.gifs.plist -o applied.plist
                0 | diff mine.plist applied.plist
                """)
    }

    @Test(arguments: [
        "run.capsule@1:\(preferences) after.plist", "before.plist after.plist", "run.capsule:\(preferences)",
        "run.capsule@1..2:\(preferences)",
    ])
    func differencesOfAPropertyList(sides: String) throws {
        let outcome = try session.run("capsule diff \(sides)")
        #expect(outcome.status == 1 && outcome.text.contains("~ /launches: 6 → 7\n"))
        // The entry has the name of the newer file.
        let lines = outcome.text.split(separator: "\n").dropFirst()
        #expect(try lines == session.run("capsule diff before.plist after.plist").text.split(separator: "\n").dropFirst())
    }

    @Test func differencesOfOtherFiles() throws {
        for side in ["run.capsule@1:", "old.zip:"] {
            for other in ["B.xcappdata/AppData/", "B.xcappdata:"] {
                let note = "Documents/Notes/Shopping list.txt"
                let text = try session.run("capsule diff '\(side)\(note)' '\(other)\(note)'").text
                #expect(text.hasPrefix("~ Shopping list.txt (text)\n"))
            }
        }
        let store = "Library/Application Support/Model.sqlite"
        let stored = try session.run("capsule diff --rows 100 'run.capsule@1:\(store)' 'run.capsule@2:\(store)'").text
        #expect(
            try stored
                == session.run("capsule diff --rows 100 'A.xcappdata/AppData/\(store)' 'B.xcappdata/AppData/\(store)'").text)
        #expect(stored.contains("fox"))
        // Cookies are secrets here, too.
        let cookies = "Library/Cookies/Cookies.binarycookies"
        #expect(try session.run("capsule diff run.capsule@1:\(cookies) run.capsule@2:\(cookies)").text.contains("hidden"))
    }

    @Test func aDatabaseComesWithItsLog() throws {
        let outcome = try session.run("capsule cat 'run.capsule@2:Library/Application Support/Model.sqlite'")
        #expect(outcome.errors.contains("includes the content of its log"))
        try Files.write(outcome.output, to: session["Model.sqlite"])
        try session.expect("$ sqlite3 Model.sqlite 'SELECT COUNT(*) FROM ZGIF WHERE ZTITLE = \"fox\"'\n1")
    }

    @Test func whatCannotBeFound() throws {
        try session.expect(
            rows: """
                64 | diff run.capsule@1:Library/Preferences/com.example.gifs.plist run.capsule@2 | run.capsule@1:Library/Preferences/com.example.gifs.plist: is a single file, but the other side is a container | compare it with another file; 'CONTAINER:PATH' names a file in the container
                2 | diff run.capsule@1:Documents run.capsule@2:Documents | run.capsule@1:Documents: is a directory, not a file | 'capsule diff A B PATH' compares a part of two containers
                2 | plist print run.capsule@1:documents/empty.txt | documents/empty.txt: is not in the container | did you mean 'Documents/empty.txt'?
                2 | cat run.capsule@1:documents/empty.txt | documents/empty.txt: is not in the container | did you mean 'Documents/empty.txt'?
                2 | plist print run.capsule@1:nowhere | nowhere: is not in the container | 'capsule ls run.capsule@1' lists its paths
                2 | cat run.capsule@1:nowhere | nowhere: is not in the container | 'capsule ls run.capsule@1' lists its paths
                2 | plist print run.capsule@none:a.txt | run.capsule: has no version 'none': it has 2 versions | 'capsule log run.capsule' lists them
                2 | cat run.capsule@none:a.txt | run.capsule: has no version 'none': it has 2 versions | 'capsule log run.capsule' lists them
                64 | plist get before.plist:launches | before.plist: is not a container, so it contains no 'launches' | in CONTAINER:PATH, CONTAINER is a capsule, an archive or a directory
                64 | ls run.capsule@1:Documents | run.capsule@1:Documents: is a path in a container, not a container | give the container and the path as two arguments: 'run.capsule@1 Documents'
                64 | cat run.capsule | run.capsule: 'cat' needs PATH, the file in the container | usage: capsule cat CONTAINER PATH, or capsule cat CONTAINER:PATH
                2 | plist print run.capsule | run.capsule: is a capsule or an archive, not a property list | name a property list in it as 'run.capsule:PATH'; 'capsule ls run.capsule' lists the paths
                64 | plist print run.capsule Library/Preferences/com.example.gifs.plist | unexpected argument 'Library/Preferences/com.example.gifs.plist' for 'plist print' | 'run.capsule:Library/Preferences/com.example.gifs.plist' names a property list in a container
                """)
    }

    /// A file that has the whole name is itself, and a path may have a `:`, after a version, too.
    @Test func colons() throws {
        try session.expect(
            rows: """
                0 | $ cp after.plist run.capsule:x.plist && mkdir a:b && cp after.plist a:b/x.plist
                0 | plist get run.capsule:x.plist /launches | 7
                0 | plist get a:b:x.plist /launches | 7
                0 | cat colons.capsule@1:a:b | 2
                0 | cat colons.capsule:a:b | 2
                0 | cat colons:a:b | 2
                0 | diff colons.capsule@1:a:b colons:a:b
                0 | diff colons.capsule:a:b colons:a:b
                """)
    }

    @Test(arguments: [preferences, "Documents/Notes/Shopping list.txt", "Library/Application Support/Model.sqlite"])
    func damageIsFoundBeforeAByteIsTold(path: String) throws {
        var bytes = try Files.read(session["run.capsule"])
        for place in bytes.count / 3..<bytes.count / 3 + 4000 { bytes[place] ^= 0x55 }
        try Files.write(bytes, to: session["damaged.capsule"])
        let good = try session.run("capsule cat 'run.capsule@1:\(path)'")
        let bad = try session.run("capsule cat 'damaged.capsule@1:\(path)'")
        #expect(good.status == 0 && (bad.status == 2 || bad.output == good.output))
    }

    @Test func aTornTailIsToldWhateverIsRead() throws {
        try Files.write(Array(try Files.read(session["run.capsule"]).dropLast(20)), to: session["torn.capsule"])
        for line in [
            "plist get torn.capsule:\(Self.preferences) /launches", "cat torn.capsule:Documents/empty.txt",
            "diff torn.capsule:Documents/empty.txt run.capsule@1:Documents/empty.txt",
        ] {
            let outcome = try session.run("capsule \(line)")
            #expect(
                outcome.status == 0
                    && outcome.errors.contains(/torn\.capsule: the tail from byte [0-9]+ to the end is incomplete/))
        }
    }
}
