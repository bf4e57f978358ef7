import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleSystem
import TestSupport
import Testing

@testable import CapsuleEngine

@Suite struct ContentDeltaTests {
    private static let small = DeltaTuning(
        windowLength: 1 << 10, chunkSizes: Chunker.Sizes(minimum: 64, average: 256, maximum: 1_024), shortestMatch: 32)

    /// Returns the delta between two contents, after checking everything that is true for all deltas.
    @discardableResult
    private func delta(
        _ old: [UInt8], _ new: [UInt8], tuning: DeltaTuning = small, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ContentDelta {
        let delta = try ContentDelta(
            from: content(old), length: UInt64(old.count), to: content(new), length: UInt64(new.count), tuning: tuning)
        var rebuilt: [UInt8] = []
        var last: CopiedRange?
        for copy in delta.copies {
            try #require(copy.length >= tuning.shortestMatch && copy.start >= rebuilt.count, sourceLocation: sourceLocation)
            if let last { #expect(last.end != copy.start || last.sourceEnd != copy.source, sourceLocation: sourceLocation) }
            rebuilt += new[rebuilt.count..<Int(copy.start)] + old[Int(copy.source)..<Int(copy.sourceEnd)]
            last = copy
        }
        rebuilt += new[rebuilt.count...]
        // The arrays are not compared in the macro, because nobody could read the output.
        let isRebuilt = rebuilt == new
        #expect(isRebuilt, sourceLocation: sourceLocation)
        return delta
    }

    private func content(_ bytes: [UInt8]) -> InMemoryContent {
        InMemoryContent(
            bytes, as: TreeEntry(path: .root, kind: .file, mode: FileMode(0o600), modified: Timestamp(seconds: 0)))
    }

    /// Returns the number of bytes that the old content doesn't have.
    private func newBytes(_ delta: ContentDelta, of new: [UInt8]) -> Int {
        delta.copies.reduce(new.count) { $0 - Int($1.length) }
    }

    // MARK: Any two contents

    private func edited(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<random.number(0...6) {
            let place = random.number(0...bytes.count)
            let length = random.number(0...min(bytes.count - place, random.pick([1, 40, 700, 5_000])))
            switch random.number(0...6) {
            case 0: bytes.insert(contentsOf: random.bytes(random.pick([1, 38, 600, 4_000])), at: place)
            case 1: bytes.removeSubrange(place..<place + length)
            case 2: bytes.replaceSubrange(place..<place + length, with: random.bytes(length))
            case 3:
                let block = Array(bytes[place..<place + length])
                bytes.removeSubrange(place..<place + length)
                bytes.insert(contentsOf: block, at: random.number(0...bytes.count))
            case 4: bytes.insert(contentsOf: bytes[place..<place + length], at: random.number(0...bytes.count))
            case 5: bytes.removeLast(length)
            default: bytes += [UInt8](repeating: random.pick([0, 7]), count: length)
            }
        }
        return bytes
    }

    @Test(arguments: SeededGenerator.seeds)
    func newContentIsOldBytesAndNewOnes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<60 {
            var old = random.bytes(random.pick([0, 1, 31, 1_023, 1_024, 1_025, 20_000]))
            if round % 3 == 0 { old += [UInt8](repeating: 0, count: random.number(0...5_000)) + old.prefix(3_000) }
            let new = edited(old, &random)
            try delta(old, new)
            try delta(new, old)
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func databasesAreRebuiltTooWhateverTheirPages(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for page in [512, 1_024] {
            for _ in 0..<20 {
                let old = database(pages: random.number(1...40), of: page, &random)
                var new = old
                for _ in 0..<random.number(0...5) {
                    let place = random.number(0...new.count / page - 1) * page
                    switch random.number(0...3) {
                    case 0: new.replaceSubrange(place + 100..<place + 140, with: random.bytes(40))
                    case 1: new += new[place..<place + page]
                    case 2: new += random.bytes(random.pick([page, 100]))
                    default: if new.count > 2 * page { new.removeLast(random.pick([page, 100])) }
                    }
                }
                try delta(old, new)
                try delta(new, old)
                // Pages of another length, or a file that is not a database any more.
                try delta(old, database(pages: 10, of: page * 2, &random))
                try delta(old, random.bytes(2_000))
            }
        }
    }

    private func database(pages: Int, of page: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let length = page == 65_536 ? 1 : page
        return DatabaseUnit.magic + [UInt8(length >> 8), UInt8(length & 255)] + random.bytes(pages * page - 18)
    }

    @Test(arguments: [0, 1, 511, 513, 3, 0xFFFF])
    func headersThatLieAboutPagesDoNoHarm(page: Int) throws {
        var random = SeededGenerator(seed: 4)
        let old = DatabaseUnit.magic + [UInt8(page >> 8), UInt8(page & 255)] + random.bytes(9_000)
        try delta(old, old + random.bytes(10))
        try delta(Array(old.prefix(18)), old)
    }

    // MARK: Cost

    private static let megabytes: [UInt8] = {
        var random = SeededGenerator(seed: 7)
        return random.bytes(3 << 20)
    }()

    private static let edits: [(name: String, edit: @Sendable (inout [UInt8]) -> Void, cost: Int)] = [
        ("nothing", { _ in }, 0),
        ("an insertion", { $0.insert(contentsOf: [UInt8](repeating: 1, count: 38), at: 1_000_003) }, 38),
        (
            "two insertions",
            {
                $0.insert(contentsOf: [UInt8](repeating: 1, count: 38), at: 2_000_000)
                $0.insert(contentsOf: [UInt8](repeating: 2, count: 5), at: 1_000_000)
            }, 43
        ),
        ("a removal", { $0.removeSubrange(1_500_000..<1_500_100) }, 0),
        (
            "one byte in place, all over", { for place in stride(from: 0, to: $0.count, by: 50_000) { $0[place] ^= 1 } },
            63 * 4_096
        ),
        ("growth", { $0 += [UInt8](repeating: 9, count: 5_000) }, 5_000),
        ("a cut", { $0.removeLast(700_000) }, 0),
        ("halves swapped", { $0 = Array($0[1_600_000...]) + $0[..<1_600_000] }, 3 << 16),
    ]

    @Test(arguments: edits.indices)
    func anEditCostsAboutWhatItIs(number: Int) throws {
        let (name, edit, cost) = Self.edits[number]
        var new = Self.megabytes
        edit(&new)
        let found = newBytes(try delta(Self.megabytes, new, tuning: .standard), of: new)
        #expect(found <= cost, "\(name): \(found)")
    }

    @Test(arguments: [4_096, 65_536])
    func pagesThatChangedOrMovedCostTheirOwnLength(page: Int) throws {
        var random = SeededGenerator(seed: 11)
        let old = database(pages: 40, of: page, &random)
        var new = old
        new[5 * page + 17] ^= 1
        new.replaceSubrange(9 * page..<10 * page, with: old[30 * page..<31 * page])
        new.replaceSubrange(30 * page..<31 * page, with: old[9 * page..<10 * page])
        #expect(newBytes(try delta(old, new, tuning: .standard), of: new) == page)
    }

    @Test func runsAndPeriodsAreFoundInOnePiece() throws {
        let zeros = [UInt8](repeating: 0, count: 2 << 20)
        #expect(try delta(zeros, zeros, tuning: .standard).copies == [CopiedRange(start: 0, source: 0, length: 2 << 20)])
        let shorter = Array(zeros.dropLast(999_999))
        #expect(newBytes(try delta(zeros, shorter, tuning: .standard), of: shorter) == 0)
        let longer = try delta(zeros, zeros + zeros, tuning: .standard)
        #expect(longer.copies.count < 32)
        let period = (0..<2 << 20).map { UInt8(truncatingIfNeeded: $0 % 7) }
        try delta(period, [3] + period, tuning: .standard)
        try delta(zeros, period, tuning: .standard)
    }

    // MARK: Contents that are not what they were

    @Test func whatGotShorterMeanwhileIsReadAsZeros() throws {
        let bytes = Array(Self.megabytes.prefix(100_000))
        let delta = try ContentDelta(
            from: content(Array(bytes.prefix(60_000))), length: 100_000, to: content(Array(bytes.prefix(50_000))),
            length: 100_000)
        #expect(delta.copies.first == CopiedRange(start: 0, source: 0, length: 50_000))
    }

    @Test func anErrorWhileReadingIsPassedOn() {
        let bytes = Self.megabytes
        let new = content(bytes)
        #expect(throws: CapsuleError.self) {
            try ContentDelta(from: FailingContent(), length: 3 << 20, to: new, length: 3 << 20)
        }
    }
}

private final class FailingContent: OpenContent {
    func status() throws(CapsuleError) -> ContentStatus { throw CapsuleError("is gone") }
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        throw CapsuleError("is gone")
    }
}
