import CapsulePropertyList
import Testing

@Suite struct PlistStringTests {
    @Test func comparesExactCodeUnits() {
        let composed: PlistString = "\u{E9}"
        let decomposed: PlistString = "e\u{301}"
        #expect(composed.string == decomposed.string)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(composed == PlistString("\u{E9}"))
    }

    @Test(arguments: [
        ("", "a"), ("a", "b"), ("a", "aa"), ("abcdefgh", "abcdefghi"), ("abcdefghX", "abcdefghY"), ("e\u{301}", "\u{E9}"),
        ("z", "\u{E9}"), ("\u{FFFD}", "\u{1F600}"), ("a longer string than fits inline 1", "a longer string than fits inline 2"),
    ])
    func ordersByBytes(_ lesser: String, _ greater: String) {
        #expect(PlistString(lesser) < PlistString(greater))
        #expect(!(PlistString(greater) < PlistString(lesser)))
        #expect(PlistString(lesser) != PlistString(greater))
        #expect(!(PlistString(lesser) < PlistString(lesser)))
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0xC3], [0xFF],
        ] as [[UInt8]])
    func refusesInvalidUTF8(_ bytes: [UInt8]) {
        #expect(PlistString(validating: bytes) == nil)
        #expect(bytes.withUnsafeBytes { PlistString(validating: $0) } == nil)
    }

    @Test(arguments: ["", "a", "é", "日本", "😀", "fifteen bytes..", "sixteen bytes...", "\0"])
    func keepsItsBytes(_ text: String) {
        let string = PlistString(validating: Array(text.utf8))
        #expect(string == PlistString(text))
        #expect(string?.string == text)
        #expect(string?.description == text)
        #expect(string.map { Array($0.utf8) } == Array(text.utf8))
        #expect(string?.withUTF8 { Array($0) } == Array(text.utf8))
        #expect(string?.isEmpty == text.isEmpty)
        #expect(string?.hashValue == PlistString(text).hashValue)
    }
}
