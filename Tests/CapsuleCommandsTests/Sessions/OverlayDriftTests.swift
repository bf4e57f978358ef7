import Testing

/// Overlays that `diff` writes, on property lists that changed meanwhile: they are refused, or what they do not name stays.
@Suite struct OverlayDriftTests {
    private enum Step {
        /// The overlay is not for this property list, which stays.
        case refused(String)
        case gives(String, String)
        /// The steps after this are for the overlay that undoes the first one.
        case inverse
    }

    /// Writes the overlay between two property lists, which must be undone by its undo file and by its inverse.
    private func turns(
        _ old: String, _ new: String, _ flags: String = "", _ steps: [Step] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (session: Session, shown: String) {
        let session = try Session(["A.json": old, "B.json": new, "t.json": old, "u.json": new])
        let shown = try session.run("capsule diff A.json B.json --overlay O.json \(flags)")
        #expect(shown.status == 1, sourceLocation: sourceLocation)
        func apply(_ line: String, _ result: String, _ wanted: String) throws {
            let outcome = try session.run("capsule \(line)")
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)", sourceLocation: sourceLocation)
            #expect(try session.isAlike(result, wanted), sourceLocation: sourceLocation)
        }
        try apply("apply O.json t.json --undo back.json", "t.json", "B.json")
        try apply("apply back.json t.json", "t.json", "A.json")
        try apply("overlay invert O.json -o invert.json", "t.json", "A.json")
        try apply("apply invert.json u.json", "u.json", "A.json")
        try check(session, steps, sourceLocation)
        return (session, shown.text)
    }

    private func check(_ session: Session, _ steps: [Step], _ sourceLocation: SourceLocation) throws {
        var overlay = "O.json"
        for step in steps {
            switch step {
            case .inverse: overlay = "invert.json"
            case .refused(let target):
                try session.write(target, to: "D.json")
                let outcome = try session.run("capsule apply \(overlay) D.json")
                #expect(outcome.status == 2, "\(target)", sourceLocation: sourceLocation)
                #expect(outcome.errors.contains(/made for a different base|has changed since the overlay was made/))
                #expect(try session.text("D.json") == target, sourceLocation: sourceLocation)
            case .gives(let target, let result):
                try session.write(target, to: "D.json")
                try session.write(result, to: "wanted.json")
                #expect(
                    try session.run("capsule apply \(overlay) D.json").status == 0, "\(target)", sourceLocation: sourceLocation)
                #expect(try session.isAlike("D.json", "wanted.json"), "\(target)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test func whatIsKeyedAndEqualIsToldInPlace() throws {
        let keyed = "--arrays a=keyed(id)"
        let numbers = try turns(
            #"{"a":[0,0,0,0,0,0]}"#, #"{"a":[0,1,0,0,0,0]}"#, keyed,
            [.gives(#"{"a":[0,0,0,7,0,0,0,0]}"#, #"{"a":[0,1,0,7,0,0,0,0]}"#)])
        #expect(numbers.shown == "~ B.json (json)\n    ~ /a/1: 0 → 1\n")
        let elements = try turns(
            #"{"a":[{"id":1,"v":0},{"id":1,"v":0},{"id":1,"v":0},{"id":1,"v":0}]}"#,
            #"{"a":[{"id":1,"v":0},{"id":1,"v":5},{"id":1,"v":0},{"id":1,"v":0}]}"#, keyed)
        #expect(elements.shown == "~ B.json (json)\n    ~ /a/1/v: 0 → 5\n")
        let group = #"{"Type":"PSGroupSpecifier"}"#
        let audio = #"{"Type":"PSGroupSpecifier","Title":"Audio"}"#
        let mine = #"{"Type":"PSGroupSpecifier","Title":"mine"}"#
        let toggle = #"{"Key":"k0","Type":"PSToggleSwitchSpecifier"}"#
        func specifiers(_ elements: String...) -> String { "{\"PreferenceSpecifiers\":[\(elements.joined(separator: ","))]}" }
        _ = try turns(
            specifiers(group, toggle, group), specifiers(audio, toggle, group), "",
            [
                .gives(specifiers(group, toggle, mine, group), specifiers(audio, toggle, mine, group)),
                .refused(specifiers(mine, toggle, group)),
            ])
        _ = try turns(
            specifiers(group, toggle), specifiers(#"{"Type":"x"}"#, toggle), "",
            [.refused(specifiers(#"{"Key":"mine","Type":"PSGroupSpecifier"}"#, group))])
    }

    @Test func aKeyThatTheTargetGotMeanwhileKeepsItsValue() throws {
        let (session, _) = try turns(
            #"{"x":1}"#, #"{"x":1,"k":"new"}"#, "",
            [
                .refused(#"{"x":1,"k":"of the user"}"#), .gives(#"{"x":1,"k":"new"}"#, #"{"x":1,"k":"new"}"#),
                .gives(#"{"x":2}"#, #"{"x":2,"k":"new"}"#), .inverse, .refused(#"{"x":1,"k":"of the user"}"#),
            ])
        #expect(try session.text("O.json").contains("insert"))
        try session.write(#"{"CapsuleOverlay":1,"Operations":[{"op":"add","path":"/k","value":1}]}"#, to: "O.json")
        try check(session, [.gives(#"{"k":2}"#, #"{"k":1}"#)], #_sourceLocation)
    }

    /// An element that only its index identifies must stay the same one. An element that is put behind another must go there.
    @Test func aShiftedListKeepsWhatIsAnotherElements() throws {
        _ = try turns(
            #"{"a":[{"n":1},{"n":2}]}"#, #"{"a":[{"n":1},{"n":2,"x":true}]}"#, "",
            [
                .refused(#"{"a":[{"n":0},{"n":1},{"n":2}]}"#),
                .gives(#"{"a":[{"n":5},{"n":2},{"n":0}]}"#, #"{"a":[{"n":5},{"n":2,"x":true},{"n":0}]}"#),
            ])
        _ = try turns(
            #"{"a":[1,2,3]}"#, #"{"a":[1,2,9,3]}"#, "",
            [.refused(#"{"a":[7,1,2,3]}"#), .gives(#"{"a":[7,2,3]}"#, #"{"a":[7,2,9,3]}"#)])
        _ = try turns(#"{"a":[1,2,3]}"#, #"{"a":[2,3,1]}"#, "", [.refused(#"{"a":[1,7,2,3]}"#)])
        _ = try turns(#"{"a":[0,1,2,3,4]}"#, #"{"a":[0,1,2,3,4,52]}"#, "", [.refused(#"{"a":[0,1,2,90,3,4]}"#)])
        _ = try turns(
            #"{"a":[{"i":1},{"i":2},{"i":3}]}"#, #"{"a":[{"i":2},{"i":3},{"i":1}]}"#, "--arrays a=keyed(i)",
            [.refused(#"{"a":[{"i":1},{"i":7},{"i":2},{"i":3}]}"#)])
        _ = try turns(
            #"{"a":[{"n":1,"on":false},{"n":2,"on":false}]}"#, #"{"a":[{"n":1,"on":false},{"n":2,"on":true}]}"#, "",
            [
                .refused(#"{"a":[{"n":0,"on":false},{"n":1,"on":false},{"n":2,"on":false}]}"#), .inverse,
                .refused(#"{"a":[{"n":0,"on":true},{"n":1,"on":true},{"n":2,"on":true}]}"#),
            ])
        _ = try turns(
            #"{"a":[1,2,3]}"#, #"{"a":[1,3]}"#, "",
            [.refused(#"{"a":[7,2,3]}"#), .inverse, .refused(#"{"a":[7,1,3]}"#), .gives(#"{"a":[1,3,7]}"#, #"{"a":[1,2,3,7]}"#)])
    }

    @Test func inAKeyedArrayAndInASetWhatCameMeanwhileDoesNotComeTwice() throws {
        let keyed = "--arrays a=keyed(id)"
        let (one, both) = (#"{"a":[{"id":1}]}"#, #"{"a":[{"id":1},{"id":2,"v":1}]}"#)
        let others = #"{"a":[{"id":1},{"id":2,"v":"of the user"}]}"#
        _ = try turns(
            one, both, keyed,
            [
                .refused(others), .gives(both, both),
                .gives(#"{"a":[{"id":1},{"id":3}]}"#, #"{"a":[{"id":1},{"id":2,"v":1},{"id":3}]}"#),
            ])
        _ = try turns(both, one, keyed, [.inverse, .refused(others), .gives(both, both)])
        _ = try turns(
            #"{"a":[{"id":"x"}]}"#, #"{"a":[{"id":"x"},{"id":"y"}]}"#, "--arrays 'a=keyed(id), nocase'",
            [.refused(#"{"a":[{"id":"x"},{"id":"Y"}]}"#)])
        _ = try turns(
            #"{"CFBundleURLTypes":[{"CFBundleURLName":"a"}]}"#,
            #"{"CFBundleURLTypes":[{"CFBundleURLName":"a"},{"CFBundleURLName":"b","v":1}]}"#, "",
            [.refused(#"{"CFBundleURLTypes":[{"CFBundleURLName":"a"},{"CFBundleURLName":"b","v":2}]}"#)])
        _ = try turns(
            #"{"CFBundleURLSchemes":["a"]}"#, #"{"CFBundleURLSchemes":["a","b"]}"#, "",
            [
                .gives(#"{"CFBundleURLSchemes":["a","b"]}"#, #"{"CFBundleURLSchemes":["a","b"]}"#),
                .gives(#"{"CFBundleURLSchemes":["b","a"]}"#, #"{"CFBundleURLSchemes":["b","a"]}"#),
            ])
    }

    @Test func whatIsMeantToBeThereTwiceComesGoesAndComesBack() throws {
        _ = try turns(#"{"CFBundleURLSchemes":["a"]}"#, #"{"CFBundleURLSchemes":["a","a"]}"#)
        _ = try turns(#"{"CFBundleURLSchemes":["a","b","a"]}"#, #"{"CFBundleURLSchemes":["b"]}"#)
        _ = try turns(#"{"a":[{"id":1}]}"#, #"{"a":[{"id":1,"v":1},{"id":1},{"id":1}]}"#, "--arrays a=keyed(id)")
        _ = try turns(
            #"{"a":[{"id":"a"},{"id":"A"},{"id":"a"}]}"#, #"{"a":[{"id":"A"}]}"#, "--arrays 'a=keyed(id), nocase'")
    }

    @Test func anArrayIsNoDictionaryNorTheOtherWayRound() throws {
        _ = try turns(#"{"d":{"0":1}}"#, #"{"d":{"0":1,"1":2}}"#, "", [.refused(#"{"d":[5]}"#)])
        _ = try turns(#"{"d":{"0":1}}"#, #"{"d":{"0":2}}"#, "", [.refused(#"{"d":[1]}"#)])
        _ = try turns(#"{"d":{"[=1]":1}}"#, #"{"d":{"[=1]":2}}"#, "", [.refused(#"{"d":[1]}"#)])
        _ = try turns(
            #"{"d":{"0":1,"k":1}}"#, #"{"d":{"0":1,"k":2}}"#, "", [.gives(#"{"d":{"0":3,"k":1}}"#, #"{"d":{"0":3,"k":2}}"#)])
        let (session, _) = try turns(
            #"{"a":[]}"#, #"{"a":[6]}"#, "", [.refused(#"{"a":{"k":5}}"#), .refused(#"{"a":{}}"#)])
        _ = try turns("[]", "[6]", "", [.refused(#"{"k":5}"#)])
        _ = try turns(#"{"a":[]}"#, #"{"a":[{"id":1}]}"#, "--arrays a=keyed(id)", [.refused(#"{"a":{"k":5}}"#)])
        try session.write(#"{"CapsuleOverlay":1,"Operations":[{"op":"insert","path":"/a/-","value":1}]}"#, to: "O.json")
        try check(session, [.refused(#"{"a":{"k":5}}"#)], #_sourceLocation)
        try session.write(#"{"CapsuleOverlay":1,"Operations":[{"op":"add","path":"/a/0","value":1}]}"#, to: "O.json")
        try check(session, [.gives(#"{"a":{"k":5}}"#, #"{"a":{"k":5,"0":1}}"#)], #_sourceLocation)
    }

    /// It is none even where data has come in the dictionary's place.
    @Test(arguments: ["plist", "json", "zlib", "archive"])
    func aKeyThatLooksLikeAWayIntoDataIsNone(key: String) throws {
        _ = try turns(#"{"d":{}}"#, #"{"d":{"<\#(key)>":1}}"#)
        _ = try turns(#"{"d":{"<\#(key)>":1}}"#, #"{"d":{}}"#)
        let (session, _) = try turns(#"{"d":{"<\#(key)>":{"k":1}}}"#, #"{"d":{"<\#(key)>":{"k":1,"n":2}}}"#)
        #expect(!(try session.text("O.json").contains("/<")))
        if key == "plist" {
            let held = "PHBsaXN0PjxkaWN0PjxrZXk+azwva2V5PjxpbnRlZ2VyPjE8L2ludGVnZXI+PC9kaWN0PjwvcGxpc3Q+"
            try check(session, [.refused("<plist><dict><key>d</key><data>\(held)</data></dict></plist>")], #_sourceLocation)
        }
    }

    /// Objects of a keyed archive refer to each other by number, and equal numbers are one object.
    @Test func keyedArchives() throws {
        let session = try Session(["plain.plist": "{h = 1;}"])
        try session.python(
            #"""
            import plistlib
            def archive(name, entries):
                objects = ["$null", {}]
                def reference(value):
                    if value not in objects:
                        objects.append(value)
                    return plistlib.UID(objects.index(value))
                keys = [reference(key) for key in entries]
                values = [reference(value) for value in entries.values()]
                objects[1] = {"NS.keys": keys, "NS.objects": values, "$class": reference({"$classname": "NSDictionary", "$classes": ["NSDictionary", "NSObject"]})}
                document = {"$archiver": "NSKeyedArchiver", "$version": 100000, "$objects": objects, "$top": {"root": plistlib.UID(1)}}
                plistlib.dump(document, open(name, "wb"), fmt=plistlib.FMT_BINARY)
            archive("A.plist", {"b": 4, "a": 1})
            archive("B.plist", {"b": 4, "a": 1, "h": 1})
            archive("D.plist", {"b": 4, "f": 3})
            """#)
        try session.expect(
            """
            [1] $ capsule diff A.plist B.plist --overlay archive.plist
            ~ B.plist (plist)
                + /<archive>/root/h: 1
            $ cp D.plist was
            [2] $ capsule apply archive.plist D.plist
            > capsule: error: D.plist: the value is {"$archiver": "NSKeyedArchiver", "$objects": ["$null", {"$class": uid 6, "NS.keys": [uid 2, uid 3], "NS.objects": [uid 4, uid 5]}, "b", "f", 4, 3, {"$classes": ["NSDictionary", "NSObject"], "$classname": "NSDictionary"}], "$top": {"root": uid 1}, "$version": 100000}, but the overlay expects {"$archiver": "NSKeyedArchiver", "$objects": ["$null", {"$class": uid 6, "NS.keys": [uid 2, uid 3], "NS.objects": [uid 4, uid 5]}, "b", "a", 4, 1, {"$classes": ["NSDictionary", "NSObject"], "$classname": "NSDictionary"}], "$top": {"root": uid 1}, "$version": 100000}, required by /Operations/0 in archive.plist:9:3
            > capsule: hint: the property list has changed since the overlay was made; its 'test' operations say what it expects
            [2] $ capsule apply plain.plist D.plist
            > capsule: error: D.plist: the overlay has a dictionary, but the base has a keyed archive: a keyed archive can only be replaced
            > capsule: hint: use 'replace' in an overlay document
            $ cmp D.plist was
            $ cp A.plist t.plist
            $ capsule apply archive.plist t.plist --undo back.plist
            t.plist: changed
            [1] $ capsule diff t.plist B.plist
            ~ B.plist (plist)
                ~ encoding only: binary → binary
            $ capsule apply back.plist t.plist
            t.plist: changed
            $ cmp t.plist A.plist
            [2] $ capsule diff A.plist B.plist --overlay no.plist --plain
            > capsule: error: A.plist: a partial property list can't express every change: a keyed archive can only be replaced at 
            > capsule: hint: omit '--plain' to write an overlay with operations
            """)
    }

    private static func plist(_ text: String) -> String { "<plist><dict>\(text)</dict></plist>" }

    /// An overlay capsule and an overlay by value.
    @Test func inAContainerTheSameHolds() throws {
        let session = try Session([
            "base/v.plist": Self.plist("<key>x</key><integer>1</integer>"),
            "after/v.plist": Self.plist("<key>x</key><integer>1</integer><key>k</key><string>new</string>"),
            "live/v.plist": Self.plist("<key>x</key><integer>1</integer><key>k</key><string>of the user</string>"),
        ])
        try session.expect(
            """
            $ cp -a live before
            [1] $ capsule diff base after -q --overlay run.capsule
            [1] $ capsule diff base after -q --overlay value.json --by-value
            [2] $ capsule apply run.capsule live --different-app --quiet
            > v.plist:1:46: error: insert failed: the value is already "of the user", not "new" (at /k) (run.capsule, /Operations/0); nothing was changed
            > capsule: hint: '--force' writes the overlay's files anyway; '--three-way' merges the overlay's changes with the target
            [2] $ capsule apply run.capsule live --different-app --three-way
            > capsule: error: the overlay can't be merged with the target; nothing was changed
            > capsule: note: v.plist: value at /k was changed both by the overlay and in the target
            > capsule: hint: '--force' writes the overlay's files anyway; to decide each conflict, merge the containers with 'capsule merge'
            [2] $ capsule apply value.json live --different-app --quiet
            > v.plist:1:46: error: insert failed: the value is already "of the user", not "new" (at /k) (value.json, /Operations/0); nothing was changed
            > capsule: hint: the overlay was made for a different base: write 'add' to replace the value, or remove the 'insert'
            [2] $ capsule apply value.json live --different-app --three-way
            > v.plist:1:46: error: insert failed: the value is already "of the user", not "new" (at /k) (value.json, /Operations/0); nothing was changed
            > capsule: hint: the overlay was made for a different base: write 'add' to replace the value, or remove the 'insert'
            $ diff -r live before
            """)
    }

    @Test func anArrayThatHasBecomeADictionaryStaysOne() throws {
        let session = try Session([
            "base/v.plist": Self.plist("<key>a</key><array/>"),
            "after/v.plist": Self.plist("<key>a</key><array><integer>6</integer></array>"),
            "live/v.plist": Self.plist("<key>a</key><dict><key>k</key><integer>5</integer></dict>"),
        ])
        try session.expect(
            """
            $ cp -a live before
            [1] $ capsule diff base after -q --overlay value.json --by-value
            [2] $ capsule apply value.json live --different-app --quiet
            > v.plist:1:14: error: insert failed: expected an array for 6, found a dictionary (at /a/0) (value.json, /Operations/0); nothing was changed
            > capsule: hint: the overlay was made for a different base: write 'add' to set a key of the dictionary
            $ diff -r live before
            """)
    }

    /// As many elements as the edits explain.
    @Test(arguments: [
        (#"{"a":[0,0,0,0,0,0]}"#, #"{"a":[0,1,0,0,0,0]}"#, #"{"a":[0,0,0,0,2,0]}"#, #"{"a":[0,1,0,0,2,0]}"#),
        (
            #"{"CFBundleURLSchemes":["a","a","b"]}"#, #"{"CFBundleURLSchemes":["x","a","b"]}"#,
            #"{"CFBundleURLSchemes":["a","y","b"]}"#, #"{"CFBundleURLSchemes":["x","y","b"]}"#
        ),
    ])
    func aSetInWhichElementsAreEqualMergesAsASequence(base: String, ours: String, theirs: String, merged: String) throws {
        let session = try Session(["base.json": base, "ours.json": ours, "theirs.json": theirs, "wanted.json": merged])
        #expect(try session.run("capsule merge base.json ours.json theirs.json -o merged.json --arrays a=set").status == 0)
        #expect(try session.isAlike("merged.json", "wanted.json"))
    }
}
