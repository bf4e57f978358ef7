import CapsuleRuntime
import Foundation
import TestSupport
import Testing

/// Tests resets. An incomplete one would make tests depend on each other, and an unrequested one would delete a user's data.
@Suite struct ResetTests {
    private static let asked = ["app", "--ResetData"]
    private static let home: TreeLiteral = [
        ".com.apple.mobile_container_manager.metadata.plist": .file("identity"),
        "Documents/a/b/c": .file("c"), "Documents/Model.sqlite": .file("db"), "Documents/Model.sqlite-wal": .file("wal"),
        "Documents/.Model_SUPPORT/_EXTERNAL_DATA/X": .file("x"), "Documents/closed": .directory(mode: 0),
        "Documents/link": .link("../../outside"),
        "Library/Application Support/a": .file("a"), "Library/Caches/a/b": .file("b"),
        "Library/Preferences/com.example.gifs.plist": .file("p"), "Library/Preferences/suite.plist": .file("p"),
        "Library/Preferences/.GlobalPreferences.plist": .file("p"), "Library/Preferences/com.apple.x.plist": .file("p"),
        "Library/Saved Application State/com.example.gifs.savedState/KnownSceneSessions/data.data": .file("s"),
        "Library/SplashBoard/s.png": .file("png"),
        "SystemData/x": .file("x"), "tmp/t": .file("t"),
    ]

    private func paths(_ tree: TreeLiteral) -> [String] {
        tree.nodes.filter { $0.value.kind != .directory }.keys.map(\.description).sorted()
    }

    @Test func filesGoAndWhatIsTheSystemsStays() throws {
        let app = try TestApp()
        try Files.write("outside", to: app.outside)
        try app.makeHome(Self.home)
        let summary = try #require(try AppDataReset.perform([.files], in: app.environment(arguments: Self.asked)))
        let left = try app.homeTree()
        #expect(
            paths(left) == [
                ".com.apple.mobile_container_manager.metadata.plist", "Library/Preferences/.GlobalPreferences.plist",
                "Library/Preferences/com.apple.x.plist", "Library/Preferences/com.example.gifs.plist",
                "Library/Preferences/suite.plist",
                "Library/Saved Application State/com.example.gifs.savedState/KnownSceneSessions/data.data",
                "Library/SplashBoard/s.png", "SystemData/x",
            ])
        for directory: TreeLiteral.RawPath in ["Documents", "Library/Caches", "tmp"] {
            #expect(left[directory]?.kind == .directory)
        }
        #expect(
            summary.deleted == [
                "Documents/Model.sqlite", "Documents/Model.sqlite-wal", "Documents/a", "Documents/closed", "Documents/link",
                "Documents/.Model_SUPPORT", "tmp/t", "Library/Caches/a", "Library/Application Support",
            ])
        #expect(try Files.read(app.outside) == Array("outside".utf8))
        #expect(app.isTidy())
    }

    @Test func sceneSessionsGoAlone() throws {
        let app = try TestApp()
        try app.makeHome(Self.home)
        try AppDataReset.perform([.sceneSessions], in: app.environment(arguments: Self.asked))
        let left = paths(try app.homeTree())
        #expect(left == paths(Self.home).filter { !$0.contains("Saved Application State") })
    }

    @Test func preferencesGoThroughTheirKeeper() throws {
        let app = try TestApp()
        try app.makeHome(Self.home)
        for name in ["com.example.gifs", "suite", "unrelated"] { app.preferences.setValues(["a": "b"], ofDomain: name) }
        let summary = try AppDataReset.perform([.defaults], in: app.environment(arguments: Self.asked))
        #expect(summary?.preferenceDomains == ["com.example.gifs", "suite"])
        #expect(app.preferences.names == ["unrelated"])
        #expect(app.text("Library/Preferences/suite.plist") == "p")
    }

    @Test func groupsGoWithTheirPreferences() throws {
        let app = try TestApp()
        try FileManager.default.removeItem(atPath: app.groupHome)
        let group: TreeLiteral = [
            ".com.apple.mobile_container_manager.metadata.plist": .file("identity"), "shared.db": .file("s"), "d/e": .file("e"),
            "Library/Preferences/group.com.example.gifs.plist": .file("p"), "Library/Caches/c": .file("c"),
        ]
        try group.make(at: app.groupHome)
        try app.makeHome(["Documents/a": .file("a")])
        app.preferences.setValues(["a": "b"], ofDomain: TestApp.group)
        let summary = try AppDataReset.perform([.groups([TestApp.group])], in: app.environment(arguments: Self.asked))
        #expect(
            paths(try TestApp.tree(app.groupHome)) == [
                ".com.apple.mobile_container_manager.metadata.plist", "Library/Preferences/group.com.example.gifs.plist",
            ])
        #expect(summary?.deleted == ["d", "shared.db", "Library/Caches/c"].map { "AppGroups/\(TestApp.group)/\($0)" })
        #expect(app.preferences.names.isEmpty)
        #expect(app.text("Documents/a") == "a")
        #expect(throws: AppDataError.self) {
            try AppDataReset.perform([.groups(["group.other"])], in: app.environment(arguments: Self.asked))
        }
    }

    // MARK: When

    @Test(arguments: [["app"], ["--ResetData"], ["app", "-ResetData", "--resetdata"]])
    func nobodyAsked(arguments: [String]) throws {
        let app = try TestApp()
        try app.makeHome(["Documents/a": .file("a")])
        #expect(try AppDataReset.perform([.files], in: app.environment(arguments: arguments)) == nil)
        #expect(try AppDataReset.perform([.files], in: app.environment(arguments: arguments, isDebug: false)) == nil)
        #expect(app.text("Documents/a") == "a")
        #expect(try AppDataReset.perform([.files], when: .always, in: app.environment(arguments: arguments)) != nil)
        #expect(app.text("Documents/a") == nil)
    }

    @Test func aBuildForUsersRefusesUnlessForced() throws {
        let app = try TestApp()
        try app.makeHome(["Documents/a": .file("a")])
        let environment = app.environment(arguments: Self.asked, isDebug: false)
        let error = #expect(throws: AppDataError.self) { try AppDataReset.perform([.files], in: environment) }
        #expect(error?.code == .notDebug)
        #expect(app.text("Documents/a") == "a")
        try AppDataReset.perform([.files], isForced: true, in: environment)
        #expect(app.text("Documents/a") == nil)
    }

    @Test func aUsersHomeIsNoContainer() throws {
        let app = try TestApp()
        for part in [AppDataReset.Part.files, .sceneSessions, .defaults] {
            let error = #expect(throws: AppDataError.self) {
                try AppDataReset.perform([part], when: .always, isForced: true, in: app.environment(hasHome: false))
            }
            #expect(error?.code == .notAContainer)
        }
    }

    // MARK: Links, depth, ends

    @Test(arguments: ["Documents", "tmp", "Library", "Library/Caches"])
    func nothingIsDeletedThroughALink(path: String) throws {
        let app = try TestApp()
        let other: TreeLiteral = ["a": .file("outside"), "Caches/b": .file("b")]
        try other.make(at: app.outside)
        var home = TreeLiteral()
        home[TreeLiteral.RawPath(Array(path.utf8))] = .link(app.outside)
        try app.makeHome(home)
        let before = try TestApp.tree(app.outside)
        let error = #expect(throws: AppDataError.self) {
            try AppDataReset.perform([.files], in: app.environment(arguments: Self.asked))
        }
        #expect(error?.code == .throughLink)
        #expect(error?.path == app.home + "/" + path)
        #expect(before.differences(from: try TestApp.tree(app.outside)) == [])
    }

    @Test func aDeepTreeGoes() throws {
        let app = try TestApp()
        var deep = TreeLiteral()
        deep[TreeLiteral.RawPath(Array(("Documents" + String(repeating: "/d", count: 900) + "/end").utf8))] = .file("end")
        try app.makeHome(deep)
        try AppDataReset.perform([.files], in: app.environment(arguments: Self.asked))
        #expect(try FileManager.default.contentsOfDirectory(atPath: app.home + "/Documents").isEmpty)
        #expect(app.isTidy())
    }

    /// Stopped before each change of a name: no log is removed while its database exists, and the next reset completes it.
    @Test func aKilledProcessLeavesNoDatabaseWithoutItsLog() throws {
        var steps = 0
        while true {
            let app = try TestApp()
            try app.makeHome(Self.home)
            let summary = try? AppDataReset.perform([.files], in: app.environment(arguments: Self.asked, steps: steps))
            if app.text("Documents/Model.sqlite") != nil {
                #expect(app.text("Documents/Model.sqlite-wal") == "wal", "after \(steps) steps")
                #expect(app.text("Documents/.Model_SUPPORT/_EXTERNAL_DATA/X") == "x", "after \(steps) steps")
            }
            if summary != nil { break }
            try AppDataReset.perform([.files], in: app.environment(arguments: Self.asked))
            #expect(try FileManager.default.contentsOfDirectory(atPath: app.home + "/Documents").isEmpty)
            #expect(app.isTidy())
            steps += 1
        }
        #expect(steps == 9)
    }
}

/// Tests without root permissions, like an app's: a directory that its owner can't write to can't be moved without a change of its mode.
@Suite struct UnprivilegedTests {
    private static let asked = ["app", "--ResetData"]

    @Test func aResetTakesWhatIsClosed() throws {
        let app = try TestApp()
        try app.makeHome([
            "Documents/readonly": .directory(mode: 0o555), "Documents/readonly/a": .file("a", mode: 0o400),
            "Documents/readonly/inner": .directory(mode: 0o500), "Documents/readonly/inner/b": .file("b"),
            "Documents/shut": .directory(mode: 0), "Documents/shut/c": .file("c"),
            "Library/Application Support": .directory(mode: 0o555), "Library/Application Support/d": .file("d"),
        ])
        try Unprivileged.give(app.root)
        let deleted = try Unprivileged.run {
            try AppDataReset.perform([.files], in: app.environment(arguments: Self.asked))?.deleted
        }
        #expect(deleted == ["Documents/readonly", "Documents/shut", "Library/Application Support"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: app.home + "/Documents").isEmpty)
        #expect(app.isTidy())
    }

    @Test func aSeedReplacesBlobsThatAreClosed() throws {
        let app = try TestApp()
        try app.makeHome([
            "Documents/m.db": .file("old"), "Documents/.m_SUPPORT": .directory(mode: 0o555),
            "Documents/.m_SUPPORT/OLD": .file("old"),
        ])
        try app.makeSeed(["Documents/m.db": .file("SQLite format 3\0"), "Documents/.m_SUPPORT/NEW": .file("new")])
        try Unprivileged.give(app.root)
        try Unprivileged.run { _ = try app.seed.install(policy: .always, in: app.environment()) }
        #expect(app.text("Documents/.m_SUPPORT/OLD") == nil)
        #expect(app.text("Documents/.m_SUPPORT/NEW") == "new")
        #expect(app.isTidy())
    }

    @Test func theErrorNamesWhatCannotBeDeleted() throws {
        let app = try TestApp()
        try app.makeHome(["Documents": .directory(mode: 0o555), "Documents/a": .file("a")])
        try Unprivileged.give(app.root)
        let error = #expect(throws: AppDataError.self) {
            try Unprivileged.run { _ = try AppDataReset.perform([.files], in: app.environment(arguments: Self.asked)) }
        }
        #expect(error?.code == .system)
        #expect(error?.number == EACCES)
        #expect(error?.path == app.home + "/Documents/a")
        #expect(error?.message == "cannot delete: permission denied")
        #expect(app.text("Documents/a") == "a")
        // So that the user who runs this can delete it.
        chmod(app.home + "/Documents", 0o700)
    }
}
