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
