import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import TestSupport
import Testing

@testable import CapsuleEngine

/// The parts of a large file that a capsule already has.
@Suite struct LargePreparationTests {
    private static func zeros(_ random: inout SeededGenerator) -> [UInt8] {
        [UInt8](repeating: 0, count: random.pick([1, 100_000, 200_000, 700_000]))
    }

    @Test(arguments: SeededGenerator.seeds)
    func partsAreTheFile(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        // Data and zeros by turns. The zeros are often as long as a hole.
        var runs = (0..<9).map { number in
            number % 2 == 0 ? random.bytes(random.number(300_000...700_000)) : Self.zeros(&random)
        }
        try (["f": .file(runs.flatMap(\.self))] as TreeLiteral).make(at: directory["t"])
        let version = try packed(directory["t"], to: directory["c.capsule"])
        let number = try #require(version.entries.firstIndex { $0.kind == .file })
        let capsule = version.capsule
        for _ in 0..<4 {
            runs[2 * random.number(0...4)] += [1, 2, 3]
            for _ in 0..<3 { runs[2 * random.number(0...3) + 1] = Self.zeros(&random) }
            let bytes = runs.flatMap(\.self)
            let content = InMemoryContent(
                bytes, as: TreeEntry(path: .root, kind: .file, mode: FileMode(0o600), modified: .epoch))
            let old = DeduplicationIndex.Counterpart(
                size: version.entries[number].size, content: version.content.open(version.entries[number], number: number),
                extents: version.content.extents(of: number),
                makeReader: { MemberReader(file: capsule.file, codec: capsule.codec) })
            let prepared = try LargePreparation(content, old: old, jobs: 2)
            #expect(prepared.digest == SHA256Hasher.digest(of: bytes))
            var (rebuilt, new) = ([UInt8](), 0)
            let reader = old.makeReader()
            for part in prepared.parts {
                switch part {
                case .new(let range):
                    #expect(range.lowerBound == rebuilt.count && !range.isEmpty)
                    rebuilt += bytes[Int(range.lowerBound)..<Int(range.upperBound)]
                    new += range.count
                case .stored(let extent):
                    #expect(extent.length > 0)
                    rebuilt +=
                        extent.member == nil
                        ? [UInt8](repeating: 0, count: Int(extent.length)) : Array(try reader.bytes(of: extent))
                }
            }
            let isRebuilt = rebuilt == bytes
            #expect(isRebuilt, "seed \(seed)")
            #expect(new < bytes.count / 4, "seed \(seed)")
        }
    }
}
