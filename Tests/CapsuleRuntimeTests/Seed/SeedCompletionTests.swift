import CapsuleRuntime
import Foundation
import TestSupport
import Testing

/// Tests that an interrupted installation is completed. Otherwise the app would use half a seed from then on.
@Suite struct SeedCompletionTests {
    @Test func ifEmptyCompletesWhatWasEndedFromOutside() throws {
        let app = try TestApp()
        try app.makeSeed(["Documents/a": .file("a"), "Documents/b": .file("b"), "Library/c": .file("c")])
        #expect(throws: AppDataError.self) { try app.seed.install(policy: .ifEmpty, in: app.environment(steps: 1)) }
        #expect(app.text("Documents/a") == "a")
        #expect(app.text("Documents/b") == nil)
        try Files.write("changed since", to: app.home + "/Documents/a")
        #expect(try app.seed.install(policy: .ifEmpty, in: app.environment()).isInstalled)
        #expect(app.text("Documents/a") == "changed since")
        #expect(app.text("Documents/b") == "b")
        #expect(app.text("Library/c") == "c")
        #expect(app.isTidy())
        #expect(try !app.seed.install(policy: .ifEmpty, in: app.environment()).isInstalled)
    }

    /// The policy of the interrupted installation does not matter: it must be completed.
    @Test(arguments: AppDataSeed.Policy.allCases, AppDataSeed.Policy.allCases)
    func anyPolicyCompletesWhatAnotherBegan(first: AppDataSeed.Policy, second: AppDataSeed.Policy) throws {
        let app = try TestApp()
        try app.makeSeed(["Documents/a": .file("a"), "Documents/b": .file("b")])
        #expect(throws: AppDataError.self) { try app.seed.install(policy: first, in: app.environment(steps: 1)) }
        #expect(app.text("Documents/b") == nil)
        #expect(try app.seed.install(policy: second, in: app.environment()).isInstalled)
        #expect(app.text("Documents/b") == "b")
        #expect(app.isTidy())
    }

    /// Operations that don't affect an unfinished installation and leave its mark.
    enum Other: CaseIterable, Sendable {
        case seedThatIsNotInstalled, resetOfSceneSessions
    }

    @Test(arguments: Other.allCases)
    func whatIsUnfinishedIsRemembered(other: Other) throws {
        let app = try TestApp()
        try app.makeSeed(["Documents/a": .file("a"), "Documents/b": .file("b")])
        #expect(throws: AppDataError.self) { try app.seed.install(policy: .always, in: app.environment(steps: 1)) }
        switch other {
        case .seedThatIsNotInstalled:
            let tree: TreeLiteral = ["AppData/Documents/c": .file("c")]
            try tree.make(at: app.bundle + "/Other.xcappdata")
            let seed = AppDataSeed(at: URL(fileURLWithPath: app.bundle + "/Other.xcappdata", isDirectory: true))
            #expect(try !seed.install(policy: .ifEmpty, in: app.environment()).isInstalled)
            #expect(app.text("Documents/c") == nil)
        case .resetOfSceneSessions:
            try AppDataReset.perform([.sceneSessions], when: .always, in: app.environment())
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: app.home + "/Library/.capsule-staging")
        #expect(left == ["unfinished"])
        #expect(try app.seed.install(policy: .ifEmpty, in: app.environment()).isInstalled)
        #expect(app.text("Documents/b") == "b")
        #expect(app.isTidy())
    }

    /// An error that ends the second run before it changes anything.
    enum End: CaseIterable, Sendable {
        case groupWithoutAccess, groupInUse, preferencesThatDoNotRead, obstacle
    }

    @Test(arguments: End.allCases)
    func aRunThatEndsAtOnceForgetsNothing(end: End) throws {
        let app = try TestApp()
        let content: TreeLiteral = ["Documents/a": .file("a"), "Documents/b": .file("b")]
        try app.makeSeed(content)
        #expect(throws: AppDataError.self) { try app.seed.install(policy: .ifEmpty, in: app.environment(steps: 1)) }
        #expect(app.text("Documents/a") == "a")
        #expect(app.text("Documents/b") == nil)

        // The next build's seed has a group.
        let group: TreeLiteral = ["c": .file("c")]
        try app.makeSeed(content, group: group)
        switch end {
        case .groupWithoutAccess:
            fail(app, .noGroup, app.environment(hasGroup: false))
        case .groupInUse:
            let staging = app.groupHome + "/.capsule-staging"
            try FileManager.default.createDirectory(atPath: staging, withIntermediateDirectories: false)
            let other = open(staging, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer {
                // A process that another test has just started may hold the descriptor a little longer.
                flock(other, LOCK_UN)
                close(other)
            }
            #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
            fail(app, .busy, app.environment())
        case .preferencesThatDoNotRead:
            try app.makeSeed(content, group: ["c": .file("c"), "Library/Preferences/x.plist": .file("broken")])
            fail(app, .notAPropertyList, app.environment())
            try app.makeSeed(content, group: group)
        case .obstacle:
            let obstacle = app.home + "/Documents/b"
            try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
            fail(app, .occupied, app.environment())
            try FileManager.default.removeItem(atPath: obstacle)
        }
        #expect(app.text("Documents/b") == nil)

        #expect(try app.seed.install(policy: .ifEmpty, in: app.environment()).isInstalled)
        #expect(app.text("Documents/b") == "b")
        #expect(try Files.read(app.groupHome + "/c") == Array("c".utf8))
        #expect(app.isTidy())
        #expect(try !app.seed.install(policy: .ifEmpty, in: app.environment()).isInstalled)
    }

    private func fail(_ app: TestApp, _ code: AppDataError.Code, _ environment: AppEnvironment) {
        let error = #expect(throws: AppDataError.self) { try app.seed.install(policy: .ifEmpty, in: environment) }
        #expect(error?.code == code)
    }
}
