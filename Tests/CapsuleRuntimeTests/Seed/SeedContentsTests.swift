import CapsuleRuntime
import Foundation
import TestSupport
import Testing

/// Tests stores with the same stem: Core Data puts their external blobs into one directory, and those of a store that stays must stay.
@Suite struct SeedSharedBlobTests {
    private static func store(_ text: String) -> TreeNode { .file("SQLite format 3\0" + text) }

    private static let blobs = "Documents/.Model_SUPPORT/_EXTERNAL_DATA/"
    private static let home: TreeLiteral = [
        "Documents/Model.sqlite": store("app"), "Documents/Model.sqlite-wal": .file("app wal"),
        "Documents/.Model_SUPPORT/_EXTERNAL_DATA/APPBLOB": .file("app blob"),
        "Documents/.Model_SUPPORT/_EXTERNAL_DATA/BOTH": .file("the app's"),
    ]
    private static let seed: TreeLiteral = [
        "Documents/Model.store": store("seed"),
        "Documents/.Model_SUPPORT/_EXTERNAL_DATA/SEEDBLOB": .file("seed blob"),
        "Documents/.Model_SUPPORT/_EXTERNAL_DATA/BOTH": .file("the seed's"),
    ]

    private func expectTheAppsOwn(_ app: TestApp, _ comment: Comment? = nil) {
        #expect(app.text("Documents/Model.sqlite") == "SQLite format 3\0app", comment)
        #expect(app.text("Documents/Model.sqlite-wal") == "app wal", comment)
        #expect(app.text(Self.blobs + "APPBLOB") == "app blob", comment)
        #expect(app.text(Self.blobs + "BOTH") == "the app's", comment)
    }

    @Test(arguments: [AppDataSeed.Policy.always, .ifAbsent])
    func blobsOfAnotherStoreStay(policy: AppDataSeed.Policy) throws {
        let app = try TestApp()
        try app.makeHome(Self.home)
        try app.makeSeed(Self.seed)
        let summary = try app.seed.install(policy: policy, in: app.environment())
        expectTheAppsOwn(app)
        #expect(app.text("Documents/Model.store") == "SQLite format 3\0seed")
        #expect(app.text(Self.blobs + "SEEDBLOB") == "seed blob")
        #expect(summary.kept == [Self.blobs + "BOTH"])
        #expect(summary.files == 2)
        #expect(app.isTidy())
    }

    /// The blobs are beside both stores of the seed, whichever of them existed before.
    @Test(arguments: ["Model.sqlite", "Model.store"])
    func aNewStoreBesideOneThatStaysHasItsBlobs(present: String) throws {
        let app = try TestApp()
        var home = TreeLiteral()
        home[TreeLiteral.RawPath(Array("Documents/\(present)".utf8))] = Self.store("app")
        try app.makeHome(home)
        var seed = Self.seed
        seed["Documents/Model.sqlite"] = Self.store("seed")
        try app.makeSeed(seed)
        try app.seed.install(policy: .ifAbsent, in: app.environment())
        for name in ["Model.sqlite", "Model.store"] {
            #expect(app.text("Documents/" + name) == "SQLite format 3\0" + (name == present ? "app" : "seed"))
        }
        #expect(app.text(Self.blobs + "SEEDBLOB") == "seed blob")
    }

    /// Stopped before each change of a name: the other store is complete, and the new one never exists without its blobs.
    @Test func aKilledProcessTakesNoBlobs() throws {
        var steps = 0
        while true {
            let app = try TestApp()
            try app.makeHome(Self.home)
            try app.makeSeed(Self.seed)
            let summary = try? app.seed.install(policy: .always, in: app.environment(steps: steps))
            expectTheAppsOwn(app, "after \(steps) steps")
            if app.text("Documents/Model.store") != nil { #expect(app.text(Self.blobs + "SEEDBLOB") != nil) }
            if summary != nil { break }
            try app.seed.install(policy: .ifAbsent, in: app.environment())
            expectTheAppsOwn(app, "after \(steps) steps and another launch")
            #expect(app.text("Documents/Model.store") != nil, "after \(steps) steps and another launch")
            steps += 1
        }
        // A blob and the store.
        #expect(steps == 2)
    }
}

/// Tests the copies of stores. A preview that opens a store in the bundle can't write to it, or does not get the rows in its log.
@Suite struct PreviewStoreTests {
    private static let bundled: TreeLiteral = [
        "Model.sqlite": .file("SQLite format 3\0rows"), "Model.sqlite-wal": .file("wal"), "Model.sqlite-shm": .file("shm"),
        ".Model_SUPPORT/_EXTERNAL_DATA/X": .file("blob"), "Other.sqlite": .file("other"), "Info.plist": .file("info"),
        "default.store": .file("SQLite format 3\0"),
    ]

    private func makeApp() throws -> (app: TestApp, bundle: Bundle) {
        let app = try TestApp()
        try FileManager.default.removeItem(atPath: app.bundle)
        try Self.bundled.make(at: app.bundle)
        return (app, try #require(Bundle(path: app.bundle)))
    }

    @Test func theWholeUnitIsCopied() throws {
        let (app, bundle) = try makeApp()
        let before = try TestApp.tree(app.bundle)
        let url = try PreviewStore(named: "Model", in: bundle).url(in: app.environment())
        #expect(url.path == app.home + "/Library/Caches/com.example.gifs/PreviewStores/Model.sqlite/Model.sqlite")
        var wanted = Self.bundled
        for path: TreeLiteral.RawPath in ["Other.sqlite", "Info.plist", "default.store"] { wanted[path] = nil }
        #expect(wanted.differences(from: try TestApp.tree(url.deletingLastPathComponent().path)) == [])
        #expect(before.differences(from: try TestApp.tree(app.bundle)) == [])
    }

    @Test(arguments: PreviewStore.Policy.allCases)
    func anEarlierCopyIsUsedOrReplacedWhole(policy: PreviewStore.Policy) throws {
        let (app, bundle) = try makeApp()
        let store = try PreviewStore(named: "Model", in: bundle)
        let url = try store.url(in: app.environment())
        try Files.write("changed", to: url.path)
        try Files.write("journal", to: url.path + "-journal")
        #expect(try store.url(policy: policy, in: app.environment()) == url)
        let content = String(decoding: try Files.read(url.path), as: UTF8.self)
        #expect(content == (policy == .always ? "SQLite format 3\0rows" : "changed"))
        #expect(Files.exists(url.path + "-journal") == (policy == .ifAbsent))
    }

    /// They have their blobs in directories of the same name, so each store needs a directory of its own.
    @Test func storesOfOneStemAreCopiedApart() throws {
        let (app, bundle) = try makeApp()
        try Files.write("SQLite format 3\0", to: app.bundle + "/Model.store")
        let first = try PreviewStore(named: "Model", in: bundle).url(in: app.environment())
        let blobs = first.deletingLastPathComponent().path + "/.Model_SUPPORT/_EXTERNAL_DATA/"
        try Files.write("written since", to: blobs + "Y")
        let second = try PreviewStore(named: "Model", withExtension: "store", in: bundle).url(in: app.environment())
        #expect(second.deletingLastPathComponent() != first.deletingLastPathComponent())
        #expect(Files.exists(second.deletingLastPathComponent().path + "/.Model_SUPPORT/_EXTERNAL_DATA/X"))
        #expect(Files.exists(blobs + "Y"))
    }

    @Test func otherExtensionsAndMissingStores() throws {
        let (app, bundle) = try makeApp()
        // The app needs no home of its own: previews of Mac apps have none.
        let url = try PreviewStore(named: "default", withExtension: "store", in: bundle).url(in: app.environment(hasHome: false))
        #expect(url.lastPathComponent == "default.store")
        let error = #expect(throws: AppDataError.self) { try PreviewStore(named: "None", in: bundle) }
        #expect(error?.code == .missing)
        #expect(error?.path == "None.sqlite")
    }
}

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

private let isAPFSLike = !FileSystemTraits.temporary.tellsCaseApart && !FileSystemTraits.temporary.tellsFormsApart

/// Seeds for a home that has the same names in another case or normalization form, as on Macs and their simulators.
@Suite(.enabled(if: isAPFSLike, "the file system tells such names apart")) struct SeedSpellingTests {
    private let app: TestApp

    init() throws { app = try TestApp() }

    private static let seed: TreeLiteral = [
        "Documents/Caf\u{e9}.txt": .file("seed"), "Documents/Notes/One.txt": .file("seed"),
        "Library/Store.sqlite": .file(database),
    ]
    private static let home: TreeLiteral = [
        "Documents/CAFE\u{301}.txt": .file("home"), "Documents/notes/ONE.txt": .file("home"),
        "Documents/notes/mine.txt": .file("home"),
        "Library/store.sqlite": .file(database), "Library/STORE.sqlite-wal": .file("a log of the old one"),
    ]
    private static let database = "SQLite format 3\0" + String(repeating: "x", count: 100)

    private func names(_ path: String) throws -> [[UInt8]] {
        try FileManager.default.contentsOfDirectory(atPath: app.home + "/" + path).map { Array($0.utf8) }.sorted {
            $0.lexicographicallyPrecedes($1)
        }
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: app.home + "/" + path, encoding: .utf8) }

    /// There is one file of each name, with the seed's content and spelling, and no log of the old database.
    @Test func alwaysReplaces() throws {
        try app.makeSeed(Self.seed)
        try app.makeHome(Self.home)
        let summary = try app.seed.install(policy: .always, in: app.environment())
        #expect(summary.files == 3)
        #expect(try names("Documents") == ["Caf\u{e9}.txt", "notes"].map { Array($0.utf8) })
        #expect(try names("Documents/notes") == ["One.txt", "mine.txt"].map { Array($0.utf8) })
        #expect(try text("Documents/Caf\u{e9}.txt") == "seed" && text("Documents/Notes/One.txt") == "seed")
        #expect(
            try names("Library").filter { $0.starts(with: Array("S".utf8)) || $0.starts(with: Array("s".utf8)) } == [
                Array("Store.sqlite".utf8)
            ])
    }

    /// Existing entries keep their own spelling.
    @Test func ifAbsentKeeps() throws {
        try app.makeSeed(Self.seed)
        try app.makeHome(Self.home)
        let summary = try app.seed.install(policy: .ifAbsent, in: app.environment())
        #expect(summary.files == 0)
        #expect(summary.kept.count == 3)
        #expect(try names("Documents") == ["CAFE\u{301}.txt", "notes"].map { Array($0.utf8) })
        #expect(try text("Documents/Caf\u{e9}.txt") == "home")
        #expect(try names("Library").contains(Array("STORE.sqlite-wal".utf8)))
    }

    /// A directory with another spelling is still a directory of the home.
    @Test func ifEmptySeesOtherSpellings() throws {
        try app.makeSeed(Self.seed)
        try app.makeHome(["documents/mine.txt": .file("home")])
        #expect(try !app.seed.install(policy: .ifEmpty, in: app.environment()).isInstalled)
        try app.makeHome(["documents": .directory(), "library": .directory()])
        #expect(try app.seed.install(policy: .ifEmpty, in: app.environment()).isInstalled)
        #expect(try names("") == ["documents", "library"].map { Array($0.utf8) })
        #expect(try text("Documents/Notes/One.txt") == "seed")
    }
}
