import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleSystem

@Suite struct RootDirectoryTests {
    private static func path(_ text: String) throws -> RelativePath {
        text.isEmpty ? .root : try RelativePath(validating: Array(text.utf8))
    }

    @Test func filesAreRead() throws {
        let directory = try TemporaryDirectory()
        try (["a": .file("at the top"), "b/c/d": .file("deep")] as TreeLiteral).make(at: directory["tree"])
        let root = try RootDirectory(directory.host("tree"))
        #expect(try root.readFile(Self.path("a"), limit: 100) == Array("at the top".utf8))
        #expect(try root.readFile(Self.path("b/c/d"), limit: 4) == Array("deep".utf8))
        #expect(try root.subdirectory(Self.path("b")).readFile(Self.path("c/d"), limit: 4) == Array("deep".utf8))
    }

    /// A link at any component, to inside or outside, gives an error, and the file is never opened.
    @Test(arguments: ["link", "to d/f", "d/to e/f", "d/link", "d/e/link", "to outside/f", "up/tree/f", "dangling", "loop"])
    func nothingIsOpenedThroughALink(text: String) throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = [
            "tree/f": .file("inside"), "tree/link": .link("f"), "tree/to d": .link("d"), "tree/d/f": .file("x"),
            "tree/d/to e": .link("e"),
            "tree/d/e/f": .file("y"), "tree/d/link": .link("../f"), "tree/d/e/link": .link("f"), "outside/f": .file("secret"),
            "tree/to outside": .link("../outside"), "tree/up": .link(".."), "tree/dangling": .link("nowhere"),
            "tree/loop": .link("loop"),
        ]
        try tree.make(at: directory["all"])
        let root = try RootDirectory(directory.host("all/tree"))
        for open in [{ _ = try root.openFile($0) }, { _ = try root.openDirectory($0) }] as [(RelativePath) throws -> Void] {
            let error = #expect(throws: CapsuleError.self) { try open(try Self.path(text)) }
            #expect(error?.code == .throughLink)
        }
    }

    /// The same by single components, as if openat2(2) is missing or the path is too long for it.
    @Test func nothingIsOpenedThroughALinkFarDown() throws {
        let directory = try TemporaryDirectory()
        let deep = Array(repeating: String(repeating: "d", count: 250), count: 16).joined(separator: "/")
        var tree: TreeLiteral = ["x": .file("secret")]
        let link = TreeLiteral.RawPath(Array((deep + "/link").utf8))
        let file = TreeLiteral.RawPath(Array((deep + "/" + String(repeating: "f", count: 70)).utf8))
        tree[link] = .link("../x")
        tree[file] = .file("far")
        try tree.make(at: directory["tree"])
        let root = try RootDirectory(directory.host("tree"))
        #expect(file.bytes.count > 4_080)
        #expect(try root.readFile(RelativePath(validating: file.bytes), limit: 9) == Array("far".utf8))
        #expect(throws: CapsuleError.self) { _ = try root.openFile(RelativePath(validating: link.bytes)) }
    }

    @Test func aPathOf4096BytesIsOpened() throws {
        let directory = try TemporaryDirectory()
        var components = Array(repeating: String(repeating: "d", count: 255), count: 15)
        components.append(String(repeating: "e", count: 254))
        let path = components.joined(separator: "/") + "/"
        let text = path + "f"
        #expect(text.utf8.count == 4_096)
        let tree: TreeLiteral = [TreeLiteral.RawPath(Array(text.utf8)): .file("at the limit")]
        try tree.make(at: directory["tree"])
        let root = try RootDirectory(directory.host("tree"))
        #expect(try root.readFile(Self.path(text), limit: 99) == Array("at the limit".utf8))
    }

    @Test func aPipeDoesNotHang() throws {
        let directory = try TemporaryDirectory()
        try (["pipe": .pipe] as TreeLiteral).make(at: directory["tree"])
        let root = try RootDirectory(directory.host("tree"))
        let open = try root.openFile(Self.path("pipe"))
        #expect(try Syscall.status(of: open.raw, path: HostPath("pipe")).kind == .pipe)
        #expect(throws: CapsuleError.self) { try root.readFile(Self.path("pipe"), limit: 10) }
        #expect(throws: CapsuleError.self) { _ = try Syscall.openFile(directory.host("tree/pipe")) }
    }

    @Test func aFileOverTheLimitIsNotRead() throws {
        let directory = try TemporaryDirectory()
        try (["f": .file("12345")] as TreeLiteral).make(at: directory["tree"])
        let root = try RootDirectory(directory.host("tree"))
        #expect(try root.readFile(Self.path("f"), limit: 5).count == 5)
        #expect(throws: CapsuleError.self) { try root.readFile(Self.path("f"), limit: 4) }
    }

    @Test(arguments: [("missing", CapsuleError.Code.notFound), ("missing/f", .notFound), ("f/x", .throughLink), ("d", .failure)])
    func errorsNameTheWholePath(text: String, code: CapsuleError.Code) throws {
        let directory = try TemporaryDirectory()
        try (["f": .file(), "d": .directory()] as TreeLiteral).make(at: directory["tree"])
        let root = try RootDirectory(directory.host("tree"))
        let error = #expect(throws: CapsuleError.self) {
            if text == "d" { _ = try root.readFile(Self.path(text), limit: 1) } else { _ = try root.openFile(Self.path(text)) }
        }
        #expect(error?.code == code)
        #expect(error?.path == directory.host("tree/" + text))
        #expect(error?.message.hasPrefix("cannot ") == true)
    }

    @Test(
        .enabled(
            if: FileSystemTraits.temporary.takesAnyBytes && FileSystemTraits.temporary.tellsFormsApart,
            "the file system takes no such names"))
    func namesOfAnyBytes() throws {
        let directory = try TemporaryDirectory()
        let names: [[UInt8]] = [
            [0xFF, 0xFE], [0xC3], Array("a\nb".utf8), Array("é".utf8), Array("e\u{301}".utf8), [0xED, 0xA0, 0x80],
        ]
        var tree = TreeLiteral()
        for name in names { tree[TreeLiteral.RawPath(name)] = .file(name) }
        tree["d"] = .directory()
        tree["l"] = .link("d")
        try tree.make(at: directory["tree"])
        let root = try RootDirectory(directory.host("tree"))
        for name in names { #expect(try root.readFile(RelativePath(validating: name), limit: 9) == name) }
        let found = try root.names()
        #expect(found.files == Set(names))
        #expect(found.directories == [Array("d".utf8)])
    }

    @Test(arguments: ["a\0b", "\0"])
    func aNULNeverReachesTheSystem(text: String) {
        #expect(throws: CapsuleError.self) { try Syscall.status(HostPath(text)) }
    }
}
