import CapsulePropertyList
import Testing

/// Edits preserve line ends, byte order marks and encodings.
@Suite struct XMLEditEncodingTests {
    static let document = "<?xml version='1.0'?>\n<plist>\n<dict>\n\t<key>é</key>\n\t<string>😀</string>\n</dict>\n</plist>\n"
    static let value: PlistValue = ["é": "日本", "b": ["c\nd", .data([1]), [:]]]
    static let edited = """
        <?xml version='1.0'?>
        <plist>
        <dict>
        \t<key>é</key>
        \t<string>日本</string>
        \t<key>b</key>
        \t<array>
        \t\t<string>c
        d</string>
        \t\t<data>
        \t\tAQ==
        \t\t</data>
        \t\t<dict/>
        \t</array>
        </dict>
        </plist>

        """

    @Test(arguments: XMLEncodingTests.Encoding.allCases, [true, false])
    func encodingsStay(_ encoding: XMLEncodingTests.Encoding, mark: Bool) throws {
        let bytes = encoding.bytes(Self.document, mark: mark)
        #expect(try edit(bytes, to: Self.value) == encoding.bytes(Self.edited, mark: mark))
        #expect(try edit(bytes, to: ["é": "😀"]) == bytes)
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func lineEndsStay(_ newline: String) throws {
        func lines(_ text: String) -> [UInt8] {
            Array(text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: newline).utf8)
        }
        #expect(try edit(lines(Self.document), to: Self.value) == lines(Self.edited))
        let empty = lines("<plist>\n<array/>\n</plist>")
        #expect(try edit(empty, to: [1]) == lines("<plist>\n<array>\n\t<integer>1</integer>\n</array>\n</plist>"))
    }

    /// In a file with mixed line ends, a new line ends like the one before it.
    @Test func aNeighboursLineEndIsTaken() throws {
        let edited = try edit(Array("<plist>\n<array>\r\n\t<true/>\r\n</array>\n</plist>".utf8), to: [true, true])
        #expect(String(decoding: edited, as: UTF8.self) == "<plist>\n<array>\r\n\t<true/>\r\n\t<true/>\r\n</array>\n</plist>")
    }

    @Test(arguments: ["ISO-8859-1", "us-ascii", "Shift_JIS"])
    func anotherDeclaredEncodingStaysASCII(_ name: String) throws {
        let head = "<?xml version=\"1.0\" encoding=\"\(name)\"?><plist><dict><key>a</key>"
        let edited = try edit(Array("\(head)<string>b</string></dict></plist>".utf8), to: ["a": "é&\n", "日": "😀"])
        #expect(
            String(decoding: edited, as: UTF8.self)
                == "\(head)<string>&#xE9;&amp;\n</string><key>&#x65E5;</key><string>&#x1F600;</string></dict></plist>")
    }

    @Test(arguments: [
        "<plist><true/></plist>", "\u{FEFF}<plist>\r\n<dict><!-- c --></dict></plist>",
        "<array>\n<string>&#65;</string></array>\n\n",
        "<?xml version='1.0' encoding='ISO-8859-1'?>\n<!DOCTYPE plist>\n<plist><array><date>2001-01-01T00:00:00Z</date> </array ></plist>",
    ])
    func anEqualValueChangesNothing(_ text: String) throws {
        let document = try PlistDocument.read(Array(text.utf8))
        #expect(try document.bytes(holding: document.value) == Array(text.utf8))
        let again = try PlistReader.read(Array(text.utf8)).value
        #expect(try document.bytes(holding: again, limits: PlistLimits(outputBytes: 0)) == Array(text.utf8))
    }
}
