import Testing

/// Property lists, checked, read, edited in place, converted and printed.
@Suite struct PlistTests {
    private static let info = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <dict>
        	<key>CFBundleVersion</key> <!-- the build -->
        	<string>1</string>
        	<key>CFBundleURLTypes</key>
        	<array>
        		<dict>
        			<key>CFBundleURLName</key>
        			<string>login</string>
        		</dict>
        	</array>
        	<key>n</key>
        	<integer>7</integer>
        	<key>d</key>
        	<data>AAEC</data>
        	<key>t</key>
        	<date>2026-01-02T03:04:05Z</date>
        </dict>
        </plist>

        """

    private let session: Session

    init() throws { session = try Session(["Info.plist": Self.info, "base.plist": Self.info]) }

    @Test func get() throws {
        try session.expect(
            rows: """
                0 | plist get Info.plist /CFBundleVersion | 1
                0 | plist get Info.plist :CFBundleVersion | 1
                0 | plist get Info.plist /CFBundleURLTypes/0/CFBundleURLName | login
                0 | plist get Info.plist /n | 7
                0 | plist get Info.plist /d | AAEC
                0 | plist get Info.plist /CFBundleURLTypes/[CFBundleURLName=login]/CFBundleURLName | login
                0 | plist get Info.plist :CFBundleURLTypes:0:CFBundleURLName | login
                0 | plist get Info.plist /t | 2026-01-02T03:04:05Z
                0 | plist get --json Info.plist /d | {"schema":"capsule.plist-get","version":1,"type":"data","value":{"$data":"AAEC","bytes":3}}
                2 | plist get Info.plist /cfBundleVersion | Info.plist:3:1: error: no key "cfBundleVersion" (at /cfBundleVersion) | did you mean 'CFBundleVersion'?
                2 | plist get Info.plist /CFBundleURLTypes/[CFBundleURLName=x] | Info.plist:6:2: error: no element of the array has "CFBundleURLName" = "x" (at /CFBundleURLTypes/[CFBundleURLName=x]) | the array has "login"
                2 | plist get Info.plist CFBundleVersoin | Info.plist:3:1: error: no key "CFBundleVersoin" (at /CFBundleVersoin) | did you mean 'CFBundleVersion'?
                2 | plist get Info.plist CFBundleURLTypes[0].CFBundleURLName | Info.plist:3:1: error: no key "CFBundleURLTypes[0]" (at /CFBundleURLTypes[0]) | separate keys with '/': 'CFBundleURLTypes/0'
                2 | plist get Info.plist /CFBundleURLTypes.0.CFBundleURLName | Info.plist:3:1: error: no key "CFBundleURLTypes.0.CFBundleURLName" (at /CFBundleURLTypes.0.CFBundleURLName) | separate keys with '/': 'CFBundleURLTypes/0/CFBundleURLName'
                2 | plist get Info.plist /CFBundleURLTypes[0] | Info.plist:3:1: error: no key "CFBundleURLTypes[0]" (at /CFBundleURLTypes[0]) | separate keys with '/': 'CFBundleURLTypes/0'
                0 | plist get Info.plist /gone/deeper --default 'a b' | a b
                0 | plist get Info.plist /n --default 8 | 7
                2 | plist get gone.plist /n --default 8 | gone.plist: cannot open: no such file or directory | did you mean 'base.plist'?
                """)
        #expect(try session.run("capsule plist get Info.plist ''").text.contains("dictionary of 5\n"))
    }

    @Test func setWithoutATypeKeepsIt() throws {
        try session.expect(
            rows: """
                0 | plist set Info.plist /n 8 | Info.plist: changed
                0 | plist set Info.plist /t 2026-02-03T04:05:06Z | Info.plist: changed
                0 | plist set Info.plist d AAED | Info.plist: changed
                0 | plist set Info.plist new true | Info.plist: changed | capsule: note: /new does not exist, so it is added | it is the string "true"; '--bool true' sets another type
                0 | plist set Info.plist b -bool YES | Info.plist: changed | capsule: note: /b does not exist, so it is added
                0 | plist set Info.plist b no | Info.plist: changed
                0 | plist set Info.plist i -int 5 | Info.plist: changed | capsule: note: /i does not exist, so it is added
                0 | plist set Info.plist f -float 1.5 | Info.plist: changed | capsule: note: /f does not exist, so it is added
                0 | plist set Info.plist x -data 0aFF | Info.plist: changed | capsule: note: /x does not exist, so it is added
                0 | plist set Info.plist s -string -5 | Info.plist: changed | capsule: note: /s does not exist, so it is added
                0 | plist print Info.plist | dictionary of 11 |   CFBundleVersion: string "1" |   CFBundleURLTypes: array of 1 |     0: dictionary of 1 |       CFBundleURLName: string "login" |   n: integer 8 |   d: data of 3 bytes, AAED |   t: date 2026-02-03T04:05:06Z |   new: string "true" |   b: boolean false |   i: integer 5 |   f: real 1.5 |   x: data of 2 bytes, Cv8= |   s: string "-5"
                0 | plist get Info.plist x | Cv8=
                0 | plist get Info.plist d | AAED
                """)
        let before = try session.text("Info.plist")
        try session.expect(
            rows: """
                64 | plist set Info.plist /n 1.5 | invalid value "1.5": the old value is an integer | '--string' changes the type; '--from-json' sets a value of any type
                64 | plist set Info.plist /b perhaps | invalid value "perhaps": the old value is a boolean | '--string' changes the type; '--from-json' sets a value of any type
                64 | plist set Info.plist /CFBundleURLTypes 1 | invalid value "1": the old value is an array | '--string' changes the type; '--from-json' sets a value of any type
                64 | plist set Info.plist x -data AAE | invalid value "AAE" for '--hex': expected hexadecimal digits
                """)
        #expect(try session.text("Info.plist") == before)
    }

    @Test func setChangesTheBytesOfThatValueAlone() throws {
        try session.expect(
            """
            $ capsule plist set Info.plist /CFBundleVersion --string 42
            Info.plist: changed
            [1] $ diff base.plist Info.plist
            5c5
            < 	<string>1</string>
            ---
            > 	<string>42</string>
            $ stat -c '%i %y %z' Info.plist > before
            $ capsule plist set Info.plist /CFBundleVersion --string 42
            Info.plist: nothing to change
            $ stat -c '%i %y %z' Info.plist | cmp - before
            """)
        try session.expect(
            rows: """
                0 | plist set Info.plist /x --integer 8 | Info.plist: changed | capsule: note: /x does not exist, so it is added
                0 | plist set Info.plist /x --integer 0xFF | Info.plist: changed
                0 | plist set Info.plist /x --integer 18446744073709551615 | Info.plist: changed
                0 | plist set Info.plist /x --real 1e300 | Info.plist: changed | Info.plist:19:2: warning: an integer becomes a real (at /x)
                0 | plist set Info.plist /x --bool YES | Info.plist: changed | Info.plist:19:2: warning: a real becomes a boolean (at /x)
                0 | plist set Info.plist /x --data 3q2+7w== | Info.plist: changed | Info.plist:19:2: warning: a boolean becomes data (at /x)
                0 | plist set Info.plist /x --date 2026-03-14T09:26:53Z | Info.plist: changed | Info.plist:19:2: warning: data becomes a date (at /x)
                0 | plist set Info.plist /x --string '' | Info.plist: changed | Info.plist:19:2: warning: a date becomes a string (at /x)
                0 | plist set Info.plist /x --from-json '{"a":[1,{"$data":"AAEC"}]}' | Info.plist: changed | Info.plist:19:2: warning: a string becomes a dictionary (at /x)
                0 | plist get Info.plist /x --json | {"schema":"capsule.plist-get","version":1,"type":"dictionary","value":{"a":[1,{"$data":"AAEC","bytes":3}]}}
                0 | plist set Info.plist /CFBundleURLTypes/- --from-json '{"CFBundleURLName":"other"}' | Info.plist: changed
                0 | plist remove Info.plist '/CFBundleURLTypes/[CFBundleURLName=other]' | Info.plist: changed
                0 | plist remove Info.plist /x | Info.plist: changed
                0 | plist set Info.plist /CFBundleVersion --string 1 | Info.plist: changed
                """)
        #expect(try session.text("Info.plist") == Self.info)
    }

    @Test func whatIsRefusedChangesNothing() throws {
        try session.expect(
            rows: """
                64 | plist set Info.plist /x --integer 1.5 | invalid value "1.5" for '--integer': expected a whole number from -2^63 to 2^64 - 1
                64 | plist set Info.plist /x --integer 18446744073709551616 | invalid value "18446744073709551616" for '--integer': expected a whole number from -2^63 to 2^64 - 1
                64 | plist set Info.plist /x --real x | invalid value "x" for '--real': expected a number
                64 | plist set Info.plist /x --bool maybe | invalid value "maybe" for '--bool': expected true or false
                64 | plist set Info.plist /x --data @ | invalid value "@" for '--data': expected base64
                64 | plist set Info.plist /x --date today | invalid value "today" for '--date': expected a time such as 2026-03-01T10:20:30Z
                64 | plist set Info.plist /x --from-json { | the value of '--from-json': 1:2: the text ends inside an object
                64 | plist set Info.plist /x --from-json '{"a":1,"a":2}' | the value of '--from-json': 1:8: duplicate key "a", first at 1:2 (at /a)
                64 | plist set Info.plist /x | 'plist set' needs --bool, --data, --date, --from-json, --hex, --integer, --real, --string or VALUE | the flag sets the type of the new value: give exactly one
                64 | plist set Info.plist '' --string x | the empty pointer names the whole property list | 'plist set --force' replaces it
                2 | plist set Info.plist /no/where --string x | Info.plist:3:1: error: no key "no" (at /no) | '--create-parents' creates what is missing
                2 | plist remove Info.plist /nowhere | Info.plist:3:1: error: no key "nowhere" (at /nowhere)
                2 | plist set Info.plist /n --integer 8 -o nowhere/Info.plist | nowhere: the directory does not exist | 'mkdir -p nowhere' creates it
                """)
        #expect(try session.text("Info.plist") == Self.info)
    }

    @Test func lintChecksEachFileByItself() throws {
        try session.write("<plist><dict><key>a</key><string/><key>a</key><true/></dict></plist>", to: "twice.plist")
        try session.expect(
            rows: """
                0 | plist lint Info.plist | Info.plist: OK, xml
                2 | plist lint twice.plist Info.plist nowhere | Info.plist: OK, xml | twice.plist:1:35: error: duplicate key "a", first at 1:14 (at /a) | the last value is used: remove the others | nowhere: cannot open: no such file or directory
                0 | plist lint --lenient twice.plist | twice.plist: OK, xml | twice.plist:1:35: warning: duplicate key "a", first at 1:14 (at /a) | the last value is used: remove the others
                0 | plist convert binary Info.plist -o Info.binary | Info.binary: written
                """)
        let digests = try session.run("capsule plist lint --json Info.plist Info.binary").jsonLines.map {
            $0["valueDigest"] as? String
        }
        #expect(digests.count == 2 && digests[0] != nil && digests[0] == digests[1])
    }

    @Test func convert() throws {
        try session.expect(
            """
            $ capsule plist convert binary Info.plist -o Info.binary
            Info.binary: written
            $ python3 -c 'import plistlib; assert plistlib.load(open("Info.plist", "rb")) == plistlib.load(open("Info.binary", "rb"), fmt=plistlib.FMT_BINARY)'
            [2] $ capsule plist convert json Info.plist -o Info.json
            > Info.plist:15:2: error: JSON has no data (at /d)
            $ ls
            Info.binary
            Info.plist
            base.plist
            $ capsule plist convert json Info.plist -o Info.json --lossy
            Info.json: written
            > Info.plist:15:2: warning: JSON has no data: it becomes a string in base64 (at /d)
            > Info.plist:17:2: warning: JSON has no date: it becomes a string (at /t)
            $ cat Info.json
            {
              "CFBundleVersion": "1",
              "CFBundleURLTypes": [
                {
                  "CFBundleURLName": "login"
                }
              ],
              "n": 7,
              "d": "AAEC",
              "t": "2026-01-02T03:04:05Z"
            }
            [2] $ capsule plist convert xml Info.binary -o Info.plist
            > capsule: error: Info.plist: already exists
            > capsule: hint: '--force' replaces it
            $ capsule plist convert xml Info.binary
            Info.binary: changed
            $ head -c 5 Info.binary
            <?xml[no line break]
            [2] $ capsule plist convert openstep Info.json -o Info.strings
            > Info.json:8:3: error: OpenStep property lists support only strings and data, not an integer (at /n)
            $ capsule plist convert openstep Info.json -o Info.strings --lossy
            Info.strings: written
            > Info.json:8:3: warning: OpenStep has no integer: it becomes a string (at /n)
            $ cat Info.strings
            {
            	CFBundleVersion = 1;
            	CFBundleURLTypes = (
            		{
            			CFBundleURLName = login;
            		},
            	);
            	n = 7;
            	d = AAEC;
            	t = "2026-01-02T03:04:05Z";
            }
            """)
    }

    @Test func print() throws {
        try session.write(#"{"a":"\u001b[31m"}"#, to: "escape.json")
        try session.expect(
            #"""
            $ capsule plist print Info.plist
            dictionary of 5
              CFBundleVersion: string "1"
              CFBundleURLTypes: array of 1
                0: dictionary of 1
                  CFBundleURLName: string "login"
              n: integer 7
              d: data of 3 bytes, AAEC
              t: date 2026-01-02T03:04:05Z
            $ capsule plist print escape.json
            dictionary of 1
              a: string "\u{1B}[31m"
            """#)
    }
}

/// The edits add, append and delete, key paths, parents that are created, and types that change.
@Suite struct PlistEditTests {
    private static let base = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <dict>
        	<key>CFBundleIdentifier</key> <!-- kept -->
        	<string>com.example</string>
        	<key>list</key>
        	<array>
        		<string>one</string>
        	</array>
        	<key>com.example.setting</key>
        	<integer>1</integer>
        	<key>a.b</key>
        	<integer>2</integer>
        	<key>a</key>
        	<dict>
        		<key>b</key>
        		<integer>3</integer>
        		<key>c.d</key>
        		<integer>4</integer>
        	</dict>
        </dict>
        </plist>

        """

    private let session: Session

    init() throws {
        session = try Session([
            "f.plist": Self.base, "list.json": "[1]",
            "patch.json": #"[{"op": "replace", "path": "/CFBundleIdentifer", "value": "x"}]"#,
        ])
    }

    @Test func keyPathsOfOtherToolsAndSlips() throws {
        try session.expect(
            rows: #"""
                0 | plist get f.plist | dictionary of 5 |   CFBundleIdentifier: string "com.example" |   list: array of 1 |     0: string "one" |   com.example.setting: integer 1 |   a.b: integer 2 |   a: dictionary of 2 |     b: integer 3 |     c.d: integer 4
                0 | plist get f.plist '' | dictionary of 5 |   CFBundleIdentifier: string "com.example" |   list: array of 1 |     0: string "one" |   com.example.setting: integer 1 |   a.b: integer 2 |   a: dictionary of 2 |     b: integer 3 |     c.d: integer 4
                0 | plist get f.plist CFBundleIdentifier | com.example
                0 | plist get f.plist list.0 | one
                0 | plist get f.plist 'a.c\.d' | 4
                0 | plist get f.plist com.example.setting | 1
                0 | plist get f.plist list.[=one] | one
                0 | plist get f.plist a.b | 2 | capsule: note: 'a.b' is read as one key; '/a/b' is the other value that it could name
                0 | plist get f.plist /a/b | 3
                0 | plist get f.plist :a:b | 3
                64 | plist get f.plist a..b | "a..b" has an empty key between dots | write '\.' for a dot in a key, or a pointer that starts with '/'
                64 | plist set f.plist a/b --integer 1 | "a/b" is not a key path | start a pointer with '/': '/a/b'; '~1' is a slash in a key
                2 | plist get f.plist list.one | f.plist:6:2: error: "one" is not a place in an array (at /list/one) | use an index, '[KEY=VALUE]', '[=VALUE]', or '-' for the end of the array
                2 | plist get f.plist CFBundleIdentifer | f.plist:3:1: error: no key "CFBundleIdentifer" (at /CFBundleIdentifer) | did you mean 'CFBundleIdentifier'?
                2 | plist remove f.plist /CFBundleIdentifer | f.plist:3:1: error: no key "CFBundleIdentifer" (at /CFBundleIdentifer) | did you mean 'CFBundleIdentifier'?
                2 | plist delete f.plist CFBundleIdentifer | f.plist:3:1: error: no key "CFBundleIdentifer" (at /CFBundleIdentifer) | did you mean 'CFBundleIdentifier'?
                2 | plist append f.plist lits --string x | f.plist:3:1: error: no key "lits" (at /lits) | did you mean 'list'? '--create-parents' creates what is missing
                2 | apply patch.json f.plist | f.plist:3:1: error: no key "CFBundleIdentifer" (at /CFBundleIdentifer), required by /0 in patch.json:1:2 | did you mean 'CFBundleIdentifier'?
                64 | plist add f.plist '' --string x | the empty pointer names the whole property list | 'plist set --force' replaces it
                64 | plist add f.plist '' --string x --force | the empty pointer names the whole property list | 'plist set --force' replaces it
                64 | plist add f.plist /x | 'plist add' needs --bool, --data, --date, --from-json, --hex, --integer, --real or --string | the flag sets the type of the new value: give exactly one
                64 | plist append f.plist /x --string a --integer 1 | '--integer' and '--string' cannot be used together | the flag sets the type of the new value: give exactly one
                2 | plist set f.plist /A/B/C --integer 5 | f.plist:3:1: error: no key "A" (at /A) | did you mean 'a'? '--create-parents' creates what is missing
                64 | plist remove f.plist /A --create-parents | 'plist remove' does not take '--create-parents' | it belongs to 'capsule plist set', 'capsule plist add' or 'capsule plist append'
                64 | plist print --json --unarchive f.plist | {"kind":"error","schema":"capsule.error","version":1,"status":64,"code":"usage","message":"'--unarchive' and '--json' cannot be used together","hint":"decoded objects have no JSON form"} | '--unarchive' and '--json' cannot be used together | decoded objects have no JSON form
                """#)
        #expect(try session.text("f.plist") == Self.base)
    }

    @Test func edits() throws {
        try session.write(Self.base, to: "base.plist")
        try session.expect(
            rows: """
                0 | plist add f.plist /new --string x -q
                1 | $ diff base.plist f.plist | 20a21,22 | > 	<key>new</key> | > 	<string>x</string>
                """)
        try session.expect(
            rows: """
                0 | plist get f.plist /new | x
                2 | plist add f.plist /new --string y | f.plist:21:2: error: the key "new" already exists (at /new) | 'plist set' changes its value
                0 | plist get f.plist /new | x
                0 | plist remove f.plist /new | f.plist: changed
                0 | plist append f.plist list --string two | f.plist: changed
                0 | plist get f.plist /list/1 | two
                2 | plist append f.plist a --string x | f.plist:15:2: error: a dictionary is not an array, so nothing can be appended (at /a)
                2 | plist append f.plist many --string x | f.plist:3:1: error: no key "many" (at /many) | '--create-parents' creates what is missing
                0 | plist append f.plist many --string x --create-parents | f.plist: changed
                0 | plist get f.plist many.0 | x
                0 | plist add f.plist list.0 --string zero | f.plist: changed
                0 | plist get f.plist list.0 | zero
                0 | plist get f.plist list.1 | one
                0 | plist delete f.plist a.b | f.plist: changed | capsule: note: 'a.b' is read as one key; '/a/b' is the other value that it could name
                0 | plist get f.plist /a/b | 3
                0 | plist delete f.plist /a | f.plist: changed
                2 | plist get f.plist /a | f.plist:3:1: error: no key "a" (at /a)
                0 | plist append -q list.json '' --integer 2
                0 | plist get --json list.json | {"schema":"capsule.plist-get","version":1,"type":"array","value":[1,2]}
                """)
    }

    /// They are dictionaries, and arrays where the next step is their end.
    @Test func parents() throws {
        try session.expect(
            rows: """
                0 | plist set -q f.plist A.B.C --integer 5 --create-parents
                0 | plist get f.plist /A/B/C | 5
                0 | plist add f.plist /Types/-/Schemes/0 --string gifs --create-parents | f.plist: changed
                0 | plist get f.plist Types.0.Schemes.0 | gifs
                0 | plist add f.plist /Types/-/Name --string second --create-parents | f.plist: changed
                0 | plist get f.plist Types.1.Name | second
                """)
        let kept = try session.text("f.plist")
        #expect(kept.contains("<!-- kept -->"))
        try session.expect(
            rows: """
                2 | plist set f.plist /X/5 --string x --create-parents | f.plist:3:1: error: '/X' does not exist, and can't be created: "5" could be a key or an index (at /X) | create the dictionary or array first
                2 | plist set f.plist /Types/7/Name --string x --create-parents | f.plist:29:2: error: the array has no index 7: it has 2 elements (at /Types/7)
                2 | plist set f.plist /Types/[Name=third]/Name --string x --create-parents | f.plist:29:2: error: no element of the array has "Name" = "third" (at /Types/[Name=third]) | the array has "second"
                2 | plist set f.plist /CFBundleIdentifier/x/y --string x --create-parents | f.plist:4:2: error: a string contains no other values (at /CFBundleIdentifier/x)
                """)
        #expect(try session.text("f.plist") == kept)
    }

    @Test(arguments: ["binary", "json", "openstep"])
    func parentsInOtherEncodings(encoding: String) throws {
        #expect(try session.run("capsule plist convert -q \(encoding) f.plist --lossy").status == 0)
        try session.expect(
            rows: """
                0 | plist set -q -q f.plist /P/Q/- --string v --create-parents
                0 | plist get f.plist P.Q.0 | v
                """)
    }

    @Test func aTypeThatChangesIsTold() throws {
        try session.expect(
            rows: """
                0 | plist set -q f.plist /a/b --integer 9
                0 | plist set f.plist /a/b --string 3 | f.plist: changed | f.plist:16:3: warning: an integer becomes a string (at /a/b)
                0 | plist set -q f.plist /list --bool true | f.plist:6:2: warning: an array becomes a boolean (at /list)
                0 | plist set --json f.plist com.example.setting --bool true | {"schema":"capsule.plist-edit","version":1,"file":"f.plist","changed":true,"written":true,"notes":[{"pointer":"/com.example.setting","message":"an integer becomes a boolean"}]} | f.plist:8:2: warning: an integer becomes a boolean (at /com.example.setting)
                """)
    }

    @Test func printAsJSON() throws {
        try session.expect(
            """
            $ capsule plist print --json f.plist
            {"schema":"capsule.plist-print","version":1,"file":"f.plist","encoding":"xml","type":"dictionary","value":{"CFBundleIdentifier":"com.example","list":["one"],"com.example.setting":1,"a.b":2,"a":{"b":3,"c.d":4}}}
            """)
    }
}
