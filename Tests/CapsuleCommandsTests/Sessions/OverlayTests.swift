import Foundation
import Testing

/// Overlays by themselves: checked, shown, composed, inverted and undone.
@Suite struct OverlayTests {
    private static func document(_ operations: String) -> String { #"{"CapsuleOverlay":1,"Operations":[\#(operations)]}"# }

    private let session: Session

    init() throws {
        session = try Session([
            "o.json": Self.document(#"{"op":"add","path":"/a/-","value":1},{"op":"replace","path":"/b","value":2}"#),
            "test.json": Self.document(#"{"op":"test","path":"/b","value":"$(B)"},{"op":"replace","path":"/b","value":2}"#),
            "union.json": Self.document(#"{"op":"union","path":"/a","value":[2]},{"op":"replace","path":"/b","value":2}"#),
            "1.json": Self.document(#"{"op":"test","path":"/a","value":1},{"op":"replace","path":"/a","value":2}"#),
            "2.json": Self.document(#"{"op":"test","path":"/a","value":2},{"op":"replace","path":"/a","value":3}"#),
            "bad1.json": "{\n \"CapsuleOverlay\": 1,\n \"Operations\": [\n  {\"op\": \"ad\", \"path\": \"/a\"}\n ]\n}",
            "bad2.json": #"{"CapsuleOverlay":1,"Arrays":{"a":"keyd(x)"}}"#, "bad3.json": #"{"CapsuleOverlay":2}"#,
            "target.json": #"{"a":[1],"b":"x"}"#, "container/": "", "base.json": #"{"a":1}"#, "t.json": #"{"a":1}"#,
            "patch.json": #"{"b":{}}"#, "xml.json": #"{"CapsuleOverlay":1,"Encode":"xml","Merge":{"b":2}}"#,
            "make.json": #"{"CapsuleOverlay":1,"Create":"xml","Merge":{"a":1}}"#, "shallow.plist": "<plist><dict/></plist>",
            "doc.json": """
            {"CapsuleOverlay": 1, "Name": "Test", "When": {"CONFIGURATION": ["Debug", "Test"]}, "Targets": [
             {"Path": "Library/Preferences/com.example.gifs.plist", "Merge": {"a": {"b": 1, "c": "x"}}},
             {"Root": "AppBundle", "Path": "Info.plist", "Remove": ["/x"], "Encode": "binary"}]}
            """,
        ])
    }

    @Test func check() throws {
        try session.expect(
            rows: """
                0 | overlay check o.json | o.json: OK, an overlay document, 2 steps
                1 | overlay check o.json --on target.json | o.json: OK, an overlay document, 2 steps | not idempotent: applied again, it makes further changes
                1 | overlay check --json o.json --on target.json | {"schema":"capsule.overlay-check","version":1,"overlay":"o.json","form":"document","steps":2,"repeatable":false}
                1 | overlay check test.json --on target.json --expand --define B=x | test.json: OK, an overlay document, 2 steps | not idempotent: applied again, it fails: the value is 2, but the overlay expects "x" (a string, not an integer) (at /b), required by /Operations/0 in test.json:1:35
                2 | overlay check test.json --on target.json --expand --define B=c | target.json:1:10: error: the value is "x", but the overlay expects "c" (at /b), required by /Operations/0 in test.json:1:35 | the property list has changed since the overlay was made; its 'test' operations say what it expects
                0 | overlay check union.json --on target.json | union.json: OK, an overlay document, 2 steps | idempotent: applied again, it changes nothing
                2 | overlay check union.json --on container | container: is a directory, not a property list | name a property list in it as 'container:PATH'; 'capsule ls container' lists the paths
                64 | overlay check union.json --on - | '--on' reads the target twice: name a file
                2 | overlay check bad1.json | bad1.json:4:4: error: op: "ad" is not an operation (at /Operations/0/op of the overlay) | did you mean 'add'?
                2 | overlay check bad2.json | bad2.json:1:31: error: "keyd(x)" is not an array identity (at /Arrays/a of the overlay) | write 'keyed(KEY)', 'keyed(KEY?)', 'keyed(KEY), nocase', 'set', 'ordered' or 'replace'
                2 | overlay check bad3.json | bad3.json:1:2: error: CapsuleOverlay is 2; only version 1 is supported (at /CapsuleOverlay of the overlay)
                """)
    }

    @Test func show() throws {
        try session.expect(
            #"""
            $ capsule overlay show doc.json
            form      an overlay document
            name      Test
            when      CONFIGURATION is "Debug" or "Test"
            target    Library/Preferences/com.example.gifs.plist
              merge   /a/b: 1
              merge   /a/c: "x"
            target    AppBundle:Info.plist
              remove  /x
              encode  binary
            $ capsule overlay show --json doc.json
            {"schema":"capsule.overlay-show","version":1,"overlay":"doc.json","form":"document","name":"Test","when":["CONFIGURATION is \"Debug\" or \"Test\""],"arrays":[],"targets":[{"path":"Library/Preferences/com.example.gifs.plist","root":"AppData","when":[],"steps":[{"op":"merge","pointer":"/a/b","value":1},{"op":"merge","pointer":"/a/c","value":"x"}]},{"path":"Info.plist","root":"AppBundle","when":[],"steps":[{"op":"remove","pointer":"/x"}],"encode":"binary"}]}
            """#)
        let table = try session.run("capsule overlay identities").text
        #expect(table.contains(/(?m)^UISceneConfigurations\/\* +keyed\(UISceneConfigurationName\) +Information Property List$/))
    }

    /// An overlay that says what was there can be inverted.
    @Test func composeAndInvert() throws {
        try session.expect(
            rows: """
                0 | overlay compose 1.json 2.json -o 12.plist
                0 | apply 12.plist base.json -o three.json -q
                0 | $ cat three.json | {"a":3}[no line break]
                0 | overlay invert 12.plist -o 21.plist
                0 | apply 21.plist three.json -q
                0 | $ cmp three.json base.json
                2 | overlay compose 1.json patch.json -o no.plist | patch.json: a JSON Merge Patch can't be converted to a document: it replaces values of any type | write a partial property list, or a document
                2 | overlay invert doc.json -o no.plist | doc.json:3:2: error: 'Remove' does not record the old values (at /Targets/1 of the overlay) | write operations, with a 'test' for each old value
                1 | $ test -e no.plist
                64 | overlay compose 1.json 2.json | 'overlay compose' needs --output | '-o -' writes to standard output
                2 | overlay compose 1.json 2.json -o 12.plist | 12.plist: already exists | '--force' replaces it
                """)
    }

    /// An undo file is written only for a change, and never over another one.
    @Test func undoAndDryRun() throws {
        try session.expect(
            rows: """
                0 | apply 1.json t.json --undo undo.plist -q
                0 | $ cat t.json | {"a":2}[no line break]
                0 | apply undo.plist t.json -q
                0 | $ cmp t.json base.json
                2 | apply 1.json t.json --undo undo.plist | undo.plist: already exists | '--force' replaces it
                0 | $ cp base.json x && cp 1.json one
                0 | apply xml.json x --undo undo.x -q
                0 | $ cp undo.x was
                0 | apply xml.json x --undo undo.x -f | x: nothing to change | capsule: note: nothing to undo: no undo file was written
                0 | $ cmp undo.x was
                64 | apply 1.json t.json --undo t.json -f | t.json: would replace t.json, which this command changes | choose another place with '--undo'
                64 | apply 1.json t.json --undo 1.json -f | 1.json: would replace 1.json, which this command reads | choose another place with '--undo'
                64 | apply 1.json t.json --undo ./t.json -f | ./t.json: would replace t.json, which this command changes | choose another place with '--undo'
                0 | apply --dry-run 1.json t.json | ~ /a: 1 → 2 | t.json: would change
                0 | apply base.json t.json --undo none.plist | t.json: nothing to change | capsule: note: nothing to undo: no undo file was written
                0 | $ cmp t.json base.json && cmp 1.json one
                1 | $ test -e none.plist
                0 | apply make.json Library/Preferences/made.plist -q
                0 | $ stat -c %a Library/Preferences/made.plist | 600
                """)
    }

    @Test func copiesIntoItselfComeToAnEnd() throws {
        let copies = Array(repeating: #"{"op":"copy","from":"","path":"/a"}"#, count: 20000).joined(separator: ",")
        try session.write("[\(copies)]", to: "deep.json")
        let outcome = try session.run("capsule apply deep.json shallow.plist")
        #expect(outcome.status == 2 && outcome.errors.contains("nest deeper than 512 levels"))
    }
}

/// Overlays that a capsule carries, tried when they are packed and applied when they are wanted.
@Suite struct CarriedOverlayTests {
    private let session: Session

    init() throws {
        let old = "<plist><dict><key>CFBundleVersion</key><string>1</string></dict></plist>"
        session = try Session([
            "seed.json": #"{"CapsuleOverlay":1,"Merge":{"launches":99,"by":"$(WHO)"}}"#,
            "create.json": #"{"CapsuleOverlay":1,"Create":"binary","Merge":{"fresh":true}}"#,
            "make.json": #"{"CapsuleOverlay":1,"Create":"xml","Merge":{"a":1}}"#, "patch.json": #"{"b":{}}"#,
            "bundle.plist": old.replacing("1<", with: "2<"), "App.app/Info.plist": old,
            "test.json": #"{"CapsuleOverlay":1,"Operations":[{"op":"test","path":"/launches","value":"x"}]}"#,
        ])
        try session.expect(
            rows: """
                0 | $ python3 $SAMPLES/make_samples.py . > /dev/null && mv Gifs-before.xcappdata A.xcappdata
                0 | pack A.xcappdata -o c.capsule -q --overlay Library/Preferences/com.example.gifs.plist=seed.json --overlay Library/New/fresh.plist=create.json --overlay AppBundle:Info.plist=bundle.plist
                """)
    }

    @Test func whatACapsuleSaysOfThem() throws {
        let text = try session.run("capsule info c.capsule").text
        #expect(
            text.contains(
                /(?m)^overlays +Library\/Preferences\/com\.example\.gifs\.plist, 2 steps\n +Library.*\n +AppBundle:Info\.plist, 1 step$/
            ))
        #expect((try session.run("capsule info --json c.capsule").jsonLines.first?["overlays"] as? [Any])?.count == 3)
        #expect(
            try session.run("capsule info --plist c.capsule").text.components(separatedBy: "<key>CapsuleOverlay</key>").count == 4
        )
        try session.expect(
            rows: """
                0 | verify --strict c.capsule -q
                0 | unpack c.capsule -o as-packed -q | capsule: warning: 3 overlays not applied: '--overlays' applies them
                0 | $ python3 $TOOLS/compare_trees.py as-packed A.xcappdata | 69 entries compared, 0 differences
                """)
    }

    @Test func theyAreApplied() throws {
        try session.expect(
            rows: """
                0 | unpack c.capsule -o applied --overlays --app App.app --expand --define WHO=me -q
                0 | plist get applied/AppData/Library/Preferences/com.example.gifs.plist /launches | 99
                0 | plist get applied/AppData/Library/Preferences/com.example.gifs.plist /by | me
                0 | $ head -c 6 applied/AppData/Library/Preferences/com.example.gifs.plist | bplist[no line break]
                0 | plist get applied/AppData/Library/New/fresh.plist /fresh | true
                0 | plist get App.app/Info.plist /CFBundleVersion | 2
                0 | unpack c.capsule --as tar.gz -o c.tar.gz --overlays -q | capsule: warning: Library/Preferences/com.example.gifs.plist: "$(WHO)" is written unexpanded | capsule: warning: overlay 3: skipped: it is for AppBundle:Info.plist; name the app with '--app'
                0 | plist get c.tar.gz:Library/Preferences/com.example.gifs.plist /launches | 99
                0 | unpack c.capsule --as zip -o c.zip --overlays -q | capsule: warning: Library/Preferences/com.example.gifs.plist: "$(WHO)" is written unexpanded | capsule: warning: overlay 3: skipped: it is for AppBundle:Info.plist; name the app with '--app'
                0 | pack c.zip -o z.capsule -q
                0 | plist get z.capsule:Library/New/fresh.plist /fresh | true
                """)
    }

    /// The app's files, too.
    @Test func allOrNothing() throws {
        try session.expect(
            rows: """
                0 | pack A.xcappdata -o b.capsule -q --overlay AppBundle:Info.plist=bundle.plist --overlay AppBundle:Info.plist/x.plist=make.json
                2 | unpack b.capsule -o half --overlays --app App.app | Info.plist: is a file, not a directory
                1 | $ test -e half
                0 | plist get App.app/Info.plist /CFBundleVersion | 1
                """)
    }

    @Test func whatDoesNotFitIsToldWhenItIsPacked() throws {
        try session.expect(
            rows: """
                2 | pack A.xcappdata -o no.capsule --overlay Library/Preferences/com.example.gifs.plist=test.json | Library/Preferences/com.example.gifs.plist: the value is 6, but the overlay expects "x" (a string, not an integer) (at /launches) (test.json, /Operations/0) | the property list has changed since the overlay was made; its 'test' operations say what it expects
                2 | pack A.xcappdata -o no.capsule --overlay Library/Preferences/com.example.gifs.plist=patch.json | patch.json: a JSON Merge Patch can't be converted to a document: it replaces values of any type | write a partial property list, or a document
                2 | pack A.xcappdata -o no.capsule --overlay Documents=seed.json | Documents: is a directory, not a property list
                64 | pack A.xcappdata -o no.capsule --overlay ../x=seed.json | ../x: is not a path in a container | write it as 'capsule ls' does, for example Library/Preferences/com.example.app.plist
                64 | pack A.xcappdata -o no.capsule --overlay Library/Preferences/com.example.gifs.plist | invalid value 'Library/Preferences/com.example.gifs.plist' for '--overlay': expected PATH=FILE
                1 | $ test -e no.capsule
                0 | pack A.xcappdata -o elsewhere.capsule --overlay nowhere.plist=seed.json -q | capsule: warning: nowhere.plist is not in the container, so the overlay for it was not tested
                2 | unpack elsewhere.capsule -o no --overlays | nowhere.plist: does not exist in the container, but overlay 1 changes it | to create it, set 'Create' to 'xml' or 'binary' in the overlay
                1 | $ test -e no
                """)
    }
}
