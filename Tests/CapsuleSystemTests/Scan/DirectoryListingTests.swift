import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleSystem

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
