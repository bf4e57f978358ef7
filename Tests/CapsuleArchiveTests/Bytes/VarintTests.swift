import Testing

@testable import CapsuleArchive

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
