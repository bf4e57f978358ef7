import CapsulePropertyList
import Foundation
import TestSupport
import Testing

/// Foundation reads OpenStep property lists, and we read them with the same result.
@Suite struct OpenStepOracleTests {
    @Test(arguments: OpenStepReaderTests.documents)
    func foundationReadsTheSame(_ document: String, _ value: PlistValue) throws {
        #expect(try FoundationOracle.read(Array(document.utf8)) == value)
    }

    /// All octal escapes except the two that are undefined in NeXTSTEP's character set.
    @Test func bothKnowTheCharactersOfNeXTSTEP() throws {
        for byte in 0...0xFD {
            let document = "(\"\\\(String(byte, radix: 8))\")"
            #expect(try FoundationOracle.read(Array(document.utf8)) == (try readOpenStep(document)), "\(document)")
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func foundationReadsWhatWeWrite(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let value = Self.distinctKeys(random.openStepValue(depth: 4))
            let written = try OpenStepPlistWriter.write(value)
            #expect(try FoundationOracle.read(written) == value, "seed \(seed): \(String(decoding: written, as: UTF8.self))")
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func bothReadAnySpelling(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let value = Self.distinctKeys(random.openStepValue(depth: 4))
            let text = random.openStep(value)
            #expect(try FoundationOracle.read(Array(text.utf8)) == value, "seed \(seed): \(text)")
        }
    }

    /// Foundation's dictionaries treat canonically equivalent keys as equal.
    private static func distinctKeys(_ value: PlistValue) -> PlistValue {
        switch value {
        case .array(let elements): return .array(elements.map { distinctKeys($0) })
        case .dictionary(let dictionary):
            var seen: Set<String> = []
            return .dictionary(
                PlistDictionary(
                    dictionary.filter { seen.insert($0.key.string).inserted }.map { ($0.key, distinctKeys($0.value)) }))
        default: return value
        }
    }
}
