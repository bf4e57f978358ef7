import CapsuleCore
import CapsuleHashing
import TestSupport
import Testing

@Suite struct SHA256HasherTests {
    /// FIPS 180-4's examples, and NIST's short messages.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func vectors(text: String, hex: String) {
        #expect(SHA256Hasher.digest(of: Array(text.utf8)).hex == hex)
    }

    @Test func aMillionTimesA() {
        let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(SHA256Hasher.digest(of: million).hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test(arguments: SeededGenerator.seeds)
    func splitUpdatesMakeNoDifference(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let bytes = random.bytes(random.number(0...300))
            var hasher = SHA256Hasher()
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(random.number(0...70))
                hasher.update(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            #expect(hasher.finish() == SHA256Hasher.digest(of: bytes))
        }
    }

    @Test func finishStartsAfresh() {
        var hasher = SHA256Hasher()
        hasher.update(Array("abc".utf8))
        let first = hasher.finish()
        hasher.update(Array("abc".utf8))
        #expect(hasher.finish() == first)
        #expect(hasher.finish() == SHA256Hasher.digest(of: []))
    }

    @Test func aDigestIsTakenInAsItsBytes() {
        let inner = SHA256Hasher.digest(of: Array("abc".utf8))
        var hasher = SHA256Hasher()
        hasher.update(inner)
        #expect(hasher.finish() == SHA256Hasher.digest(of: inner.withBytes { Array($0) }))
        var whole = SHA256Hasher()
        #expect(Array("abc".utf8).withUnsafeBytes { whole.digest(of: $0) } == inner)
    }
}
