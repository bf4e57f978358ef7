import CapsuleCore
import CapsuleHashing
import TestSupport
import Testing

@testable import CapsuleArchive

@Suite struct FooterTests {
    static func footer(_ codec: MemberCodec, previous: Footer.Previous? = nil) -> Footer {
        Footer(
            codec: codec, isOverlay: previous != nil, offset: 1_000, segmentStart: 100, version: 7,
            root: Footer.FileRange(offset: 500, length: 300, digest: SHA256Hasher.digest(of: [1])),
            manifest: Footer.FileRange(offset: 800, length: 200, digest: SHA256Hasher.digest(of: [2])), previous: previous,
            segmentDigest: SHA256Hasher.digest(of: [3]))
    }

    static let previous = Footer.Previous(offset: 40, digest: SHA256Hasher.digest(of: [4]))

    private static func read(_ payload: [UInt8]) throws(Footer.Problem) -> Footer {
        try payload.withRawBytes { (bytes) throws(Footer.Problem) in try Footer(payload: bytes) }
    }

    /// Returns the payload with its own digest corrected.
    private static func sealed(_ payload: [UInt8]) -> [UInt8] {
        let covered = Array(payload.prefix(208))
        return covered + SHA256Hasher.digest(of: covered).withBytes { Array($0) }
    }

    @Test(arguments: MemberCodec.allCases, [nil, previous])
    func comesBack(codec: MemberCodec, previous: Footer.Previous?) throws {
        let footer = Self.footer(codec, previous: previous)
        #expect(footer.payload.count == 240)
        #expect(try Self.read(footer.payload) == footer)
    }

    @Test func bytesAreThoseOfTheFormat() {
        let payload = Self.footer(.zstd, previous: Self.previous).payload
        #expect(Array(payload[..<16]) == Array("CAPSULE\0".utf8) + [1, 0, 1, 0, 2, 1, 0, 0])
        #expect(Array(payload[16..<40]) == [0xE8, 3, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0])
        #expect(Array(payload[40..<56]) == [0xF4, 1, 0, 0, 0, 0, 0, 0, 0x2C, 1, 0, 0, 0, 0, 0, 0])
        #expect(Array(payload[56..<88]) == SHA256Hasher.digest(of: [1]).withBytes { Array($0) })
        #expect(Array(payload[88..<104]) == [0x20, 3, 0, 0, 0, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0])
        #expect(Array(payload[104..<136]) == SHA256Hasher.digest(of: [2]).withBytes { Array($0) })
        #expect(Array(payload[136..<144]) == [40, 0, 0, 0, 0, 0, 0, 0])
        #expect(Array(payload[144..<176]) == SHA256Hasher.digest(of: [4]).withBytes { Array($0) })
        #expect(Array(payload[176..<208]) == SHA256Hasher.digest(of: [3]).withBytes { Array($0) })
        #expect(Array(payload[208...]) == SHA256Hasher.digest(of: Array(payload[..<208])).withBytes { Array($0) })
        #expect(
            Array(Self.footer(.gzip).payload[136..<176]) == [UInt8](repeating: 0xFF, count: 8) + [UInt8](repeating: 0, count: 32))
    }

    @Test(arguments: MemberCodec.allCases)
    func everyFlippedBitIsFound(codec: MemberCodec) {
        let payload = Self.footer(codec, previous: Self.previous).payload
        for place in payload.indices {
            for bit in 0..<8 {
                var bytes = payload
                bytes[place] ^= 1 << UInt8(bit)
                #expect(throws: Footer.Problem.self, "bit \(bit) of byte \(place)") { try Self.read(bytes) }
            }
        }
    }

    @Test(arguments: [0, 1, 8, 207, 208, 239, 241])
    func anotherLengthIsNone(length: Int) {
        let payload = Self.footer(.gzip).payload
        let bytes = length <= 240 ? Array(payload[..<length]) : payload + [0]
        #expect(throws: Footer.Problem.self) { try Self.read(bytes) }
    }

    /// Fields that contradict each other, with a correct digest.
    @Test(
        arguments: [
            (12, 0, "codec 0"), (12, 3, "codec 3"), (13, 2, "an unknown flag"), (14, 1, "the reserved u16"), (32, 0, "version 0"),
            (36, 1, "the reserved u32"),
            (25, 2, "a segment that starts behind the root"), (40, 0xF5, "a root that overlaps the manifest"),
            (96, 199, "a gap before the footer"),
            (55, 0xFF, "a root that ends beyond any place"), (103, 0xFF, "a manifest that ends beyond any place"),
            (136, 0xFF, "a previous footer behind the segment"),
        ] as [(Int, UInt8, String)])
    func contradictionsAreRefused(place: Int, value: UInt8, what: String) {
        var payload = Self.footer(.gzip, previous: Self.previous).payload
        payload[place] = value
        #expect(throws: Footer.Problem.self, "\(what)") { try Self.read(Self.sealed(payload)) }
    }

    @Test func aDigestWithoutAPreviousFooterIsRefused() {
        var payload = Self.footer(.gzip).payload
        payload[150] = 1
        #expect(throws: Footer.Problem.self) { try Self.read(Self.sealed(payload)) }
    }

    @Test(arguments: [(2, 0), (2, 1), (1, 0), (0, 9)] as [(UInt8, UInt8)])
    func anotherFormatIsNamed(major: UInt8, minor: UInt8) {
        var payload = Self.footer(.gzip).payload
        (payload[8], payload[10]) = (major, minor)
        do {
            _ = try Self.read(Self.sealed(payload))
            Issue.record("a footer of format \(major).\(minor) was read")
        } catch {
            guard case .format(UInt16(major), UInt16(minor)) = error else { Issue.record("\(error)"); return }
        }
        // Only a footer with a correct digest can report another format.
        do {
            _ = try Self.read(payload)
            Issue.record("a footer with a wrong digest was read")
        } catch {
            guard case .damaged = error else { Issue.record("\(error)"); return }
        }
    }

    @Test func aNewerMinorIsReadAndItsFieldsPassedOver() throws {
        var payload = Self.footer(.gzip).payload
        payload[10] = 3
        payload[13] = 0x80
        payload[14] = 9
        payload[36] = 9
        let footer = try Self.read(Self.sealed(payload))
        #expect(footer.minorFormat == 3)
        #expect(!footer.isOverlay)
    }

    @Test(arguments: MemberCodec.allCases)
    func everyFlippedBitOfTheMemberIsFound(codec: MemberCodec) {
        let member = Members.footer(Self.footer(codec))
        #expect(member.count == codec.footerMemberLength)
        for place in member.indices {
            for bit in 0..<8 {
                var bytes = member
                bytes[place] ^= 1 << UInt8(bit)
                let payload = raw(bytes) { MetadataMember.join(.footer, $0, codec: codec) }
                let footer = payload.flatMap { try? Self.read($0) }
                #expect(footer == nil, "bit \(bit) of byte \(place)")
            }
        }
    }
}
