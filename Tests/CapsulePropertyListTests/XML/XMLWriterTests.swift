import CapsulePropertyList
import Testing

@Suite struct XMLWriterTests {
    static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    /// A value and the text between `<plist>` and `</plist>`.
    @Test(
        arguments: [
            (true, "<true/>"), (false, "<false/>"), ([], "<array/>"), ([:], "<dict/>"), ("", "<string></string>"),
            ("a & b < c > d \" '", "<string>a &amp; b &lt; c &gt; d \" '</string>"), (" \t\n", "<string> \t\n</string>"),
            ("a\r\nb\r", "<string>a&#13;\nb&#13;</string>"), ("é日本😀\u{FFFD}", "<string>é日本😀\u{FFFD}</string>"),
            ("12345678<12345678>\u{FFFD}&", "<string>12345678&lt;12345678&gt;\u{FFFD}&amp;</string>"),
            (0, "<integer>0</integer>"), (-1, "<integer>-1</integer>"), (1234567890, "<integer>1234567890</integer>"),
            (.integer(PlistInteger(UInt64.max)), "<integer>18446744073709551615</integer>"),
            (.integer(PlistInteger(Int64.min)), "<integer>-9223372036854775808</integer>"),
            (.integer(PlistInteger(UInt64(10_000_000_000_000_000_000))), "<integer>10000000000000000000</integer>"),
            (.date(0), "<date>2001-01-01T00:00:00Z</date>"), (.date(-63_114_076_800), "<date>0000-12-30T00:00:00Z</date>"),
            (.date(252_423_993_599), "<date>9999-12-31T23:59:59Z</date>"), (.data([]), "<data>\n</data>"),
            (.data([0]), "<data>\nAA==\n</data>"),
            (.data([0, 1]), "<data>\nAAE=\n</data>"), (.data([0xFB, 0xFF, 0xBF]), "<data>\n+/+/\n</data>"),
            (.uid(5), "<dict>\n\t<key>CF$UID</key>\n\t<integer>5</integer>\n</dict>"),
            (
                [.uid(.max)],
                "<array>\n\t<dict>\n\t\t<key>CF$UID</key>\n\t\t<integer>18446744073709551615</integer>\n\t</dict>\n</array>"
            ),
            (
                ["b": [1, [], [:]], "a & b": ["": false]],
                """
                <dict>
                \t<key>b</key>
                \t<array>
                \t\t<integer>1</integer>
                \t\t<array/>
                \t\t<dict/>
                \t</array>
                \t<key>a &amp; b</key>
                \t<dict>
                \t\t<key></key>
                \t\t<false/>
                \t</dict>
                </dict>
                """
            ),
        ] as [(PlistValue, String)])
    func spellsEachValueOneWay(_ value: PlistValue, _ body: String) throws {
        let written = try XMLPlistWriter.write(value)
        #expect(String(decoding: written, as: UTF8.self) == "\(Self.head)\(body)\n</plist>\n")
        #expect(try read(written) == value)
    }

    @Test(
        arguments: [
            (0, "0.0"), (-0.0, "-0.0"), (1, "1"), (-1.5, "-1.5"), (0.1, "0.1"), (100, "100"), (123456.789, "123456.789"),
            (1e15, "1000000000000000"),
            (1e16, "10000000000000000"), (9_007_199_254_740_992, "9007199254740992"), (1e17, "1e+17"), (1.5e300, "1.5e+300"),
            (1e20, "1e+20"),
            (0.0001, "0.0001"), (0.00012, "0.00012"), (0.00001, "1e-05"), (1.25e-7, "1.25e-07"),
            (.leastNonzeroMagnitude, "5e-324"),
            (1.7976931348623157e308, "1.7976931348623157e+308"), (.nan, "nan"), (.infinity, "+infinity"),
            (-.infinity, "-infinity"),
            (1.0 / 3, "0.3333333333333333"), (12345678901234568, "12345678901234568"),
        ] as [(Double, String)])
    func spellsRealsShortest(_ real: Double, _ text: String) throws {
        let written = try XMLPlistWriter.write(.real(real))
        #expect(String(decoding: written, as: UTF8.self) == "\(Self.head)<real>\(text)</real>\n</plist>\n")
        #expect(try read(written) == .real(real))
    }

    /// Apple's writer puts 76 characters on a line, minus 8 for each tab up to 8.
    @Test(arguments: [(0, 76), (1, 68), (2, 60), (7, 20), (8, 12), (9, 12), (20, 12)])
    func wrapsDataByIndentation(_ depth: Int, _ length: Int) throws {
        let value = (0..<depth).reduce(PlistValue.data([UInt8](repeating: 0, count: 100))) { inner, _ in .array([inner]) }
        let written = try XMLPlistWriter.write(value)
        let lines = String(decoding: written, as: UTF8.self).split(separator: "\n")
        let data = lines.drop { !$0.hasSuffix("<data>") }.dropFirst().prefix { !$0.hasSuffix("</data>") }
        let tabs = String(repeating: "\t", count: min(depth, 8))
        #expect(data.first.map { String($0) } == tabs + String(repeating: "A", count: length))
        #expect(data.dropLast().allSatisfy { $0.utf8.count == tabs.utf8.count + length })
        #expect(lines.contains { $0 == String(repeating: "\t", count: depth) + "</data>" })
        #expect(try read(written) == value)
    }

    @Test(
        arguments: [
            .date(0.5), .date(-0.0), .date(.nan), .date(.infinity), .date(1e300), .date(252_423_993_600), .date(-63_145_526_401),
            "\0", "a\u{8}", "\u{B}",
            "1234567\u{1F}", "\u{FFFE}", "é\u{FFFF}", ["CF$UID": 1], .dictionary(["CF$UID": .integer(PlistInteger(UInt64.max))]),
            ["a\u{1}": true],
            .real(-Double.nan), .real(Double(bitPattern: 0x7FF8_0000_0000_0001)), .real(.signalingNaN),
        ] as [PlistValue])
    func namesWhatXMLCannotHold(_ value: PlistValue) {
        let error = writingError(["a/b": [true, value]])
        #expect(error?.code == .notRepresentable)
        #expect(error?.pointer?.hasPrefix("/a~1b/1") == true, "\(error?.description ?? "no error")")
        #expect(writingError(value)?.pointer?.isEmpty == (value.dictionary?.keys.first != "a\u{1}"))
    }

    @Test(arguments: [["CF$UID": -1], ["CF$UID": "1"], ["CF$UID": 1, "a": 2], ["CF$UID": .uid(1)]] as [PlistValue])
    func onlyARealUIDDictionaryIsRefused(_ value: PlistValue) throws {
        #expect(try read(try XMLPlistWriter.write(value)) == value)
    }

    @Test func anErrorInAKeyPointsToItsValue() {
        #expect(writingError(["a": ["b\u{1}": true]])?.pointer == "/a/b\u{1}")
        #expect(writingError(["a": ["b": 1], "c": [1, 2, .date(0.5)]])?.pointer == "/c/2")
    }
}
