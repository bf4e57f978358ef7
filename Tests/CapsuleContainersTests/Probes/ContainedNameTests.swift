import TestSupport
import Testing

@testable import CapsuleContainers

/// Splitting `CONTAINER:PATH`.
@Suite struct ContainedNameTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(arguments: [
        ("run.capsule:a/b.txt", "run.capsule", "a/b.txt"), ("run.capsule@1:a/b@2x.png", "run.capsule@1", "a/b@2x.png"),
        ("run.capsule@1..2:a", "run.capsule@1..2", "a"), ("run.capsule:a:b:c", "run.capsule", "a:b:c"),
        ("X.xcappdata:a", "X.xcappdata", "a"), ("a:b:c", "a:b", "c"), ("a:b:c:d", "a:b", "c:d"), ("a:c", "a", "c"),
        ("a@b@1:c", "a@b@1", "c"),
    ])
    func theLongestNameThatExistsIsTheContainer(text: String, container: String, path: String) throws {
        let directory = try Self.directory()
        let name = try #require(ContainedName(Self.bytes(directory["t/" + text])))
        #expect(name.container == Self.bytes(directory["t/" + container]))
        #expect(name.path == Self.bytes(path))
    }

    /// A text that is the name of an existing file is that file. Other texts have no container's name before a colon.
    @Test(arguments: ["a:b", "whole.capsule:a", "none:a", "none.capsule@1:a", "run.capsule", "run.capsule@1", "run.capsule:"])
    func otherTextsAreNoSuchName(text: String) throws {
        #expect(ContainedName(Self.bytes(try Self.directory()["t/" + text])) == nil)
    }

    @Test(arguments: [
        ("sim:com.example.gifs:Library/a", "sim:com.example.gifs", "Library/a"),
        ("sim:booted/com.example.gifs:a:b", "sim:booted/com.example.gifs", "a:b"),
        ("sim:My: iPhone/com.example.gifs:a", "sim:My: iPhone/com.example.gifs", "a"),
    ])
    func simulatorsHaveAColonOfTheirOwn(text: String, container: String, path: String) throws {
        let name = try #require(ContainedName(Self.bytes(text)))
        #expect(name.container == Self.bytes(container))
        #expect(name.path == Self.bytes(path))
    }

    @Test(arguments: [
        "sim:com.example.gifs", "sim:booted/com.example.gifs", "sim:My: iPhone/com.example.gifs", "sim:", ":a", "-", "",
    ])
    func namesWithoutAPathAreWhole(text: String) {
        #expect(ContainedName(Self.bytes(text)) == nil)
    }

    private static func directory() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try
            ([
                "run.capsule": .file(""), "whole.capsule": .file(""), "whole.capsule:a": .file(""), "a": .directory(),
                "a:b": .directory(), "a@b": .file(""), "X.xcappdata": .directory(),
            ] as TreeLiteral).make(at: directory["t"])
        return directory
    }
}
