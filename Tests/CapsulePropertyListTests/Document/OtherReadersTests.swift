import CapsulePropertyList
import Foundation
import TestSupport
import Testing

/// Compares our reading and writing of generated documents with other tools: they read what we write, and we read what they write.
@Suite struct OtherReadersTests {
    /// Returns values that other tools can represent without loss.
    static func values(_ count: Int, seed: UInt64) -> [PlistValue] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { generator.plainValue(depth: $0 % 4) }
    }

    private static func check(_ documents: [[UInt8]], _ values: [PlistValue], seed: UInt64) throws {
        #expect(documents.count == values.count)
        for (number, (document, value)) in zip(documents, values).enumerated() {
            expectEqual(try read(document), value, "seed \(seed), document \(number)")
        }
    }

    // MARK: plistlib

    /// Converts our documents, in both encodings, with plistlib to one of them.
    @Test(.enabled(if: PythonOracle.isThere, "python3 is not here"), arguments: ["XML", "BINARY"], SeededGenerator.seeds)
    func plistlib(_ encoding: String, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let values = (0..<400).map { number in
            let value = Self.plistlibs(generator.value(depth: number % 3))
            return encoding == "XML" ? value.withoutReturns : value
        }
        let rewrite = "plistlib.dumps(plistlib.loads(document), fmt=plistlib.FMT_\(encoding), sort_keys=False)"
        let ours = try values.map { try XMLPlistWriter.write($0) } + values.map { try BinaryPlistWriter.write($0) }
        try Self.check(try PythonOracle.transform(ours, rewrite), values + values, seed: seed)
    }

    /// Returns the value without what plistlib can't represent: UIDs in XML, dates before the year 1, and -0.0, which it confuses
    /// with 0.0.
    private static func plistlibs(_ value: PlistValue) -> PlistValue {
        value.mapping { value in
            switch value {
            case .uid(let uid): .integer(PlistInteger(uid))
            case .date(let seconds): .date(max(seconds, -63_113_904_000))
            case .real(0): 0.0
            default: value
            }
        }
    }

    // MARK: plistutil

    /// Converts our documents in one encoding with plistutil to the other.
    @Test(
        .enabled(if: PlistutilOracle.isThere, "plistutil of libplist is not here: apt-get install libplist-utils"),
        arguments: [PlistFormat.xml, .binary], SeededGenerator.seeds)
    func plistutil(_ format: PlistFormat, seed: UInt64) throws {
        let values = Self.values(150, seed: seed).map { value in
            value.withoutReturns.mapping { value in
                // plistutil doesn't pad the years before 1000 to four digits.
                guard case .date(let seconds) = value else { return value }
                return .date(max(seconds, -30_000_000_000))
            }
        }
        let ours = try values.map { try format == .xml ? BinaryPlistWriter.write($0) : XMLPlistWriter.write($0) }
        try Self.check(try PlistutilOracle.convert(ours, to: format), values, seed: seed)
    }

    // MARK: Foundation

    @Test(arguments: [PlistFormat.xml, .binary], Array(1...4) + SeededGenerator.seeds)
    func foundation(_ format: PlistFormat, seed: UInt64) throws {
        for (number, value) in Self.values(250, seed: seed).enumerated() {
            let value = format == .xml ? value.withoutReturns : value
            let ours = try format == .xml ? XMLPlistWriter.write(value) : BinaryPlistWriter.write(value)
            let theirs = try FoundationOracle.write(value, format == .xml ? .xml : .binary)
            expectEqual(try FoundationOracle.read(ours), value, "seed \(seed), document \(number)")
            expectEqual(try read(theirs), value, "seed \(seed), document \(number)")
        }
    }
}
