import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleArchive

/// Passes bytes as the functions of the module take them.
func raw<Outcome>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Outcome) rethrows -> Outcome {
    try bytes.withUnsafeBytes { try body($0) }
}

/// Makes members of one codec.
enum Members {
    static func data(_ stream: [UInt8], _ codec: MemberCodec, level: Int? = nil, isLarge: Bool = false) -> [(
        bytes: [UInt8], member: EncodedMember
    )] {
        let buffer = ByteBuffer(capacity: 64)
        let encoder = DataMemberEncoder(codec: codec, level: .init(level))
        let members = raw(stream) { encoder.encode($0, isLargeFile: isLarge, to: buffer) }
        var at = 0
        return members.map { member in
            defer { at += Int(member.stored) }
            return (Array(buffer.bytes(in: at..<at + Int(member.stored))), member)
        }
    }

    static func metadata(_ kind: MemberKind, _ payload: [UInt8], _ codec: MemberCodec) -> [[UInt8]] {
        let buffer = ByteBuffer(capacity: 64)
        var ranges: [Range<Int>] = []
        raw(payload) { MetadataMember.appendPieces(kind, $0, codec: codec, to: buffer) { ranges.append($0) } }
        return ranges.map { Array(buffer.bytes(in: $0)) }
    }

    static func footer(_ footer: Footer) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 64)
        raw(footer.payload) { MetadataMember.append(.footer, $0, codec: footer.codec, to: buffer) }
        return Array(buffer.bytes)
    }

    static func parse(_ bytes: [UInt8], _ codec: MemberCodec) -> Result<MemberHeader, MemberHeader.Problem> {
        raw(bytes) { start in Result { () throws(MemberHeader.Problem) in try MemberHeader.parse(start, codec: codec) } }
    }

    static func decode(_ bytes: [UInt8], raw length: Int, _ codec: MemberCodec) -> [UInt8]? {
        let buffer = ByteBuffer(capacity: 64)
        let isWhole = raw(bytes) { DataMemberDecoder(codec: codec).decode($0, raw: length, to: buffer) }
        if !isWhole { #expect(buffer.count == 0, "a member that is not whole left something in the buffer") }
        return isWhole ? Array(buffer.bytes) : nil
    }
}

@Suite struct DataMemberTests {
    @Test(arguments: MemberCodec.allCases, [0, 1, 511, 512, 4_095, 16_384, 65_535, 65_536, 262_144, 1 << 20])
    func streamsComeBack(codec: MemberCodec, length: Int) throws {
        var random = SeededGenerator(seed: UInt64(length))
        let text = (0..<length).map { _ in random.pick(Array("capsule \n".utf8)) }
        for stream in [text, random.bytes(length), [UInt8](repeating: 0, count: length)] {
            for isLarge in [false, true] {
                let members = Members.data(stream, codec, isLarge: isLarge)
                var back: [UInt8] = []
                for (bytes, member) in members {
                    let header = try Members.parse(bytes, codec).get()
                    #expect(header.kind == .data && header.length == bytes.count)
                    #expect(header.length <= CapsuleLimits.memberStoredLength)
                    back += try #require(Members.decode(bytes, raw: Int(member.raw), codec))
                }
                #expect(back == stream)
            }
        }
    }

    @Test(arguments: MemberCodec.allCases, [nil, 1, 2, 6, 9, 12, 19, 100] as [Int?])
    func everyLevelDecodes(codec: MemberCodec, level: Int?) throws {
        let stream = Array(repeating: Array("the quick brown fox ".utf8), count: 500).flatMap { $0 }
        let member = try #require(Members.data(stream, codec, level: level).first)
        #expect(Members.decode(member.bytes, raw: stream.count, codec) == stream)
        #expect(member.bytes.count < stream.count / 10)
    }

    @Test(arguments: MemberCodec.allCases)
    func anotherLengthIsRefused(codec: MemberCodec) throws {
        let stream = Array("some text that is there".utf8)
        let member = try #require(Members.data(stream, codec).first)
        for length in [0, 1, stream.count - 1, stream.count + 1, 1 << 20, (1 << 20) + 1] {
            #expect(Members.decode(member.bytes, raw: length, codec) == nil)
        }
        #expect(Members.decode(member.bytes + [0], raw: stream.count, codec) == nil)
        #expect(Members.decode(Array(member.bytes.dropLast()), raw: stream.count, codec) == nil)
        #expect(Members.decode([], raw: 0, codec) == nil)
    }

    @Test(arguments: MemberCodec.allCases)
    func theOtherCodecsMembersAreRefused(codec: MemberCodec) throws {
        let stream = Array("text".utf8)
        let other: MemberCodec = codec == .gzip ? .zstd : .gzip
        let member = try #require(Members.data(stream, other).first)
        #expect(Members.decode(member.bytes, raw: stream.count, codec) == nil)
        #expect(throws: MemberHeader.Problem.self) { try Members.parse(member.bytes, codec).get() }
    }

    /// Flips every bit of a member. If it still decodes, the content is the same, or no checksum of the codec covers the bit.
    @Test(arguments: MemberCodec.allCases)
    func everyFlippedBitIsFoundOrHarmless(codec: MemberCodec) throws {
        let stream = Array("a stream of a few words, and of a few words more".utf8)
        let member = try #require(Members.data(stream, codec).first)
        for place in member.bytes.indices {
            for bit in 0..<8 {
                var bytes = member.bytes
                bytes[place] ^= 1 << UInt8(bit)
                if let back = Members.decode(bytes, raw: stream.count, codec) {
                    #expect(back == stream, "bit \(bit) of byte \(place)")
                }
                _ = Members.parse(bytes, codec)
            }
        }
    }

    @Test(arguments: MemberCodec.allCases)
    func everyTruncationIsShort(codec: MemberCodec) throws {
        let member = try #require(Members.data(Array("text and text and text".utf8), codec).first)
        for length in 0..<member.bytes.count {
            let cut = Array(member.bytes[..<length])
            #expect(Members.decode(cut, raw: 22, codec) == nil)
            switch Members.parse(cut, codec) {
            // The header of a gzip member is complete long before the member is.
            case .success(let header): #expect(codec == .gzip && header.length > length)
            case .failure(let problem): #expect(problem == .short, "cut to \(length)")
            }
        }
    }

    /// A small member with very many zeros ends at the claimed length.
    @Test(arguments: MemberCodec.allCases)
    func bombsEndAtTheClaim(codec: MemberCodec) throws {
        let stream = [UInt8](repeating: 0, count: 1 << 20)
        let members = Members.data(stream, codec)
        #expect(members.count == 1)
        let member = try #require(members.first)
        #expect(member.bytes.count < 5_000)
        #expect(Members.decode(member.bytes, raw: 1_000, codec) == nil)
        #expect(Members.decode(member.bytes, raw: 1 << 20, codec) == stream)
        let claimed = raw(member.bytes) { DataMemberDecoder.claimedLength(of: $0, codec: codec) }
        #expect(claimed == 1 << 20)
    }

    @Test func plainFramingHasNoExtraField() {
        let buffer = ByteBuffer(capacity: 64)
        let encoder = DataMemberEncoder(codec: .gzip, level: .init(nil), framing: .plain)
        _ = raw(Array("text".utf8)) { encoder.encode($0, isLargeFile: false, to: buffer) }
        #expect(Array(buffer.bytes.prefix(10)) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
    }
}

@Suite struct MetadataMemberTests {
    static let kinds: [MemberKind] = [.indexBlock, .indexRoot, .manifest]

    @Test(arguments: MemberCodec.allCases, [0, 1, 9, 64_999, 65_000, 65_001, 130_000, 130_001])
    func payloadsComeBackInPieces(codec: MemberCodec, length: Int) throws {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for kind in Self.kinds {
            let members = Members.metadata(kind, payload, codec)
            #expect(members.count == max(1, (length + 64_999) / 65_000))
            for (number, member) in members.enumerated() {
                let header = try Members.parse(member, codec).get()
                #expect(header.kind == kind && header.length == member.count)
                #expect(header.piece == number && header.pieces == members.count)
            }
            #expect(raw(members.flatMap { $0 }) { MetadataMember.join(kind, $0, codec: codec) } == payload)
        }
    }

    @Test(arguments: MemberCodec.allCases)
    func piecesOutOfPlaceAreRefused(codec: MemberCodec) {
        let members = Members.metadata(.manifest, [UInt8](repeating: 1, count: 140_000), codec)
        let other = Members.metadata(.indexRoot, [1, 2], codec)
        for wrong in [
            [members[1], members[0], members[2]], [members[0], members[1]], [members[1], members[2]], [members[0], members[2]],
            members + [members[2]], members + other, other + members, other, [],
            [members[0], members[0], members[1], members[2]],
        ] {
            #expect(raw(wrong.flatMap { $0 }) { MetadataMember.join(.manifest, $0, codec: codec) } == nil)
        }
    }

    /// The bytes around the payload can be written in only one way.
    @Test(arguments: MemberCodec.allCases)
    func everyFlippedBitIsFoundOrInThePayload(codec: MemberCodec) throws {
        let payload = Array("payload".utf8)
        let member = Members.metadata(.indexBlock, payload, codec)[0]
        let header = try Members.parse(member, codec).get()
        let inPayload = header.payloadOffset..<header.payloadOffset + payload.count
        for place in member.indices {
            for bit in 0..<8 {
                var bytes = member
                bytes[place] ^= 1 << UInt8(bit)
                let joined = raw(bytes) { MetadataMember.join(.indexBlock, $0, codec: codec) }
                if inPayload.contains(place) {
                    #expect(joined != payload && joined?.count == payload.count)
                } else {
                    #expect(joined == nil, "bit \(bit) of byte \(place)")
                }
            }
        }
    }

    @Test(arguments: MemberCodec.allCases)
    func everyTruncationIsShort(codec: MemberCodec) {
        let member = Members.metadata(.manifest, [1, 2, 3], codec)[0]
        for length in 0..<member.count {
            let cut = Array(member[..<length])
            #expect(raw(cut) { MetadataMember.join(.manifest, $0, codec: codec) } == nil)
            if case .failure(let problem) = Members.parse(cut, codec) { #expect(problem == .short, "cut to \(length)") }
        }
    }

    @Test func lengthsOfFootersAreFixed() {
        #expect(MemberCodec.gzip.footerMemberLength == 271)
        #expect(MemberCodec.zstd.footerMemberLength == 255)
    }

    /// Every field of a gzip member's header, one value beyond its valid ones.
    @Test(
        arguments: [
            (0, 0x1E, "ID1"), (1, 0x8C, "ID2"), (2, 0x09, "CM"), (3, 0x00, "FLG without FEXTRA"), (3, 0x0C, "FLG with FNAME"),
            (4, 1, "MTIME"),
            (8, 2, "XFL"), (9, 3, "OS"), (10, 0, "XLEN"), (12, 0x44, "SI1"), (13, 0x51, "SI2"), (14, 0, "LEN"),
            (16, 0x58, "kind"), (20, 1, "length"),
            (20, 0xFF, "length beyond any"),
        ] as [(Int, UInt8, String)])
    func gzipFields(place: Int, value: UInt8, name: String) throws {
        var bytes = try #require(Members.data(Array("text".utf8), .gzip).first).bytes
        bytes[place] = value
        #expect(Members.parse(bytes, .gzip) == .failure(.invalid), "\(name)")
    }

    /// Every field of a skippable frame's header.
    @Test(
        arguments: [
            (0, 0x5D, "magic"), (3, 0x19, "magic"), (4, 0xFF, "frame size"), (8, 0x44, "C"), (9, 0x51, "P"),
            (10, 0x44, "kind of data"),
            (10, 0x58, "unknown kind"), (11, 0xFF, "length"), (15, 1, "piece not below pieces"), (17, 0, "no pieces"),
        ] as [(Int, UInt8, String)])
    func zstdFields(place: Int, value: UInt8, name: String) {
        var bytes = Members.metadata(.manifest, [1, 2, 3], .zstd)[0]
        bytes[place] = value
        #expect(Members.parse(bytes, .zstd) == .failure(.invalid), "\(name)")
    }
}

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
