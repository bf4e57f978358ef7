import CapsuleArchive
import CapsuleCore
import CapsuleSystem
import Foundation
import TestSupport
import Testing

@testable import CapsuleContainers

/// A stream is recognized by its first bytes, and read up to the limit for its purpose.
@Suite struct StandardInputTests {
    static let limits = StandardInput.Limits(archive: 3_000_000, propertyList: 2_000_000, unknown: 1_000_000)

    /// Returns the error for a stream that begins with some bytes and continues with zeros.
    private static func failure(
        _ start: [UInt8], _ length: Int, for purpose: StandardInput.Purpose
    ) throws -> CapsuleError? {
        let directory = try TemporaryDirectory()
        try Files.write(start + [UInt8](repeating: 0, count: length - start.count), to: directory["f"])
        let file = open(directory["f"], O_RDONLY)
        defer { close(file) }
        return TestSupport.failure {
            let spooled = try StandardInput.spool(file, as: HostPath("in"), for: purpose, limits: limits)
            #expect(spooled.length == UInt64(length))
        }
    }

    @Test func whatBeginsAsNoArchiveIsSoonGivenUp() throws {
        let text = Array(String(repeating: "[\n", count: 300).utf8)
        #expect(try Self.failure(text, 1_000_000, for: .container) == nil)
        let error = try Self.failure(text, 2_000_000, for: .container)
        #expect(error?.message == "is not an archive, judging by the first 1000000 bytes")
        #expect(error?.hint == "save it to a file and name the file: then all of it is checked")
        #expect(try Self.failure(text, 2_000_000, for: .overlay) == nil)
        #expect(try Self.failure(text, 2_000_001, for: .overlay)?.hint == "this is the limit for property lists")
        #expect(try Self.failure(text, 2_000_001, for: .propertyList)?.hint == "this is the limit for property lists")
    }

    @Test func archivesMayBeLonger() throws {
        for purpose in [StandardInput.Purpose.container, .overlay] {
            let gzip: [UInt8] = [0x1F, 0x8B]
            #expect(try Self.failure(gzip, 3_000_000, for: purpose) == nil)
            let error = try Self.failure(gzip, 3_000_001, for: purpose)
            #expect(error?.message == "is larger than 3000000 bytes")
            #expect(error?.hint == "save it to a file and name the file")
        }
    }

    /// A tar from before POSIX has no magic, but still has a checksum.
    @Test func oldTarsAreArchives() throws {
        var header = [UInt8](repeating: 0, count: 512)
        header[0] = UInt8(ascii: "f")
        header.replaceSubrange(148..<156, with: [UInt8](repeating: UInt8(ascii: " "), count: 8))
        let sum = header.reduce(0) { $0 + Int($1) }
        let digits = Array(String(sum, radix: 8).utf8) + [0]
        header.replaceSubrange(148..<148 + digits.count, with: digits)
        #expect(TarChecksum.isRight(in: header))
        #expect(try Self.failure(header, 3_000_000, for: .container) == nil)
        header[1] = 1
        #expect(!TarChecksum.isRight(in: header))
        #expect(!TarChecksum.isRight(in: [UInt8](repeating: 0, count: 512)))
        #expect(!TarChecksum.isRight(in: []))
    }
}

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

/// Files that don't exist, and files of which that can't be found out.
@Suite struct FileProbeTests {
    @Test func thereOrNot() throws {
        let directory = try TemporaryDirectory()
        try (["f": .file("x"), "dangling": .link("nowhere"), "loop": .link("loop"), "d": .directory()] as TreeLiteral).make(
            at: directory["t"])
        for name in ["f", "d", "dangling", "loop"] { #expect(try FileProbe.exists(directory.host("t/" + name)), "\(name)") }
        let long = String(repeating: "n", count: 300)
        for name in ["missing", "missing/x", "f/x", "dangling/x", long, "\(long)/x"] {
            #expect(try !FileProbe.exists(directory.host("t/" + name)), "\(name)")
        }
    }

    /// A caller that took this for absence would go on to report something wrong.
    @Test func whatCannotBeKnownIsAnError() throws {
        let directory = try TemporaryDirectory()
        try (["loop": .link("loop")] as TreeLiteral).make(at: directory["t"])
        let path = directory.host("t/loop/x")
        #expect(failure { try FileProbe.exists(path) }?.path == path)
        let target = failure { try FileProbe.checkTarget(path, as: .file, replacing: true) }
        #expect(target?.path == path)
        #expect(target?.message.hasPrefix("cannot stat: ") == true)
        #expect(failure { try Container(Array("\(path)@1".utf8)).resolve() }?.path == HostPath("\(path)@1"))
    }

    /// A link is replaced itself, so it is neither.
    @Test(
        arguments: [
            ("file", OutputKind.directory, "is a file, and is never replaced by a directory"), ("d", .file, "is a directory"),
            ("file", .file, nil), ("d", .directory, nil), ("link", .directory, nil), ("link", .file, nil),
            ("new", .directory, nil),
        ] as [(String, OutputKind, String?)])
    func filesAndDirectoriesDoNotReplaceEachOther(name: String, kind: OutputKind, refusal: String?) throws {
        let directory = try TemporaryDirectory()
        try (["file": .file("x"), "d": .directory(), "link": .link("d")] as TreeLiteral).make(at: directory["t"])
        let error = failure { try FileProbe.checkTarget(directory.host("t/" + name), as: kind, replacing: true) }
        #expect(error?.message == refusal)
        #expect(error == nil || error?.code == .exists)
    }

    /// An output inside a directory that is read is refused, whatever its name is.
    @Test func whatLeadsIntoADirectory() throws {
        let directory = try TemporaryDirectory()
        try (["d/e/f": .file("x"), "other": .directory(), "link": .link("d/e")] as TreeLiteral).make(at: directory["t"])
        for (path, outer, isInside) in [
            ("d", "d", true), ("d/e", "d", true), ("d/e/f", "d", true), ("d/../d/./e", "d", true), ("link", "d", true),
            ("d", "link", false), ("d/e/f", "link", true), ("other", "d", false), ("d", "d/e", false), ("d/missing", "d", false),
            ("d", "missing", false), ("", "d", false),
        ] {
            #expect(
                try FileProbe.leads(directory.host("t/" + path), to: directory.host("t/" + outer)) == isInside,
                "\(path) in \(outer)")
        }
        #expect(try FileProbe.leads(directory.host("t"), to: HostPath("/")))
    }
}
