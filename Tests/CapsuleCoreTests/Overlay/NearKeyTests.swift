import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore

/// Hints for a missing key: the keys that may have been meant.
@Suite struct NearKeyTests {
    private static let base: PlistValue = [
        "CFBundleIdentifier": "a", "CFBundleName": "b", "list": [["Name": 1]], "data": .data(Array(#"{"count":1}"#.utf8)),
    ]

    private static func hint(_ operation: String) throws -> String? {
        let overlay = try Overlay(reading: Array("[\(operation)]".utf8))
        return #expect(throws: OverlayError.self) { try overlay.applied(to: base) }?.hint
    }

    @Test(arguments: [
        (#"{"op":"replace","path":"/CFBundleIdentifer","value":"x"}"#, "did you mean 'CFBundleIdentifier'?"),
        (#"{"op":"remove","path":"/cfbundlename"}"#, "did you mean 'CFBundleName'?"),
        (#"{"op":"test","path":"/list/0/Nmae","value":1}"#, "did you mean 'Name'?"),
        (#"{"op":"copy","from":"/CFBundle","path":"/x"}"#, "did you mean 'CFBundleIdentifier' or 'CFBundleName'?"),
        (#"{"op":"move","from":"/data/<json>/cuont","path":"/x"}"#, "did you mean 'count'?"),
        (#"{"op":"add","path":"/lits/0","value":1}"#, "did you mean 'list'?"),
    ])
    func patchesSuggestKeys(operation: String, hint: String) throws {
        #expect(try Self.hint(operation) == hint)
    }

    @Test func whatIsNotNearIsNotSuggested() throws {
        #expect(try Self.hint(#"{"op":"remove","path":"/UILaunchStoryboardName"}"#) == nil)
    }

    /// The search for a hint is fast, regardless of the number and the length of the keys.
    @Test func largeDictionariesAreSearchedInBoundedTime() throws {
        var entries = PlistDictionary()
        let count = runsLongTests ? 50_000 : 15_000
        for number in 0..<count { entries[PlistString("key \(number) " + String(repeating: "x", count: 50))] = 1 }
        entries[PlistString(String(repeating: "k", count: 1 << 20))] = 1
        let value = PlistValue.dictionary(entries)
        let pointer = PlistPointer(steps: [PlistString("kez 12 " + String(repeating: "x", count: 50))])
        let error = try #require(throws: PlistError.self) { try value.value(at: pointer) }
        var hint: String?
        let time = ContinuousClock().measure { hint = error.suggestingKeys(of: value, nested: .standard).hint }
        #expect(hint?.hasPrefix("did you mean 'key ") == true)
        #expect(time < .seconds(10))
    }
}
