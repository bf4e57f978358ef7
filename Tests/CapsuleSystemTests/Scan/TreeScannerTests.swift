import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleSystem

@Suite struct TreeScannerTests {
    @Test func oneDirectoryIsListedInTheOrderOfTheIndex() throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = [
            "a/inside": .file(), "a-b": .file("12345", mode: 0o600), "a.b": .link("a-b"), "a0": .file(),
            "b": .directory(mode: 0o700),
        ]
        try tree.make(at: directory["tree"], backwards: true)
        let listing = try TreeScanner(RootDirectory(directory.host("tree"))).list(.root)
        let entries = listing.entries
        #expect(listing.names == ["a", "a-b", "a.b", "a0", "b"])
        #expect(listing.subdirectories.map(\.description) == ["a", "b"])
        #expect(entries.map(\.kind) == [.directory, .file, .link, .file, .directory])
        #expect(entries.map(\.mode.rawValue) == [0o755, 0o600, 0o777, 0o644, 0o700])
        #expect(entries.map(\.size) == [0, 5, 0, 0, 0])
        #expect(entries.allSatisfy { $0.modified == TreeNode.time })
        #expect(entries.map(\.target) == [[], [], Array("a-b".utf8), [], []])
        #expect(listing.marks.isEmpty)
    }

    #if os(Linux)
    @Test func aLongDirectoryIsToldWhileItIsListed() throws {
        let directory = try TemporaryDirectory()
        try (["short/a": .file()] as TreeLiteral).make(at: directory["tree"])
        for number in 0..<600 { _ = FileManager.default.createFile(atPath: directory["tree"] + "/\(number)", contents: nil) }
        let scanner = TreeScanner(try RootDirectory(directory.host("tree")))
        var calls = 0
        let long = try scanner.list(.root) { calls += 1 }
        #expect(long.entries.count == 601 && calls == 1)
        _ = try scanner.list(RelativePath(validating: Array("short".utf8))) { calls += 1 }
        #expect(calls == 1)
    }
    #endif

    @Test func whatNoTreeHoldsIsTold() throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = ["pipe": .pipe, "f": .file(), "again": .hardLink(to: "f"), "socket": .socket]
        try tree.make(at: directory["tree"])
        let listing = try TreeScanner(RootDirectory(directory.host("tree"))).list(.root)
        let special: [(String, FileStatus.Kind)] = [("pipe", .pipe), ("socket", .socket)]
        let found = listing.special.map { ($0.path.description, $0.kind) }.sorted { $0.0 < $1.0 }
        #expect(found.map(\.0) == special.map(\.0) && found.map(\.1) == special.map(\.1))
        #expect(listing.names == ["again", "f"])
        #expect(listing.hardLinks.map(\.entry) == [0, 1])
        #expect(listing.hardLinks.first?.file == listing.hardLinks.last?.file)
    }

    @Test func theReservedNameIsPassedOverAtTheTopOnly() throws {
        let directory = try TemporaryDirectory()
        try ([".capsule-transaction/x": .file(), "d/.capsule-transaction": .file()] as TreeLiteral).make(at: directory["tree"])
        let scanner = TreeScanner(try RootDirectory(directory.host("tree")))
        let top = try scanner.list(.root)
        #expect(top.names == ["d"] && top.subdirectories.map(\.description) == ["d"])
        #expect(top.transactions.map(\.description) == [".capsule-transaction"])
        let below = try scanner.list(RelativePath(validating: [UInt8(ascii: "d")]))
        #expect(below.names == ["d/.capsule-transaction"] && below.transactions == [])
    }

    @Test func excludedIsLeftOutAndTold() throws {
        let directory = try TemporaryDirectory()
        try (["a": .file(), "b/c": .file()] as TreeLiteral).make(at: directory["tree"])
        let scanner = TreeScanner(try RootDirectory(directory.host("tree"))) { $0.bytes == [UInt8(ascii: "b")] }
        let listing = try scanner.list(.root)
        #expect(listing.names == ["a"])
        #expect(listing.excluded.map(\.description) == ["b"])
    }

    @Test func eachEntryIsMarkedAsTheCallerSays() throws {
        let directory = try TemporaryDirectory()
        try (["b": .file("12345"), "pipe": .pipe, "d/x": .file(), "a": .file("1")] as TreeLiteral).make(at: directory["tree"])
        let scanner = TreeScanner(try RootDirectory(directory.host("tree")), mark: { UInt32($0.size) })
        let listing = try scanner.list(.root)
        #expect(listing.names == ["a", "b", "d"])
        #expect(listing.marks == [1, 5, 0])
    }

    @Test func nothingIsListedThroughALink() throws {
        let directory = try TemporaryDirectory()
        try (["d/f": .file(), "l": .link("d")] as TreeLiteral).make(at: directory["tree"])
        let scanner = TreeScanner(try RootDirectory(directory.host("tree")))
        #expect(throws: CapsuleError.self) { try scanner.list(RelativePath(validating: [UInt8(ascii: "l")])) }
    }

    @Test func manyEntriesOfAnyNames() throws {
        let directory = try TemporaryDirectory()
        var tree = TreeLiteral()
        // More records than one call returns, with the longest names among them.
        let byte: UInt8 = FileSystemTraits.temporary.takesAnyBytes ? 0xFE : UInt8(ascii: "~")
        for number in 0..<600 {
            tree[TreeLiteral.RawPath([byte] + Array("\(number)".utf8) + [UInt8](repeating: byte, count: 240))] = .file()
        }
        try tree.make(at: directory["tree"])
        let listing = try TreeScanner(RootDirectory(directory.host("tree"))).list(.root)
        #expect(listing.entries.map(\.path.bytes) == tree.paths.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) })
        #expect(listing.entries.count == 600)
    }

    @Test func aPathTooLongIsAnErrorThatNamesIt() throws {
        let directory = try TemporaryDirectory()
        let deep = Array(repeating: String(repeating: "d", count: 255), count: 16).joined(separator: "/")
        let tree: TreeLiteral = [TreeLiteral.RawPath(Array((deep + "/f").utf8)): .file()]
        try tree.make(at: directory["tree"])
        let scanner = TreeScanner(try RootDirectory(directory.host("tree")))
        let error = #expect(throws: CapsuleError.self) { try scanner.list(RelativePath(validating: Array(deep.utf8))) }
        #expect(error?.errno == ENAMETOOLONG)
        #expect(error?.path == directory.host("tree/" + deep + "/f"))
    }
}

extension TreeScanner.Listing {
    fileprivate var names: [String] { entries.map(\.path.description) }
}

/// Two ways to read a directory: Linux's own records, and readdir(3), which Apple systems use.
@Suite struct DirectoryListingTests {
    private static func names(_ listing: DirectoryListing) -> [[UInt8]] {
        var listing = listing
        listing.sortByName()
        return listing.items.map { listing.name(of: $0) }
    }

    @Test func bothWaysFindTheSame() throws {
        let directory = try TemporaryDirectory()
        var tree: TreeLiteral = [
            "a": .file("1"), "d/below": .file("2"), "l": .link("a"), "p": .pipe, ".hidden": .file(""), "é": .file("3"),
        ]
        for number in 0..<2_000 { tree[TreeLiteral.RawPath(Array("many/file \(number)".utf8))] = .file("\(number)") }
        try tree.make(at: directory["tree"])
        let root = try RootDirectory(directory.host("tree"))
        for path in [RelativePath.root, try RelativePath(validating: Array("many".utf8))] {
            let opened = try root.openDirectory(path)
            let plain = try DirectoryListing(of: opened, path: directory.host("tree"))
            let streamed = try DirectoryListing(streaming: opened, path: directory.host("tree"))
            #expect(Self.names(plain) == Self.names(streamed))
            #expect(plain.items.count == (path.isRoot ? 7 : 2_000))
            #expect(Set(plain.items.map(\.size)) == Set(streamed.items.map(\.size)))
        }
    }

    /// A stream has a descriptor of its own: the directory stays open, and no other descriptor does.
    @Test func aStreamLeavesNothingOpen() throws {
        let directory = try TemporaryDirectory()
        try (["a": .file("1")] as TreeLiteral).make(at: directory["tree"])
        let root = try RootDirectory(directory.host("tree"))
        let opened = try root.openDirectory(.root)
        for _ in 0..<3 { _ = try DirectoryListing(streaming: opened, path: directory.host("tree")) }
        let stream = try Syscall.openStream(of: opened, path: directory.host("tree"))
        let own = dirfd(stream)
        #expect(own != opened.raw)
        #expect(fcntl(own, F_GETFD) & FD_CLOEXEC != 0)
        closedir(stream)
        #expect(try Syscall.status(of: opened.raw, path: directory.host("tree")).kind == .directory)
    }

    /// A file can't be listed as a directory, and the error names it.
    @Test func aFileIsNotStreamed() throws {
        let directory = try TemporaryDirectory()
        try (["a": .file("1")] as TreeLiteral).make(at: directory["tree"])
        let file = try Syscall.openFile(directory.host("tree/a"))
        do {
            _ = try DirectoryListing(streaming: file, path: directory.host("tree/a"))
            Issue.record("a file was listed")
        } catch {
            #expect(error.errno == ENOTDIR)
            #expect(error.path == directory.host("tree/a"))
        }
    }
}
