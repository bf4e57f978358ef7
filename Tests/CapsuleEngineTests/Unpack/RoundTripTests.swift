import CapsuleCore
import CapsuleEngine
import TestSupport
import Testing

/// Packing and unpacking gives the same tree.
@Suite struct RoundTripTests {
    @Test(arguments: SeededGenerator.seeds, [PackOptions.Codec.gzip, .zstd])
    func generatedDirectories(seed: UInt64, codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let tree = generatedTree(seed: seed, entries: 80, hasAttributes: FileSystemTraits.temporary.keepsAttributes)
        try tree.make(at: directory["tree"])
        let outcome = try UseCases.pack(directory["tree"], to: directory["t.capsule"]) {
            $0.codec = codec; $0.jobs = 2
        }
        #expect(outcome.manifest.layout == .directory)
        #expect(outcome.manifest.entries == UInt64(tree.paths.count))
        #expect(try UseCases.verify(directory["t.capsule"]).findings == [])
        try UseCases.unpack(directory["t.capsule"], to: directory["back"]) { $0.jobs = 2 }
        #expect(tree.differences(from: try TreeLiteral(reading: directory["back"])) == [])
        // The source is unchanged.
        #expect(tree.differences(from: try TreeLiteral(reading: directory["tree"])) == [])
    }

    @Test(arguments: SeededGenerator.seeds)
    func generatedBundles(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        let tree = bundle(
            generatedTree(seed: seed &+ 1, entries: 50, hasAttributes: FileSystemTraits.temporary.keepsAttributes),
            identity: "com.example.app")
        try tree.make(at: directory["A.xcappdata"])
        try UseCases.pack(directory["A.xcappdata"], to: directory["t.capsule"])
        #expect(try UseCases.verify(directory["t.capsule"]).findings == [])
        try UseCases.unpack(directory["t.capsule"], to: directory["back"])
        #expect(tree.differences(from: try TreeLiteral(reading: directory["back"])) == [])
    }

    /// Several levels, of which some are beyond the end of a codec's scale.
    @Test(arguments: [PackOptions.Codec.gzip, .zstd], [1, 4, 12, 19])
    func levels(codec: PackOptions.Codec, level: Int) throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = [
            "": .directory(), "f": .file(String(repeating: "some text ", count: 9_000)),
            "z": .file([UInt8](repeating: 0, count: 300_000)),
        ]
        try tree.make(at: directory["tree"])
        try UseCases.pack(directory["tree"], to: directory["t.capsule"]) {
            $0.codec = codec; $0.level = level
        }
        #expect(try UseCases.verify(directory["t.capsule"]).isWhole)
        try UseCases.unpack(directory["t.capsule"], to: directory["back"])
        #expect(tree.differences(from: try TreeLiteral(reading: directory["back"])) == [])
    }

    /// Sizes near those of blocks, groups and members, for noise, text and zeros.
    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func sizesAtLimits(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        var tree: TreeLiteral = ["": .directory()]
        var random = SeededGenerator(seed: 7)
        for size in [
            0, 1, 511, 512, 513, 65_535, 65_536, 65_537, 261_632, 262_143, 262_144, 262_145, 524_288, 1_048_575, 1_048_576,
            1_048_577,
        ] {
            tree[TreeLiteral.RawPath(Array("noise \(size)".utf8))] = .file(random.bytes(size))
            tree[TreeLiteral.RawPath(Array("text \(size)".utf8))] = .file([UInt8](repeating: 0x74, count: size))
            tree[TreeLiteral.RawPath(Array("zeros \(size)".utf8))] = .file([UInt8](repeating: 0, count: size))
        }
        try tree.make(at: directory["tree"])
        try UseCases.pack(directory["tree"], to: directory["t.capsule"]) {
            $0.codec = codec; $0.jobs = 3
        }
        #expect(try UseCases.verify(directory["t.capsule"]).findings == [])
        try UseCases.unpack(directory["t.capsule"], to: directory["back"]) { $0.jobs = 3 }
        #expect(tree.differences(from: try TreeLiteral(reading: directory["back"])) == [])
    }

    /// Holes take no space in the capsule or, if the file system supports it, in the unpacked file.
    @Test func holesComeBackAsHoles() throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = ["sparse": .file([UInt8](repeating: 0, count: 40 << 20) + [1])]
        try tree.make(at: directory["tree"])
        let outcome = try UseCases.pack(directory["tree"], to: directory["t.capsule"])
        #expect(outcome.length < 10_000)
        try UseCases.unpack(directory["t.capsule"], to: directory["back"])
        #expect(tree.differences(from: try TreeLiteral(reading: directory["back"])) == [])
        #expect(try UseCases.list(directory["t.capsule"]).first?.size == (40 << 20) + 1)
    }

    @Test func emptyThings() throws {
        let directory = try TemporaryDirectory()
        for (name, tree) in [
            ("none", ["": .directory(mode: 0o700)]), ("empties", ["f": .file(), "d": .directory(), "d/e": .directory()]),
        ] as [(String, TreeLiteral)] {
            try tree.make(at: directory[name])
            try UseCases.pack(directory[name], to: directory[name + ".capsule"])
            #expect(try UseCases.verify(directory[name + ".capsule"]).findings == [])
            try UseCases.unpack(directory[name + ".capsule"], to: directory[name + " back"])
            #expect(tree.differences(from: try TreeLiteral(reading: directory[name + " back"])) == [])
        }
    }

    @Test func listingAgreesWithTheTree() throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = [
            "": .directory(), "b": .file("bytes", mode: 0o600), "a/x": .file(), "a-b": .file(), "l": .link("b"),
        ]
        try tree.make(at: directory["tree"])
        try UseCases.pack(directory["tree"], to: directory["t.capsule"])
        for source in [directory["tree"], directory["t.capsule"]] {
            let entries = try UseCases.list(source, digesting: true)
            #expect(entries.map { $0.path.description } == ["a", "a-b", "a/x", "b", "l"])
            let file = try #require(entries.first { $0.path.description == "b" })
            #expect(file.size == 5 && file.mode.rawValue == 0o600 && file.modified == TreeNode.time)
            #expect(file.digest.hex == "277089d91c0bdf4f2e6862ba7e4a07605119431f5d13f726dd352b06f1b206a9")
            #expect(entries.last?.target == Array("b".utf8))
        }
        #expect(try UseCases.list(directory["t.capsule"], ["a"]).map { $0.path.description } == ["a", "a/x"])
        #expect(try UseCases.list(directory["t.capsule"], ["a/x", "./b"]).map { $0.path.description } == ["a/x", "b"])
        #expect(UseCases.failure { try UseCases.list(directory["t.capsule"], ["nowhere"]) }?.code == .notFound)
        #expect(UseCases.failure { try UseCases.list(directory["t.capsule"], ["a/../b"]) }?.code == .usage)
    }
}
