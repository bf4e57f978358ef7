import CapsuleContainers
import CapsuleCore
import CapsuleRules
import Foundation
import TestSupport
import Testing

@testable import CapsuleEngine

/// Changes of a directory as a watch describes them.
@Suite struct ContainerWatchTests {
    private let directory: TemporaryDirectory
    private static let options: DiffOptions = {
        var options = DiffOptions()
        options.usesCache = false
        return options
    }()

    init() throws {
        directory = try TemporaryDirectory()
        let tree: TreeLiteral = [
            "Documents/note.txt": .file("one\n"), "Documents/other.txt": .file("same\n"),
            "Library/state.json": .file(#"{"a": 1}"#),
        ]
        try tree.make(at: directory["C"])
    }

    private func watch() throws -> ContainerWatch {
        try ContainerWatch(Container(Array(directory["C"].utf8)), Self.options)
    }

    private func write(_ text: String, to name: String) throws { try Files.write(text, to: directory["C/" + name]) }

    private static func lines(_ diff: ContainerDiff?) -> [String] {
        (diff?.entries ?? []).map { "\($0.path) \($0.word) \($0.details.count { $0.isChange })" }
    }

    @Test func eachChangeIsDescribedOnce() throws {
        let watch = try watch()
        try write("two\n", to: "Documents/note.txt")
        try write(#"{"a": 2}"#, to: "Library/state.json")
        #expect(try Self.lines(watch.next()) == ["Documents/note.txt modified 1", "Library/state.json modified 1"])
        // The same length within the same second.
        try write(#"{"a": 3}"#, to: "Library/state.json")
        #expect(try Self.lines(watch.next()) == ["Library/state.json modified 1"])
        try FileManager.default.moveItem(atPath: directory["C/Documents/note.txt"], toPath: directory["C/Library/moved.txt"])
        let moved = try #require(try watch.next())
        #expect(moved.entries.map(\.kind) == [.renamed(from: try RelativePath(validating: Array("Documents/note.txt".utf8)))])
    }

    @Test func whatIsWrittenAgainUnchangedIsNoChange() throws {
        let watch = try watch()
        try write("one\n", to: "Documents/note.txt")
        #expect(try watch.next(before: .seconds(1)) == nil)
        try write("new\n", to: "Documents/new.txt")
        #expect(try Self.lines(watch.next()) == ["Documents/new.txt added 0"])
    }

    @Test func aDirectoryInAnothersPlaceIsReadAgain() throws {
        try FileManager.default.copyItem(atPath: directory["C/Documents"], toPath: directory["Spare"])
        try Files.write("ONE\n", to: directory["Spare/note.txt"])
        // Equal times and sizes: only the event tells.
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        for name in ["C/Documents/note.txt", "Spare/note.txt"] {
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: directory[name])
        }
        let watch = try watch()
        try FileManager.default.moveItem(atPath: directory["C/Documents"], toPath: directory["Old"])
        try FileManager.default.moveItem(atPath: directory["Spare"], toPath: directory["C/Documents"])
        #expect(try Self.lines(watch.next()) == ["Documents/note.txt modified 1"])
    }

    @Test func aLinkInAFilesPlaceIsNotFollowed() throws {
        try Files.write("secret\n", to: directory["secret.txt"])
        let watch = try watch()
        try FileManager.default.removeItem(atPath: directory["C/Documents/note.txt"])
        try FileManager.default.createSymbolicLink(
            atPath: directory["C/Documents/note.txt"], withDestinationPath: directory["secret.txt"])
        #expect(try Self.lines(watch.next()) == ["Documents/note.txt type 0"])
    }

    @Test func theEndOfTheContainerIsAnError() throws {
        let watch = try watch()
        try FileManager.default.removeItem(atPath: directory["C"])
        let error = #expect(throws: CapsuleError.self) { while true { _ = try watch.next() } }
        #expect(error?.code == .notFound)
    }

    /// A file that the private copy has no space for is named, and not described.
    @Test func aFullCopyKeepsTheSmallestFiles() throws {
        let container = Container(Array(directory["C"].utf8))
        func state(after earlier: KeptState?) throws -> KeptState {
            try KeptState(of: container, shape: .directory, after: earlier, Self.options, budget: 5) { _ in true }
        }
        let before = try state(after: nil)
        try write("two\n", to: "Documents/note.txt")
        try write("different\n", to: "Documents/other.txt")
        let diff = try ContainerDiffer(Self.options).compare(
            before.side, state(after: before).side, named: (old: [], new: []))
        #expect(
            diff.entries.map { String(decoding: $0.path.bytes, as: UTF8.self) } == ["Documents/note.txt", "Documents/other.txt"])
        #expect(diff.entries[0].details.contains { $0.isChange } && diff.unread == 1)
    }
}
