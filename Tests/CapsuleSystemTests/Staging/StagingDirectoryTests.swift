import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleSystem

@Suite struct StagingDirectoryTests {
    private static func path(_ text: String) throws -> RelativePath { try RelativePath(validating: Array(text.utf8)) }

    /// Creates `d/`, `d/f` and a link. The directory is closed to everyone.
    private static func fill(_ root: RootDirectory) throws {
        let writer = TreeWriter(root)
        try writer.makeDirectory(try path("d"))
        let file = try writer.makeFile(try path("d/f"), mode: FileMode(0o600))
        let written: Result<Void, CapsuleError> = [UInt8(ascii: "x")].withUnsafeBytes { bytes in
            Result { () throws(CapsuleError) in try file.write(bytes, at: 0) }
        }
        try written.get()
        _ = try file.finish(mode: FileMode(0o444), modified: TreeNode.time, attributes: [])
        try writer.makeLink(try path("l"), target: Array("d/f".utf8), modified: TreeNode.time)
        _ = try writer.finishDirectory(try path("d"), mode: FileMode(0o555), modified: TreeNode.time, attributes: [])
    }

    private static let filled: TreeLiteral = [
        "d": .directory(mode: 0o555), "d/f": .file("x", mode: 0o444), "l": .link("d/f"),
    ]

    @Test func droppedItLeavesNothing() throws {
        let directory = try TemporaryDirectory()
        do {
            let staging = try StagingDirectory(for: directory.host("out"))
            try Self.fill(staging.root)
            let names = try directory.names
            #expect(names.count == 1 && names[0].hasPrefix(".out.") && names[0].hasSuffix(".tmp"))
            #expect(try staging.root.status().mode.rawValue == 0o700)
        }
        #expect(try directory.names == [])
    }

    @Test(arguments: [false, true])
    func committedItHasItsName(isReplacing: Bool) throws {
        let directory = try TemporaryDirectory()
        do {
            let staging = try StagingDirectory(for: directory.host("out"))
            try Self.fill(staging.root)
            try staging.commit(replacing: isReplacing)
        }
        #expect(try directory.names == ["out"])
        #expect(Self.filled.differences(from: try TreeLiteral(reading: directory["out"])) == [])
    }

    @Test(arguments: [TreeNode.file("old"), .link("elsewhere"), .directory(), .pipe])
    func nothingIsReplacedUnasked(old: TreeNode) throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = ["out": old, "elsewhere/x": .file("x")]
        try tree.make(at: directory["d"])
        do {
            let staging = try StagingDirectory(for: directory.host("d/out"))
            try Self.fill(staging.root)
            let error = #expect(throws: CapsuleError.self) { try staging.commit(replacing: false) }
            #expect(error?.code == .exists)
        }
        #expect(tree.differences(from: try TreeLiteral(reading: directory["d"])) == [])
    }

    /// Whatever has the name is replaced completely. A link itself is replaced, and its target does not change.
    @Test(
        arguments: [
            ["out": .file("old")], ["out": .link("elsewhere")], ["out": .link("nowhere")], ["out": .directory()], ["out": .pipe],
            ["out/old/deep/f": .file("x"), "out/closed": .directory(mode: 0), "out/link": .link("../elsewhere")],
            ["out/ro/f": .file("x", mode: 0o400), "out/ro": .directory(mode: 0o555)],
        ] as [TreeLiteral])
    func whatIsThereIsReplacedAsAWhole(old: TreeLiteral) throws {
        let directory = try TemporaryDirectory()
        var tree = old
        tree["elsewhere/keep"] = .file("kept")
        try tree.make(at: directory["top"])
        do {
            let staging = try StagingDirectory(for: directory.host("top/out"))
            try Self.fill(staging.root)
            try staging.commit(replacing: true)
        }
        let found = try TreeLiteral(reading: directory["top"])
        #expect(Self.filled.differences(from: found.below("out")) == [])
        #expect((["keep": .file("kept")] as TreeLiteral).differences(from: found.below("elsewhere")) == [])
        #expect(try RootDirectory(directory.host("top")).names().directories == [Array("out".utf8), Array("elsewhere".utf8)])
    }

    @Test func aMissingDirectoryIsAnError() throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: CapsuleError.self) { try StagingDirectory(for: directory.host("missing/out")) }
        #expect(error?.code == .notFound)
        #expect(try directory.names == [])
    }

    /// A tree that is deeper than the system's longest path, and read-only at all levels.
    @Test(arguments: [false, true])
    func deepDirectoriesComeAndGo(isCommitted: Bool) throws {
        let directory = try TemporaryDirectory()
        var made = 0
        do {
            let staging = try StagingDirectory(for: directory.host("out"))
            let writer = TreeWriter(staging.root)
            var path = RelativePath.root
            while path.bytes.count + 2 <= RelativePath.maximumLength {
                path = try path.appending([UInt8(ascii: "d")])
                try writer.makeDirectory(path)
                made += 1
            }
            while !path.isRoot, let parent = path.parent {
                _ = try writer.finishDirectory(path, mode: FileMode(0o555), modified: .epoch, attributes: [])
                path = parent
            }
            if isCommitted {
                try staging.commit(replacing: false)
                let again = try StagingDirectory(for: directory.host("out"))
                try Self.fill(again.root)
                try again.commit(replacing: true)
            }
        }
        #expect(made == 2_048)
        #expect(try directory.names == (isCommitted ? ["out"] : []))
    }

    /// A replaced tree may be deeper than any tree of Capsule's own.
    @Test func aTreeDeeperThanOursIsReplacedWithoutARest() throws {
        let directory = try TemporaryDirectory()
        let deep = "out/" + Array(repeating: String(repeating: "d", count: 255), count: 20).joined(separator: "/") + "/f"
        try ([TreeLiteral.RawPath(Array(deep.utf8)): .file("far down")] as TreeLiteral).make(at: directory["top"])
        do {
            let staging = try StagingDirectory(for: directory.host("top/out"))
            try Self.fill(staging.root)
            try staging.commit(replacing: true)
        }
        let found = try TreeLiteral(reading: directory["top"])
        #expect(found.paths.count == 2 + Self.filled.paths.count)
        #expect(Self.filled.differences(from: found.below("out")) == [])
    }

    @Test func whatIsThereIsNeverWrittenOver() throws {
        let directory = try TemporaryDirectory()
        let staging = try StagingDirectory(for: directory.host("out"))
        try Self.fill(staging.root)
        let writer = TreeWriter(staging.root)
        for path in ["d", "d/f", "l"] {
            #expect(throws: CapsuleError.self) { try writer.makeDirectory(try Self.path(path)) }
            #expect(throws: CapsuleError.self) { try writer.makeFile(try Self.path(path), mode: FileMode(0o600)) }
            #expect(throws: CapsuleError.self) { try writer.makeLink(try Self.path(path), target: [1], modified: .epoch) }
        }
        try writer.makeLink(try Self.path("up"), target: Array("..".utf8), modified: .epoch)
        #expect(throws: CapsuleError.self) { try writer.makeFile(try Self.path("up/escaped"), mode: FileMode(0o600)) }
        #expect(throws: CapsuleError.self) { try writer.makeDirectory(try Self.path("up/escaped")) }
        #expect(!Files.exists(directory["escaped"]))
    }
}
