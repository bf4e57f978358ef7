import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleOverlay
import CapsulePropertyList
import CapsuleSystem
import TestSupport
import Testing

@testable import CapsuleEngine

/// Overlay capsules that are damaged, and some with intact bytes whose parts contradict each other.
@Suite struct OverlayCapsuleDamageTests {
    private static func small(_ codec: PackOptions.Codec) throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        try write(Parts(), codec, to: directory.host("o"))
        return try Files.read(directory["o"])
    }

    /// Returns true if a strict verification finds a problem. Other readers may only fail.
    private static func isFound(_ bytes: [UInt8], _ directory: TemporaryDirectory) throws -> Bool {
        let path = directory["damaged"]
        try Files.write(bytes, to: path)
        _ = try? OverlaySource(Array(path.utf8)).package()
        do {
            return try !UseCases.verify(path).isWhole
        } catch let error as CapsuleError {
            return error.code.isFailure && !error.message.isEmpty
        }
    }

    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func everyFlippedBitIsFound(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let bytes = try Self.small(codec)
        #expect(try !Self.isFound(bytes, directory))
        for place in sample(of: bytes.indices, oneIn: 3) {
            var damaged = bytes
            damaged[place] ^= 1 << UInt8(place % 8)
            #expect(
                try Self.isFound(damaged, directory) || StoredStream.isSame(damaged, as: bytes), "byte \(place) of \(bytes.count)"
            )
        }
    }

    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func everyTruncationIsFound(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let bytes = try Self.small(codec)
        for length in sample(of: bytes.indices, oneIn: 3) {
            #expect(try Self.isFound(Array(bytes[..<length]), directory), "cut to \(length) of \(bytes.count)")
        }
    }

    // MARK: Parts that don't go together

    private static let whole = Array("the new file".utf8)
    private static let old = Array("what was there before".utf8)
    private static let stretch = Array("stretch".utf8)

    /// The parts of a capsule. They are valid unless they are changed.
    private struct Parts {
        var files = [whole: "f"]
        var carried = [old, stretch]
        var records: [FileRecord] = []

        init() {
            let recipe = ContentRecipe(
                pieces: [.copied(offset: 2, length: 10), .carried(length: 7)], carried: SHA256Hasher.digest(of: stretch))
            records = [
                record("f", old, whole),
                FileRecord(
                    path: path("r"), old: state(size: 20, [1]), new: state(size: 17, [2], recipe)),
            ]
        }

        func record(_ name: String, _ old: [UInt8]?, _ new: [UInt8]?) -> FileRecord {
            FileRecord(
                path: path(name), old: old.map { state(size: UInt64($0.count), $0) },
                new: new.map { state(size: UInt64($0.count), $0) })
        }

        func state(size: UInt64, _ bytes: [UInt8], _ recipe: ContentRecipe? = nil) -> FileState {
            FileState(
                kind: .file, mode: FileMode(0o644),
                content: FileState.Content(size: size, digest: SHA256Hasher.digest(of: bytes), recipe: recipe))
        }

        mutating func change(_ name: String, _ body: (inout FileRecord) -> Void) {
            for number in records.indices where records[number].path == path(name) { body(&records[number]) }
        }
    }

    private static func path(_ name: String) -> RelativePath { (try? RelativePath(validating: Array(name.utf8))) ?? .root }

    /// Returns bytes by their digests.
    private struct Bytes: OverlayPayload {
        let bytes: [[UInt8]]

        func open(_ digest: ContentDigest, size: UInt64) -> (any OpenContent)? {
            bytes.first { SHA256Hasher.digest(of: $0) == digest }.map { bytes in
                InMemoryContent(bytes, as: TreeEntry(path: .root, kind: .file, mode: FileMode(0o600), modified: .epoch))
            }
        }
    }

    /// Writes parts without checking them.
    private static func write(_ parts: Parts, _ codec: PackOptions.Codec = .gzip, to file: HostPath) throws {
        func entry(_ name: String, _ root: TreeRoot, _ bytes: [UInt8]) -> TreeEntry {
            TreeEntry(
                path: path(name), root: root, kind: .file, mode: FileMode(0o644), modified: UseCases.captured,
                size: UInt64(bytes.count), digest: SHA256Hasher.digest(of: bytes))
        }
        let top = TreeEntry(path: .root, root: .wrapper, kind: .directory, mode: FileMode(0o755), modified: UseCases.captured)
        let tree = [top] + parts.files.map { entry($1, .tree, $0) }
        let carried = parts.carried.map { entry(SHA256Hasher.digest(of: $0).hex, .carried, $0) }
        let layout = OverlayCapsuleLayout(
            groups: [], layout: .directory, tree: tree.sorted(by: TreeEntry.isOrdered),
            carried: carried.sorted(by: TreeEntry.isOrdered))
        var overlay = Overlay(targets: [])
        overlay.files = parts.records
        let package = OverlayPackage(overlay: overlay, contents: Bytes(bytes: Array(parts.files.keys) + parts.carried))
        let staged = try StagedFile(for: file)
        _ = try OverlayCapsuleWriter(codec: codec, captured: UseCases.captured).write(
            package, layout, to: StagedMembers(staged))
        try staged.commit(replacing: true)
    }

    private static let hostile: [(String, @Sendable (inout Parts) -> Void)] = [
        ("a new content that is not there", { $0.files = [:] }),
        ("a new content that is elsewhere", { $0.files = [whole: "g"] }),
        ("a file that no record makes", { $0.files[Array("x".utf8)] = "x" }),
        ("a content that no record names", { $0.carried.append(Array("nobody's".utf8)) }),
        ("a recipe without what it needs", { $0.carried = [old] }),
        (
            "a recipe that needs more than is carried",
            { parts in
                parts.change("r") { $0.new?.content?.recipe?.pieces[1] = .carried(length: 8) }
                parts.change("r") { $0.new?.content?.size = 18 }
            }
        ),
        (
            "a recipe that goes beyond its old content",
            { $0.change("r") { $0.new?.content?.recipe?.pieces[0] = .copied(offset: 11, length: 10) } }
        ),
        (
            "a recipe whose offsets overflow",
            { $0.change("r") { $0.new?.content?.recipe?.pieces[0] = .copied(offset: .max - 5, length: 10) } }
        ),
        (
            "a recipe whose lengths overflow",
            {
                $0.change("r") {
                    $0.new?.content?.recipe?.pieces = [.carried(length: .max), .carried(length: .max), .carried(length: 19)]
                }
            }
        ),
        ("a recipe that is too short", { $0.change("r") { $0.new?.content?.size = 18 } }),
        ("a recipe with an empty piece", { $0.change("r") { $0.new?.content?.recipe?.pieces.append(.carried(length: 0)) } }),
        ("a recipe of nothing", { $0.change("r") { $0.old = nil } }),
        ("an old content of another size", { $0.change("f") { $0.old?.content?.size = 3 } }),
        ("a new content of another size", { $0.change("f") { $0.new?.content?.size = 3 } }),
        ("a path that comes twice", { $0.records.append($0.records[0]) }),
        ("a climbing path", { $0.records.append($0.record(".capsule-transaction", nil, [])) }),
    ]

    @Test(arguments: hostile.indices)
    func partsThatDoNotGoTogetherAreRefused(number: Int) throws {
        let (name, change) = Self.hostile[number]
        let directory = try TemporaryDirectory()
        var parts = Parts()
        try Self.write(parts, to: directory.host("sound"))
        #expect(try UseCases.verify(directory["sound"]).findings == [])
        change(&parts)
        try Self.write(parts, to: directory.host("o"))
        let error = UseCases.failure { try OverlaySource(Array(directory["o"].utf8)).package() }
        #expect(error?.code.isFailure == true, "\(name)")
        #expect(try UseCases.verify(directory["o"]).findings.count == 1, "\(name)")
        #expect(try UseCases.verify(directory["o"], strict: false).isWhole == false, "\(name)")
    }

    /// Overlays and containers are never confused.
    @Test func anOverlayIsNoContainer() throws {
        let directory = try TemporaryDirectory()
        try Self.write(Parts(), to: directory.host("o"))
        try (["f": .file("x")] as TreeLiteral).make(at: directory["t"])
        let before = try Files.read(directory["o"])
        let uses: [() throws -> Void] = [
            { try UseCases.unpack(directory["o"], to: directory["out"]) },
            { try UseCases.pack(directory["o"], to: directory["p"]) },
            { try UseCases.pack(directory["t"], to: directory["o"]) { _ in } },
            {
                _ = try ContainerDiffer(DiffOptions()).run(
                    UseCases.container(directory["o"]), UseCases.container(directory["t"]))
            },
            {
                _ = try ContainerDiffer(DiffOptions()).run(
                    UseCases.container(directory["t"]), UseCases.container(directory["o"]))
            },
        ]
        for (number, use) in uses.enumerated() {
            let error = UseCases.failure(use)
            #expect(error?.code == (number == 2 ? .exists : .usage), "\(number): \(error?.message ?? "no error")")
        }
        #expect(try Files.read(directory["o"]) == before)
        #expect(try directory.names == ["o", "t"])
    }

    /// A content that has changed by the time at which it is written.
    @Test func whatChangesMeanwhileIsToldAndNothingIsWritten() throws {
        struct Changed: OverlayPayload {
            func open(_ digest: ContentDigest, size: UInt64) -> (any OpenContent)? {
                InMemoryContent(
                    [UInt8](repeating: 1, count: Int(size)),
                    as: TreeEntry(path: .root, kind: .file, mode: FileMode(0o600), modified: .epoch))
            }
        }
        let directory = try TemporaryDirectory()
        var overlay = Overlay(targets: [])
        overlay.files = [Parts().record("f", nil, Self.whole)]
        let error = UseCases.failure {
            try OutputFile(directory.host("o"), replaces: true).write(
                OverlayPackage(overlay: overlay, contents: Changed()), captured: UseCases.captured, jobs: 1)
        }
        #expect(error?.path == HostPath("f") && error?.message == "has changed since it was compared")
        #expect(try directory.names == [])
    }
}
