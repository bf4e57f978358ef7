import CapsuleCore
import CapsuleEngine
import TestSupport
import Testing

/// The same input gives the same bytes.
@Suite struct DeterminismTests {
    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func anyNumberOfJobsAndAnyOrderOfDirectories(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        var tree = generatedTree(seed: 11, entries: 120, hasAttributes: false)
        var random = SeededGenerator(seed: 12)
        tree["large noise"] = .file(random.bytes(3 << 20))
        tree["large text"] = .file((0..<2 << 20).map { UInt8(truncatingIfNeeded: $0 / 3) })
        try tree.make(at: directory["a"])
        try tree.make(at: directory["b"], backwards: true)
        var capsules: [[UInt8]] = []
        for (source, jobs) in [("a", 1), ("a", 2), ("a", 8), ("b", 3)] {
            let name = "\(source)\(jobs).capsule"
            try UseCases.pack(directory[source], to: directory[name]) {
                $0.codec = codec; $0.jobs = jobs
            }
            capsules.append(try Files.read(directory[name]))
        }
        #expect(capsules[0] == capsules[1])
        #expect(capsules[0] == capsules[2])
        #expect(try UseCases.verify(directory["b3.capsule"]).findings == [])
        let (a, b) = (try UseCases.describe(directory["a1.capsule"]), try UseCases.describe(directory["b3.capsule"]))
        #expect(a.capsule?.manifest.treeDigest == b.capsule?.manifest.treeDigest)
    }

    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func aCopyMadeInAnotherOrder(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let tree = generatedTree(seed: 13, entries: 100, hasAttributes: FileSystemTraits.temporary.keepsAttributes)
            .withoutHardLinks
        var capsules: [[UInt8]] = []
        for (place, isBackwards) in [("one", false), ("two", true)] {
            try (["x": .file()] as TreeLiteral).make(at: directory[place])
            try tree.make(at: directory[place + "/same name"], backwards: isBackwards)
            try UseCases.pack(directory[place + "/same name"], to: directory[place + ".capsule"]) {
                $0.codec = codec; $0.jobs = isBackwards ? 8 : 1
            }
            capsules.append(try Files.read(directory[place + ".capsule"]))
        }
        #expect(capsules[0] == capsules[1])
    }

    @Test func onlyTheMomentOfPackingDiffers() throws {
        let directory = try TemporaryDirectory()
        try (["f": .file("x")] as TreeLiteral).make(at: directory["t"])
        let one = try UseCases.pack(directory["t"], to: directory["one.capsule"])
        let two = try UseCases.pack(directory["t"], to: directory["two.capsule"]) { $0.captured = Timestamp(seconds: 1) }
        #expect(one.manifest.captured == UseCases.captured && two.manifest.captured == Timestamp(seconds: 1))
        #expect(one.manifest.indexDigest == two.manifest.indexDigest)
        #expect(try Files.read(directory["one.capsule"]) != Files.read(directory["two.capsule"]))
    }
}
