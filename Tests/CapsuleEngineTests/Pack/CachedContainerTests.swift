import CapsuleCore
import CapsuleHashing
import Foundation
import TestSupport
import Testing

@testable import CapsuleContainers
@testable import CapsuleEngine
@testable import CapsuleSystem

/// The digests that opening a container knows after it was packed.
@Suite struct CachedContainerTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    private func options(_ moment: Int64? = 4_000_000_000) -> ContainerOptions {
        var options = ContainerOptions(jobs: 2)
        options.statCache = true
        options.statCacheDirectory = StatCacheDirectory(temporary.host("cache/capsule"))
        options.statCacheMoment = moment
        return options
    }

    private func pack(_ name: String = "t", moment: Int64? = 4_000_000_000) throws {
        var options = PackOptions(captured: Timestamp(seconds: 1_700_000_000))
        options.container = self.options(moment)
        options.jobs = 2
        options.replaces = true
        _ = try Packer(options: options).pack(UseCases.container(temporary[name]), to: temporary.host(name + ".capsule"))
        #expect(try UseCases.verify(temporary[name + ".capsule"]).findings == [])
    }

    /// Returns the paths of files whose digests are known, after checking that all of them are right.
    private func known(_ name: String = "t") throws -> [String] {
        let opened = try UseCases.container(temporary[name]).open(options())
        var known: [String] = []
        for entry in opened.entries where entry.digest != .zero {
            #expect(entry.kind.hasContent)
            #expect(entry.digest == SHA256Hasher.digest(of: try Files.read(temporary[name + "/\(entry.path)"])))
            known.append("\(entry.path)")
        }
        return known
    }

    private static let tree: TreeLiteral = [
        "a": .file("one"), "d/b": .file("two"), "d/empty": .file(""), "link": .link("a"),
        "large": .file([UInt8](repeating: 1, count: 700_000)),
    ]
    private static let files = ["a", "d/b", "d/empty", "large"]

    @Test func whatWasPackedIsKnownUntilItChanges() throws {
        try Self.tree.make(at: temporary["t"])
        #expect(try known() == [])
        try pack()
        #expect(try known() == Self.files)
        try pack()
        #expect(try known() == Self.files)
        try Files.write("new", to: temporary["t/a"])
        #expect(try known() == ["d/b", "d/empty", "large"])
        try pack()
        #expect(try known() == Self.files)
    }

    @Test func aFileOfTheLastSecondsIsReadAgain() throws {
        try Self.tree.make(at: temporary["t"])
        try pack(moment: nil)
        #expect(try known() == [])
    }

    @Test func anyChangeOfFactsCounts() throws {
        try Self.tree.make(at: temporary["t"])
        try pack()
        // The size and the time stay the same, but the system still records the change.
        let time = try FileManager.default.attributesOfItem(atPath: temporary["t/a"])[.modificationDate]
        try Files.write("eno", to: temporary["t/a"])
        try FileManager.default.setAttributes([.modificationDate: try #require(time)], ofItemAtPath: temporary["t/a"])
        chmod(temporary["t/d/b"], 0o600)
        #expect(try known() == ["d/empty", "large"])
    }

    private func color(_ name: String, _ value: String) throws {
        let file = try Syscall.openFile(temporary.host(name))
        let attribute = ExtendedAttribute(name: Array("user.color".utf8), value: Array(value.utf8))
        try ExtendedAttributes.set(attribute, on: file.raw, path: temporary.host(name))
    }

    @Test func attributesAreReadOfFilesThatHaveThem() throws {
        try Self.tree.make(at: temporary["t"])
        try color("t/a", "red")
        try pack()
        func attributes() throws -> [[ExtendedAttribute]] {
            try UseCases.container(temporary["t"]).open(options()).entries.filter { $0.digest != .zero }.map(\.attributes)
        }
        #expect(try known() == Self.files)
        #expect(try attributes() == [[ExtendedAttribute(name: Array("user.color".utf8), value: Array("red".utf8))], [], [], []])
        try color("t/d/b", "blue")
        #expect(try known() == ["a", "d/empty", "large"])
    }

    @Test func anotherDirectoryInItsPlaceIsNotTheSame() throws {
        try Self.tree.make(at: temporary["t"])
        try pack()
        try FileManager.default.moveItem(atPath: temporary["t"], toPath: temporary["u"])
        try Self.tree.make(at: temporary["t"])
        #expect(try known() == [])
        // Cached digests belong to the path of the container.
        #expect(try known("u") == [])
    }

    @Test func namesOfOneFileAreAllKnown() throws {
        try (["a": .file("one"), "b": .hardLink(to: "a")] as TreeLiteral).make(at: temporary["t"])
        try pack()
        #expect(try known() == ["a", "b"])
        try Files.write("two", to: temporary["t/c"])
        #expect(rename(temporary["t/c"], temporary["t/b"]) == 0)
        // The other name's file has one name less, which changes its metadata.
        #expect(try known() == [])
    }

    @Test func aDatabaseAndItsLogsAreKnownTogetherOrNotAtAll() throws {
        let tree: TreeLiteral = [
            "m.sqlite": .file(DatabaseUnit.magic + [1, 2, 3]), "m.sqlite-wal": .file("log"), "m.sqlite-shm": .file("index"),
            "n-wal": .file("alone"), "o.sqlite": .file(DatabaseUnit.magic),
        ]
        try tree.make(at: temporary["t"])
        try pack()
        #expect(try known() == ["m.sqlite", "m.sqlite-wal", "n-wal", "o.sqlite"])
        try Files.write("gol", to: temporary["t/m.sqlite-wal"])
        #expect(try known() == ["n-wal", "o.sqlite"])
        try pack()
        try Files.write("late", to: temporary["t/o.sqlite-journal"])
        #expect(try known() == ["m.sqlite", "m.sqlite-wal", "n-wal"])
    }

    @Test func whatIsNoMoreThereIsForgotten() throws {
        try Self.tree.make(at: temporary["t"])
        try pack()
        try FileManager.default.moveItem(atPath: temporary["t/large"], toPath: temporary["large"])
        try pack()
        let real = try #require(try RealPath.resolve(temporary.host("t")))
        let file = try #require(StatCacheDirectory(temporary.host("cache/capsule")).open(for: real))
        #expect(StatCacheFile.read(file)?.records.count == 3)
    }

    @Test func withoutTheOptionNothingIsKept() throws {
        try Self.tree.make(at: temporary["t"])
        var options = PackOptions(captured: Timestamp(seconds: 1_700_000_000))
        options.container = self.options()
        options.container.statCache = false
        _ = try Packer(options: options).pack(UseCases.container(temporary["t"]), to: temporary.host("t.capsule"))
        #expect(try temporary.names == ["t", "t.capsule"])
    }
}
