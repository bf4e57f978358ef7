import Foundation
import TestSupport
import Testing

@testable import CapsulePropertyList

@Suite struct DateSpellingTests {
    private func read(_ text: String) -> Double? {
        Array(text.utf8).withUnsafeBytes { DateSpelling.read($0) }
    }

    @Test(
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.5Z"), (-0.5, "2000-12-31T23:59:59.5Z"),
            (-1, "2000-12-31T23:59:59Z"),
            (-0.1, "2000-12-31T23:59:59.9Z"), (-1.25, "2000-12-31T23:59:58.75Z"),
            (694_224_000.123456, "2023-01-01T00:00:00.123456Z"),
            (0.0001, "2001-01-01T00:00:00.0001Z"), (-0.0001, "2000-12-31T23:59:59.9999Z"),
            (252_423_993_599.5, "9999-12-31T23:59:59.5Z"),
            (-63_145_526_400, "0000-01-01T00:00:00Z"), (-63_145_526_399.5, "0000-01-01T00:00:00.5Z"),
            (-2.05, "2000-12-31T23:59:57.95Z"),
        ] as [(Double, String)])
    func isISO8601(_ seconds: Double, _ text: String) {
        #expect(DateSpelling.spell(seconds) == text)
        #expect(read(text) == seconds)
    }

    @Test(arguments: [-0.0, 0.00001, .nan, .infinity, 252_423_993_600, -63_145_526_400.5, 1e300])
    func someDatesHaveNoText(_ seconds: Double) {
        #expect(DateSpelling.spell(seconds) == nil)
    }

    @Test(arguments: [
        "", "2001-01-01", "2001-01-01T00:00:00", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00,5Z", "2001-01-01T00:00:00.5",
        "2001-01-01T00:00:00.5z",
        "2001-01-01T00:00:00.5eZ", "2001-13-01T00:00:00.5Z", "2001-01-01T00:00:00ZZ", "2001-01-01 00:00:00Z",
        "2001-01-01T00:00:00.-5Z",
    ])
    func otherTextsAreNoDates(_ text: String) {
        #expect(read(text) == nil)
    }

    @Test func zerosAtTheEndDoNotCount() {
        #expect(read("2001-01-01T00:00:00.000Z") == 0)
        #expect(read("2000-12-31T23:59:59.50000Z") == -0.5)
    }

    @Test(arguments: SeededGenerator.seeds)
    func readsBackToTheBit(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5000 {
            let bound = random.pick([1, 1000, 1e6, 1e9, 6e10])
            let seconds = Double.random(in: -bound...bound, using: &random)
            guard let text = DateSpelling.spell(seconds) else {
                #expect(seconds.magnitude < 0.0001, "seed \(seed): \(seconds)")
                continue
            }
            #expect(read(text)?.bitPattern == seconds.bitPattern, "seed \(seed): \(seconds) \(text)")
        }
    }
}

@Suite struct Base64Tests {
    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func bytesAreSpelled(data: String, text: String) {
        #expect(Base64.encode(Array(data.utf8)) == Array(text.utf8))
    }

    @Test(arguments: SeededGenerator.seeds)
    func agreesWithFoundation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for count in 0...300 {
            let data = random.bytes(count)
            let text = Base64.encode(data)
            #expect(text == Array(Data(data).base64EncodedData()), "seed \(seed), \(count) bytes")
            #expect(text.withUnsafeBytes { Base64.decode($0) } == data, "seed \(seed), \(count) bytes")
        }
    }
}

@Suite struct CivilTimeTests {
    /// Both epochs give the same calendar.
    @Test(arguments: [-63_145_526_400, -978_307_200, -978_307_201, -1, 0, 1, 86_399, 86_400, 252_423_993_599])
    func epochsAgree(seconds: Int) {
        let time = CivilTime(secondsSince2001: seconds)
        #expect(time == CivilTime(secondsSince1970: seconds + 978_307_200))
        #expect(time.secondsSince2001 == seconds)
    }

    /// No number of seconds causes a trap.
    @Test(arguments: [Int.min, Int.min + 1, Int.max - 1, Int.max]) func everyIntIsATime(seconds: Int) {
        for time in [CivilTime(secondsSince1970: seconds), CivilTime(secondsSince2001: seconds)] {
            #expect((1...12).contains(time.month) && (1...31).contains(time.day))
            #expect((0...23).contains(time.hour) && (0...59).contains(time.minute) && (0...59).contains(time.second))
        }
    }
}

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

@Suite struct DecimalRealTests {
    private func read(_ text: String) -> Double? {
        Array(text.utf8).withUnsafeBytes { DecimalReal.read($0) }
    }

    @Test(arguments: [
        "0", "-0", "0.0", "-0.0", "1", "+1", "1.5", "-1.5", ".5", "5.", "1e5", "1E+5", "1e-5", "1e22", "1e23", "1e-22", "1e-23",
        "9007199254740992",
        "9007199254740993", "9007199254740993.0", "0.1", "0.30000000000000004", "123456789012345678", "12345678901234567890",
        "1e308", "1e309",
        "1e-324", "5e-324", "1e-400", "1e1000", "1e-1000", "1e00005", "1e99999999999999999999", "0e400",
        "0.00000000000000000000000000001",
        "100000000000000000000000000000", "1.0000000000000000000000000000001", "2.2250738585072011e-308", "4503599627370497.5",
    ])
    func isWhatTheStandardLibraryReads(_ text: String) {
        #expect(read(text)?.bitPattern == Double(text)?.bitPattern)
    }

    @Test(arguments: SeededGenerator.seeds)
    func generatedOnesToo(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            var text = random.isLucky(oneIn: 2) ? "-" : ""
            text += String(random.next() >> UInt64(random.number(0...63)))
            if random.isLucky(oneIn: 2) { text += "." + String(random.next() >> UInt64(random.number(0...63))) }
            if random.isLucky(oneIn: 2) { text += "e\(random.number(-30...30))" }
            #expect(read(text)?.bitPattern == Double(text)?.bitPattern, "seed \(seed): \(text)")
        }
    }
}
