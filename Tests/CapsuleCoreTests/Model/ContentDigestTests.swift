import CapsuleCore
import TestSupport
import Testing

@Suite struct ContentDigestTests {
    private static let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    @Test func hexadecimalComesBack() throws {
        let digest = try #require(ContentDigest(hex: Self.hex))
        #expect(digest.hex == Self.hex)
        #expect(digest.description == Self.hex)
        #expect(ContentDigest(hex: Self.hex.uppercased()) == digest)
        #expect(ContentDigest.zero.hex == String(repeating: "0", count: 64))
    }

    @Test(arguments: [
        "", "e3", String(hex.dropLast()), hex + "0", hex.replacing("e3", with: "g3"), hex.replacing("e3", with: "+3"),
        " " + hex.dropFirst(), "é" + hex.dropFirst(2),
    ])
    func otherTextIsNone(text: String) {
        #expect(ContentDigest(hex: text) == nil)
    }

    @Test(arguments: SeededGenerator.seeds)
    func bytesComeBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let bytes = random.bytes(32)
            let digest = try #require(bytes.withUnsafeBytes { ContentDigest($0) })
            #expect(digest.withBytes { Array($0) } == bytes)
            #expect(ContentDigest(hex: digest.hex) == digest)
            #expect(ContentDigest { $0.copyBytes(from: bytes) } == digest)
        }
    }

    @Test func fewerThan32BytesAreNone() {
        #expect([UInt8](repeating: 1, count: 31).withUnsafeBytes { ContentDigest($0) } == nil)
        #expect([UInt8](repeating: 1, count: 33).withUnsafeBytes { ContentDigest($0) } != nil)
    }
}
