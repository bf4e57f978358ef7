import CapsulePropertyList
import Testing

@testable import CapsuleCore

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
