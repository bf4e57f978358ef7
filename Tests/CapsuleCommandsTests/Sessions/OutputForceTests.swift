import TestSupport
import Testing

/// Nothing is overwritten without `--force`, by any flag of any verb; some things no flag replaces.
@Suite struct OutputForceTests {
    private static func integer(_ value: Int) -> String {
        "<plist version=\"1.0\"><dict><key>a</key><integer>\(value)</integer></dict></plist>"
    }

    private let session: Session

    init() throws {
        session = try Session([
            "a/h": "1\n", "b/h": "2\n", "o.plist": Self.integer(1), "n.plist": Self.integer(2), "m.plist": Self.integer(3),
            "text": "mine\n", "expect.json": #"{"CapsuleExpectation":1,"Other":"allow"}"#,
        ])
        try session.expect(
            """
            $ capsule pack -q a -o many.capsule
            $ capsule pack -q b --append -o many.capsule
            $ capsule pack -q a -o one.capsule
            $ capsule diff o.plist n.plist --overlay run.plist -q --exit-zero
            """)
    }

    /// All flags that name an output, of all verbs that have one.
    private static let outputs = """
        diff a b --overlay %
        diff a b --learn %
        diff a b --expect-write %
        diff a b --html %
        diff a b --markdown %
        diff o.plist n.plist --overlay %
        diff o.plist n.plist --html %
        merge o.plist n.plist m.plist -o % --prefer ours
        merge o.plist n.plist m.plist -o none --conflicts %
        apply run.plist o.plist -o %
        plist convert xml n.plist -o %
        plist set n.plist /a --integer 7 -o %
        overlay compose run.plist -o %
        overlay invert run.plist -o %
        unpack one.capsule -o % --as zip
        """.split(separator: "\n")

    /// Expects status 2 with the file's name, and the file as it was.
    @discardableResult
    private func keeps(_ file: String, _ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        let before = try Files.read(session[file])
        let outcome = try session.run("capsule \(line)")
        #expect(outcome.status == 2 && outcome.errors.contains(file), "\(line)", sourceLocation: sourceLocation)
        #expect(try Files.read(session[file]) == before, "\(line)", sourceLocation: sourceLocation)
        return outcome.errors
    }

    private func allKeep(_ file: String, _ flag: String = "") throws {
        for line in Self.outputs { try keeps(file, "\(line.replacing("%", with: file)) \(flag)") }
    }

    @Test func withoutForceNothingIsReplaced() throws {
        try allKeep("text")
        for line in [
            "pack a -o text", "merge a b a -o text", "apply run.plist o.plist --undo text", "restore one.capsule b --undo text",
            "diff a b --html new.html --learn text",
        ] {
            try keeps("text", line)
        }
        #expect(!session.exists("new.html") && !session.exists("none"))
    }

    @Test(arguments: outputs)
    func withForceTheRestGoes(line: Substring) throws {
        let outcome = try session.run("capsule \(line.replacing("%", with: "text")) -f")
        #expect(outcome.status < 2)
        #expect(try session.text("text") != "mine\n")
    }

    @Test func aCapsuleOfSeveralVersionsStays() throws {
        try allKeep("many.capsule", "--force")
        let hint = "'capsule pack --append' adds a version to it; or choose another name"
        #expect(try keeps("many.capsule", "overlay invert run.plist -o many.capsule --force").contains(hint))
        try keeps("many.capsule", "unpack one.capsule -f -o many.capsule")
        try keeps("many.capsule", "apply run.plist o.plist --undo many.capsule --force")
        // This holds for a new capsule, too: the user may have meant '--append', not '--force'.
        try session.expect(
            rows: """
                2 | pack -q a -o many.capsule --force | many.capsule: is a capsule of 2 versions | 'capsule pack --append' adds a version to it; or choose another name
                2 | pack -q a -o many.capsule | many.capsule: already exists | 'capsule pack --append' adds a version to it; or choose another name
                2 | pack -q a -o one.capsule | one.capsule: already exists | 'capsule pack --append' adds a version to it; or choose another name, or replace it with '--force'
                64 | diff a b --html x --force=all | flag '--force' does not take a value, but has 'all'
                """)
        // A capsule whose newest version can't be read may have had several.
        var bytes = try Files.read(session["many.capsule"])
        bytes[bytes.count - 60] ^= 1
        try Files.write(bytes, to: session["hurt.capsule"])
        #expect(try keeps("hurt.capsule", "diff a b --html hurt.capsule --force").contains("is a damaged capsule"))
    }

    /// Conflicts stay with a decision in them, and not with the word alone.
    @Test(arguments: ["todo.plist", "todo.json"])
    func conflictsThatSomebodyDecidedStay(name: String) throws {
        let merge = "merge o.plist n.plist m.plist -o none --conflicts \(name)"
        #expect(try session.run("capsule \(merge)").status == 1)
        let open = try session.text(name)
        #expect(try session.run("capsule \(merge)").status == 2)
        #expect(try session.run("capsule \(merge) --force").status == 1)
        #expect(try session.text(name) == open)
        #expect(try session.run("capsule plist set -q \(name) /Conflicts/0/Take --string theirs").status == 0)
        try allKeep(name, "--force")
        if name == "todo.plist" {
            try session.python(
                """
                text = open("todo.plist").read().replace("UTF-8", "UTF-16")
                open("wide.plist", "w", encoding="utf-16").write(text)
                """)
            #expect(try session.run("capsule plist print wide.plist").status == 0)
            let wide = try keeps("wide.plist", "merge o.plist n.plist m.plist -o none --conflicts wide.plist --force")
            #expect(wide.contains("has resolved conflicts"))
        }
    }

    /// Only a report replaces a report of Capsule's.
    @Test func reports() throws {
        for _ in 1...2 {
            #expect(
                try session.run("capsule diff a b -q --expect expect.json --html r.html --junit r.xml --markdown r.md").status
                    == 0)
        }
        for (name, text) in [
            ("page.html", "<!DOCTYPE html>\n<html><head><meta name=\"generator\" content=\"other\">"),
            ("tests.xml", "<?xml version=\"1.0\"?>\n<testsuite name=\"unit tests\" tests=\"1\">"),
            ("notes.md", "# Notes\n\n<!-- capsule diff -->\n"),
            // A file that quotes a report is none, nor is a list of several suites.
            ("notes.txt", "# from <testsuite name=\"capsule diff\" and <meta name=\"generator\" content=\"capsule 1\">\n"),
            (
                "all.xml",
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"capsule diff\" tests=\"1\">"
            ),
        ] {
            try session.write(text, to: name)
        }
        #expect(try session.run("ln -s r.html l.html").status == 0)
        for (file, line) in [
            ("r.html", "diff a b --learn r.html"), ("r.md", "diff a b --html r.md"), ("notes.md", "diff a b --markdown notes.md"),
            ("r.html", "diff a b --markdown r.html"), ("r.xml", "diff a b --overlay r.xml"),
            ("page.html", "diff a b --html page.html"),
            ("tests.xml", "diff a b --expect expect.json --junit tests.xml"), ("notes.txt", "diff a b --html notes.txt"),
            ("all.xml", "diff a b --expect expect.json --junit all.xml"), ("r.xml", "diff a b --html r.xml"),
            ("r.html", "diff a b --expect expect.json --junit r.html"), ("l.html", "diff a b --html l.html"),
        ] {
            try keeps(file, line)
        }
        #expect(try session.run("test -L l.html").status == 0)
    }

    /// A link to a device or to an open file is the system's.
    @Test func aLinkToADeviceStays() throws {
        #expect(try session.run("ln -s /dev/null null").status == 0)
        try session.expect(
            rows: """
                2 | diff a b --html null --force | null: is not a regular file, and is never replaced | '--html -' writes to standard output
                2 | pack a -o null --force | null: is not a regular file, and is never replaced | '--output -' writes to standard output
                2 | diff a b --html /dev/stdout --force | /dev/stdout: is not a regular file, and is never replaced | '--html -' writes to standard output
                2 | pack a -o /dev/stdout --force | /dev/stdout: is not a regular file, and is never replaced | '--output -' writes to standard output
                2 | diff a b --html /proc/self/fd/1 --force | /proc/self/fd/1: is not a regular file, and is never replaced | '--html -' writes to standard output
                2 | pack a -o /proc/self/fd/1 --force | /proc/self/fd/1: is not a regular file, and is never replaced | '--output -' writes to standard output
                """)
        #expect(try session.run("test -L null -a -L /dev/stdout").status == 0)
    }

    @Test func manPages() throws {
        try session.expect(
            rows: """
                0 | generate man man
                0 | generate man man
                0 | $ echo mine > man/capsule-pack.1
                2 | generate man man | man/capsule-pack.1: already exists | '--force' replaces it
                0 | $ cat man/capsule-pack.1 | mine
                0 | generate man man --force
                1 | $ grep -c mine man/capsule-pack.1 | 0
                """)
    }
}
