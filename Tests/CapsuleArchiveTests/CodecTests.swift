import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleArchive

@Suite struct PayloadCodingTests {
    @Test(arguments: MemberCodec.allCases)
    func payloadsComeBack(codec: MemberCodec) {
        var random = SeededGenerator(seed: 9)
        for bytes in [[], [1], random.bytes(100), random.bytes(100_000), [UInt8](repeating: 7, count: 100_000)] {
            let payload = PayloadCoding.encode(bytes, codec: codec)
            #expect(PayloadCoding.decode(payload, limit: UInt64(bytes.count)) == bytes)
            #expect(payload.count <= bytes.count + 9)
            if bytes.count > 0 { #expect(PayloadCoding.decode(payload, limit: UInt64(bytes.count) - 1) == nil, "over the limit") }
        }
    }

    @Test(arguments: MemberCodec.allCases)
    func whatCompressesIsCompressed(codec: MemberCodec) {
        let payload = PayloadCoding.encode([UInt8](repeating: 7, count: 100_000), codec: codec)
        #expect(payload[0] == (codec == .gzip ? 1 : 2))
        #expect(payload.count < 1_000)
        #expect(PayloadCoding.encode([1, 2, 3], codec: codec) == [0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3])
    }

    /// Claims that the bytes don't bear out: none costs an allocation of its size, none is read.
    @Test(arguments: [0, 1, 2] as [UInt8], [UInt64.max, 1 << 62, 1 << 40, 1 << 31, 11, 9, 0])
    func bombsAreRefused(coding: UInt8, claim: UInt64) {
        var payload: [UInt8] = [coding]
        payload.appendInteger(claim)
        let compressed = PayloadCoding.encode(Array("0123456789".utf8), codec: coding == 1 ? .gzip : .zstd)
        payload += coding == 0 ? Array("0123456789".utf8) : Array(compressed[9...])
        #expect(PayloadCoding.decode(payload, limit: 2 << 30) == nil)
    }

    @Test(arguments: MemberCodec.allCases)
    func moreThanTheClaimIsRefused(codec: MemberCodec) {
        var payload = PayloadCoding.encode([UInt8](repeating: 0, count: 1 << 20), codec: codec)
        payload.replaceSubrange(1..<9, with: [0, 0, 1, 0, 0, 0, 0, 0])
        #expect(PayloadCoding.decode(payload, limit: 2 << 30) == nil)
    }

    @Test(
        arguments: [
            [], [0], [0, 0, 0, 0, 0, 0, 0, 0], [3, 0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 0],
            [2, 0, 0, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func headersThatAreNone(payload: [UInt8]) {
        let decoded = PayloadCoding.decode(payload, limit: 100)
        // Nothing at all is what zstd makes of no frames.
        #expect(decoded == nil || (payload.first == 2 && decoded == []))
    }

    @Test(arguments: MemberCodec.allCases)
    func everyFlippedByteIsHarmless(codec: MemberCodec) {
        let bytes = Array("some text, some more text, some text".utf8) + [UInt8](repeating: 0, count: 300)
        let payload = PayloadCoding.encode(bytes, codec: codec)
        for place in payload.indices {
            for value in UInt8.min...UInt8.max where value != payload[place] {
                var damaged = payload
                damaged[place] = value
                if let decoded = PayloadCoding.decode(damaged, limit: 1_000) { #expect(decoded.count <= 1_000) }
            }
        }
        for length in payload.indices { #expect(PayloadCoding.decode(Array(payload[..<length]), limit: 1_000) == nil) }
    }
}

@Suite struct IncompressibleRunsTests {
    private static func parts(_ stream: [UInt8]) -> [IncompressibleRuns.Part] { raw(stream) { IncompressibleRuns.split($0) } }

    @Test(arguments: SeededGenerator.seeds)
    func partsCoverTheStreamInOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            var stream: [UInt8] = []
            for _ in 0..<random.number(0...6) {
                let length = random.number(1...40_000)
                stream += random.isLucky(oneIn: 2) ? random.bytes(length) : [UInt8](repeating: UInt8(ascii: "t"), count: length)
            }
            let parts = Self.parts(stream)
            #expect(parts.first?.range.lowerBound == 0 && parts.last?.range.upperBound == stream.count)
            for (left, right) in zip(parts, parts.dropFirst()) { #expect(left.range.upperBound == right.range.lowerBound) }
            for part in parts where part.isIncompressible { #expect(part.range.count >= IncompressibleRuns.shortestRun) }
        }
    }

    @Test func noiseIsStoredAndTextIsNot() {
        var random = SeededGenerator(seed: 4)
        let text = (0..<40_960).map { _ in random.pick(Array("capsule \n".utf8)) }
        #expect(Self.parts(random.bytes(65_536)) == [.init(range: 0..<65_536, isIncompressible: true)])
        #expect(Self.parts(text) == [.init(range: 0..<40_960, isIncompressible: false)])
        #expect(Self.parts([UInt8](repeating: 0, count: 65_536)) == [.init(range: 0..<65_536, isIncompressible: false)])
        let mixed = Self.parts(text + random.bytes(32_768) + text)
        #expect(mixed.map(\.isIncompressible) == [false, true, false])
        #expect(mixed[1].range == 40_960..<73_728)
    }

    @Test func aShortRunIsNotWorthIt() {
        var random = SeededGenerator(seed: 4)
        #expect(Self.parts(random.bytes(16_383)).map(\.isIncompressible) == [false])
        #expect(Self.parts([]) == [.init(range: 0..<0, isIncompressible: false)])
        let text = [UInt8](repeating: 0, count: 16_384)
        #expect(Self.parts(text + random.bytes(12_288) + text).map(\.isIncompressible) == [false])
    }
}

@Suite struct SparseMapTests {
    private static let block = 65_536

    private static func map(_ parts: [(Int, UInt8)]) -> SparseMap {
        raw(parts.flatMap { [UInt8](repeating: $0.1, count: $0.0) }) { SparseMap(of: $0) }
    }

    @Test(
        arguments: [
            ([], [], []), ([(65_535, 0)], [], [0..<65_535]), ([(65_536, 0)], [0..<65_536], []),
            ([(65_537, 0)], [0..<65_536], [65_536..<65_537]),
            ([(131_072, 0)], [0..<131_072], []), ([(1, 1), (200_000, 0)], [65_536..<196_608], [0..<65_536, 196_608..<200_001]),
            ([(65_536, 0), (1, 1)], [0..<65_536], [65_536..<65_537]),
            ([(65_536, 1), (65_536, 0), (65_536, 1)], [65_536..<131_072], [0..<65_536, 131_072..<196_608]),
            ([(32_768, 1), (65_536, 0), (32_768, 1)], [], [0..<131_072]),
        ] as [([(Int, UInt8)], [Range<UInt64>], [Range<UInt64>])])
    func holesAreWholeAlignedBlocks(parts: [(Int, UInt8)], holes: [Range<UInt64>], data: [Range<UInt64>]) {
        let map = Self.map(parts)
        #expect(map.holes == holes)
        #expect(map.data == data)
        #expect(map.storedLength == data.reduce(0) { $0 + UInt64($1.count) })
        #expect(map.size == UInt64(parts.reduce(0) { $0 + $1.0 }))
    }

    @Test func zerosAreZerosAtAnyLengthAndPlace() {
        for length in 0..<40 {
            let zeros = [UInt8](repeating: 0, count: length)
            #expect(raw(zeros) { SparseMap.isZeros($0) })
            for place in 0..<length {
                var bytes = zeros
                bytes[place] = 1
                #expect(!raw(bytes) { SparseMap.isZeros($0) }, "byte \(place) of \(length)")
            }
        }
    }

    @Test func holesThatTouchBecomeOne() {
        var map = SparseMap(size: 400_000)
        map.addHole(0..<65_536)
        map.addHole(65_536..<131_072)
        map.addHole(131_072..<131_072)
        map.addHole(196_608..<262_144)
        #expect(map.holes == [0..<131_072, 196_608..<262_144])
    }
}
