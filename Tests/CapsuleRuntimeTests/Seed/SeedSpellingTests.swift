import CapsuleRuntime
import Foundation
import TestSupport
import Testing

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
