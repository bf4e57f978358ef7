import CapsulePropertyList
import Testing

@Suite struct XMLReaderTests {
    @Test(
        arguments: [
            ("<true/>", true), ("<false/>", false), ("<true></true>", true), ("<true />", true), ("<false\n></false >", false),
            ("<string></string>", ""), ("<string/>", ""), ("<string>a b</string>", "a b"), ("<string> \n\t</string>", " \n\t"),
            ("<dict/>", [:]), ("<dict></dict>", [:]), ("<dict> <!-- c --> </dict>", [:]), ("<array/>", []),
            ("<array></array>", []),
            ("<array><true/>  <array/></array>", [true, []]), ("<dict><key>a</key><array/></dict>", ["a": []]),
            ("<dict><key></key><true/></dict>", ["": true]), ("<dict><key/><true/></dict>", ["": true]),
            ("<dict><key>\u{E9}</key><true/><key>e\u{301}</key><false/></dict>", ["\u{E9}": true, "e\u{301}": false]),
            ("<data></data>", .data([])), ("<data/>", .data([])), ("<data>\n\t</data>", .data([])),
            ("<data>AA==</data>", .data([0])),
            ("<data>AAE=</data>", .data([0, 1])), ("<data>AAEC</data>", .data([0, 1, 2])),
            ("<data> A\nA\tE\rC\r\nA w=\n=</data>", .data([0, 1, 2, 3])),
            ("<data>+/+/</data>", .data([0xFB, 0xFF, 0xBF])),
        ] as [(String, PlistValue)])
    func readsValues(_ body: String, _ value: PlistValue) throws {
        let (read, format) = try PlistReader.read(xml(body))
        #expect(read == value)
        #expect(format == .xml)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("+5", 5), ("-5", -5), ("007", 7), ("0x1F", 31), ("0X1f", 31), ("-0x10", -16),
            ("9223372036854775807", PlistInteger(Int64.max)), ("-9223372036854775808", PlistInteger(Int64.min)),
            ("18446744073709551615", PlistInteger(UInt64.max)), ("0xFFFFFFFFFFFFFFFF", PlistInteger(UInt64.max)),
            ("-0x8000000000000000", PlistInteger(Int64.min)), ("&#49;", 1), ("<![CDATA[12]]>", 12), ("1<!-- one -->", 1),
        ] as [(String, PlistInteger)])
    func readsIntegers(_ text: String, _ integer: PlistInteger) throws {
        #expect(try read(xml("<integer>\(text)</integer>")) == .integer(integer))
    }

    @Test(
        arguments: [
            ("1", 1), ("1.0", 1), ("-0.0", -0.0), ("0", 0), (".5", 0.5), ("5.", 5), ("1e3", 1000), ("1E-3", 0.001),
            ("+1.5e+2", 150),
            ("0.1", 0.1), ("0.10000000000000001", 0.1), ("nan", .nan), ("NaN", .nan), ("inf", .infinity),
            ("+infinity", .infinity),
            ("-infinity", -.infinity), ("-Inf", -.infinity), ("4.9e-324", .leastNonzeroMagnitude), ("1e-400", 0),
            ("1.7976931348623157e308", .greatestFiniteMagnitude),
        ] as [(String, Double)])
    func readsReals(_ text: String, _ real: Double) throws {
        #expect(try read(xml("<real>\(text)</real>")) == .real(real))
    }

    @Test(
        arguments: [
            ("2001-01-01T00:00:00Z", 0), ("2001-01-01T00:00:01Z", 1), ("2000-12-31T23:59:59Z", -1),
            ("1970-01-01T00:00:00Z", -978_307_200),
            ("2000-02-29T12:00:00Z", -26_481_600), ("0001-01-01T00:00:00Z", -63_113_904_000),
            ("9999-12-31T23:59:59Z", 252_423_993_599),
            ("0000-12-30T00:00:00Z", -63_114_076_800), ("0000-01-01T00:00:00Z", -63_145_526_400),
            ("4001-01-01T00:00:00Z", 63_113_904_000),
        ] as [(String, Double)])
    func readsDates(_ text: String, _ seconds: Double) throws {
        let document = xml("<date>\(text)</date>")
        #expect(try read(document) == .date(seconds))
        let written = try XMLPlistWriter.write(.date(seconds))
        #expect(String(decoding: written, as: UTF8.self).contains("<date>\(text)</date>"))
    }

    @Test(
        arguments: [
            ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"), ("&#65;&#x42;&#x63;&#x1F600;", "ABc😀"), ("&#9;&#10;&#13;", "\t\n\r"),
            ("a\r\nb\rc\nd", "a\nb\nc\nd"), ("a\r\n\r\nb\r", "a\n\nb\n"), ("<![CDATA[<a>&amp;]]>", "<a>&amp;"),
            ("x<![CDATA[]]>y", "xy"),
            ("<![CDATA[a\r\nb\rc]]>", "a\nb\nc"), ("<![CDATA[]]]]><![CDATA[>]]>", "]]>"), ("a<!-- c -->b", "ab"),
            ("a<?p i?>b", "ab"),
            ("]]>", "]]>"), ("12345678&amp;12345678", "12345678&12345678"), ("é日本😀", "é日本😀"), ("&#xFFFD;", "\u{FFFD}"),
            ("1234567\t\n1234567", "1234567\t\n1234567"), ("\u{7F}\u{85}\u{2028}\u{1FFFE}", "\u{7F}\u{85}\u{2028}\u{1FFFE}"),
            ("\"'>", "\"'>"),
        ] as [(String, PlistString)])
    func readsText(_ text: String, _ string: PlistString) throws {
        #expect(try read(xml("<string>\(text)</string>")) == .string(string))
        #expect(try read(xml("<dict><key>\(text)</key><true/></dict>")) == .dictionary([string: true]))
    }

    @Test(arguments: [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><true/></plist>",
        "<?xml version='1.0' encoding='utf-8' standalone='yes' ?><plist><true/></plist>",
        "<?xml version=\"1.0\"?><!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://x/y.dtd\"><plist><true/></plist>",
        "<!DOCTYPE plist SYSTEM 'file:[>'><plist><true/></plist>",
        "\r\n<!-- a --><?b c?>\t<plist version = '1.0' other=\"a>b\" >\r\n<true/>\r\n</plist >\r\n<!-- d --><?e?>\r\n",
        "\u{FEFF}<plist><true/></plist>", "<true/>", "  <true/>\n", "<plist><!-- > </plist> --><true/></plist>",
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><true/></plist>",
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><true/></plist>",
    ])
    func acceptsWhatMayStandAround(_ document: String) throws {
        #expect(try read(Array(document.utf8)) == true)
    }

    @Test(
        arguments: [
            ("<dict><key>CF$UID</key><integer>7</integer></dict>", .uid(7)),
            ("<dict><key>CF$UID</key><integer>18446744073709551615</integer></dict>", .uid(.max)),
            ("<dict><key>CF$UID</key><integer>-1</integer></dict>", ["CF$UID": -1]),
            ("<dict><key>CF$UID</key><string>7</string></dict>", ["CF$UID": "7"]),
            ("<dict><key>CF$UID</key><integer>7</integer><key>a</key><true/></dict>", ["CF$UID": 7, "a": true]),
        ] as [(String, PlistValue)])
    func readsUIDs(_ body: String, _ value: PlistValue) throws {
        #expect(try read(xml(body)) == value)
    }

    @Test func keepsTheOrderOfKeys() throws {
        let keys = (0..<40).map { "k\($0 * 7 % 40)" }
        let body = keys.map { "<key>\($0)</key><string>\($0)</string>" }.joined()
        let value = try read(xml("<dict>\(body)</dict>"))
        #expect(value.dictionary?.keys.map { $0.string } == keys)
    }

    @Test func repeatedLongKeysAndStringsAreRightEverywhere() throws {
        let rows = (0..<400).map { row in
            "<dict><key>a key of more than fifteen bytes</key><string>the value number \(row % 9) of this</string></dict>"
        }
        let value = try read(xml("<array>\(rows.joined())</array>"))
        for (row, element) in (value.array ?? []).enumerated() {
            #expect(element == ["a key of more than fifteen bytes": .string(PlistString("the value number \(row % 9) of this"))])
        }
        #expect(value.array?.count == 400)
    }
}
