import Foundation
import TestSupport
import Testing

/// The traits of the file system that tests detect, compared with the file system.
@Suite struct FileSystemTraitsTests {
    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// If mknod(2) can't make sockets, trees of tests get their sockets in this way.
    @Test func socketsCanBeBound() throws {
        // When they are moved, they stay in their file system.
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

    /// Names that are reported to be possible can be created, and no others.
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
    /// Creates a tree of empty files.
    fileprivate init(_ paths: [RawPath]) {
        self.init()
        for path in paths { self[path] = .file() }
    }
}
