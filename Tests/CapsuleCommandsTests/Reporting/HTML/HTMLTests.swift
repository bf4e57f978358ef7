import TestSupport
import Testing

@testable import CapsuleCommands

@Suite struct HTMLTests {
    private static func written(_ html: HTML) -> String { String(decoding: html.bytes, as: UTF8.self) }

    @Test(
        arguments: [
            (
                Array("plain \u{E9}e\u{301} \u{1F600} \u{1F469}\u{200D}\u{1F4BB} \\".utf8),
                "plain \u{E9}e\u{301} \u{1F600} \u{1F469}\u{200D}\u{1F4BB} \\"
            ),
            ([], ""), (Array("<a b='c' d=\"e\">&amp;".utf8), "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;amp;"),
            ([0x61, 0xFF, 0x62], "a<i>\\xFF</i>b"), ([0xC3], "<i>\\xC3</i>"), ([0xE2, 0x82], "<i>\\xE2</i><i>\\x82</i>"),
            ([0xED, 0xA0, 0x80], "<i>\\xED</i><i>\\xA0</i><i>\\x80</i>"),
            ([0xF4, 0x90, 0x80, 0x80], "<i>\\xF4</i><i>\\x90</i><i>\\x80</i><i>\\x80</i>"),
            ([0xC0, 0xBC], "<i>\\xC0</i><i>\\xBC</i>"),
            (Array("\n\t\r\u{1B}\u{7F}\u{0}".utf8), "<i>\\n</i><i>\\t</i><i>\\r</i><i>\\x1B</i><i>\\x7F</i><i>\\x00</i>"),
            (Array("\u{202E}x\u{85}".utf8), "<i>\\xE2\\x80\\xAE</i>x<i>\\xC2\\x85</i>"),
            (
                Array("\u{2028}\u{FEFF}\u{200B}\u{E000}\u{FFFE}".utf8),
                "<i>\\xE2\\x80\\xA8</i><i>\\xEF\\xBB\\xBF</i><i>\\xE2\\x80\\x8B</i><i>\\xEE\\x80\\x80</i><i>\\xEF\\xBF\\xBE</i>"
            ),
            (Array("\u{E0041}".utf8), "<i>\\xF3\\xA0\\x81\\x81</i>"),
        ] as [([UInt8], String)])
    func textIsText(bytes: [UInt8], html: String) {
        #expect(Self.written("\(bytes)") == html)
        // Attributes contain no markup, but the same escapes.
        let plain = html.replacing("<i>", with: "").replacing("</i>", with: "")
        #expect(Self.written("\(attribute: bytes)") == plain)
    }

    @Test func tabsAreKeptWhereAsked() {
        #expect(Self.written("\("a\tb\n", keepsTabs: true)") == "a\tb<i>\\n</i>")
    }

    @Test func onlyLiteralsAndMarkupAreNotEscaped() {
        let name = "<b>"
        let bold: HTML = "<b>\(name)</b>"
        let none: HTML? = nil
        #expect(
            Self.written("<p>\(bold), \(name), \("<b>"), \(name.utf8)</p>")
                == "<p><b>&lt;b&gt;</b>\(String(repeating: ", &lt;b&gt;", count: 3))</p>")
        #expect(Self.written("\(12) \(none)\([bold, "<br>"], separator: "<hr>")") == "12 <b>&lt;b&gt;</b><hr><br>")
        #expect(Self.written("\(if: true, "<a>")\(if: false, "<a>")\(if: false, "<a>", else: "<b>")") == "<a><b>")
    }

    @Test(
        arguments: [
            ("Library/Preferences/com.x~1_-.plist", "/Library/Preferences/com.x~1_-.plist"), ("", "/"),
            ("a b\"'<>&%#?\u{E9}", "/a%20b%22%27%3C%3E%26%25%23%3F%C3%A9"),
        ])
    func anchorsAreOfPlainBytes(path: String, name: String) {
        #expect(Self.written("\(anchor: Array(path.utf8))") == name)
    }

    /// For any bytes, the output is UTF-8 without markup, and its length is limited by theirs.
    @Test(arguments: SeededGenerator.seeds)
    func anyBytesAreHarmless(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let length = Int.random(in: 0...12, using: &random)
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Self.written("\(attribute: bytes)")
            #expect(!text.contains { "<>\"'".contains($0) } && text.utf8.count <= 6 * length, "\(bytes)")
            #expect(String(validating: text.utf8, as: UTF8.self) != nil)
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "\(bytes)")
        }
    }
}
