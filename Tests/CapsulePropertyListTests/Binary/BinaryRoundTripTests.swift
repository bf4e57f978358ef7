import CapsulePropertyList
import Foundation
import TestSupport
import Testing

@Suite struct BinaryRoundTripTests {
    @Test(arguments: Array(1...UInt64(rounds(60))) + SeededGenerator.seeds)
    func whatIsWrittenReadsBack(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = generator.anyValue(depth: 5)
        let written = try BinaryPlistWriter.write(value)
        let (back, format) = try PlistReader.read(written)
        #expect(back == value, "seed \(seed)")
        #expect(format == .binary)
        for _ in 0..<5 { #expect(try BinaryPlistWriter.write(back) == written, "seed \(seed)") }
        #expect(keys(of: back) == keys(of: value), "seed \(seed)")
        let sorted = try BinaryPlistWriter.write(value, sortsKeys: true)
        #expect(try read(sorted) == value, "seed \(seed)")
        #expect(try BinaryPlistWriter.write(try read(sorted)) == sorted, "seed \(seed)")
        #expect(try BinaryPlistWriter.write(generator.shuffled(value), sortsKeys: true) == sorted, "seed \(seed)")
    }

    /// Returns all keys in document order.
    private func keys(of value: PlistValue) -> [PlistString] {
        switch value {
        case .array(let elements): elements.flatMap { keys(of: $0) }
        case .dictionary(let dictionary): dictionary.flatMap { [$0.key] + keys(of: $0.value) }
        default: []
        }
    }

    @Test(arguments: Array(1...20) + SeededGenerator.seeds)
    func foundationReadsWhatWeWrite(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = generator.plainValue(depth: 4)
        #expect(try FoundationOracle.read(try BinaryPlistWriter.write(value)) == value, "seed \(seed)")
    }

    /// The values have no repetitions, because Foundation shares no objects outside of Apple's systems. On Apple's systems it
    /// shares no booleans or containers.
    @Test(arguments: Array(1...20) + SeededGenerator.seeds)
    func writesTheBytesThatFoundationWrites(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let theirs = try FoundationOracle.write(generator.distinctValue(depth: 4), .binary)
        #expect(try BinaryPlistWriter.write(try read(theirs)) == theirs, "seed \(seed)")
    }

    /// plistlib reads what we write, and writes the same bytes.
    @Test(.enabled(if: PythonOracle.isThere), arguments: SeededGenerator.seeds)
    func plistlibWritesTheSameBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let documents = try (0..<60).map { _ in try BinaryPlistWriter.write(generator.plainValue(depth: 5)) }
        let shared = BinaryFixture.bytes((1...16).map { [0xA2, $0, $0] } + [[0x10, 0x2A]])
        let theirs = try PythonOracle.transform(
            documents + [shared],
            "plistlib.dumps(plistlib.loads(document), fmt=plistlib.FMT_BINARY, sort_keys=False)")
        for (number, (ours, theirs)) in zip(documents + [shared], theirs).enumerated() {
            #expect(ours == theirs, "seed \(seed), document \(number)")
        }
    }

    /// We write the same bytes as plistlib for the same values.
    @Test(.enabled(if: PythonOracle.isThere), arguments: SeededGenerator.seeds)
    func writesTheBytesThatPlistlibWrites(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let documents = try (0..<60).map { _ in try XMLPlistWriter.write(generator.distinctValue(depth: 4)) }
        let theirs = try PythonOracle.transform(
            documents, "plistlib.dumps(plistlib.loads(document), fmt=plistlib.FMT_BINARY, sort_keys=False)")
        for (number, (document, theirs)) in zip(documents, theirs).enumerated() {
            #expect(try read(theirs) == read(document), "seed \(seed), document \(number)")
            #expect(try BinaryPlistWriter.write(try read(document)) == theirs, "seed \(seed), document \(number)")
        }
    }
}
