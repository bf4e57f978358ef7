import CapsuleRuntime
import Foundation
import TestSupport
import Testing

/// Tests that preferences are set through the API: a copied file would be overwritten by the preferences daemon.
@Suite struct SeedPreferencesTests {
    private static func plist(_ values: [String: String], _ format: PropertyListSerialization.PropertyListFormat = .binary) throws
        -> TreeNode
    {
        .file([UInt8](try PropertyListSerialization.data(fromPropertyList: values, format: format, options: 0)))
    }

    @Test func theyAreSetAndNeverCopied() throws {
        let app = try TestApp()
        try app.makeSeed(
            [
                "Library/Preferences/com.example.gifs.plist": try Self.plist(["theme": "dark"]),
                "Library/Preferences/suite.plist": try Self.plist(["a": "b"], .xml),
                "Library/Preferences/.GlobalPreferences.plist": try Self.plist(["AppleLocale": "en"]),
                "Library/Preferences/other.txt": .file("x"),
                "Library/a": .file("a"),
            ], group: ["Library/Preferences/group.com.example.gifs.plist": try Self.plist(["shared": "yes"])])
        app.preferences.setValues(["theme": "light", "old": "gone"], ofDomain: "com.example.gifs")
        let summary = try app.seed.install(policy: .always, in: app.environment())
        #expect(summary.preferenceDomains == ["com.example.gifs", "suite", "group.com.example.gifs"])
        #expect(app.preferences["com.example.gifs", "theme"] == "dark")
        #expect(app.preferences["com.example.gifs", "old"] == nil)
        #expect(app.preferences["suite", "a"] == "b")
        #expect(app.preferences["group.com.example.gifs", "shared"] == "yes")
        #expect(app.preferences.names == ["com.example.gifs", "group.com.example.gifs", "suite"])
        #expect(
            summary.omitted.map(\.path) == ["Library/Preferences/.GlobalPreferences.plist", "Library/Preferences/other.txt"])
        #expect(!Files.exists(app.home + "/Library/Preferences"))
        #expect(!Files.exists(app.groupHome + "/Library/Preferences"))
    }

    /// A reset leaves them out, too.
    @Test func theSystemsOwnAreLeftOut() throws {
        let app = try TestApp()
        try app.makeSeed(
            [
                "Library/Preferences/com.apple.UIKit.plist": try Self.plist(["a": "b"]),
                "Library/Preferences/com.apple.broken.plist": .file("?"),
                "Library/Preferences/com.applesauce.plist": try Self.plist(["a": "b"]),
            ], group: ["Library/Preferences/com.apple.UIKit.plist": try Self.plist(["a": "b"])])
        let summary = try app.seed.install(policy: .always, in: app.environment())
        #expect(app.preferences.names == ["com.applesauce"])
        #expect(summary.preferenceDomains == ["com.applesauce"])
        let omitted = ["UIKit", "broken"].map { "Library/Preferences/com.apple.\($0).plist" }
        #expect(summary.omitted.map(\.path) == omitted + ["AppGroups/\(TestApp.group)/\(omitted[0])"])
        #expect(Set(summary.omitted.map(\.reason)) == ["system preferences"])
    }

    @Test(arguments: [AppDataSeed.Policy.ifAbsent, .ifEmpty])
    func keysThatAreThereStay(policy: AppDataSeed.Policy) throws {
        let app = try TestApp()
        try app.makeSeed(["Library/Preferences/com.example.gifs.plist": try Self.plist(["theme": "dark", "new": "n"])])
        app.preferences.setValues(["theme": "light", "old": "stays"], ofDomain: "com.example.gifs")
        try app.seed.install(policy: policy, in: app.environment())
        #expect(app.preferences["com.example.gifs", "theme"] == "light")
        #expect(app.preferences["com.example.gifs", "new"] == "n")
        #expect(app.preferences["com.example.gifs", "old"] == "stays")
    }

    @Test(arguments: ["", "bplist00", "[1, 2", "<plist><array/></plist>"])
    func oneThatDoesNotReadIsNamedBeforeAnythingChanges(content: String) throws {
        let app = try TestApp()
        try app.makeSeed(["Library/Preferences/broken.plist": .file(content), "Documents/a": .file("a")])
        let error = #expect(throws: AppDataError.self) { try app.seed.install(policy: .always, in: app.environment()) }
        #expect(error?.code == .notAPropertyList)
        #expect(error?.path.hasSuffix("AppData/Library/Preferences/broken.plist") == true)
        #expect(app.text("Documents/a") == nil)
    }
}
