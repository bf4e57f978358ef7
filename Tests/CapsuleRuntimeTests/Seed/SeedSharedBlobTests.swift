import CapsuleRuntime
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
