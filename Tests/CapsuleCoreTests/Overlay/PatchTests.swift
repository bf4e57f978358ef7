import CapsulePropertyList
import Testing

@testable import CapsuleCore
@testable import CapsuleOverlay
@testable import CapsuleRules

/// The rules and examples of RFC 6902.
@Suite struct JSONPatchTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let section: String
        let document: String
        let patch: String
        /// The result; nil for an error.
        let result: String?

        var testDescription: String { section }
    }

    /// The complete appendix A.
    static let appendixA = [
        Case(
            section: "A.1", document: #"{"foo":"bar"}"#, patch: #"[{"op":"add","path":"/baz","value":"qux"}]"#,
            result: #"{"baz":"qux","foo":"bar"}"#),
        Case(
            section: "A.2", document: #"{"foo":["bar","baz"]}"#, patch: #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
            result: #"{"foo":["bar","qux","baz"]}"#),
        Case(
            section: "A.3", document: #"{"baz":"qux","foo":"bar"}"#, patch: #"[{"op":"remove","path":"/baz"}]"#,
            result: #"{"foo":"bar"}"#),
        Case(
            section: "A.4", document: #"{"foo":["bar","qux","baz"]}"#, patch: #"[{"op":"remove","path":"/foo/1"}]"#,
            result: #"{"foo":["bar","baz"]}"#),
        Case(
            section: "A.5", document: #"{"baz":"qux","foo":"bar"}"#, patch: #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
            result: #"{"baz":"boo","foo":"bar"}"#),
        Case(
            section: "A.6", document: #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
            patch: #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
            result: #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#),
        Case(
            section: "A.7", document: #"{"foo":["all","grass","cows","eat"]}"#,
            patch: #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#, result: #"{"foo":["all","cows","eat","grass"]}"#),
        Case(
            section: "A.8", document: #"{"baz":"qux","foo":["a",2,"c"]}"#,
            patch: #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
            result: #"{"baz":"qux","foo":["a",2,"c"]}"#),
        Case(
            section: "A.9", document: #"{"baz":"qux"}"#, patch: #"[{"op":"test","path":"/baz","value":"bar"}]"#, result: nil),
        Case(
            section: "A.10", document: #"{"foo":"bar"}"#,
            patch: #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
            result: #"{"foo":"bar","child":{"grandchild":{}}}"#),
        Case(
            section: "A.11", document: #"{"foo":"bar"}"#,
            patch: #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#, result: #"{"foo":"bar","baz":"qux"}"#),
        Case(
            section: "A.12", document: #"{"foo":"bar"}"#, patch: #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#, result: nil),
        // A.13 has the member "op" twice, which a JSON reader refuses.
        Case(
            section: "A.13", document: #"{"foo":"bar"}"#,
            patch: #"[{"op":"add","path":"/baz","value":"qux","op":"remove"}]"#, result: nil),
        Case(
            section: "A.14", document: #"{"/":9,"~1":10}"#, patch: #"[{"op":"test","path":"/~01","value":10}]"#,
            result: #"{"/":9,"~1":10}"#),
        Case(
            section: "A.15", document: #"{"/":9,"~1":10}"#, patch: #"[{"op":"test","path":"/~01","value":"10"}]"#, result: nil),
        Case(
            section: "A.16", document: #"{"foo":["bar"]}"#, patch: #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
            result: #"{"foo":["bar",["abc","def"]]}"#),
    ]

    /// Rules from other sections of the RFC.
    static let more = [
        Case(section: "4.1 root", document: #"{"a":1}"#, patch: #"[{"op":"add","path":"","value":[1]}]"#, result: "[1]"),
        Case(section: "4.1 exists", document: #"{"a":1}"#, patch: #"[{"op":"add","path":"/a","value":2}]"#, result: #"{"a":2}"#),
        Case(section: "4.1 beyond the end", document: "[1]", patch: #"[{"op":"add","path":"/2","value":2}]"#, result: nil),
        Case(section: "4.1 at the end", document: "[1]", patch: #"[{"op":"add","path":"/1","value":2}]"#, result: "[1,2]"),
        Case(section: "4.1 leading zero", document: "[1,2]", patch: #"[{"op":"add","path":"/01","value":2}]"#, result: nil),
        Case(section: "4.2 missing", document: "{}", patch: #"[{"op":"remove","path":"/a"}]"#, result: nil),
        Case(section: "4.3 missing", document: "{}", patch: #"[{"op":"replace","path":"/a","value":1}]"#, result: nil),
        Case(
            section: "4.4 into itself", document: #"{"a":{"b":1}}"#, patch: #"[{"op":"move","from":"/a","path":"/a/b"}]"#,
            result: nil
        ),
        Case(
            section: "4.4 onto itself", document: #"{"a":1}"#, patch: #"[{"op":"move","from":"/a","path":"/a"}]"#,
            result: #"{"a":1}"#),
        Case(
            section: "4.5", document: #"{"a":[1]}"#, patch: #"[{"op":"copy","from":"/a","path":"/b"}]"#,
            result: #"{"a":[1],"b":[1]}"#),
        Case(
            section: "4.6 numbers by value", document: #"{"a":[1,{"b":2.0}]}"#,
            patch: #"[{"op":"test","path":"/a","value":[1.0,{"b":2}]}]"#, result: #"{"a":[1,{"b":2.0}]}"#),
        Case(section: "4.6 types", document: #"{"a":1}"#, patch: #"[{"op":"test","path":"/a","value":true}]"#, result: nil),
        Case(
            section: "4.6 null", document: #"{"a":null}"#, patch: #"[{"op":"test","path":"/a","value":null}]"#,
            result: #"{"a":null}"#),
        Case(
            section: "5 atomic", document: #"{"a":1}"#,
            patch: #"[{"op":"replace","path":"/a","value":2},{"op":"test","path":"/a","value":1}]"#, result: nil),
        Case(section: "4 unknown", document: "{}", patch: #"[{"op":"spam","path":"/a"}]"#, result: nil),
        Case(section: "4 no path", document: "{}", patch: #"[{"op":"remove"}]"#, result: nil),
        Case(section: "not ours", document: "{}", patch: #"[{"op":"union","path":"/a","value":[1]}]"#, result: nil),
        Case(section: "not ours", document: "{}", patch: #"[{"op":"insert","path":"/a","value":1}]"#, result: nil),
    ]

    @Test(arguments: appendixA + more)
    func examplesHold(_ example: Case) throws {
        let document = try json(example.document)
        let result = Result { try Overlay(reading: Array(example.patch.utf8)).applied(to: document).value }
        if let wanted = example.result {
            #expect(try result.get() == json(wanted))
        } else {
            #expect(throws: OverlayError.self) { try result.get() }
        }
    }
}

/// The rules and examples of RFC 7396.
@Suite struct MergePatchTests {
    /// The complete appendix A: original, patch, result.
    static let appendixA = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, #"null"#, #"null"#),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test(arguments: appendixA)
    func theExamplesOfAppendixAHold(original: String, patch: String, result: String) throws {
        var run = MergePatch(identities: ArrayIdentities())
        #expect(try run.applied(try json(patch), to: try json(original)) == json(result))
    }

    /// The example of section 3.
    @Test func theExampleOfSection3Holds() throws {
        let original = #"""
            {"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},"tags":["example","sample"],"content":"This will be unchanged"}
            """#
        let patch = #"{"title":"Hello!","phoneNumber":"+01-123-456-7890","author":{"familyName":null},"tags":["example"]}"#
        let overlay = try Overlay(reading: Array(patch.utf8))
        #expect(overlay.form == .mergePatch)
        let result = try overlay.applied(to: try json(original))
        let expected = #"""
            {"title":"Hello!","author":{"givenName":"John"},"tags":["example"],"content":"This will be unchanged","phoneNumber":"+01-123-456-7890"}
            """#
        #expect(try result.value == json(expected))
        #expect(result.notes == [])
    }

    @Test func anArrayOfKnownIdentityThatIsWipedIsNoted() throws {
        let base = try json(#"{"UIBackgroundModes":["audio","fetch"],"UISupportedInterfaceOrientations":["a","b"]}"#)
        let patch = #"{"UIBackgroundModes":["location"],"UISupportedInterfaceOrientations":["a"]}"#
        let result = try Overlay(reading: Array(patch.utf8)).applied(to: base)
        #expect(try result.value == json(patch))
        #expect(result.notes.map { $0.target?.description } == ["/UIBackgroundModes"])
        #expect(result.notes.first?.hint?.contains("--deep") == true)
        // As a deep overlay, it adds elements, and null removes a key.
        let deep = try Overlay(
            reading: Array(#"{"UIBackgroundModes":["location"],"UISupportedInterfaceOrientations":null}"#.utf8), isDeep: true)
        #expect(deep.form == .plain)
        #expect(try deep.applied(to: base).value == json(#"{"UIBackgroundModes":["audio","fetch","location"]}"#))
    }
}
