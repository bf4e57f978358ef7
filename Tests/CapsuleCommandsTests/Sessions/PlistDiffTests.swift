import Testing

/// Differences between two property lists, for people, scripts and machines.
@Suite struct PlistDiffTests {
    private let session: Session

    init() throws {
        session = try Session(["nothing": "nothing\n", "directory/": ""])
        try session.python(
            #"""
            import datetime, plistlib
            old = {
                "CFBundleVersion": "1", "gone": 7, "when": datetime.datetime(2026, 1, 2, 3, 4, 5), "data": b"\x00\x01",
                "CFBundleURLTypes": [{"CFBundleURLName": "login", "CFBundleURLSchemes": ["x"]}, {"CFBundleURLName": "other"}],
                "inner": plistlib.dumps({"count": 1}), "same": [1, {"a": "b"}],
            }
            new = dict(old, CFBundleVersion=1, when=datetime.datetime(2026, 1, 2, 3, 4, 6), inner=plistlib.dumps({"count": 2}), come=True)
            new["CFBundleURLTypes"] = [{"CFBundleURLName": "other"}, {"CFBundleURLName": "login", "CFBundleURLSchemes": ["x", "y"]}]
            del new["gone"]
            for name, value in ("a", old), ("b", new):
                plistlib.dump(value, open(name + ".plist", "wb"), sort_keys=False)
            plistlib.dump(old, open("a.binary", "wb"), fmt=plistlib.FMT_BINARY)
            """#)
    }

    @Test func forPeople() throws {
        try session.expect(
            """
            [1] $ capsule diff a.plist b.plist
            ~ b.plist (plist)
                ~ /CFBundleVersion: string "1" → integer 1
                - /gone: 7
                ~ /when: 2026-01-02T03:04:05Z → 2026-01-02T03:04:06Z
                + /CFBundleURLTypes/[CFBundleURLName=login]/CFBundleURLSchemes/[=y]: "y"
                ~ /CFBundleURLTypes: order ["login", "other"] → ["other", "login"]
                ~ /inner/<plist>/count: 1 → 2
                + /come: true
            [1] $ capsule diff -q a.plist b.plist
            $ capsule diff --exit-zero a.plist b.plist
            ~ b.plist (plist)
                ~ /CFBundleVersion: string "1" → integer 1
                - /gone: 7
                ~ /when: 2026-01-02T03:04:05Z → 2026-01-02T03:04:06Z
                + /CFBundleURLTypes/[CFBundleURLName=login]/CFBundleURLSchemes/[=y]: "y"
                ~ /CFBundleURLTypes: order ["login", "other"] → ["other", "login"]
                ~ /inner/<plist>/count: 1 → 2
                + /come: true
            $ capsule diff a.plist a.plist
            [1] $ capsule diff a.plist a.binary
            ~ a.binary (plist)
                ~ encoding only: xml → binary
            """)
    }

    @Test func forScriptsAndMachines() throws {
        try session.expect(
            rows: #"""
                1 | diff --name-status a.plist a.binary | E	a.binary
                1 | diff --name-status a.plist b.plist | M	b.plist
                1 | diff --name-only a.plist b.plist | b.plist
                1 | diff --json a.plist b.plist | {"kind":"header","schema":"capsule.diff","version":1,"a":{"source":"a.plist","tree":"e5cc93cddca84296a1e55055371b458a26ec7eea2c29fb46134e35583a599a4a"},"b":{"source":"b.plist","tree":"d2f0d61eee654c60458617abb1553aae5101aa307206abcddb03c044250612e3"},"all":false} | {"kind":"modified","path":"b.plist","handler":"plist","details":7,"old":{"type":"file","mode":"0644","size":1109,"digest":"2f83c99146bac3dd0b8f0ccbaddb7bf4ee59f60fc5d2796f66e695406aa419dd"},"new":{"type":"file","mode":"0644","size":1121,"digest":"c87e807bd4d217fefc1a294d79e8acc8f977834be5f9112039afe570e1afea6b"}} | {"kind":"value","path":"b.plist","op":"modified","pointer":"/CFBundleVersion","old":"1","new":1} | {"kind":"value","path":"b.plist","op":"deleted","pointer":"/gone","old":7} | {"kind":"value","path":"b.plist","op":"modified","pointer":"/when","old":{"$date":"2026-01-02T03:04:05Z"},"new":{"$date":"2026-01-02T03:04:06Z"}} | {"kind":"value","path":"b.plist","op":"added","pointer":"/CFBundleURLTypes/[CFBundleURLName=login]/CFBundleURLSchemes/[=y]","new":"y"} | {"kind":"value","path":"b.plist","op":"order","pointer":"/CFBundleURLTypes","old":["login","other"],"new":["other","login"]} | {"kind":"value","path":"b.plist","op":"modified","pointer":"/inner/<plist>/count","old":1,"new":2} | {"kind":"value","path":"b.plist","op":"added","pointer":"/come","new":true} | {"kind":"end","status":1,"changes":7,"noise":0,"complete":true,"exact":true,"shown":7}
                """#)
    }

    /// Its inverse takes it back.
    @Test(arguments: ["a.plist", "a.binary"])
    func anOverlayDoesIt(old: String) throws {
        try session.expect(
            rows: """
                1 | diff -q \(old) b.plist --overlay o.plist
                0 | $ cp \(old) t.plist
                0 | apply -q o.plist t.plist
                0 | overlay invert o.plist -o back.plist
                """)
        #expect(try session.isAlike("t.plist", "b.plist"))
        #expect(try session.run("capsule apply back.plist t.plist").status == 0)
        #expect(try session.isAlike("t.plist", old))
        let again = try session.run("capsule apply back.plist t.plist")
        #expect(again.status == 2 && (old == "a.binary" || again.errors.contains(/^t\.plist:.* in back\.plist:9:3/)))
        #expect(try session.run("capsule diff \(old) b.plist --overlay -").text == session.text("o.plist"))
    }

    @Test func aPartialPropertyListIfOneCanSayIt() throws {
        try session.expect(
            rows: """
                0 | plist set a.plist /CFBundleVersion --string 2 -o c.plist -q
                1 | diff -q a.plist c.plist --overlay p.plist --plain
                0 | plist get p.plist /CFBundleVersion | 2
                0 | $ cp a.plist t.plist
                0 | apply -q p.plist t.plist
                0 | $ cmp t.plist c.plist && rm p.plist
                2 | diff a.plist b.plist --overlay p.plist --plain | a.plist: a partial property list can't express every change: removed at /gone, reordered at /CFBundleURLTypes | omit '--plain' to write an overlay with operations
                1 | $ test -e p.plist
                """)
    }

    @Test func whatCannotBeCompared() throws {
        try session.expect(
            rows: #"""
                64 | diff - - | standard input can't be compared with itself | only one of the two can be '-'
                64 | diff a.plist b.plist --overlay ./b.plist | ./b.plist: would replace b.plist, which this command reads | choose another place with '--overlay'
                64 | diff a.plist | a.plist: 'diff' takes two containers or files, and this is one | 'capsule diff FILE.capsule' compares its last two versions, 'FILE.capsule@1..2' any two
                64 | diff a.plist b.plist --plain | '--plain' needs '--overlay' | it sets the kind of overlay to write
                64 | diff a.plist b.plist --overlay a.plist | a.plist: would replace a.plist, which this command reads | choose another place with '--overlay'
                2 | diff a.plist missing | missing: does not exist
                64 | diff directory a.plist | a.plist: is a single file, but the other side is a container | compare it with another file; 'CONTAINER:PATH' names a file in the container
                1 | diff a.plist nothing | ~ nothing (text) |     ! not compared as plist: the new side: not a property list |     @@ -1,47 +1 @@ |     -<?xml version="1.0" encoding="UTF-8"?> |     -<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd"> |     -<plist version="1.0"> |     -<dict> |     -\t<key>CFBundleVersion</key> |     -\t<string>1</string> |     -\t<key>gone</key> |     -\t<integer>7</integer> |     -\t<key>when</key> |     -\t<date>2026-01-02T03:04:05Z</date> |     -\t<key>data</key> |     -\t<data> |     -\tAAE= |     -\t</data> |     -\t<key>CFBundleURLTypes</key> |     -\t<array> |     -\t\t<dict> |     -\t\t\t<key>CFBundleURLName</key> |     -\t\t\t<string>login</string> |     -\t\t\t<key>CFBundleURLSchemes</key> |     -\t\t\t<array> |     -\t\t\t\t<string>x</string> |     -\t\t\t</array> |     -\t\t</dict> |     -\t\t<dict> |     -\t\t\t<key>CFBundleURLName</key> |     -\t\t\t<string>other</string> |     -\t\t</dict> |     -\t</array> |     -\t<key>inner</key> |     -\t<data> |     -\tPD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBs |     -\taXN0IFBVQkxJQyAiLS8vQXBwbGUvL0RURCBQTElTVCAxLjAvL0VOIiAiaHR0cDovL3d3 |     -\tdy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+CjxwbGlzdCB2ZXJz |     -\taW9uPSIxLjAiPgo8ZGljdD4KCTxrZXk+Y291bnQ8L2tleT4KCTxpbnRlZ2VyPjE8L2lu |     -\tdGVnZXI+CjwvZGljdD4KPC9wbGlzdD4K |     -\t</data> |     -\t<key>same</key> |     -\t<array> |     -\t\t<integer>1</integer> |     -\t\t<dict> |     -\t\t\t<key>a</key> |     -\t\t\t<string>b</string> |     -\t\t</dict> |     -\t</array> |     -</dict> |     -</plist> |     +nothing
                """#)
    }
}
