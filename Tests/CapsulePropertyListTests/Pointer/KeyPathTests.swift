import CapsulePropertyList
import Testing

/// Places as users write them: pointers, PlistBuddy paths, plutil key paths.
@Suite struct KeyPathTests {
    private static let root: PlistValue = [
        "a": ["b": ["c", "d"], "x.y": 1], "com.example.app": 2, "a.b": 3, "/": 4, "e\\": ["f": 5],
    ]

    @Test(arguments: [
        ("a", ["a"]), ("a.b.1", ["a", "b", "1"]), (#"a.x\.y"#, ["a", "x.y"]), (#"e\\.f"#, ["e\\", "f"]),
        (#"e\f"#, [#"e\f"#]), (#"a\"#, [#"a\"#]), ("-.b", ["-", "b"]), ("a.[k=v]", ["a", "[k=v]"]),
    ])
    func keyPathsAreReadAsPlutilReadsThem(text: String, steps: [PlistString]) throws {
        #expect(try PlistPointer(keyPath: text).steps == steps)
    }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", "a/b", "/a"])
    func whatIsNoKeyPathIsRefused(text: String) {
        let error = #expect(throws: PlistError.self) { try PlistPointer(keyPath: text) }
        #expect(error?.code == .syntax)
        #expect(error?.hint?.isEmpty == false)
    }

    @Test(arguments: [
        ("", [] as [PlistString]), ("/a/b", ["a", "b"]), ("/a.b", ["a.b"]), (":a:b:0", ["a", "b", "0"]),
        ("com.example.app", ["com.example.app"]), ("com.example.other", ["com", "example", "other"]),
        ("a.b", ["a.b"]), ("a.b.0", ["a", "b", "0"]), ("a", ["a"]),
    ])
    func aKeyOfTheRootWinsOverAPath(text: String, steps: [PlistString]) throws {
        #expect(try PlistPointer(text, in: Self.root).steps == steps)
    }

    @Test func aTextWithASlashIsNoKey() {
        let error = #expect(throws: PlistError.self) { try PlistPointer("a/b", in: Self.root) }
        #expect(error?.hint == "start a pointer with '/': '/a/b'; '~1' is a slash in a key")
    }
}

/// The containers that are created for a new value.
@Suite struct CreatedParentsTests {
    private static let root: PlistValue = ["a": ["b": [["n": 1]]], "s": "text", "d": .data(Array(#"{"k":{}}"#.utf8))]

    private static func set(_ text: String) throws(PlistError) -> PlistValue {
        var value = root
        let place = try value.createParents(of: try PlistPointer(text))
        try value.edit(.set(true), at: place)
        return value
    }

    @Test(arguments: [
        ("/x", "/x"), ("/x/y/z", "/x/y/z"), ("/x/-", "/x/0"), ("/x/0", "/x/0"), ("/x/-/y/-/z", "/x/0/y/0/z"),
        ("/a/c/d", "/a/c/d"), ("/a/b/-/m", "/a/b/1/m"), ("/a/b/1/m", "/a/b/1/m"), ("/a/b/[n=1]/m/k", "/a/b/0/m/k"),
        ("/d/<json>/k/x/y", "/d/<json>/k/x/y"), ("/d/<json>/l/0", "/d/<json>/l/0"),
    ])
    func missingContainersAreCreated(text: String, found: String) throws {
        #expect(try Self.set(text).value(at: try PlistPointer(found)) == true)
    }

    @Test func typesOfTheNewContainersFollowTheNextStep() throws {
        #expect(try Self.set("/x/y/-").value(at: try PlistPointer("/x")) == ["y": [true]])
        #expect(try Self.set("/x/0/y").value(at: try PlistPointer("/x")) == [["y": true]])
    }

    @Test(arguments: [
        ("/x/5", "/x"), ("/x/[k=v]/y", "/x"), ("/x/<plist>", "/x"), ("/a/b/7/m", "/a/b/7"), ("/a/b/[n=2]/m", "/a/b/[n=2]"),
        ("/s/x", "/s/x"), ("/s/x/y", "/s/x"),
    ])
    func whatIsUnclearIsNotCreated(text: String, place: String) throws {
        var value = Self.root
        let error = #expect(throws: PlistError.self) {
            let target = try value.createParents(of: try PlistPointer(text))
            try value.edit(.set(true), at: target)
        }
        #expect(error?.pointer == place)
        #expect(value == Self.root)
    }
}
