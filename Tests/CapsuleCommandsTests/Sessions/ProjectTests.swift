import Testing

/// A project's file: short commands for its app and its capsule.
@Suite struct ProjectTests {
    private let session: Session

    init() throws {
        session = try Session(["home/": "", "p/": ""], variables: [:])
        try session.python(
            """
            import os
            os.makedirs("p/Data/Documents"); os.makedirs("p/Data/Library/Caches"); os.makedirs("p/sub")
            open("p/Data/Documents/a.txt", "w").write("one\\n")
            open("p/Data/Library/Caches/c", "w").write("cached\\n")
            """)
    }

    private func run(_ line: String, in place: String = "p") throws -> Session.Outcome {
        let home = session["home"]
        return try session.run(
            shellWords(line).map { Array($0.utf8) }, variables: ["HOME": home, "XDG_CACHE_HOME": home + "/cache"], in: place)
    }

    private func expect(_ line: String, in place: String = "p", status: Int32 = 0, _ words: String...) throws {
        let outcome = try run(line, in: place)
        #expect(outcome.status == status, "\(line): \(outcome.errors)")
        for word in words { #expect((outcome.text + outcome.errors).contains(word), "\(line): \(outcome.text)\(outcome.errors)") }
    }

    private func start() throws {
        try expect("init Data", "wrote .capsule.plist: the app is Data, the capsule is Data.capsule")
        try expect("pack --label clean", "Data.capsule: version 1")
    }

    @Test func theDailyCommandsAreShort() throws {
        try start()
        try session.write("two\n", to: "p/Data/Documents/a.txt")
        try session.write("x\n", to: "p/Data/Documents/b.txt")
        try expect("diff @clean", status: 1, "~ Documents/a.txt", "+ Documents/b.txt")
        try expect("diff", status: 1, "+ Documents/b.txt")
        try expect("pack --label dirty", "Data.capsule: version 2")
        try expect("log", "clean", "dirty")
        try expect("log @ Documents/a.txt", "added", "1 change")
        try expect("cat @clean Documents/a.txt", "one")
        try expect("cat @:Documents/a.txt", "two")
        try expect("cat app:Documents/b.txt", "x")
        try expect("show @~1", "version 1 (clean)")
        try expect("grep two @", "Documents/a.txt:1")
        try expect("du app:", "Documents")
        try expect("diff @clean @dirty --exit-zero", "+ Documents/b.txt")
        try expect("diff Data.capsule -v --exit-zero", "+ Documents/b.txt")
        #expect(try !run("diff Data.capsule -v --exit-zero").errors.contains("capsule diff Data.capsule"))
        try expect("diff @1..2 --exit-zero", "+ Documents/b.txt")
        try expect("restore @clean -v", "capsule restore Data.capsule@clean -v Data", "'capsule undo' undoes this")
        #expect(try session.text("p/Data/Documents/a.txt") == "one\n")
        #expect(!session.exists("p/Data/Documents/b.txt"))
        try session.write(#"{"CapsuleOverlay": 1, "Targets": []}"#, to: "p/o.json")
        try expect("apply o.json o.json app:", "Data: nothing to change")
        try expect("run -- touch Data/Documents/new", "+ Documents/new")
        try expect("run --from @dirty -- touch Data/Documents/newer", "+ Documents/newer")
        #expect(try session.text("p/Data/Documents/a.txt") == "two\n")
        #expect(!session.exists("p/Data/Documents/new"))
    }

    /// The last change comes back once, and only if nothing changed there since.
    @Test func undoBringsTheLastChangeBack() throws {
        try start()
        try expect("undo", status: 2, "nothing to undo")
        try session.write("two\n", to: "p/Data/Documents/a.txt")
        try expect("restore @clean --dry-run")
        try expect("restore @clean --no-undo")
        try expect("undo", status: 2, "nothing to undo")
        try session.write("two\n", to: "p/Data/Documents/a.txt")
        try expect("restore @clean")
        try expect("restore @clean", "nothing to change")
        try expect("undo")
        #expect(try session.text("p/Data/Documents/a.txt") == "two\n")
        try expect("undo", status: 2, "nothing to undo")
        try expect("drop all")
        #expect(session.exists("p/Data/Documents") && session.exists("p/Data/Library/Caches"))
        #expect(!session.exists("p/Data/Documents/a.txt"))
        try expect("undo")
        #expect(try session.text("p/Data/Documents/a.txt") == "two\n")
        try expect("drop caches")
        #expect(!session.exists("p/Data/Library/Caches/c"))
        try expect("undo")
        #expect(session.exists("p/Data/Library/Caches/c"))
        try expect("restore @clean")
        try session.write("three\n", to: "p/Data/Documents/a.txt")
        try expect("undo", status: 2, "Documents/a.txt")
        #expect(try session.text("p/Data/Documents/a.txt") == "three\n")
    }

    /// Whatever a restore replaces, deletes or uses again comes back, and nothing of it is left in the cache.
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64]) func undoBringsAnyChangeBack(seed: UInt64) throws {
        let change = """
            import os, random, sys
            pick = random.Random(int(sys.argv[1]))
            os.chdir("p/Data")
            names = [f"Documents/{n}" for n in "abcdefgh"] + ["Library/Caches/c", "Documents/d1/x", "Documents/d2/y"]
            contents = [b"", b"one", b"two", b"three" * 40000]
            for name in names:
                os.makedirs(os.path.dirname(name), exist_ok=True)
                what = pick.randrange(6)
                if os.path.lexists(name) and what < 5:
                    os.remove(name)
                if what == 0:
                    continue
                if what == 1:
                    os.symlink(pick.choice(names), name)
                elif what == 2 and os.path.isfile("Documents/a") and name != "Documents/a":
                    os.link("Documents/a", name)
                elif what < 5:
                    with open(name, "wb") as file:
                        file.write(pick.choice(contents))
                    os.chmod(name, pick.choice([0o600, 0o644, 0o400]))
            """
        try session.python(change, "\(seed)")
        try start()
        try session.python(change, "\(seed + 100)")
        try expect("pack app: -o ../before.capsule")
        try expect("restore @clean")
        try expect("diff @clean app: --all")
        try expect("undo")
        try expect("diff ../before.capsule app: --all")
        try session.python(
            """
            import os
            kept = [name for name in os.listdir("home/cache/capsule") if name.startswith("undo")]
            assert not kept, kept
            """)
    }

    /// The file is found from directories below, and its paths are relative to it.
    @Test func theFileIsFoundAbove() throws {
        try start()
        try expect("cat @clean Documents/a.txt", in: "p/sub", "one")
        try expect("restore @clean -v", in: "p/sub", "capsule restore ../Data.capsule@clean -v ../Data")
        try expect("log", in: "home", status: 64, "needs FILE")
        try expect("log @", in: "home", status: 64, "no '.capsule.plist' here or above", "capsule init com.example.app")
        // The home directory is the last one.
        let outcome = try session.run([Array("log".utf8), Array("@".utf8)], variables: ["HOME": session["p/sub"]], in: "p/sub")
        #expect(outcome.status == 64)
    }

    /// A flag on the line wins over the file, and a verdict is that of the file's expectation.
    @Test func theFileSetsFlags() throws {
        try session.write(
            #"{"App": "Data", "File": "x.capsule", "Groups": false, "Drop": ["caches", "tmp"], "Rules": "rules.json", "Expectation": "e.json"}"#,
            to: "p/.capsule.plist")
        try session.write(
            #"{"CapsuleRules": 1, "Classes": {"mine": "m"}, "Rules": [{"Class": "mine", "Path": "Documents/n*"}]}"#,
            to: "p/rules.json")
        try session.write(#"{"CapsuleExpectation": 1, "May": []}"#, to: "p/e.json")
        try expect("pack --label one -v", "capsule pack --label one -v Data --no-groups --append -o x.capsule --drop caches,tmp")
        try expect("ls @", "Documents/a.txt")
        #expect(try !run("ls @").text.contains("Caches/c"))
        try expect("pack app: -o y.capsule -v", "capsule pack Data -o y.capsule -v --no-groups")
        try session.write("n\n", to: "p/Data/Documents/note")
        try expect("diff @ -v", status: 0, "--rules rules.json", "mine")
        try expect("run -v -- touch Data/Documents/z", status: 1, "--expect e.json", "Documents/z")
    }

    /// The file may be somebody else's: nothing outside of the project is named by it.
    @Test func aFileIsChecked() throws {
        try session.python("import os; os.makedirs('other/Documents'); os.symlink('../other', 'p/link')")
        for (text, words) in [
            (#"{"App": "../other"}"#, "'App' is outside the project"), (#"{"App": "link/"}"#, "'App' is outside the project"),
            (#"{"App": "Data", "File": "../x.capsule"}"#, "'File' is outside the project"),
            (#"{"App": "Data", "File": "/x.capsule"}"#, "'File' is outside the project"),
            (#"{"App": "Data", "Rules": "../r.json"}"#, "'Rules' is outside the project"),
            (#"{"App": "Data", "Expectation": "link/e.json"}"#, "'Expectation' is outside the project"),
            (#"{"File": "x.capsule"}"#, "'App' is missing"), (#"{"App": 7}"#, "'App' is not a string"),
            (#"{"App": "nothing"}"#, "names no directory"), (#"["App"]"#, "is not a dictionary"),
            (#"{"App": "Data", "Fiel": "x"}"#, "has the unknown key 'Fiel'"),
            (#"{"App": "Data", "Simctl": 1}"#, "is not a boolean"),
            (#"{"App": "Data", "Keychain": "all"}"#, "is not a boolean"),
            ("{", ".capsule.plist"),
        ] {
            try session.write(text, to: "p/.capsule.plist")
            try expect("log @", status: 2, words)
        }
        for app in ["sim:booted/com.example.shop", "com.example.shop"] {
            try session.write("{\"App\": \"\(app)\"}", to: "p/.capsule.plist")
            try expect("log @", status: 2, "shop.capsule: cannot open")
        }
        try session.write(#"{"App": "Data", "File": "oci:layout:main"}"#, to: "p/.capsule.plist")
        try expect("pack --label x", status: 64, "is an address, which is only read")
        try session.write(#"{"App": "Data"}"#, to: "p/.capsule.plist")
        try session.python("import os; os.chmod('p/.capsule.plist', 0o666)")
        try expect("log @", status: 2, "can be changed by other users")
        try session.python("import os; os.chmod('p/.capsule.plist', 0o644); os.chmod('p', 0o777)")
        try expect("log @", status: 2, "can be changed by other users")
        try session.python(
            "import os; os.chmod('p', 0o755); os.unlink('p/.capsule.plist'); os.symlink('other.plist', 'p/.capsule.plist')")
        try expect("log @", status: 2)
    }

    @Test func whatIsNotAProject() throws {
        try expect("init nothing.here", status: 2)
        try expect("init ../home", status: 2)
        #expect(!session.exists("p/.capsule.plist"))
        try start()
        try expect("init Data", status: 2, "already exists")
        // A file of such a name is itself.
        try session.write("@\n", to: "p/@x")
        try expect("diff @x @x", "")
        try expect("pack --label clean", status: 2, "clean")
    }
}
