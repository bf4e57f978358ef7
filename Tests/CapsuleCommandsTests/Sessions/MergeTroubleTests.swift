import TestSupport
import Testing

/// A merge that goes wrong leaves nothing behind.
@Suite struct MergeTroubleTests {
    private let session: Session

    init() throws {
        session = try Session(["base/x": "x\n"])
        try session.expect(rows: "0 | $ cp -a base ours && cp -a base theirs && echo ours > ours/a && echo theirs > theirs/b")
    }

    /// It may go with `--force`. Its name must be one of a capsule or a directory.
    @Test func aResultThatIsThereStays() throws {
        try session.expect(
            rows: """
                0 | $ mkdir there && echo precious > there/file
                2 | merge base ours theirs -o there | there: already exists, and has file, which the result does not have | it is never replaced as a whole: choose another name, or move it elsewhere
                2 | merge base ours theirs -o there --force | there: already exists, and has file, which the result does not have | it is never replaced as a whole: choose another name, or move it elsewhere
                0 | $ rm there/file
                0 | merge base ours theirs -o there --force | there: merged
                0 | $ ls there && echo precious > there.capsule | a | b | x
                2 | merge base ours theirs -o there.capsule | there.capsule: already exists | '--force' replaces it
                0 | $ cat there.capsule | precious
                0 | merge base ours theirs -o there.capsule --force | there.capsule: merged
                0 | diff there there.capsule
                64 | merge base ours theirs -o merged.tar.gz | merged.tar.gz: a merged container can be a capsule or a directory, not .tar.gz | use a name that ends in '.capsule', then make an archive with 'capsule unpack --as'
                64 | merge base ours theirs -o merged.zip | merged.zip: a merged container can be a capsule or a directory, not .zip | use a name that ends in '.capsule', then make an archive with 'capsule unpack --as'
                64 | merge base ours theirs -o - | can't write a merged container to standard output | name the output with '-o'
                64 | merge base ours theirs -o ours/merged.capsule | ours/merged.capsule: is inside the container ours, which this command reads | choose another place with '--output'
                64 | merge base ours theirs | 'merge' needs --output | merge does not change its inputs
                64 | merge base ours theirs -o merged --conflicts theirs | theirs: would replace theirs, which this command reads | choose another place with '--conflicts'
                64 | merge base ours theirs -o merged --conflicts merged | merged: is the same place as merged, given with '--conflicts' | choose another place with '--output'
                64 | merge base ours theirs -o merged --conflicts ./merged | merged: is the same place as ./merged, given with '--conflicts' | choose another place with '--output'
                64 | merge base ours theirs -o merged --conflicts base/todo | base/todo: is inside the container base, which this command reads | choose another place with '--conflicts'
                64 | merge base ours theirs -o merged --conflicts merged/todo | merged: is the same place as merged/todo, given with '--conflicts' | choose another place with '--output'
                0 | $ ls . base | .: | base | ours | theirs | there | there.capsule |  | base: | x
                """)
        #expect(try session.run("capsule merge base ours theirs -o merged --conflicts \(session["merged"])").status == 64)
    }

    @Test func theResultTakesThePlaceOfNoInput() throws {
        try session.expect(
            rows: """
                64 | merge base ours theirs -o base --force | base: would replace base, which this command reads | choose another place with '--output'
                64 | merge base ours theirs -o ours --force | ours: would replace ours, which this command reads | choose another place with '--output'
                64 | merge base ours theirs -o ./theirs --force | ./theirs: would replace theirs, which this command reads | choose another place with '--output'
                64 | merge base ours theirs -o ours/../theirs --force | ours/../theirs: would replace theirs, which this command reads | choose another place with '--output'
                0 | $ mkdir -p holder/in && cp -a base ours theirs holder/in
                64 | merge holder/in/base holder/in/ours holder/in/theirs -o holder --force | holder: contains holder/in/base, which this command reads | choose another place with '--output'
                0 | $ diff -r holder/in/theirs theirs
                0 | pack base -o versions.capsule -q
                0 | pack ours -o versions.capsule --append -q
                64 | merge versions.capsule@1 versions.capsule@2 theirs -o versions.capsule --force | versions.capsule: would replace versions.capsule@1, which this command reads | choose another place with '--output'
                0 | verify versions.capsule -q
                64 | merge - - theirs -o merged | standard input can be read only once | use files for the others
                """)
    }

    /// They are told however quiet it is.
    @Test func conflictsAreOnTheDiskBeforeTheResult() throws {
        try session.expect(
            rows: #"""
                0 | $ cp -a base q && echo 1 > ours/a && echo 2 > theirs/a
                2 | merge q ours theirs -o merged --conflicts none/todo.plist --partial | none: the directory does not exist | 'mkdir -p none' creates it
                2 | merge q ours theirs -o merged --conflicts none/todo.plist --prefer ours | none: the directory does not exist | 'mkdir -p none' creates it
                1 | $ test -e merged
                0 | merge q ours theirs -o merged --prefer theirs -q | conflict 1: text a before line 1: both added: ours "1\n", theirs "2\n"; takes theirs, by --prefer theirs
                """#)
    }

    /// A file that a version leaves out counts as deleted. Containers of two apps can be merged.
    @Test func whatIsSaid() throws {
        try session.expect(
            rows: """
                0 | $ cp -a base left && echo secret > left/secret
                0 | pack left -o left.capsule --exclude secret -q
                0 | merge left left.capsule theirs -o merged | merged: merged | capsule: warning: left.capsule was packed without secret, which another side has: merged as deleted
                0 | $ cp -R $SAMPLES/Gifs-before.xcappdata app.xcappdata && cp -R app.xcappdata other.xcappdata
                0 | $ sed s/com.example.gifs/com.example.other/ app.xcappdata/AppDataInfo.plist > other.xcappdata/AppDataInfo.plist
                0 | $ rm other.xcappdata/AppData/.com.apple.mobile_container_manager.metadata.plist
                0 | merge app.xcappdata app.xcappdata other.xcappdata -o apps | apps: merged | capsule: warning: the inputs are containers of different apps: com.example.gifs, com.example.other
                """)
    }

    @Test func aDamagedOrMissingSide() throws {
        try session.write(String(repeating: "0123456789abcdef", count: 1000), to: "theirs/long")
        #expect(try session.run("capsule pack theirs -o theirs.capsule -q").status == 0)
        var bytes = try Files.read(session["theirs.capsule"])
        bytes[bytes.count / 2] ^= 0x55
        try Files.write(bytes, to: session["damaged.capsule"])
        try Files.write(Array(bytes.prefix(1000)), to: session["cut.capsule"])
        for sides in [
            "base.capsule ours theirs", "damaged.capsule ours missing", "base ours cut.capsule", "empty empty damaged.capsule",
        ] {
            #expect(try session.run("mkdir -p empty").status == 0)
            #expect(try session.run("capsule merge \(sides) -o merged").status == 2, "\(sides)")
            #expect(!session.exists("merged"))
        }
    }

    /// It is a conflict of the whole file, and never half of it.
    @Test func aPropertyListThatIsCutInHalf() throws {
        for (side, value) in [("base", 1), ("ours", 2), ("theirs", 3)] {
            let text = "<plist><dict><key>Key</key><integer>\(value)</integer></dict></plist>"
            try session.write(side == "theirs" ? String(text.prefix(text.count / 2)) : text, to: "\(side)/Info.plist")
        }
        try session.expect(
            rows: """
                1 | merge base ours theirs -o merged | conflict 1: contents Info.plist: both changed it, and it can't be read: the text ends inside a tag: base: file, mode 0644, 62 bytes, 7707162f153b; ours: file, mode 0644, 62 bytes, 24c8e4835a5c; theirs: file, mode 0644, 31 bytes, 745c194684e7 | 1 open conflict: the result was not written | '--prefer' takes one side; '--conflicts FILE' lists the conflicts for '--resolve FILE'
                1 | $ test -e merged
                0 | merge base ours theirs -o merged --prefer ours -q | conflict 1: contents Info.plist: both changed it, and it can't be read: the text ends inside a tag: base: file, mode 0644, 62 bytes, 7707162f153b; ours: file, mode 0644, 62 bytes, 24c8e4835a5c; theirs: file, mode 0644, 31 bytes, 745c194684e7; takes ours, by --prefer ours
                0 | $ cmp merged/Info.plist ours/Info.plist
                """)
    }
}
