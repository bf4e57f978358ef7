import CapsulePropertyList
import Testing

@Suite struct PlistIntegerTests {
    @Test func coversBothRanges() {
        #expect(PlistInteger(UInt64.max).uint64 == .max)
        #expect(PlistInteger(UInt64.max).int64 == nil)
        #expect(PlistInteger(Int64.min).int64 == .min)
        #expect(PlistInteger(Int64.min).uint64 == nil)
        #expect(PlistInteger(Int64.max).uint64 == UInt64(Int64.max))
        #expect(PlistInteger(UInt64(5)) == PlistInteger(Int64(5)))
        #expect(PlistInteger(UInt64(5)).hashValue == PlistInteger(5).hashValue)
        #expect(PlistInteger(UInt64.max) != PlistInteger(Int64(-1)))
    }

    @Test func ordersByNumber() {
        let numbers = [
            PlistInteger(Int64.min), PlistInteger(-2), PlistInteger(-1), 0, 1, PlistInteger(Int64.max),
            PlistInteger(UInt64(1) << 63), PlistInteger(UInt64.max),
        ]
        for (left, right) in zip(numbers, numbers.dropFirst()) {
            #expect(left < right)
            #expect(!(right < left))
        }
        #expect(numbers.reversed().sorted() == numbers)
    }

    @Test(
        arguments: [
            (PlistInteger(Int64.min), "-9223372036854775808"), (PlistInteger(UInt64.max), "18446744073709551615"), (0, "0"),
            (-7, "-7"),
        ] as [(PlistInteger, String)])
    func describesItself(_ integer: PlistInteger, _ text: String) {
        #expect(integer.description == text)
    }
}
