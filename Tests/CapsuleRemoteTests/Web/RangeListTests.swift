import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleRemote

@Suite struct RangeListTests {
    private static func list(_ ranges: Range<UInt64>...) -> RangeList {
        var list = RangeList()
        for range in ranges { list.insert(range) }
        return list
    }

    @Test func neighborsAreJoined() {
        #expect(Self.list(0..<2, 2..<4).ranges == [0..<4])
        #expect(Self.list(4..<6, 0..<2, 2..<4).ranges == [0..<6])
        #expect(Self.list(0..<1, 2..<3, 4..<5, 0..<9).ranges == [0..<9])
        #expect(Self.list(5..<5).ranges == [])
        #expect(Self.list(0..<UInt64.max).missing(in: 5..<UInt64.max) == [])
    }

    /// The list against a set of numbers.
    @Test(arguments: SeededGenerator.seeds)
    func holdsWhatWasInserted(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<rounds(800) {
            var list = RangeList()
            var numbers: Set<UInt64> = []
            for _ in 0..<generator.number(0...12) {
                let range = Self.range(&generator)
                list.insert(range)
                numbers.formUnion(range)
                #expect(Set(list.ranges.joined()) == numbers, "seed \(seed), round \(round)")
                #expect(list.ranges.allSatisfy { !$0.isEmpty }, "seed \(seed), round \(round)")
                #expect(
                    zip(list.ranges, list.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound },
                    "seed \(seed), round \(round): \(list.ranges)")
                let asked = Self.range(&generator)
                let missing = list.missing(in: asked)
                #expect(missing.joined().elementsEqual(asked.filter { !numbers.contains($0) }), "seed \(seed), round \(round)")
                #expect(missing.allSatisfy { !$0.isEmpty }, "seed \(seed), round \(round)")
            }
        }
    }

    private static func range(_ generator: inout SeededGenerator) -> Range<UInt64> {
        let start = generator.number(0...64)
        return UInt64(start)..<UInt64(generator.number(start...(start + 12)))
    }
}

@Suite struct SpoolTests {
    @Test func whatIsMissingIsSortedAndWithinTheFile() throws {
        let spool = try Spool(length: 100, in: nil)
        try spool.write([1, 2, 3], at: 10)
        #expect(!spool.has(10..<13))
        spool.mark(10..<13)
        #expect(spool.has(10..<13))
        #expect(spool.missing([90..<200, 0..<20, 5..<12]) == [0..<10, 13..<20, 90..<100])
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1)
        defer { buffer.deallocate() }
        try spool.read(at: 10, into: buffer)
        #expect(Array(buffer) == [1, 2, 3])
        #expect(failure { try spool.write([0, 0], at: 99) }?.code == .damaged)
        #expect(failure { try spool.write([], at: 101) }?.code == .damaged)
        #expect(failure { try spool.write([0], at: UInt64.max) }?.code == .damaged)
    }
}
