import CapsuleCore
import Foundation
import TestSupport
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (1_715_938_200, "2024-05-17T09:30:00Z"),
        (951_782_400, "2000-02-29T00:00:00Z"), (951_868_799, "2000-02-29T23:59:59Z"), (951_868_800, "2000-03-01T00:00:00Z"),
        (-2_203_891_200, "1900-03-01T00:00:00Z"), (-2_203_891_201, "1900-02-28T23:59:59Z"), (68_169_600, "1972-02-29T00:00:00Z"),
        (2_147_483_648, "2038-01-19T03:14:08Z"), (-2_147_483_649, "1901-12-13T20:45:51Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"), (253_402_300_800, "10000-01-01T00:00:00Z"),
        (-62_135_596_800, "0001-01-01T00:00:00Z"), (-62_135_596_801, "0000-12-31T23:59:59Z"),
        (-62_167_219_200, "0000-01-01T00:00:00Z"), (-62_167_219_201, "-0001-12-31T23:59:59Z"),
        (Int64.max, "292277026596-12-04T15:30:07Z"), (Int64.min, "-292277022657-01-27T08:29:52Z"),
    ])
    func secondsAreSpelled(seconds: Int64, text: String) {
        #expect(Timestamp(seconds: seconds).iso8601() == text)
    }

    @Test(arguments: [(UInt32(0), "000000000"), (1, "000000001"), (120, "000000120"), (999_999_999, "999999999")])
    func nineDigitsOfFraction(nanoseconds: UInt32, digits: String) throws {
        let time = try #require(Timestamp(seconds: 0, nanoseconds: nanoseconds))
        #expect(time.iso8601(fraction: true) == "1970-01-01T00:00:00.\(digits)Z")
        #expect(time.iso8601() == "1970-01-01T00:00:00Z")
    }

    /// Foundation's Gregorian calendar gives the same result from 1583 on. Before that it is Julian.
    @Test(arguments: SeededGenerator.seeds)
    func agreesWithFoundation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let formatter = ISO8601DateFormatter()
        for _ in 0..<2_000 {
            let seconds = Int64.random(in: -12_212_553_600...253_402_300_799, using: &random)
            let expected = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(Timestamp(seconds: seconds).iso8601() == expected, "\(seconds)")
        }
    }

    @Test func aBillionNanosecondsAreRefused() {
        #expect(Timestamp(seconds: 0, nanoseconds: 999_999_999) != nil)
        #expect(Timestamp(seconds: 0, nanoseconds: 1_000_000_000) == nil)
        #expect(Timestamp(seconds: 0, nanoseconds: .max) == nil)
    }

    @Test func orderIsBySecondsThenNanoseconds() throws {
        let times = try [(-1, 999_999_999), (0, 0), (0, 1), (1, 0)].map { pair in
            try #require(Timestamp(seconds: Int64(pair.0), nanoseconds: UInt32(pair.1)))
        }
        #expect(times.shuffled().sorted() == times)
    }

    @Test func plistDatesCountFrom2001() throws {
        #expect(Timestamp(seconds: 978_307_200).plistDate == 0)
        #expect(Timestamp(plistDate: 0) == Timestamp(seconds: 978_307_200))
        #expect(Timestamp(plistDate: -978_307_200) == .epoch)
        let half = try #require(Timestamp(plistDate: 0.5))
        #expect(half == Timestamp(seconds: 978_307_200, nanoseconds: 500_000_000))
        #expect(Timestamp(plistDate: -0.5) == Timestamp(seconds: 978_307_199, nanoseconds: 500_000_000))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 9.3e18])
    func datesBeyondAnyTimeAreNone(date: Double) {
        #expect(Timestamp(plistDate: date) == nil)
    }
}

@Suite struct ContentDigestTests {
    private static let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    @Test func hexadecimalComesBack() throws {
        let digest = try #require(ContentDigest(hex: Self.hex))
        #expect(digest.hex == Self.hex)
        #expect(digest.description == Self.hex)
        #expect(ContentDigest(hex: Self.hex.uppercased()) == digest)
        #expect(ContentDigest.zero.hex == String(repeating: "0", count: 64))
    }

    @Test(arguments: [
        "", "e3", String(hex.dropLast()), hex + "0", hex.replacing("e3", with: "g3"), hex.replacing("e3", with: "+3"),
        " " + hex.dropFirst(), "é" + hex.dropFirst(2),
    ])
    func otherTextIsNone(text: String) {
        #expect(ContentDigest(hex: text) == nil)
    }

    @Test(arguments: SeededGenerator.seeds)
    func bytesComeBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let bytes = random.bytes(32)
            let digest = try #require(bytes.withUnsafeBytes { ContentDigest($0) })
            #expect(digest.withBytes { Array($0) } == bytes)
            #expect(ContentDigest(hex: digest.hex) == digest)
            #expect(ContentDigest { $0.copyBytes(from: bytes) } == digest)
        }
    }

    @Test func fewerThan32BytesAreNone() {
        #expect([UInt8](repeating: 1, count: 31).withUnsafeBytes { ContentDigest($0) } == nil)
        #expect([UInt8](repeating: 1, count: 33).withUnsafeBytes { ContentDigest($0) } != nil)
    }
}

@Suite struct DecimalTextTests {
    private static func text(_ value: UInt64, width: Int = 1, filler: UInt8 = 0x30) -> String {
        var text = Array("=".utf8)
        text.appendDecimal(value, width: width, filler: filler)
        return String(decoding: text, as: UTF8.self)
    }

    @Test(arguments: SeededGenerator.seeds)
    func numbersAreSpelled(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for value in [0, 1, 9, 10, 99, 100, UInt64.max] + (0..<64).map({ random.next() >> UInt64($0) }) {
            #expect(Self.text(value) == "=\(value)")
        }
    }

    @Test func shortNumbersAreFilledUp() {
        #expect(Self.text(7, width: 3) == "=007")
        #expect(Self.text(7, width: 3, filler: 0x20) == "=  7")
        #expect(Self.text(1234, width: 3) == "=1234")
    }
}

@Suite("messages of others")
struct MessageTextTests {
    @Test(arguments: [
        ("Truncated input", "truncated input"), ("A file is missing", "a file is missing"), ("ZIP bad CRC", "ZIP bad CRC"),
        ("UNIQUE constraint failed", "UNIQUE constraint failed"), ("7-Zip entry", "7-Zip entry"), ("", ""), ("I", "I"),
        ("no such file", "no such file"),
    ])
    func namesKeepTheirCase(text: String, message: String) {
        #expect(text.asMessage == message)
    }
}

@Suite struct ShellWordTests {
    @Test(arguments: [
        ("g.capsule", "g.capsule"), ("sim:booted/com.example.gifs", "sim:booted/com.example.gifs"), ("a b", #"a\ b"#),
        ("it's", #"it\'s"#), (#"a"$b\c"#, #"a\"\$b\\c"#), ("~a*?[!&;", #"\~a\*\?\[\!\&\;"#), ("M\u{FC}sli", "M\u{FC}sli"),
        ("a\nb", #"a$'\x0A'b"#), ("\u{202E}", #"$'\xE2'$'\x80'$'\xAE'"#), ("", "''"), ("-f", "./-f"), ("-", "-"),
    ])
    func isReadByAShell(path: String, word: String) {
        #expect(HostPath(path).shellWord == word)
    }

    @Test func bytesThatAreNotUTF8() {
        #expect([0x61, 0xFF].shellWord == #"a$'\xFF'"#)
    }
}

@Suite struct QuotedBytesTests {
    @Test(
        arguments: [
            (Array("plain \u{E9} \u{1F600} \\".utf8), "plain \u{E9} \u{1F600} \\"), ([], ""),
            ([0x61, 0xFF, 0x62], "a\\xFFb"), ([0xC3], "\\xC3"), ([0xE2, 0x82], "\\xE2\\x82"),
            ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"),
            (Array("a\n\t\r\u{1B}[1m\u{7F}\u{0}".utf8), "a\\n\\t\\r\\x1B[1m\\x7F\\x00"),
            (Array("\u{202E}x\u{85}".utf8), "\\xE2\\x80\\xAEx\\xC2\\x85"),
        ] as [([UInt8], String)])
    func isOneHarmlessLine(bytes: [UInt8], text: String) {
        #expect(QuotedBytes(bytes).text == text)
    }
}

@Suite struct VersionNumbersTests {
    @Test(
        arguments: [
            ([1], "version 1", "1"), ([2, 1], "versions 1 and 2", "1,2"), ([3, 2, 1], "versions 1 to 3", "1,2,3"),
            ([9, 7, 4, 3, 2, 1], "versions 1 to 4, 7 and 9", "1,2,3,4,7,9"), ([1, 3, 4], "versions 1, 3 and 4", "1,3,4"),
            ([0, UInt32.max], "versions 0 and 4294967295", "0,4294967295"), ([5, 5], "version 5", "5"),
        ] as [([UInt32], String, String)])
    func theyAreToldInWords(numbers: [UInt32], text: String, list: String) {
        let versions = VersionNumbers(numbers)
        #expect(versions.description == text)
        #expect(versions.list == list)
        #expect(versions.isOne == (Set(numbers).count == 1))
    }
}

@Suite struct VersionSelectorTests {
    @Test(arguments: ["a", "v1", "1a", "a.b-c_d", "-", ".", "_", "1.0", "0x1", "Latest", "FIRST", "latest2", "before"])
    func labels(text: String) {
        #expect(VersionLabel(text)?.text == text)
        #expect(VersionSelector(text)?.text == text)
    }

    @Test(arguments: ["", "1", "007", "latest", "first", "a b", "a/b", "é", "a@b", "~1", "a\n", "a:b"])
    func noLabels(text: String) {
        #expect(VersionLabel(text) == nil)
    }

    @Test(arguments: [
        ("1", VersionSelector.number(1)), ("42", .number(42)), ("4294967295", .number(.max)), ("latest", .beforeLatest(0)),
        ("first", .first), ("~0", .latest), ("~1", .beforeLatest(1)), ("~12", .beforeLatest(12)),
    ])
    func selectors(text: String, selector: VersionSelector) {
        #expect(VersionSelector(text) == selector)
    }

    @Test(arguments: ["", "~", "~x", "~-1", "4294967296", "99999999999999999999", "a b", "@", "1 "])
    func noSelectors(text: String) {
        #expect(VersionSelector(text) == nil)
    }

    @Test(arguments: [(VersionSelector.number(3), "3"), (.latest, "latest"), (.beforeLatest(2), "~2"), (.first, "first")])
    func selectorsAreSpelled(selector: VersionSelector, text: String) {
        #expect(selector.text == text)
        #expect(VersionSelector(text) == selector)
    }
}
