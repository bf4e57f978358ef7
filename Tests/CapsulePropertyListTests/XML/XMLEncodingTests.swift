import CapsulePropertyList
import Testing

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
