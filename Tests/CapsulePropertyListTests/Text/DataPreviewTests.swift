import Testing

@testable import CapsulePropertyList

@Suite struct DataPreviewTests {
    @Test(
        arguments: [
            ([], 240, "empty data"), (Array("a".utf8), 240, #"data of 1 byte, "a""#),
            (Array("body 5".utf8), 240, #"data of 6 bytes, "body 5""#),
            (Array("body 5".utf8), 4, #"data of 6 bytes, "body"…"#),
            (Array("say \"a\\b\"\n\u{1B}".utf8), 240, #"data of 11 bytes, "say \"a\\b\"\n\x1B""#),
            // A character is not truncated.
            (Array("abc\u{20AC}d".utf8), 5, #"data of 7 bytes, "abc"…"#),
            (Array("abc\u{20AC}d".utf8), 6, #"data of 7 bytes, "abc€"…"#),
            // Bidirectional control characters are escaped.
            (Array("abcdefghijkl\u{202E}".utf8), 240, #"data of 15 bytes, "abcdefghijkl\xE2\x80\xAE""#),
            ([1, 2, 3], 240, "data of 3 bytes, AQID"), ([1, 2, 3], 2, "data of 3 bytes, AQI=…"),
            ([1, 2, 3], 0, "data of 3 bytes, …"),
            // At most a quarter of the bytes may be escaped.
            (Array("abc\u{0}".utf8), 240, #"data of 4 bytes, "abc\x00""#),
            (Array("abc\u{0}\u{0}".utf8), 240, "data of 5 bytes, YWJjAAA="),
            (Array("abcdef".utf8) + [0xFF], 240, #"data of 7 bytes, "abcdef\xFF""#),
        ] as [([UInt8], Int, String)])
    func dataIsTextWhereItCanBe(bytes: [UInt8], length: Int, line: String) {
        #expect(PlistValue.data(bytes).line(length: length) == line)
    }

    @Test func ofDataOnlyTheBeginningMayBeKnown() {
        #expect(PlistValue.line(ofData: Array("body".utf8), count: 111) == #"data of 111 bytes, "body"…"#)
        #expect(PlistValue.line(ofData: [0xFF, 0xD8], count: 111) == "data of 111 bytes, /9g=…")
    }

    @Test func differentDataHasDifferentPreviews() {
        var seen: Set<String> = []
        for byte in UInt8.min...UInt8.max { #expect(seen.insert(PlistValue.data(Array("text".utf8) + [byte]).line()).inserted) }
    }
}
