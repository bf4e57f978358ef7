import CapsulePropertyList
import Testing

@testable import CapsuleCore
@testable import CapsuleRules

@Suite struct PointerPatternTests {
    @Test(arguments: [
        ("A", "/A", true), ("A", "/B/A", true), ("A", "/A/B", false), ("/A", "/A", true), ("/A", "/B/A", false),
        ("A/*", "/A/0", true), ("A/*", "/x/A/b", true), ("A/*", "/A", false), ("A/*", "/A/0/1", false),
        ("/A/**", "/A", true), ("/A/**", "/A/b/c", true), ("/A/**", "/B/A", false), ("/**/C", "/C", true),
        ("/A/**/C", "/A/C", true), ("/A/**/C", "/A/x/C/y/C", true), ("/A/**/C", "/A/x/C/y", false),
        ("**", "", true), ("/**", "/a/b", true), ("A~1B", "/A~1B", true), ("A~0", "/A~0", true), ("*", "", false),
        // A mark that combines with the slash before it.
        ("\u{593}A", "/B/\u{593}A", true), ("/\u{593}A", "/B/\u{593}A", false),
        ("A/**/B/**/C", "/A/B/B/x/C/C", true), ("A/**/B/**/C", "/A/C/B", false),
    ])
    func patternsMatch(pattern: String, pointer: String, isMatch: Bool) throws {
        #expect(try PointerPattern(pattern).matches(try PlistPointer(pointer).steps) == isMatch)
    }

    @Test(arguments: ["A", "/A", "A/*", "/A/**/C", "A~1B", "*", "\u{593}A", "/\u{593}A/\u{301}"])
    func patternsAreSpelledAsTheyWereWritten(pattern: String) throws {
        #expect(try PointerPattern(pattern).description == pattern)
    }

    @Test func malformedPatternsAreRefused() {
        #expect(throws: OverlayError.self) { try PointerPattern("") }
        #expect(throws: OverlayError.self) { try PointerPattern("a~b") }
    }
}

@Suite struct ArrayIdentityTests {
    @Test(arguments: [
        "keyed(Name)", "keyed(Name?)", "keyed(Name), nocase", "keyed(a?), nocase", "set", "ordered", "replace",
    ])
    func identitiesAreSpelledAsTheyWereWritten(text: String) throws {
        #expect(try ArrayIdentity(text).description == text)
    }

    @Test(arguments: ["", "keyed", "keyed()", "keyed(?)", "keyed(a) case", "keyed(a", "Set", "unordered", "keyed(a))"])
    func malformedIdentitiesSayWhatToWrite(text: String) {
        let error = #expect(throws: OverlayError.self) { try ArrayIdentity(text) }
        #expect(error?.hint?.contains("keyed(KEY?)") == true)
    }

    @Test func theMostLiteralPatternWinsAndATieIsAnError() throws {
        func rule(_ pattern: String, _ identity: ArrayIdentity) throws -> ArrayIdentities.Rule {
            ArrayIdentities.Rule(try PointerPattern(pattern), identity)
        }
        let identities = ArrayIdentities([
            try rule("B", .set), try rule("A/B", .ordered), try rule("/X/*", .set), try rule("/*/Y", .ordered),
            try rule("UIBackgroundModes", .replace),
        ])
        #expect(try identities.identity(at: ["B"]) == .set)
        #expect(try identities.identity(at: ["A", "B"]) == .ordered)
        #expect(try identities.identity(at: ["Q"]) == nil)
        #expect(try identities.identity(at: ["UIBackgroundModes"]) == .replace)
        let error = #expect(throws: OverlayError.self) { try identities.identity(at: ["X", "Y"]) }
        #expect(error?.code == .ambiguous)
    }

    /// Every line of the table can be parsed and found, and has a source.
    @Test(arguments: ArrayIdentities.builtInTable.map(\.pattern))
    func theBuiltInTableIsKnown(pattern: String) throws {
        let line = try #require(ArrayIdentities.builtInTable.first { $0.pattern == pattern })
        #expect(!line.source.isEmpty)
        let isAnchored = pattern.hasPrefix("/")
        let place = try PlistPointer((isAnchored ? "" : "/x/") + pattern.replacing("*", with: "role"))
        #expect(try ArrayIdentities().identity(at: place.steps) == line.identity)
        #expect(ArrayIdentities.builtIn.count == ArrayIdentities.builtInTable.count)
    }

    /// The description of a pattern reads as the same pattern.
    @Test(arguments: ["**", "/**", "*", "/*", "A", "/A", "A/*/B", "/A/**/B", "**/A", "**//A", "//A", "~0/~1", "A/**"])
    func descriptionsComeBack(text: String) throws {
        let pattern = try PointerPattern(text)
        #expect(try PointerPattern(pattern.description) == pattern, "\(text): \(pattern)")
    }
}
