import CapsuleCore
import Synchronization
import TestSupport
import Testing

@testable import CapsuleArchive
@testable import CapsuleContainers
@testable import CapsuleEngine

/// The cost of many versions, counted in reads: a nightly capsule must not become slower every night.
@Suite struct GrowthTests {
    /// A capsule in memory that counts the reads.
    private final class CountedFile: RemoteBytes {
        let path = HostPath("counted.capsule")
        private let bytes: [UInt8]
        private let reads = Atomic<Int>(0)
        var count: Int { reads.load(ordering: .relaxed) }

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var length: UInt64 { UInt64(bytes.count) }

        func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) {
            reads.add(1, ordering: .relaxed)
            buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + buffer.count])
        }

        func fetch(_ ranges: [Range<UInt64>]) {}
    }

    /// Returns the number of reads that `body` makes of a capsule with 20 versions, and of one with 40.
    private static func reads(
        _ body: (CapsuleReader, CatalogCache) throws -> Void
    ) throws -> (twenty: Int, forty: Int) {
        let directory = try TemporaryDirectory()
        let cache = StatCacheDirectory(directory.host("cache/capsule"))
        var options = PackOptions(captured: UseCases.captured)
        options.container.statCache = true
        options.container.statCacheDirectory = cache
        var counts: [Int] = []
        var tree: TreeLiteral = [:]
        for number in 0..<5 { tree[TreeLiteral.RawPath(Array("f\(number)".utf8))] = .file("file \(number)") }
        for version in 1...40 {
            tree[TreeLiteral.RawPath(Array("f\(version % 5)".utf8))] = .file("version \(version)")
            try tree.make(at: directory["t\(version)"])
            _ = try Packer(options: options).append(
                UseCases.container(directory["t\(version)"]), to: directory.host("x.capsule"), .init())
            guard version % 20 == 0 else { continue }
            let file = CountedFile(try Files.read(directory["x.capsule"]))
            try body(try CapsuleReader(CapsuleFile(file)), CatalogCache(cache))
            counts.append(file.count)
        }
        return (counts[0], counts[1])
    }

    @Test func verifyingReadsEachVersionOnce() throws {
        let (twenty, forty) = try Self.reads { capsule, _ throws in
            let outcome = try Verifier(isStrict: false, jobs: 1).verify(capsule)
            #expect(outcome.findings == [])
        }
        #expect(forty * 10 < twenty * 22, "\(twenty) reads for 20 versions, \(forty) for 40")
    }

    @Test func anAppendReadsTheNewestVersionOnly() throws {
        let (twenty, forty) = try Self.reads { capsule, cache throws in
            _ = try BaseReading(capsule, readsBack: true, jobs: 1)
            let history = CapsuleHistory(capsule, jobs: 1, cache: cache)
            let blocks = try history.catalogue().blocks
            #expect(blocks.count >= 20)
        }
        #expect(forty <= twenty, "\(twenty) reads for 20 versions, \(forty) for 40")
    }
}
