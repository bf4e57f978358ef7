import CapsuleRuntime
import Foundation
import TestSupport
import Testing

/// Tests that the app finds exactly the content of the seed.
@Suite struct SeedTests {
    private static let content: TreeLiteral = [
        "Documents/notes.txt": .file("notes", mode: 0o600),
        "Documents/run.sh": .file("#!/bin/sh\n", mode: 0o755),
        "Documents/empty": .file(""),
        "Documents/latest": .link("notes.txt"),
        "Documents/away": .link("/nowhere/at all"),
        "Documents/private": .directory(mode: 0o700),
        "Documents/private/deep/deeper/名前: a\nb.txt": .file([0, 255, 10]),
        "Documents/open": .directory(mode: 0o775),
        "Documents/cafe\u{301}": .file("decomposed"),
        TreeLiteral.RawPath(
            Array((FileSystemTraits.temporary.tellsFormsApart ? "Documents/caf\u{E9}" : "Documents/th\u{E9}").utf8)): .file(
                "composed"),
        "Library/Application Support/big": .file([UInt8](repeating: 7, count: 1_000_003)),
        "tmp/upload": .file("u"),
    ]

    @Test func everythingArrivesAsItWas() throws {
        let app = try TestApp()
        try app.makeSeed(Self.content)
        let summary = try app.seed.install(policy: .always, in: app.environment())
        let first = Self.content.differences(from: try app.homeTree())
        #expect(first == [], "\(first)")
        #expect(summary.isInstalled)
        #expect(summary.files == 8)
        #expect(summary.links == 2)
        #expect(summary.bytes == 1_000_003 + 5 + 10 + 3 + 10 + 8 + 1)
        #expect(summary.omitted.isEmpty && summary.kept.isEmpty && summary.databases.isEmpty)
        #expect(summary.description == "installed 8 files (1000040 bytes), 2 links, 7 new directories")
        #expect(app.isTidy())
        // A second installation changes nothing.
        try app.seed.install(policy: .always, in: app.environment())
        let again = Self.content.differences(from: try app.homeTree())
        #expect(again == [], "\(again)")
    }

    @Test func filesOfTheProductThatAreReadOnlyCanBeWritten() throws {
        let app = try TestApp()
        try app.makeSeed([
            "Documents/a": .file("a", mode: 0o444), "Documents/d": .directory(mode: 0o555), "Documents/d/b": .file(),
        ])
        try app.seed.install(policy: .always, in: app.environment())
        let wanted: TreeLiteral = [
            "Documents/a": .file("a", mode: 0o644), "Documents/d": .directory(mode: 0o755), "Documents/d/b": .file(),
            "Library": .directory(),
        ]
        #expect(wanted.differences(from: try app.homeTree()) == [])
    }

    @Test func whatIsNotTheAppsToWriteIsLeftOutAndTold() throws {
        let app = try TestApp()
        try app.makeSeed([
            "Documents/a": .file("a"), "SystemData/x": .file("x"), "StoreKit/receipt": .file("r"), "stray": .file("s"),
            ".com.apple.mobile_container_manager.metadata.plist": .file("identity"), "Documents/pipe": .pipe,
            "Documents/log-wal": .file([0x37, 0x7F, 0x06, 0x82, 0]), "Documents/index-shm": .file("shm"),
            "Documents/our-journal": .file("Dear diary"), "Library/.capsule-staging/1": .file("left"),
        ])
        let summary = try app.seed.install(policy: .always, in: app.environment())
        #expect(
            summary.omitted.map(\.path).sorted() == [
                ".com.apple.mobile_container_manager.metadata.plist", "Documents/index-shm", "Documents/log-wal",
                "Documents/pipe", "Library/.capsule-staging", "StoreKit", "SystemData", "stray",
            ])
        #expect(
            try app.homeTree().paths.filter { !$0.bytes.isEmpty } == [
                "Documents", "Documents/a", "Documents/our-journal", "Library",
            ])
    }

    @Test func aBareContainerIsASeedToo() throws {
        let app = try TestApp()
        try app.makeSeed([:])
        let bare: TreeLiteral = ["Documents/a": .file("a"), "AppGroups/group.com.example.gifs/b": .file("b")]
        try bare.make(at: app.bundle + "/Bare")
        let seed = AppDataSeed(at: URL(fileURLWithPath: app.bundle + "/Bare"))
        let summary = try seed.install(policy: .always, in: app.environment())
        #expect(app.text("Documents/a") == "a")
        #expect(try Files.read(app.groupHome + "/b") == Array("b".utf8))
        #expect(summary.omitted.isEmpty)
        #expect(!Files.exists(app.home + "/AppGroups"))
    }

    @Test(arguments: ["UITests", "Screens"])
    func aSeedIsFoundInABundleByItsName(name: String) throws {
        let app = try TestApp()
        let tree: TreeLiteral = ["UITests.xcappdata/AppData/Documents/a": .file("a"), "Screens/Documents/a": .file("a")]
        try FileManager.default.removeItem(atPath: app.bundle)
        try tree.make(at: app.bundle)
        let bundle = try #require(Bundle(path: app.bundle))
        let summary = try AppDataSeed(named: name, in: bundle).install(policy: .always, in: app.environment())
        #expect(summary.files == 1)
        #expect(throws: AppDataError.self) { try AppDataSeed(named: "Other", in: bundle) }
    }

    // MARK: Policies

    @Test func alwaysReplacesAndLeavesOthersAlone() throws {
        let app = try TestApp()
        try app.makeHome(["Documents/a": .file("old", mode: 0o600), "Documents/mine": .file("mine"), "Documents/b": .link("a")])
        try app.makeSeed(["Documents/a": .file("new"), "Documents/b": .file("b"), "Documents/d": .directory(mode: 0o711)])
        try app.seed.install(policy: .always, in: app.environment())
        let wanted: TreeLiteral = [
            "Documents/a": .file("new"), "Documents/mine": .file("mine"), "Documents/b": .file("b"),
            "Documents/d": .directory(mode: 0o711), "Library": .directory(),
        ]
        #expect(wanted.differences(from: try app.homeTree()) == [])
    }

    @Test func ifAbsentKeepsWhatIsThere() throws {
        let app = try TestApp()
        let dangling = TreeNode.link("nowhere")
        try app.makeHome(["Documents/a": .file("old"), "Documents/l": dangling, "Documents/d": .directory(mode: 0o700)])
        try app.makeSeed([
            "Documents/a": .file("new"), "Documents/l": .file("new"), "Documents/d": .directory(mode: 0o755),
            "Documents/d/c": .file("c"),
        ])
        let summary = try app.seed.install(policy: .ifAbsent, in: app.environment())
        let wanted: TreeLiteral = [
            "Documents/a": .file("old"), "Documents/l": dangling, "Documents/d": .directory(mode: 0o700),
            "Documents/d/c": .file("c"), "Library": .directory(),
        ]
        #expect(wanted.differences(from: try app.homeTree()) == [])
        #expect(summary.kept == ["Documents/a", "Documents/l"])
        #expect(summary.files == 1)
        #expect(summary.description == "installed 1 file (1 byte), 2 kept")
    }

    @Test func oneThatIsKeptIsToldAsOne() throws {
        let app = try TestApp()
        try app.makeHome(["Documents/a": .file("old")])
        try app.makeSeed(["Documents/a": .file("new")])
        let summary = try app.seed.install(policy: .ifAbsent, in: app.environment())
        #expect(summary.description == "installed 0 files (0 bytes), 1 kept")
    }

    @Test func whatLiesAsDeepAsMayBeArrives() throws {
        let app = try TestApp()
        let deep = TestApp.deep("Documents", 64, end: .file("end"))
        try app.makeSeed(deep)
        try app.seed.install(policy: .always, in: app.environment())
        let end = try #require(deep.paths.last)
        #expect(app.text(end.description) == "end")
        #expect(app.isTidy())
    }

    struct Start: Sendable {
        let home: TreeLiteral
        let isEmpty: Bool
    }

    @Test(arguments: [
        Start(home: [:], isEmpty: true),
        Start(home: ["Documents": .directory(), "Library/Caches/x/y": .file("cache"), "tmp/t": .file("t")], isEmpty: true),
        Start(home: ["Library/Preferences/com.example.gifs.plist": .file("p")], isEmpty: true),
        Start(home: ["Library/SplashBoard/a": .file(), "Library/Saved Application State/b/c": .file()], isEmpty: true),
        Start(home: ["Library/Application Support/a": .directory()], isEmpty: true),
        Start(home: TestApp.deep("Documents", 64, end: .directory()), isEmpty: true),
        // Directories this deep are not examined: only the app can have made them.
        Start(home: TestApp.deep("Documents", 65, end: .directory()), isEmpty: false),
        Start(home: ["Library/Application Support/a/b": .file()], isEmpty: false),
        Start(home: ["Documents/a/b/c": .file()], isEmpty: false),
        Start(home: ["Documents/l": .link("nowhere")], isEmpty: false),
    ])
    func ifEmptyInstallsOnlyForAnAppWithoutData(start: Start) throws {
        let app = try TestApp()
        try app.makeHome(start.home)
        let before = try app.homeTree()
        try app.makeSeed(["Documents/seeded": .file("seed")])
        app.preferences.setValues([:], ofDomain: "com.example.gifs")
        let summary = try app.seed.install(policy: .ifEmpty, in: app.environment())
        #expect(summary.isInstalled == start.isEmpty)
        #expect((app.text("Documents/seeded") == "seed") == start.isEmpty)
        if !start.isEmpty {
            var wanted = before
            if wanted["Library"] == nil { wanted["Library"] = .directory() }
            #expect(wanted.differences(from: try app.homeTree()) == [])
            #expect(summary.description == "nothing installed: the app has data")
        }
        #expect(app.isTidy())
    }
}
