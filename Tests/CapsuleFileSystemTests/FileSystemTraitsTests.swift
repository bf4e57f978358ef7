import Foundation
import TestSupport
import Testing

/// What tests find out about the file system, against the file system.
@Suite struct FileSystemTraitsTests {
    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Where mknod(2) makes none, this is how trees of tests get their sockets.
    @Test func socketsCanBeBound() throws {
        // Moved, they stay in their file system.
        let directory = try TemporaryDirectory(in: "/tmp")
        let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(SocketFile.bind(in: descriptor, RawName(Array("s".utf8))) == 0, "errno \(errno)")
        #expect(Self.isSocket(directory["s"]))
        #expect(try directory.names == ["s"])
        #expect(SocketFile.bind(in: -1, RawName(Array("s".utf8))) == -1)
    }

    @Test func treesHaveSockets() throws {
        let directory = try TemporaryDirectory()
        try (["s": .socket] as TreeLiteral).make(at: directory["tree"])
        #expect(Self.isSocket(directory["tree/s"]))
    }

    /// What is said to fit can be made, and nothing else.
    @Test(arguments: [["a", "A"], ["\u{E9}", "e\u{301}"], ["d/x", "d/X"], ["a", "b"]])
    func whatIsTakenTogetherCanBeMade(names: [String]) throws {
        let directory = try TemporaryDirectory()
        let traits = try FileSystemTraits.of(directory.path)
        let nodes = TreeLiteral(names.map { TreeLiteral.RawPath(Array($0.utf8)) })
        let isMade = (try? nodes.make(at: directory["tree"])) != nil
        #expect(traits.takes(names.map { Array($0.utf8) }) == isMade)
    }

    @Test func namesOfAnyBytes() throws {
        let directory = try TemporaryDirectory()
        let traits = try FileSystemTraits.of(directory.path)
        let tree = TreeLiteral([TreeLiteral.RawPath([0xFF, 0x80])])
        let isMade = (try? tree.make(at: directory["tree"])) != nil
        #expect(isMade == traits.takesAnyBytes && traits.takes([[0xFF, 0x80]]) == isMade)
        #expect(!traits.takes([[0xFF], [0xFF]]))
    }
}

extension TreeLiteral {
    /// Empty files.
    fileprivate init(_ paths: [RawPath]) {
        self.init()
        for path in paths { self[path] = .file() }
    }
}
