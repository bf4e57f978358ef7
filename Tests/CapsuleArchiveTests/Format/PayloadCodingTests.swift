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

    /// Claims that the bytes don't match. None of them costs an allocation of the claimed size, and none is read.
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
        // No frames at all are nothing to zstd.
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
