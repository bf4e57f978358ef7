import CapsuleRuntime
import TestSupport
import Testing

/// Tests that databases and their logs stay together. A log beside a database that it does not belong to corrupts it, and a database
/// without its log silently lacks rows.
@Suite struct SeedDatabaseTests {
    private static func store(_ text: String) -> TreeNode { .file("SQLite format 3\0" + text) }

    private static let old: TreeLiteral = [
        "Documents/Model.sqlite": store("old"), "Documents/Model.sqlite-wal": .file("old wal"),
        "Documents/Model.sqlite-shm": .file("old shm"), "Documents/Model.sqlite-journal": .file("old journal"),
        "Documents/.Model_SUPPORT/_EXTERNAL_DATA/OLD": .file("old blob"),
        "Documents/mine": .file("mine"),
    ]
    private static let new: TreeLiteral = [
        "Documents/Model.sqlite": store("new"), "Documents/Model.sqlite-wal": .file("new wal"),
        "Documents/.Model_SUPPORT": .directory(mode: 0o700),
        "Documents/.Model_SUPPORT/_EXTERNAL_DATA/NEW": .file("new blob"),
        "Documents/other": .file("other"),
    ]

    /// Returns the entries of the unit.
    private static func unit(_ tree: TreeLiteral) -> TreeLiteral {
        var unit = TreeLiteral()
        for (path, node) in tree.nodes where path.description.contains("Model") { unit[path] = node }
        unit["Documents"] = nil
        return unit
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let home: TreeLiteral
        let seed: TreeLiteral
        let policy: AppDataSeed.Policy
        /// The names in Documents.
        let names: [String]
        /// The content of `a.db`.
        let store: String
    }

    @Test(arguments: [
        Case(
            testDescription: "a log, an index and a journal of before do not stay",
            home: [
                "Documents/a.db": store("old"), "Documents/a.db-wal": .file("w"), "Documents/a.db-shm": .file("s"),
                "Documents/a.db-journal": .file("j"), "Documents/.a_SUPPORT/b": .file("b"),
            ], seed: ["Documents/a.db": store("new")], policy: .always, names: ["a.db"], store: "SQLite format 3\0new"),
        Case(
            testDescription: "nor beside a new database", home: ["Documents/a.db-wal": .file("w")],
            seed: ["Documents/a.db": store("new")], policy: .ifAbsent, names: ["a.db"], store: "SQLite format 3\0new"),
        Case(
            testDescription: "nor beside an encrypted one",
            home: ["Documents/a.db": .file("?"), "Documents/a.db-wal": .file("w")],
            seed: ["Documents/a.db": .file("encrypted")], policy: .always, names: ["a.db"], store: "encrypted"),
        Case(
            testDescription: "an encrypted one is told by its log", home: ["Documents/a.db": .file("?")],
            seed: ["Documents/a.db": .file("encrypted"), "Documents/a.db-wal": .file("w")], policy: .always,
            names: ["a.db", "a.db-wal"], store: "encrypted"),
        Case(
            testDescription: "a database that stays gets no log", home: ["Documents/a.db": store("old")],
            seed: ["Documents/a.db": store("new"), "Documents/a.db-wal": .file("w"), "Documents/.a_SUPPORT/b": .file("b")],
            policy: .ifAbsent, names: ["a.db"], store: "SQLite format 3\0old"),
        Case(
            testDescription: "a log alone is no part of the app's database", home: ["Documents/a.db": store("old")],
            seed: ["Documents/a.db-wal": .file([0x37, 0x7F, 0x06, 0x83])], policy: .always, names: ["a.db"],
            store: "SQLite format 3\0old"),
        Case(
            testDescription: "external blobs of another store stay",
            home: [
                "Documents/a.sqlite": store("core data"), "Documents/.a_SUPPORT/b": .file("b"),
            ], seed: ["Documents/a.db": store("new")], policy: .always, names: [".a_SUPPORT", "a.db", "a.sqlite"],
            store: "SQLite format 3\0new"),
        Case(
            testDescription: "two stores of one stem share their blobs", home: [:],
            seed: [
                "Documents/a.db": store("new"), "Documents/a.sqlite": store("2"), "Documents/.a_SUPPORT/b": .file("b"),
            ], policy: .always, names: [".a_SUPPORT", "a.db", "a.sqlite"], store: "SQLite format 3\0new"),
    ])
    func whatIsOneGoesAsOne(item: Case) throws {
        let app = try TestApp()
        try app.makeHome(item.home)
        try app.makeSeed(item.seed)
        try app.seed.install(policy: item.policy, in: app.environment())
        let names = try app.homeTree().paths.map(\.description).filter {
            $0.split(separator: "/").count == 2 && $0.hasPrefix("Doc")
        }
        #expect(names == item.names.map { "Documents/" + $0 })
        #expect(app.text("Documents/a.db") == item.store)
    }

    @Test func theWholeUnitIsReplaced() throws {
        let app = try TestApp()
        try app.makeHome(Self.old)
        try app.makeSeed(Self.new)
        let summary = try app.seed.install(policy: .always, in: app.environment())
        #expect(summary.databases == ["Documents/Model.sqlite"])
        #expect(summary.files == 4)
        #expect(Self.unit(Self.new).differences(from: Self.unit(try app.homeTree())) == [])
        #expect(app.text("Documents/mine") == "mine")
    }

    /// Stopped before each change of a name: there is the old database, none, or the new one, and the next launch completes it.
    @Test func aKilledProcessLeavesNoHalfUnit() throws {
        var steps = 0
        var seen: Set<String> = []
        while true {
            let app = try TestApp()
            try app.makeHome(Self.old)
            try app.makeSeed(Self.new)
            let isEnded: Bool
            do {
                try app.seed.install(policy: .always, in: app.environment(steps: steps))
                isEnded = false
            } catch {
                isEnded = true
            }
            let unit = Self.unit(try app.homeTree())
            switch unit["Documents/Model.sqlite"] {
            case nil: seen.insert("none")
            case Self.old["Documents/Model.sqlite"]:
                seen.insert("old")
                #expect(Self.unit(Self.old).differences(from: unit) == [], "after \(steps) steps")
            default:
                seen.insert("new")
                #expect(Self.unit(Self.new).differences(from: unit) == [], "after \(steps) steps")
            }
            guard isEnded else { break }
            try app.seed.install(policy: steps.isMultiple(of: 2) ? .always : .ifAbsent, in: app.environment())
            let after = Self.unit(try app.homeTree())
            if unit["Documents/Model.sqlite"] == nil || steps.isMultiple(of: 2) {
                #expect(Self.unit(Self.new).differences(from: after) == [], "after \(steps) steps and another launch")
            }
            #expect(app.isTidy())
            steps += 1
        }
        // The file `other`, the new blob in the staged directory, five entries of the old unit, and three of the new one.
        #expect(steps == 10)
        #expect(seen == ["old", "none", "new"])
    }
}
