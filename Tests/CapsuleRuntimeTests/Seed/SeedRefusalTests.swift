import CapsuleRuntime
import Foundation
import TestSupport
import Testing

/// Tests for links and other obstacles in a home: the target of a link does not belong to the app, and a user's home is not a container.
@Suite struct SeedRefusalTests {
    struct Obstacle: Sendable, CustomTestStringConvertible {
        let home: TreeLiteral
        let seed: TreeLiteral
        let code: AppDataError.Code
        let path: String
        var testDescription: String { path }
    }

    @Test(
        arguments: AppDataSeed.Policy.allCases.filter { $0 != .ifEmpty },
        [
            Obstacle(
                home: ["Documents": .link("../outside")], seed: ["Documents/a": .file("a")], code: .throughLink, path: "Documents"
            ),
            Obstacle(
                home: ["Documents/d/e": .link("../../../outside")],
                seed: ["Documents/d/e/f/a": .file("a"), "Documents/b": .file()],
                code: .throughLink, path: "Documents/d/e"),
            Obstacle(
                home: ["Library": .link("../outside")], seed: ["Documents/a": .file("a")], code: .throughLink, path: "Library"),
            Obstacle(home: ["Documents": .file("f")], seed: ["Documents/a": .file("a")], code: .occupied, path: "Documents"),
            Obstacle(
                home: ["Documents/a/b": .file("f")], seed: ["Documents/a": .file("a")], code: .occupied, path: "Documents/a"),
            Obstacle(
                home: ["Documents/a": .directory()], seed: ["Documents/a": .link("b")], code: .occupied, path: "Documents/a"),
            Obstacle(
                home: ["Documents/a.db": .directory()], seed: ["Documents/a.db": .file("SQLite format 3\0")], code: .occupied,
                path: "Documents/a.db"),
            Obstacle(
                home: ["Documents/a.sqlite": .file("s"), "Documents/.a_SUPPORT": .link("../../outside")],
                seed: ["Documents/a.db": .file("SQLite format 3\0"), "Documents/.a_SUPPORT/b": .file("b")], code: .throughLink,
                path: "Documents/.a_SUPPORT"),
            Obstacle(
                home: ["Documents/a.sqlite": .file("s"), "Documents/.a_SUPPORT/b": .directory()],
                seed: ["Documents/a.db": .file("SQLite format 3\0"), "Documents/.a_SUPPORT/b": .file("b")], code: .occupied,
                path: "Documents/.a_SUPPORT/b"),
        ])
    func nothingIsWrittenThroughOrOverIt(policy: AppDataSeed.Policy, obstacle: Obstacle) throws {
        let app = try TestApp()
        let other: TreeLiteral = ["a": .file("outside"), "f": .directory()]
        try other.make(at: app.outside)
        try app.makeHome(obstacle.home)
        try app.makeSeed(obstacle.seed)
        let before = (try TestApp.tree(app.outside), try app.homeTree())
        let error = #expect(throws: AppDataError.self) { try app.seed.install(policy: policy, in: app.environment()) }
        #expect(error?.code == obstacle.code)
        #expect(error?.path == app.home + "/" + obstacle.path)
        #expect(before.0.differences(from: try TestApp.tree(app.outside)) == [])
        var wanted = before.1
        if wanted["Library"] == nil { wanted["Library"] = .directory() }
        #expect(wanted.differences(from: try app.homeTree()) == [])
    }

    struct Malformation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let seed: TreeLiteral
        let code: AppDataError.Code
        /// The path in the seed's container.
        let path: String
    }

    private static let database = TreeNode.file("SQLite format 3\0")

    @Test(
        arguments: AppDataSeed.Policy.allCases,
        [
            Malformation(
                testDescription: "a log that is a link", seed: ["Documents/m.db": database, "Documents/m.db-wal": .link("a")],
                code: .occupied, path: "Documents/m.db-wal"),
            Malformation(
                testDescription: "blobs that are a link", seed: ["Documents/m.db": database, "Documents/.m_SUPPORT": .link("a")],
                code: .occupied, path: "Documents/.m_SUPPORT"),
            Malformation(
                testDescription: "a log that is a pipe, where the app has no directory yet",
                seed: ["Documents/z/m.db": database, "Documents/z/m.db-shm": .pipe], code: .occupied,
                path: "Documents/z/m.db-shm"),
            Malformation(
                testDescription: "a log that is a link, in blobs",
                seed: [
                    "Documents/m.db": database, "Documents/.m_SUPPORT/n.db": database,
                    "Documents/.m_SUPPORT/n.db-journal": .link("a"),
                ],
                code: .occupied, path: "Documents/.m_SUPPORT/n.db-journal"),
            Malformation(
                testDescription: "directories deeper than there may be open ones",
                seed: TestApp.deep("Library", 65, end: .file()),
                code: .tooDeep, path: "Library" + String(repeating: "/d", count: 64)),
            Malformation(
                testDescription: "blobs as deep",
                seed: [
                    "Documents/m.db": database,
                    TreeLiteral.RawPath(Array(("Documents/.m_SUPPORT" + String(repeating: "/d", count: 63)).utf8)): .directory(),
                ],
                code: .tooDeep, path: "Documents/.m_SUPPORT" + String(repeating: "/d", count: 63)),
        ])
    func aSeedThatCannotBeInstalledChangesNothing(policy: AppDataSeed.Policy, item: Malformation) throws {
        let app = try TestApp()
        var seed = item.seed
        // Sorts before all other entries.
        seed["Documents/A"] = .file("new")
        try app.makeSeed(seed)
        let home: TreeLiteral = policy == .ifEmpty ? ["Documents": .directory()] : ["Documents/m.db-wal": .file("w")]
        try app.makeHome(home)
        let error = #expect(throws: AppDataError.self) { try app.seed.install(policy: policy, in: app.environment()) }
        #expect(error?.code == item.code)
        #expect(error?.path == app.seed.url.path + "/AppData/" + item.path)
        var wanted = home
        wanted["Library"] = .directory()
        #expect(wanted.differences(from: try app.homeTree()) == [])
    }

    /// A link with the name of a file is replaced itself; its target stays.
    @Test func aLinkInAFilesPlaceIsReplacedItself() throws {
        let app = try TestApp()
        try Files.write("outside", to: app.outside)
        try app.makeHome([
            "Documents/a": .link("../../outside"), "Documents/m.db": .link("../../outside"),
            "Documents/m.db-wal": .link("../../outside"),
            "Library/.capsule-staging": .link("../../outside"),
        ])
        try app.makeSeed(["Documents/a": .file("a"), "Documents/m.db": .file("SQLite format 3\0")])
        try app.seed.install(policy: .always, in: app.environment())
        #expect(try Files.read(app.outside) == Array("outside".utf8))
        #expect(app.text("Documents/a") == "a")
        #expect(app.text("Documents/m.db") == "SQLite format 3\0")
        #expect(!Files.exists(app.home + "/Documents/m.db-wal"))
        #expect(app.isTidy())
    }

    @Test func aUsersHomeIsNoContainer() throws {
        let app = try TestApp()
        try app.makeSeed(["Documents/a": .file("a")])
        let error = #expect(throws: AppDataError.self) {
            try app.seed.install(policy: .always, in: app.environment(hasHome: false))
        }
        #expect(error?.code == .notAContainer)
    }

    @Test(.disabled(if: PlatformCalls.isApple, "there a program may have a container"))
    func aProgramOnLinuxHasNoContainer() {
        #expect(AppEnvironment.current.home == nil)
    }

    @Test func aGroupWithoutAccessIsNamedBeforeAnythingChanges() throws {
        let app = try TestApp()
        try app.makeSeed(["Documents/a": .file("a")], group: ["b": .file("b")])
        let error = #expect(throws: AppDataError.self) {
            try app.seed.install(policy: .always, in: app.environment(hasGroup: false))
        }
        #expect(error?.code == .noGroup)
        #expect(error?.path == TestApp.group)
        #expect(app.text("Documents/a") == nil)
    }

    @Test func twoProcessesDoNotInstallAtOnce() throws {
        let app = try TestApp()
        try app.makeSeed(["Documents/a": .file("a")])
        try app.makeHome(["Library/.capsule-staging": .directory(mode: 0o700)])
        let other = open(app.home + "/Library/.capsule-staging", O_RDONLY | O_DIRECTORY)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        let error = #expect(throws: AppDataError.self) { try app.seed.install(policy: .always, in: app.environment()) }
        #expect(error?.code == .busy)
        // A process that another test starts at this moment has a copy of the descriptor, so closing it alone frees nothing.
        flock(other, LOCK_UN)
        close(other)
        #expect(try app.seed.install(policy: .always, in: app.environment()).files == 1)
    }
}
