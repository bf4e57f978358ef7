import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleSystem

/// Events of the system itself. Each test waits for an event, and never for a time.
@Suite struct FileWatcherTests {
    private let directory: TemporaryDirectory
    private let watcher: FileWatcher

    init() throws {
        directory = try TemporaryDirectory()
        let tree: TreeLiteral = [
            "top/a": .file("1"), "top/sub/b": .file("2"), "top/way": .link("../other"), "other/c": .file("3"),
        ]
        try tree.make(at: directory["tree"])
        watcher = try FileWatcher(directory.host("tree/top"))
    }

    private func write(_ name: String) throws { try Files.write("new", to: directory["tree/" + name]) }

    private func rename(_ old: String, _ new: String) throws {
        try FileManager.default.moveItem(atPath: directory["tree/" + old], toPath: directory["tree/" + new])
    }

    /// Collects events until there is one for a name.
    @discardableResult
    private func wait(for name: String) throws -> FileEvents {
        var all = FileEvents()
        while !all.isAnything, !all.names.contains(Array(name.utf8)) { all.formUnion(try watcher.events(within: 10_000)) }
        return all
    }

    @Test func changesBelowAreReported() throws {
        try write("top/a")
        try wait(for: "a")
        try write("top/sub/b")
        try wait(for: "b")
        try FileManager.default.removeItem(atPath: directory["tree/top/a"])
        try wait(for: "a")
    }

    /// A directory is watched from the moment it appears, and what it has by then is found by the caller.
    @Test func newDirectoriesAreWatched() throws {
        try FileManager.default.createDirectory(atPath: directory["tree/top/x/y"], withIntermediateDirectories: true)
        try wait(for: "x")
        try write("top/x/y/z")
        try wait(for: "z")
    }

    @Test func linksAreNotFollowed() throws {
        try write("other/c")
        try write("top/a")
        #expect(try !wait(for: "a").names.contains(Array("c".utf8)))
    }

    @Test func aDirectoryThatMovesAwayIsForgottenAndFoundAgain() throws {
        try rename("top/sub", "away")
        try wait(for: "sub")
        try write("away/b")
        try write("top/a")
        #expect(try !wait(for: "a").names.contains(Array("b".utf8)))
        try rename("away", "top/back")
        try wait(for: "back")
        try write("top/back/b")
        try wait(for: "b")
    }

    @Test(arguments: [true, false]) func theEndOfTheDirectoryIsAnError(isMoved: Bool) throws {
        if isMoved {
            try rename("top", "gone")
        } else {
            try FileManager.default.removeItem(atPath: directory["tree/top"])
        }
        let error = #expect(throws: CapsuleError.self) { while true { _ = try watcher.events(within: 10_000) } }
        #expect(error?.code == .notFound && error?.message == "was deleted or moved while it was watched")
    }

    @Test func lostEventsMayBeAboutAnything() throws {
        var events = FileEvents()
        #expect(events.isEmpty && !events.mayConcern(RelativePath(named: Array("a".utf8))))
        events.add(Array("sub".utf8))
        let below = try RelativePath(validating: Array("sub/deep/b".utf8))
        #expect(events.mayConcern(below) && !events.mayConcern(RelativePath(named: Array("subs".utf8))))
        for number in 0..<100_000 { events.add(Array("\(number)".utf8)) }
        #expect(events.isAnything && events.names.isEmpty && events.mayConcern(RelativePath(named: Array("subs".utf8))))
    }
}
