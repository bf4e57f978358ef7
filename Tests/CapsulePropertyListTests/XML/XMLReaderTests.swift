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

@Suite struct XMLReaderErrorTests {
    @Test(arguments: [
        ErrorCase("<plist>", .syntax, 1, 8), ErrorCase("<plist/>", .syntax, 1, 1), ErrorCase("<plist></plist>", .syntax, 1, 8),
        ErrorCase("<plist><true/>", .syntax, 1, 15), ErrorCase("<plist><true/><true/></plist>", .syntax, 1, 15),
        ErrorCase("<plist><true/></plist>x", .syntax, 1, 23), ErrorCase("<plist><true/></plist><plist/>", .syntax, 1, 23),
        ErrorCase("<plist>\n<dict>", .syntax, 2, 7), ErrorCase("<plist><array></dict></plist>", .syntax, 1, 15, "/0"),
        ErrorCase("<plist><dict></array></plist>", .syntax, 1, 14),
        ErrorCase("<plist><array><true/></plist>", .syntax, 1, 22, "/1"),
        ErrorCase("<plist><true></false></plist>", .syntax, 1, 14), ErrorCase("<plist><string>a</key></plist>", .syntax, 1, 17),
        ErrorCase("<plist>text</plist>", .syntax, 1, 8), ErrorCase("<plist><dict>a</dict></plist>", .syntax, 1, 14),
        ErrorCase("<plist><![CDATA[x]]></plist>", .syntax, 1, 8), ErrorCase("<plist><true>x</true></plist>", .syntax, 1, 8),
        ErrorCase("<plist><plist><true/></plist></plist>", .syntax, 1, 8),
        ErrorCase("<plist><key>a</key></plist>", .syntax, 1, 8),
        ErrorCase("<plist><array><key>a</key></array></plist>", .syntax, 1, 15, "/0"),
        ErrorCase("<plist><dict><true/></dict></plist>", .syntax, 1, 14),
        ErrorCase("<plist><dict><key>a</key></dict></plist>", .syntax, 1, 26, "/a"),
        ErrorCase("<plist><dict><key>a</key><key>b</key><true/></dict></plist>", .syntax, 1, 26, "/a"),
        ErrorCase("<plist><string>a<b>c</b></string></plist>", .syntax, 1, 17), ErrorCase("<plist><string>abc", .syntax, 1, 19),
        ErrorCase("<plist><string>a</string", .syntax, 1, 25), ErrorCase("<plist><true", .syntax, 1, 13),
        ErrorCase("<plist><true/", .syntax, 1, 14),
        ErrorCase("<plist>< true/></plist>", .syntax, 1, 8), ErrorCase("<plist></></plist>", .syntax, 1, 8),
        ErrorCase("<plist><\0true/></plist>", .syntax, 1, 8), ErrorCase("<plist><integers/></plist>", .unknownElement, 1, 8),
        ErrorCase("<plist><bool/></plist>", .unknownElement, 1, 8), ErrorCase("<plist><Dict/></plist>", .unknownElement, 1, 8),
        ErrorCase("<plist><dict><key>a</key><null/></dict></plist>", .unknownElement, 1, 26, "/a"),
        ErrorCase("<plist><dictionary/></plist>", .unknownElement, 1, 8),
        ErrorCase("<plist></dictdict></plist>", .unknownElement, 1, 8),
        ErrorCase("<!-- a -->", .syntax, 1, 11), ErrorCase("<plist><pl", .syntax, 1, 11),
        ErrorCase("<plist><!-- a </plist>", .syntax, 1, 8),
        ErrorCase("<plist><![CDATA[", .syntax, 1, 8), ErrorCase("<plist><string><![CDATA[a</string></plist>", .syntax, 1, 16),
        ErrorCase("<?xml", .syntax, 1, 1), ErrorCase("<!DOCTYPE plist", .syntax, 1, 1),
        ErrorCase("<!DOCTYPE plist PUBLIC \"", .syntax, 1, 1),
        ErrorCase("<!DOCTYPE plist [<!ENTITY a 'b'>]><plist><true/></plist>", .unsupported, 1, 17),
        ErrorCase("<!ENTITY a 'b'><plist><true/></plist>", .unsupported, 1, 1),
        ErrorCase("<plist><!DOCTYPE plist><true/></plist>", .syntax, 1, 8),
        ErrorCase("<plist version><true/></plist>", .syntax, 1, 8),
        ErrorCase("<plist version=1><true/></plist>", .syntax, 1, 16),
        ErrorCase("<plist version=\"1><true/></plist>", .syntax, 1, 8),
        ErrorCase("<plist a='1'b='2'><true/></plist>", .syntax, 1, 13), ErrorCase("<plist/x><true/></plist>", .syntax, 1, 8),
        ErrorCase("<plist>\0<true/></plist>", .syntax, 1, 8),
    ])
    func namesThePlace(_ expected: ErrorCase) {
        check(expected, readingError(Array(expected.document.utf8)))
    }

    @Test(arguments: [
        ErrorCase("<string>a&b</string>", .syntax, 1, 17), ErrorCase("<string>&b;</string>", .unsupported, 1, 16),
        ErrorCase("<string>&;</string>", .syntax, 1, 16), ErrorCase("<string>&#;</string>", .syntax, 1, 16),
        ErrorCase("<string>&#x;</string>", .syntax, 1, 16), ErrorCase("<string>&#xG;</string>", .syntax, 1, 16),
        ErrorCase("<string>&#A;</string>", .syntax, 1, 16), ErrorCase("<string>&#0;</string>", .syntax, 1, 16),
        ErrorCase("<string>&#8;</string>", .syntax, 1, 16), ErrorCase("<string>&#xD800;</string>", .syntax, 1, 16),
        ErrorCase("<string>&#xFFFE;</string>", .syntax, 1, 16), ErrorCase("<string>&#x110000;</string>", .syntax, 1, 16),
        ErrorCase("<string>&#x10000000000000041;</string>", .syntax, 1, 16), ErrorCase("<string>&#X41;</string>", .syntax, 1, 16),
        ErrorCase("<string>a\u{8}</string>", .syntax, 1, 17), ErrorCase("<string>é\u{FFFE}</string>", .syntax, 1, 17),
        ErrorCase("<string>é\u{FFFF}</string>", .syntax, 1, 17), ErrorCase("<string>\r\n\ré\u{1}</string>", .syntax, 3, 2),
        ErrorCase("<string><![CDATA[\u{2}]]></string>", .syntax, 1, 25),
        ErrorCase("<string><!--\u{3}--></string>", .syntax, 1, 20),
        ErrorCase("<integer></integer>", .invalidScalar, 1, 8), ErrorCase("<integer/>", .invalidScalar, 1, 8),
        ErrorCase("<integer>-</integer>", .invalidScalar, 1, 8), ErrorCase("<integer> 1</integer>", .invalidScalar, 1, 8),
        ErrorCase("<integer>0x</integer>", .invalidScalar, 1, 8), ErrorCase("<integer>1.0</integer>", .invalidScalar, 1, 8),
        ErrorCase("<integer>1_0</integer>", .invalidScalar, 1, 8), ErrorCase("<integer>0xG</integer>", .invalidScalar, 1, 8),
        ErrorCase("<integer>18446744073709551616</integer>", .outOfRange, 1, 8),
        ErrorCase("<integer>-9223372036854775809</integer>", .outOfRange, 1, 8),
        ErrorCase("<integer>0x10000000000000000</integer>", .outOfRange, 1, 8),
        ErrorCase("<integer>99999999999999999999999999</integer>", .outOfRange, 1, 8),
        ErrorCase("<real></real>", .invalidScalar, 1, 8), ErrorCase("<real/>", .invalidScalar, 1, 8),
        ErrorCase("<real>.</real>", .invalidScalar, 1, 8),
        ErrorCase("<real>0x1p3</real>", .invalidScalar, 1, 8), ErrorCase("<real>1e</real>", .invalidScalar, 1, 8),
        ErrorCase("<real>1,5</real>", .invalidScalar, 1, 8), ErrorCase("<real> 1</real>", .invalidScalar, 1, 8),
        ErrorCase("<real>nan(1)</real>", .invalidScalar, 1, 8), ErrorCase("<real>+nan</real>", .invalidScalar, 1, 8),
        ErrorCase("<real>1e400</real>", .outOfRange, 1, 8), ErrorCase("<real>-1e400</real>", .outOfRange, 1, 8),
        ErrorCase("<date></date>", .invalidScalar, 1, 8), ErrorCase("<date>2001-01-01</date>", .invalidScalar, 1, 8),
        ErrorCase("<date>2001-01-01T00:00:00</date>", .invalidScalar, 1, 8),
        ErrorCase("<date>2001-13-01T00:00:00Z</date>", .invalidScalar, 1, 8),
        ErrorCase("<date>2001-02-29T00:00:00Z</date>", .invalidScalar, 1, 8),
        ErrorCase("<date>1900-02-29T00:00:00Z</date>", .invalidScalar, 1, 8),
        ErrorCase("<date>2001-00-01T00:00:00Z</date>", .invalidScalar, 1, 8),
        ErrorCase("<date>2001-01-00T00:00:00Z</date>", .invalidScalar, 1, 8),
        ErrorCase("<date>2001-01-01T24:00:00Z</date>", .invalidScalar, 1, 8),
        ErrorCase("<date>2001-01-01T00:60:00Z</date>", .invalidScalar, 1, 8),
        ErrorCase("<date>2001-01-01T00:00:60Z</date>", .invalidScalar, 1, 8),
        ErrorCase("<date>2001-01-01 00:00:00Z</date>", .invalidScalar, 1, 8),
        ErrorCase("<date>+001-01-01T00:00:00Z</date>", .invalidScalar, 1, 8),
        ErrorCase("<data>A</data>", .invalidScalar, 1, 8), ErrorCase("<data>AA</data>", .invalidScalar, 1, 8),
        ErrorCase("<data>AAA</data>", .invalidScalar, 1, 8), ErrorCase("<data>AA=</data>", .invalidScalar, 1, 8),
        ErrorCase("<data>A===</data>", .invalidScalar, 1, 8), ErrorCase("<data>AA==AAAA</data>", .invalidScalar, 1, 8),
        ErrorCase("<data>AA===</data>", .invalidScalar, 1, 8), ErrorCase("<data>AB==</data>", .invalidScalar, 1, 8),
        ErrorCase("<data>AAB=</data>", .invalidScalar, 1, 8), ErrorCase("<data>AA=A</data>", .invalidScalar, 1, 8),
        ErrorCase("<data>A-_A</data>", .invalidScalar, 1, 8), ErrorCase("<data>====</data>", .invalidScalar, 1, 8),
    ])
    func checksScalarsAndText(_ expected: ErrorCase) {
        check(expected, readingError(Array("<plist>\(expected.document)</plist>".utf8)))
    }

    private func check(_ expected: ErrorCase, _ error: PlistError?) {
        expected.check(error)
        let first = error?.message.first
        #expect(first?.isUppercase == false || error?.message.hasPrefix("U+") == true)
    }

    @Test(arguments: [
        "<?xml version='1.0'?><svg/>", "<!DOCTYPE html><html></html>", "<!-- a --><Plist/>",
        "<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>",
    ])
    func otherXMLIsNoPropertyList(_ document: String) {
        let error = readingError(Array(document.utf8))
        #expect(error?.code == .notPropertyList)
        #expect(error?.message.hasPrefix("not a property list: ") == true)
        #expect(error?.location != nil)
        #expect(error?.pointer == nil)
    }

    @Test func pointsThroughContainersWithEscapes() {
        let error = readingError(
            xml(
                "<dict><key>x</key><array><true/><dict><key>a/b~c</key><array><true/><true/><date/></array></dict></array></dict>"
            ))
        #expect(error?.pointer == "/x/1/a~1b~0c/2")
        #expect(error?.description == "1:97: not a date (at /x/1/a~1b~0c/2)")
    }

    @Test func countsColumnsInScalars() {
        let error = readingError(Array("<plist>\r\n\t<string>e\u{301}😀é</string><bad/></plist>".utf8))
        #expect(error?.location == .text(line: 2, column: 23))
    }

    @Test(arguments: [
        ("bool", "write a boolean as <true/> or <false/>"), ("String", "write <string>, in lowercase"),
        ("float", "write a number with a fraction as <real>"),
        ("null", "property lists have no null; leave the key out"), ("whatever", nil),
    ])
    func hintsAtTheElementMeant(_ name: String, _ hint: String?) {
        let error = readingError(xml("<\(name)/>"))
        #expect(error?.code == .unknownElement)
        #expect(error?.message == "unknown element <\(name)>")
        #expect(error?.hint == hint)
    }

    @Test(arguments: [3, 30])
    func aDuplicateKeyNamesBothPlaces(_ others: Int) {
        let more = (0..<others).map { "<key>\($0)</key><true/>\n" }.joined()
        let error = readingError(xml("\n<array><dict><key>a</key><true/>\n\(more)\n<key>a</key><false/></dict></array>"))
        #expect(error?.code == .duplicateKey)
        #expect(error?.location == .text(line: 4 + others, column: 1))
        #expect(error?.related == .text(line: 2, column: 14))
        #expect(error?.pointer == "/0/a")
        #expect(error?.message == "duplicate key \"a\", first at 2:14")
    }

    @Test func aLenientReadingKeepsTheLastValueAndWarns() throws {
        let entries = [
            "<key>a</key><true/><key>b</key><true/>", "<key>a</key><integer>1</integer>", "<key>a</key><integer>2</integer>",
        ]
        let document = xml("<dict>\(entries.joined(separator: "\n"))</dict>")
        let (value, format, warnings) = try PlistReader.readLeniently(document)
        #expect(format == .xml)
        #expect(value == ["a": 2, "b": true])
        #expect(value.dictionary?.keys.map { $0.string } == ["a", "b"])
        #expect(warnings.map { $0.location } == [.text(line: 2, column: 1), .text(line: 3, column: 1)])
        #expect(warnings.map { $0.related } == [.text(line: 1, column: 28), .text(line: 1, column: 28)])
        #expect(warnings.map { $0.pointer } == ["/a", "/a"])
        #expect(try PlistReader.readLeniently(xml("<true/>")).warnings.isEmpty)
    }
}
