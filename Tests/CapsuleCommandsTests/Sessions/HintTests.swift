import TestSupport
import Testing

/// Messages that say what to do next.
@Suite struct HintTests {
    private let session: Session

    init() throws {
        session = try Session([
            "base.json": #"{"a": "base", "b": "base"}"#, "ours.json": #"{"a": "ours", "b": "ours"}"#,
            "theirs.json": #"{"a": "theirs", "b": "theirs"}"#, "none.json": #"{"CapsuleExpectation": 1}"#,
            "all.json": #"{"CapsuleExpectation": 1, "Other": "allow"}"#, "v/a": "one\n", "a/": "", "b/new": "1\n",
            "d/Gifs-before.xcappdata/": "", "Info.plist": #"{"CFBundleIdentifier": "com.example.gifs", "Name": "Gifs"}"#,
            "Over.plist": #"{"Name": "Other"}"#, "Mark.json": #"{"Path": "Library/a.plist", "Merge": {"a": 1}}"#,
        ])
        try session.expect(
            rows: """
                0 | pack v -q -o one.capsule
                0 | pack v -q -o two.capsule
                0 | $ echo two > v/a
                0 | pack v -q --append -o two.capsule
                """)
    }

    @Test func openConflicts() throws {
        try session.expect(
            rows: """
                1 | merge base.json ours.json theirs.json -o m.json -q | conflict 1: value /a: both changed: base "base", ours "ours", theirs "theirs" | conflict 2: value /b: both changed: base "base", ours "ours", theirs "theirs" | '--prefer' takes one side; '--conflicts FILE' lists the conflicts for '--resolve FILE'
                1 | merge base.json ours.json theirs.json -o m.json --conflicts c.json -q | add 'Take' to each conflict in c.json, and pass the file to '--resolve'
                1 | merge base.json ours.json theirs.json -o m.json --resolve c.json -q | conflict 1: value /a: both changed: base "base", ours "ours", theirs "theirs" | conflict 2: value /b: both changed: base "base", ours "ours", theirs "theirs" | no conflict in c.json is resolved: add 'Take' to each, with the value 'base', 'ours', 'theirs', 'absent' or 'value'
                0 | plist set -q c.json /Conflicts/0/Take --string ours
                1 | merge base.json ours.json theirs.json -o m.json --resolve c.json -q | conflict 1: value /a: both changed: base "base", ours "ours", theirs "theirs"; takes ours | conflict 2: value /b: both changed: base "base", ours "ours", theirs "theirs" | add 'Take' to each open conflict in the file of '--resolve'
                0 | merge base.json ours.json theirs.json -o m.json --prefer ours -q | conflict 1: value /a: both changed: base "base", ours "ours", theirs "theirs"; takes ours, by --prefer ours | conflict 2: value /b: both changed: base "base", ours "ours", theirs "theirs"; takes ours, by --prefer ours
                """)
    }

    @Test func whatWasMeant() throws {
        try session.expect(
            rows: """
                2 | log v | v: is a directory, not a capsule | 'capsule pack' turns a container into a capsule
                2 | verify v | v: is a directory, not a capsule | 'capsule pack' turns a container into a capsule
                2 | repair v | v: is a directory, not a capsule | 'capsule pack' turns a container into a capsule
                2 | compact --keep latest v | v: is a directory, not a capsule | 'capsule pack' turns a container into a capsule
                2 | restore v new | new: the container does not exist | 'capsule unpack' creates one from a capsule or an archive
                64 | rollback | unknown verb 'rollback' | did you mean 'restore'?
                64 | find | unknown verb 'find' | did you mean 'ls'?
                2 | diff two.capsule 1 2 | 1: cannot open: no such file or directory | 'capsule diff two.capsule@1..2' compares the two versions
                2 | diff two.capsule@1 @2 | @2: cannot open: no such file or directory | 'capsule diff two.capsule@1..2' compares the two versions
                2 | pack d/Gifs-befor.xcappdata | d/Gifs-befor.xcappdata: cannot open: no such file or directory | did you mean 'd/Gifs-before.xcappdata'?
                2 | ls d/Gifs-befor.xcappdata | d/Gifs-befor.xcappdata: cannot open: no such file or directory | did you mean 'd/Gifs-before.xcappdata'?
                2 | plist get bas.json a | bas.json: cannot open: no such file or directory | did you mean 'base.json'?
                2 | ls nothing.like.this.plist | nothing.like.this.plist: cannot open: no such file or directory
                2 | ls com.example.gifs | com.example.gifs: cannot open: no such file or directory | 'sim:booted/com.example.gifs' names the container of this app on the booted simulator
                2 | restore v com.example.gifs | com.example.gifs: the container does not exist | 'sim:booted/com.example.gifs' names the container of this app on the booted simulator
                64 | restore v two.capsule | two.capsule: is not a directory, and this command needs a live container | swap the two: 'capsule restore two.capsule v --dry-run' shows what that would change
                64 | restore two.capsule Documents live | unexpected argument 'live' for 'restore' | 'capsule restore two.capsule live --only Documents' restores only this path
                2 | apply Mark.json Info.plist | Mark.json: has the keys of an overlay document, but no 'CapsuleOverlay' | add 'CapsuleOverlay' with the value 1
                """)
    }

    @Test func quietPrintsOnlyWhatBreaksAnExpectation() throws {
        try session.expect(
            rows: """
                1 | diff -q a b
                1 | diff -q --stat a b
                1 | diff -q a b --expect none.json | ! not allowed: new (added) | none.json: failed: 1 finding
                0 | diff -q a b --expect all.json
                """)
    }

    /// A larger property list may be the target. A key that is added may be a typing error, and a text becomes a string.
    @Test func editsThatMayBeSlips() throws {
        try session.expect(
            rows: """
                0 | apply Over.plist Info.plist -q
                0 | apply Info.plist Over.plist -q | capsule: warning: Info.plist has all keys of Over.plist, and more: are the overlay and the target swapped?
                0 | apply Info.plist Over.plist -q
                0 | plist set Over.plist Nme true | Over.plist: changed | capsule: note: /Nme does not exist, so it is added | did you mean 'Name'? | it is the string "true"; '--bool true' sets another type
                0 | plist set Over.plist Count 7 | Over.plist: changed | capsule: note: /Count does not exist, so it is added | it is the string "7"; '--integer 7' sets another type
                0 | plist set Over.plist Name --string x | Over.plist: changed
                0 | plist set Over.plist Count 8 | Over.plist: changed
                0 | plist set Over.plist -q New 9
                0 | $ echo '{"Name": "$(PRODUCT)"}' > Over.plist
                0 | apply Over.plist Info.plist -q | capsule: warning: Over.plist: "$(PRODUCT)" is written unexpanded | '--expand' replaces names by their values
                0 | apply Over.plist Info.plist -q
                """)
        #expect(try session.run("PRODUCT=x capsule apply --expand Over.plist Info.plist").errors.isEmpty)
    }

    /// Copies a capsule to `x.capsule`, with a wrong bit in a version's member of a kind.
    private func flip(_ kind: String, ofVersion version: Int, in name: String) throws {
        try session.python(
            """
            import json, os, subprocess, sys
            kind, version, name = sys.argv[1:]
            members = subprocess.check_output([sys.executable, os.environ["PYTHONPATH"] + "/capsule_reader.py", "members", name], text=True)
            places = [m["offset"] for m in map(json.loads, members.splitlines()) if m["kind"] == kind]
            data = bytearray(open(name, "rb").read())
            data[places[int(version) - 1] + 60] ^= 1
            open("x.capsule", "wb").write(data)
            """, kind, "\(version)", name)
    }

    /// For a version of which nothing can be read that is another version, and never what sends back here.
    @Test(arguments: ["M", "I", "B"])
    func verifyNamesWhatHelps(kind: String) throws {
        try flip(kind, ofVersion: kind == "B" ? 0 : 2, in: "two.capsule")
        let unpacked = try session.run("capsule unpack x.capsule -o u")
        #expect(
            unpacked.status == 2 && unpacked.errors.contains("\ncapsule: hint: 'capsule verify x.capsule' shows what is intact"))
        #expect(try session.run("capsule pack v --append -o x.capsule").status == 2)
        let verified = try session.run("capsule verify x.capsule")
        #expect(verified.status == 2)
        #expect(
            verified.errors.hasSuffix(
                """
                capsule: hint: 'capsule compact --keep 1 x.capsule' keeps version 1, which is OK, and removes the others; \
                'capsule unpack x.capsule@1' extracts version 1

                """))
        try session.expect(
            rows: """
                0 | unpack x.capsule@1 -q -o u
                0 | $ cat u/a | one
                0 | compact --keep 1 x.capsule -q -o kept.capsule
                0 | verify kept.capsule -q
                """)
        // Nor can a capsule be helped that has no other one.
        try flip(kind, ofVersion: 1, in: "one.capsule")
        #expect(
            try session.run("capsule verify x.capsule").errors.hasSuffix("\ncapsule: hint: tar may still extract files from it\n")
        )
        let packed = try session.run("capsule pack v --append -o x.capsule")
        #expect(packed.status == 2 && !packed.errors.contains("compact"))
    }

    @Test func ofAnOlderVersionTheNewestCanDoAll() throws {
        try flip("M", ofVersion: 1, in: "two.capsule")
        let outcome = try session.run("capsule verify x.capsule")
        let hint =
            /keep 2 x\.capsule.*'capsule unpack x\.capsule PATH' extracts a file that is not damaged; 'capsule pack --append'/
        #expect(outcome.status == 2 && outcome.errors.contains(hint))
    }

    /// If a manifest counts entries that the index does not have, nothing uses its numbers.
    @Test func aManifestThatDoesNotMatchItsIndex() throws {
        #expect(try session.run("python3 $TOOLS/forge_capsule.py facts facts.capsule").status == 0)
        let before = try Files.read(session["facts.capsule"])
        for verb in ["log", "info", "verify", "ls", "repair", "pack v --append -o", "log --json", "info --json"] {
            let outcome = try session.run("capsule \(verb) facts.capsule")
            let both = outcome.text + outcome.errors
            #expect(
                outcome.status == 2 && both.contains(/index and manifest of version 1 don't match|damaged: 1 finding/), "\(verb)")
            #expect(!both.contains(/9,?223,?372/), "\(verb)")
            #expect(try Files.read(session["facts.capsule"]) == before, "\(verb)")
        }
    }
}
