import CapsulePropertyList
import TestSupport
import Testing

/// Writes and reads documents in each encoding: ten thousand in the long form, a quarter of them in the short one.
@Suite struct RoundTripTests {
    /// The number of documents per test case.
    static let batch = rounds(500)
    /// The last seed is different in each run.
    static let seeds: [UInt64] = (1...19).map { UInt64($0) } + [SeededGenerator.seeds.last ?? 20]

    @Test(arguments: RoundTripEncoding.allCases, seeds)
    func manyDocumentsReadBack(_ encoding: RoundTripEncoding, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<Self.batch {
            let value = encoding.value(depth: number % 50 == 0 ? 3 : number % 3, using: &generator)
            let comment: Comment = "seed \(seed), document \(number)"
            let written = try encoding.write(value)
            let back = try encoding.read(written)
            #expect(back == value, comment)
            // This also compares the order of keys, which equality ignores.
            #expect(try encoding.write(back) == written, comment)
        }
    }

    @Test(arguments: RoundTripEncoding.allCases, SeededGenerator.seeds)
    func fiveRunsGiveTheSameBytes(_ encoding: RoundTripEncoding, seed: UInt64) throws {
        func documents() throws -> [[UInt8]] {
            var generator = SeededGenerator(seed: seed)
            return try (0..<100).map { try encoding.write(encoding.value(depth: $0 % 4, using: &generator)) }
        }
        let first = try documents()
        for _ in 1..<5 { #expect(try documents() == first, "seed \(seed)") }
    }

    /// Compares the bytes with those from other machines. Only a change of the writers or of the value generator may change these
    /// checksums.
    @Test(
        arguments: [
            (RoundTripEncoding.xml, 0x4DF5_11D2_F72B_74C1), (.binary, 0xB211_D7C4_FF2C_A004), (.json, 0xE1DD_A003_D939_F8C2),
            (.typedJSON, 0x8DF3_8BD4_E34A_A95D), (.openStep, 0xA0C8_A310_EC9C_3466),
        ] as [(RoundTripEncoding, UInt64)])
    func theBytesAreThoseOfOtherMachines(_ encoding: RoundTripEncoding, sum: UInt64) throws {
        var generator = SeededGenerator(seed: 1)
        // FNV-1a.
        var found: UInt64 = 0xCBF2_9CE4_8422_2325
        for number in 0..<200 {
            for byte in try encoding.write(encoding.value(depth: number % 4, using: &generator)) {
                found = (found ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        }
        #expect(found == sum)
    }

    /// Writes values of any kind in all encodings. Each one reads back the same, or an error names the first place that can't be
    /// represented.
    @Test(arguments: RoundTripEncoding.allCases, Array(1...5) + SeededGenerator.seeds)
    func whatCannotBeHeldIsNamed(_ encoding: RoundTripEncoding, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<200 {
            let comment: Comment = "seed \(seed), document \(number)"
            let source = generator.pick(RoundTripEncoding.allCases)
            let value = source.value(depth: number % 3, using: &generator)
            let holds = encoding.holds(value)
            do throws(PlistError) {
                #expect(try encoding.read(try encoding.write(value)) == value, comment)
                #expect(holds, comment)
            } catch {
                #expect(!holds, comment)
                #expect(error.code == .notRepresentable, comment)
                let place = try PlistPointer(error.pointer ?? "/")
                let found = try value.value(at: place)
                // The error for an invalid key has the pointer of its value.
                let around = try place.parent.map { parent throws(PlistError) in try value.value(at: parent) }
                #expect(encoding.refuses(found) || around.map(encoding.refuses) == true, comment)
            }
        }
    }
}

/// Values that property list tools often mishandle, in every encoding that can hold them.
@Suite struct HardCasesTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let value: PlistValue
        /// The encodings that can hold the value, besides typed JSON, which can hold everything.
        let encodings: Set<RoundTripEncoding>

        init(_ name: String, _ value: PlistValue, _ encodings: Set<RoundTripEncoding>) {
            testDescription = name
            self.value = value
            self.encodings = encodings.union([.typedJSON])
        }
    }

    static let all: Set<RoundTripEncoding> = [.xml, .binary, .json, .openStep]
    static let numbers: Set<RoundTripEncoding> = [.xml, .binary, .json]

    static let cases = [
        Case("NFC and NFD keys", ["\u{E9}": "NFC", "e\u{301}": "NFD"], all),
        Case("the empty key", ["": "", "a": [:]], all),
        Case("UInt64.max", [.integer(PlistInteger(UInt64.max))], numbers),
        Case("beyond Int64", [.integer(PlistInteger(UInt64(1) << 63))], numbers),
        Case("Int64.min", [.integer(PlistInteger(Int64.min))], numbers),
        Case("beyond what a double holds", [9_007_199_254_740_993], numbers),
        Case("-0.0", [.real(-0.0), 0.0, 0], numbers), Case("true, 1 and 1.0", [true, 1, 1.0, false, 0, 0.0], numbers),
        Case(
            "the least and the greatest real",
            [.real(.leastNonzeroMagnitude), .real(.greatestFiniteMagnitude), 0.1, 0.30000000000000004], numbers),
        Case("NaN and infinity", [.real(.nan), .real(.infinity), .real(-.infinity)], [.xml, .binary]),
        Case("NaN of other bits", [.real(Double(bitPattern: 0xFFF8_0000_0000_0001))], [.binary]),
        Case("a date", [.date(-63_114_076_800), .date(252_423_993_599)], [.xml, .binary]),
        Case("a date of less than a second", [.date(0.5), .date(-1e-9)], [.binary]),
        Case("a date after the year 9999", [.date(1e12)], [.binary]),
        Case("data", [.data([0, 255]), .data([])], [.xml, .binary, .openStep]),
        Case("UIDs", [.uid(0), .uid(.max)], [.xml, .binary]), Case("a dictionary like a UID", ["CF$UID": 1], [.binary, .json]),
        Case("null", [.null], [.json]), Case("300 deep", nestedArrays(300), all),
        Case("a NUL", ["a\0b", ["\0": "\u{1}"]], [.binary, .json, .openStep]),
        Case("line ends", ["\r\n", "\r", "\n", "\u{2028}", "\u{85}", " \t"], all),
        Case("what markup is made of", ["<&>\"'", "]]>", "<![CDATA[", "&amp;", "//", "/* */", "\\", "\\u0041", "${A}"], all),
        Case("words that are no strings", ["true", "null", "1", "-", "YES", "<00>", "(", ")", "{}", ";", "="], all),
        Case("beyond the first plane", ["😀", "\u{10FFFF}", "\u{1FFFE}", "\u{FEFF}", "\u{FFFD}"], all),
        Case("no character", ["\u{FFFE}", "\u{FFFF}"], [.binary, .json, .openStep]),
    ]

    @Test(arguments: cases, RoundTripEncoding.allCases)
    func comesBackOrIsRefused(_ hardCase: Case, _ encoding: RoundTripEncoding) throws {
        do throws(PlistError) {
            let written = try encoding.write(hardCase.value)
            #expect(hardCase.encodings.contains(encoding))
            expectEqual(try encoding.read(written), hardCase.value, "\(encoding)")
        } catch {
            #expect(error.code == .notRepresentable, "\(error)")
            #expect(!hardCase.encodings.contains(encoding))
        }
    }

    /// Documents that all have the same value.
    @Test(arguments: [
        ("{ \"\\U00e9\" = a; }", PlistFormat.openStep),
        ("\"\u{E9}\" = a;\r\n", .openStep), ("/* c */\r\n\"\\U00E9\"\r\n=\r\na\r\n;", .openStep), ("{\"\u{E9}\":\"a\"}", .json),
        ("\r\n{\r\n\"\\u00e9\"\r\n:\r\n\"\\u0061\"\r\n}\r\n", .json),
        ("<plist><dict><key>\u{E9}</key><string>a</string></dict></plist>", .xml),
        ("<dict>\r\n<key>&#xE9;</key>\r\n<string><![CDATA[a]]></string>\r\n</dict>\r\n", .xml),
        ("<?xml version='1.0'?>\r<dict>\r<key>&#233;</key>\r<string>&#x61;</string>\r</dict>", .xml),
    ])
    func anySpellingIsTheSameValue(_ text: String, _ format: PlistFormat) throws {
        for encoding in XMLEncodingTests.Encoding.allCases {
            for mark in [true, false] {
                let document = encoding.bytes(text, mark: mark)
                let (value, found) = try PlistReader.read(document)
                #expect(value == ["\u{E9}": "a"], "\(encoding)")
                #expect(found == format)
            }
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: PlistFormat.allCases)
    func megabytesOfNestedArraysAreAnError(_ format: PlistFormat) {
        let size = runsLongTests ? 10 << 20 : 1 << 20
        func repeated(_ text: String) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(size + text.utf8.count)
            while bytes.count < size { bytes += text.utf8 }
            return bytes
        }
        let document =
            switch format {
            case .xml: repeated("<array>")
            case .json: repeated("[")
            case .openStep: repeated("(")
            case .binary: BinaryFixture.nested(size / 9)
            }
        let error = readingError(document, accepting: [format])
        #expect(error?.code == .limitExceeded)
        #expect(error?.pointer == String(repeating: "/0", count: 512))
    }

    private static let valueCycle: [[UInt8]] = [[0xD1, 1, 0], BinaryFixture.string("k")]
    private static let ring = (0..<70).map { (number: UInt8) -> [UInt8] in
        let next = (number + 1) % 70
        return [0xA2, next, next]
    }

    /// The smallest cycle, one through a dictionary's value, and one through all objects.
    @Test(arguments: [[[0xA1, 0]], valueCycle, ring] as [[[UInt8]]])
    func cyclesAreErrors(_ objects: [[UInt8]]) {
        #expect(readingError(BinaryFixture.bytes(objects))?.code == .cycle)
    }
}
