import TestSupport
import Testing

@testable import CapsulePropertyList

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
