import TestSupport
import Testing

@testable import CapsuleCore

@Suite struct SecretDecodingTests {
    private func decodings(_ text: String) -> [String] {
        let decoding = SecretDecoding(Array(text.utf8))
        return (decoding.inner + decoding.readings).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("a%40b", "a@b"), ("a+b%21", "a b!"), ("a=C3=B6=\nb", "aöb"), ("&quot;&ouml;&#x40;&#64;&amp;amp;", "\"ö@@&amp;"),
        (#"\u0040\U0041\x42\103\u{1F9A6}\ud83e\udda6\n\\\"\/"#, "@ABC🦦🦦\n\\\"/"),
        (#"%22\u0040&amp;"#, "\"@&"), (#"\U00000040\u{00000040}"#, "@@"),
    ])
    func escapes(_ text: String, _ plain: String) { #expect(decodings(text).contains(plain)) }

    /// Each kind of escape is also read alone, since a secret may have characters that look like another kind.
    @Test func eachKindIsReadAlone() {
        #expect(decodings(#"secret%41\u0042"#).contains("secret%41B"))
        #expect(decodings(#"secret%41\u0042"#).contains("secretA\\u0042"))
    }

    @Test(arguments: [
        (#"Zo\xEB M\xFCller"#, "Zoë Müller"), (#"Zo\xc3\xab"#, "Zoë"), ("a&#64b", "a@b"), ("a&#x40;b", "a@b"),
        ("Zo&#235 M", "Zoë M"),
    ])
    func charactersOfOneByte(_ text: String, _ plain: String) { #expect(decodings(text).contains(plain)) }

    @Test(arguments: [
        "plain", "100%", "%zz", "&nothing;", "&#;", "&#xFFFFFFFF;", #"\u12"#, #"\ud800x"#, #"\"#, "=", "=1", #"\u{110000}"#,
    ])
    func noEscapes(_ text: String) { #expect(decodings(text) == []) }

    @Test(arguments: [
        ("c2VjcmV0LTAxMjM0", "secret-01234"), ("x: c2Vjcm\n  V0LTAxMjM0NT\r\n  Y3!", "secret-01234567"),
        ("c2Vjcm\n V0LTAx\n MjM0", nil), ("-_-_AAAAAAAAAAAA", nil),
        ("<73656372 65742d30 31323334>", "secret-01234"), ("73:65:63:72:65:74:2D:30:31:32:33:34", "secret-01234"),
        ("line: 7365637265742d3031323334", "secret-01234"), ("c2VjcmV0LTA x", nil), ("73656372 65742d", nil),
    ])
    func digits(_ text: String, _ plain: String?) {
        let decodings = decodings(text)
        if let plain { #expect(decodings.contains(plain)) } else { #expect(!decodings.contains { $0.contains("secret") }) }
    }

    /// Runs are found although most bytes are not looked at.
    @Test func wordsAreFoundWhereverTheyBegin() {
        for start in 0..<40 {
            for end in 0..<3 {
                let dots = String(repeating: ".", count: start)
                #expect(
                    decodings("\(dots)c2VjcmV0LTAxMjM0\(String(repeating: "!", count: end))").contains("secret-01234"), "\(start)"
                )
            }
        }
    }

    @Test func wideCharacters() {
        for bytes in [[0x61, 0, 0xF6, 0, 0x62, 0], [0, 0, 0, 0x61, 0, 0, 0, 0xF6, 0, 0, 0, 0x62]] as [[UInt8]] {
            #expect(SecretDecoding(bytes).inner.contains(Array("aöb".utf8)))
        }
        #expect(SecretDecoding([0, 1, 2, 3, 4, 5, 6, 7]).inner == [])
    }
}
