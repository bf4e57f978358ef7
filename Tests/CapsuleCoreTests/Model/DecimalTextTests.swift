import CapsuleCore
import TestSupport
import Testing

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
