import CapsulePropertyList
import TestSupport
import Testing

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
