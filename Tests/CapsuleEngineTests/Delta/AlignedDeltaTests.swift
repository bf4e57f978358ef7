import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import Synchronization
import TestSupport
import Testing

@testable import CapsuleEngine

@Suite struct AlignedDeltaTests {
    private static let small = DeltaTuning(
        windowLength: 1 << 11, chunkSizes: Chunker.Sizes(minimum: 64, average: 256, maximum: 1_024), shortestMatch: 32)

    private func content(_ bytes: [UInt8]) -> InMemoryContent {
        InMemoryContent(
            bytes, as: TreeEntry(path: .root, kind: .file, mode: FileMode(0o600), modified: Timestamp(seconds: 0)))
    }

    /// Returns the delta between two contents, after checking that old and kept bytes together have the digest.
    private func delta(
        _ old: [UInt8], to content: any OpenContent, length: Int, jobs: Int = 2, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> AlignedDelta? {
        guard
            let delta = try AlignedDelta(
                from: self.content(old), length: UInt64(old.count), to: content, length: UInt64(length), jobs: jobs,
                tuning: Self.small)
        else { return nil }
        var hasher = SHA256Hasher()
        var at: UInt64 = 0
        for piece in delta.pieces {
            switch piece {
            case .old(let range):
                #expect(UInt64(range.count) >= Self.small.shortestMatch, sourceLocation: sourceLocation)
                hasher.update(Array(old[Int(range.lowerBound)..<Int(range.upperBound)]))
                at += UInt64(range.count)
            case .new(let range):
                #expect(range.lowerBound == at, sourceLocation: sourceLocation)
                for place in range {
                    let kept = try #require(delta.kept.first { $0.start <= place && place - $0.start < $0.bytes.count })
                    hasher.update([kept.bytes[Int(place - kept.start)]])
                }
                at = range.upperBound
            }
        }
        #expect(at == UInt64(length), sourceLocation: sourceLocation)
        #expect(hasher.finish() == delta.digest, sourceLocation: sourceLocation)
        return delta
    }

    private func newRanges(_ delta: AlignedDelta) -> [Range<UInt64>] {
        delta.pieces.compactMap { if case .new(let range) = $0 { range } else { nil } }
    }

    @Test(arguments: SeededGenerator.seeds)
    func oneEditAndAFewInPlace(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let old = random.bytes(random.number(0...20_000))
            var new = old
            let place = random.number(0...new.count)
            switch random.number(0...2) {
            case 0: new.insert(contentsOf: random.bytes(random.pick([1, 38, 600])), at: place)
            case 1: new.removeSubrange(place..<min(new.count, place + random.pick([1, 38, 600])))
            default: break
            }
            for _ in 0..<random.number(0...2) where !new.isEmpty { new[random.number(0...new.count - 1)] ^= 1 }
            guard let found = try delta(old, to: content(new), length: new.count) else { continue }
            #expect(found.digest == SHA256Hasher.digest(of: new))
            let ranges = newRanges(found)
            #expect(
                found.digest(of: ranges)
                    == SHA256Hasher.digest(of: ranges.flatMap { new[Int($0.lowerBound)..<Int($0.upperBound)] }))
            for jobs in [1, 3] {
                let again = try delta(old, to: content(new), length: new.count, jobs: jobs)
                #expect(again?.pieces == found.pieces && again?.digest == found.digest)
            }
        }
    }

    @Test func anInsertionCostsItsLength() throws {
        var random = SeededGenerator(seed: 1)
        let old = random.bytes(50_000)
        let inserted = random.bytes(38)
        let new = Array(old.prefix(30_011)) + inserted + Array(old.dropFirst(30_011))
        let found = try #require(try delta(old, to: content(new), length: new.count))
        // A byte that is equal by chance at either end is counted with its neighbors.
        #expect(newRanges(found).reduce(0) { $0 + $1.count } <= 38 + 2 * Int(Self.small.shortestMatch))
        let cut = Array(old.prefix(30_011)) + Array(old.dropFirst(30_511))
        let shorter = try #require(try delta(old, to: content(cut), length: cut.count))
        #expect(newRanges(shorter).reduce(0) { $0 + $1.count } <= 2 * Int(Self.small.shortestMatch))
    }

    @Test func whatDiffersTooMuchIsLeftToOthers() throws {
        var random = SeededGenerator(seed: 2)
        let old = random.bytes(300_000)
        let other = random.bytes(300_000)
        #expect(try delta(old, to: content(other), length: other.count) == nil)
        #expect(try delta(Array(old.prefix(1_000)), to: content(old), length: old.count) == nil)
        #expect(try delta(old, to: content([]), length: 0)?.pieces == [])
    }

    @Test func stretchesThatWereNotKeptHaveNoDigest() throws {
        var random = SeededGenerator(seed: 3)
        let old = random.bytes(20_000)
        let found = try #require(try delta(old, to: content(old), length: old.count))
        #expect(found.pieces == [.old(0..<20_000)])
        #expect(found.digest(of: []) == SHA256Hasher.digest(of: []))
        #expect(found.digest(of: [100..<101]) == nil)
    }

    /// Another process writes to the file all the time, so that each read differs. The kept bytes are still those that were
    /// digested.
    @Test func whatIsDigestedIsWhatWasCompared() throws {
        var random = SeededGenerator(seed: 4)
        let old = random.bytes(40_000)
        for edit in [0, 17] {
            let new = Array(old.prefix(9_000)) + random.bytes(edit) + Array(old.dropFirst(9_000))
            _ = try #require(try delta(old, to: RestlessContent(new), length: new.count))
        }
    }
}

/// A content in which another byte is wrong each time it is read.
private final class RestlessContent: OpenContent {
    private let bytes: [UInt8]
    private let readings = Atomic(0)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func status() -> ContentStatus {
        ContentStatus(
            size: UInt64(bytes.count), mode: FileMode(0o600), modified: Timestamp(seconds: 0), live: nil)
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = bytes[Int(offset)..<min(bytes.count, Int(offset) + buffer.count)]
        buffer.copyBytes(from: part)
        let number = readings.add(1, ordering: .relaxed).newValue
        if !part.isEmpty { buffer[number * 100 % part.count] ^= 0xFF }
        return part.count
    }
}
