import TestSupport
import Testing

@testable import CapsuleArchive

@Suite struct ChunkerTests {
    private static let sizes = Chunker.Sizes(minimum: 64, average: 256, maximum: 1_024)

    /// Returns the lengths of the chunks of `bytes`, which are passed in pieces of a length.
    private func lengths(of bytes: [UInt8], pieces: Int = .max) -> [Int] {
        var chunker = Chunker(Self.sizes)
        var lengths: [Int] = []
        var length = 0
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pieces)
            rest = rest.dropFirst(piece.count)
            piece.withUnsafeBytes { piece in
                var piece = piece
                while !piece.isEmpty {
                    let (count, isCut) = chunker.consume(piece)
                    length += count
                    piece = UnsafeRawBufferPointer(rebasing: piece[count...])
                    if isCut {
                        lengths.append(length)
                        length = 0
                    }
                }
            }
        }
        return length > 0 ? lengths + [length] : lengths
    }

    @Test(arguments: SeededGenerator.seeds)
    func chunksKeepTheirBoundsHoweverTheBytesCome(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(200_000)
        let whole = lengths(of: bytes)
        #expect(whole.reduce(0, +) == bytes.count)
        #expect(whole.dropLast().allSatisfy { (64...1_024).contains($0) })
        #expect((150...450).contains(bytes.count / whole.count))
        for pieces in [1, 63, 64, 65, 1_000] { #expect(lengths(of: bytes, pieces: pieces) == whole) }
    }

    @Test(arguments: SeededGenerator.seeds)
    func cutsComeAgainBehindAnInsertion(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(100_000)
        func ends(_ bytes: [UInt8]) -> Set<Int> {
            var at = 0
            return Set(
                lengths(of: bytes).map { length in
                    at += length
                    return bytes.count - at
                })
        }
        let before = ends(bytes)
        let common = before.intersection(ends(Array(bytes[..<1_000]) + random.bytes(38) + bytes[1_000...]))
        #expect(common.count * 10 > before.count * 9)
    }

    @Test(arguments: [0, 1, 255])
    func runsOfOneByteAreCutToo(byte: UInt8) {
        let lengths = lengths(of: [UInt8](repeating: byte, count: 10_000))
        #expect(lengths.dropLast().allSatisfy { (64...1_024).contains($0) })
    }
}

@Suite struct VarintTests {
    @Test(
        arguments: [
            (UInt64(0), [0]), (1, [1]), (127, [0x7F]), (128, [0x80, 1]), (300, [0xAC, 2]), (16_383, [0xFF, 0x7F]),
            (16_384, [0x80, 0x80, 1]),
            (.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
            (1 << 63, [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1]),
        ] as [(UInt64, [UInt8])])
    func spelling(value: UInt64, bytes: [UInt8]) throws {
        var written: [UInt8] = []
        written.appendVarint(value)
        #expect(written == bytes)
        let read = try raw(bytes) { bytes in
            var reader = ByteReader(bytes)
            return (try reader.varint(), reader.remaining)
        }
        #expect(read == (value, 0))
    }

    @Test(
        arguments: [
            [], [0x80], [0x80, 0], [0xFF, 0], [0x80, 0x80, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0],
        ] as [[UInt8]])
    func refused(bytes: [UInt8]) {
        #expect(throws: ByteReader.Shortage.self) {
            try raw(bytes) { bytes in
                var reader = ByteReader(bytes)
                _ = try reader.varint()
            }
        }
    }

    @Test(arguments: [0, 1, -1, 2, -2, 63, -64, 64, .max, .min, 1 << 40] as [Int64])
    func zigzagComesBack(value: Int64) throws {
        var written: [UInt8] = []
        written.appendZigzag(value)
        let read = try raw(written) { bytes in
            var reader = ByteReader(bytes)
            return try reader.zigzag()
        }
        #expect(read == value)
    }
}
