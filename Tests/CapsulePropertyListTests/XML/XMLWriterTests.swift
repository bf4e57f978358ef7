import CapsulePropertyList
import TestSupport
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

@Suite struct XMLRoundTripTests {
    @Test(arguments: Array(1...UInt64(rounds(60))) + [UInt64.random(in: .min ... .max)])
    func whatIsWrittenReadsBack(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = generator.value(depth: 5)
        // The generator can't create a UID dictionary, because its keys contain no dollar sign.
        let written = try XMLPlistWriter.write(value)
        let (back, format) = try PlistReader.read(written)
        #expect(back == value, "seed \(seed)")
        #expect(format == .xml)
        #expect(try XMLPlistWriter.write(back) == written, "seed \(seed)")
    }

    @Test(arguments: [1, 2, UInt64.random(in: .min ... .max)])
    func realsAndDatesReadBack(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var values: [PlistValue] = []
        for _ in 0..<2000 {
            values.append(.real(generator.real()))
            values.append(.date(Double(Int.random(in: -63_145_526_400...252_423_993_599, using: &generator))))
            values.append(.integer(generator.integer()))
        }
        #expect(try read(try XMLPlistWriter.write(.array(values))) == .array(values), "seed \(seed)")
    }

    /// Every day of 800 years, which includes each kind of leap year.
    @Test func daysFollowEachOther() throws {
        let days = stride(from: -400 * 146_097 / 400, through: 146_097, by: 1).map { PlistValue.date(Double($0) * 86_400) }
        let written = try XMLPlistWriter.write(.array(days))
        #expect(try read(written) == .array(days))
    }
}

@Suite struct XMLEncodingTests {
    enum Encoding: String, CaseIterable, Sendable {
        case utf8, utf16LittleEndian, utf16BigEndian, utf32LittleEndian, utf32BigEndian

        func bytes(_ text: String, mark: Bool) -> [UInt8] {
            let text = (mark ? "\u{FEFF}" : "") + text
            switch self {
            case .utf8: return Array(text.utf8)
            case .utf16LittleEndian: return text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            case .utf16BigEndian: return text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            case .utf32LittleEndian:
                return text.unicodeScalars.flatMap { BinaryFixture.bigEndian(UInt64($0.value), 4).reversed() }
            case .utf32BigEndian: return text.unicodeScalars.flatMap { BinaryFixture.bigEndian(UInt64($0.value), 4) }
            }
        }

        var unitBytes: Int {
            switch self {
            case .utf8: 1
            case .utf16LittleEndian, .utf16BigEndian: 2
            case .utf32LittleEndian, .utf32BigEndian: 4
            }
        }
    }

    static let text = "<dict>\r\n<key>é日本😀</key>\r<string>e\u{301} &amp; \u{10FFFF}</string></dict>"

    @Test(arguments: Encoding.allCases, [true, false])
    func isSeenInTheBytes(_ encoding: Encoding, mark: Bool) throws {
        let expected: PlistValue = ["é日本😀": "e\u{301} & \u{10FFFF}"]
        #expect(try read(encoding.bytes("<plist>\(Self.text)</plist>", mark: mark)) == expected)
        #expect(try read(encoding.bytes("<?xml version='1.0'?>\n<plist>\(Self.text)</plist>", mark: mark)) == expected)
        #expect(try read(encoding.bytes("\n <plist>\(Self.text)</plist>\n", mark: mark)) == expected)
        #expect(PlistFormat.sniff(encoding.bytes("\n<plist>", mark: mark)) == .xml)
    }

    @Test(arguments: Encoding.allCases, ["UTF-8", "utf-16", "UTF-16LE", "UTF-32"])
    func aDeclaredUnicodeEncodingNeverMatters(_ encoding: Encoding, declared: String) throws {
        let text = "<?xml version='1.0' encoding='\(declared)'?><plist><string>é</string></plist>"
        #expect(try read(encoding.bytes(text, mark: true)) == "é")
    }

    @Test(arguments: ["ISO-8859-1", "windows-1252", "Shift_JIS", ""])
    func anotherDeclaredEncodingNeedsASCII(_ declared: String) throws {
        let start = "<?xml version='1.0' encoding='\(declared)'?><plist>"
        #expect(try read(Array("\(start)<string>e</string></plist>".utf8)) == "e")
        let error = readingError(Array("\(start)<string>é</string></plist>".utf8))
        #expect(error?.code == .encoding)
        #expect(error?.location == .text(line: 1, column: 31))
    }

    @Test(arguments: Encoding.allCases)
    func placesAreTheSameInEveryEncoding(_ encoding: Encoding) {
        let error = readingError(encoding.bytes("<plist>\r\n<string>é😀</string><bad/></plist>", mark: true))
        #expect(error?.location == .text(line: 2, column: 20))
        #expect(error?.code == .unknownElement)
    }

    /// The encoding, and invalid bytes for `X` in `<plist><string>éX</string></plist>`.
    @Test(
        arguments: [
            (.utf8, [0x80]), (.utf8, [0xC3]), (.utf8, [0xC0, 0x80]), (.utf8, [0xED, 0xA0, 0x80]),
            (.utf8, [0xF5, 0x80, 0x80, 0x80]), (.utf8, [0xE2, 0x82]),
            (.utf16LittleEndian, [0x00, 0xD8]), (.utf16LittleEndian, [0x00, 0xDC]), (.utf16BigEndian, [0xD8, 0x00]),
            (.utf16BigEndian, [0xDC, 0x00]),
            (.utf32LittleEndian, [0x00, 0xD8, 0, 0]), (.utf32BigEndian, [0, 0x11, 0, 0]),
            (.utf32BigEndian, [0xFF, 0xFF, 0xFF, 0xFF]),
        ] as [(Encoding, [UInt8])])
    func invalidTextIsAnErrorAtItsPlace(_ encoding: Encoding, _ bytes: [UInt8]) {
        let head = encoding.bytes("<plist><string>é", mark: false)
        let error = readingError(head + bytes + encoding.bytes("</string></plist>", mark: false))
        #expect(error?.code == .encoding)
        #expect(error?.location == .text(line: 1, column: 17))
    }

    @Test(arguments: [Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian])
    func anIncompleteLastUnitIsAnError(_ encoding: Encoding) {
        let bytes = encoding.bytes("<plist><true/></plist>", mark: false)
        for extra in 1..<encoding.unitBytes {
            let error = readingError(bytes + [UInt8](repeating: 0x20, count: extra))
            #expect(error?.code == .encoding)
            #expect(error?.location == .text(line: 1, column: 23))
        }
    }

    @Test func bytesSplitByMarkupDoNotJoinToACharacter() {
        let head = Array("<plist><string>".utf8)
        let middle: [UInt8] = [0xC3] + Array("<!---->".utf8) + [0xA9]
        #expect(readingError(head + middle + Array("</string></plist>".utf8))?.code == .encoding)
    }

    @Test func aSecondByteOrderMarkIsText() {
        #expect(readingError(Array("\u{FEFF}\u{FEFF}<plist><true/></plist>".utf8))?.code == .notPropertyList)
    }
}
