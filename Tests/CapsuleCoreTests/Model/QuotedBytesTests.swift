import CapsuleCore
import Testing

@Suite struct QuotedBytesTests {
    @Test(
        arguments: [
            (Array("plain \u{E9} \u{1F600} \\".utf8), "plain \u{E9} \u{1F600} \\"), ([], ""),
            ([0x61, 0xFF, 0x62], "a\\xFFb"), ([0xC3], "\\xC3"), ([0xE2, 0x82], "\\xE2\\x82"),
            ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"),
            (Array("a\n\t\r\u{1B}[1m\u{7F}\u{0}".utf8), "a\\n\\t\\r\\x1B[1m\\x7F\\x00"),
            (Array("\u{202E}x\u{85}".utf8), "\\xE2\\x80\\xAEx\\xC2\\x85"),
        ] as [([UInt8], String)])
    func isOneHarmlessLine(bytes: [UInt8], text: String) {
        #expect(QuotedBytes(bytes).text == text)
    }
}
