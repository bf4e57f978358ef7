import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore

@Suite struct NameOrderTests {
    @Test func stringsAreOrderedByBytes() {
        let names: [PlistValue] = ["", "A", "B", "a", "ab", "b", "é", "\u{FFFD}", "😀"]
        for (left, leftName) in names.enumerated() {
            for (right, rightName) in names.enumerated() {
                let expected: NameOrder.Ordering = left < right ? .less : left == right ? .same : .more
                #expect(NameOrder.compare(leftName, rightName) == expected)
            }
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func allValuesHaveOneOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var values: [PlistValue] = [.null, [], [:], .real(.nan), .real(-0.0), .real(0.0)]
        for _ in 0..<40 {
            let value = random.propertyList(depth: 2)
            values += [value, random.changed(value, 1), random.scalar(), .array([value, random.scalar()])]
        }
        for left in values {
            for right in values {
                let forth = NameOrder.compare(left, right)
                let back = NameOrder.compare(right, left)
                #expect((forth == .same) == (left == right))
                #expect((forth == .less) == (back == .more))
            }
        }
        // In a consistent order, sorting gives the same result from any start.
        func sorted(_ values: [PlistValue]) -> [PlistValue] {
            values.sorted { NameOrder.compare($0, $1) == .less }
        }
        #expect(sorted(values) == sorted(values.shuffled(using: &random)))
    }
}
