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

/// Foundation reads what we write, and we read what Foundation writes.
@Suite struct FoundationOracleTests {
    static let value: PlistValue = [
        "strings": ["", "a & b < c >", "é日本😀", "tab\tand\nline", "a string of more than fifteen bytes"],
        "integers": [0, 1, -1, 255, 256, 65536, .integer(PlistInteger(Int64.max)), .integer(PlistInteger(Int64.min))],
        "large": .integer(PlistInteger(UInt64.max)),
        "reals": [0.0, 1.0, 0.5, -2.25, 1e20, 1e-5, .real(.infinity), .real(-.infinity)],
        "booleans": [true, false], "dates": [.date(0), .date(-978_307_200), .date(252_423_993_599), .date(-63_114_076_800)],
        "data": [.data([]), .data([1]), .data([1, 2]), .data([UInt8](0..<200)), [.data([UInt8](0..<100))]],
        "nested": ["a": ["b": ["c": [[], [:], [["d": 1]]]]]], "": "the empty key",
    ]

    @Test func foundationReadsOurXML() throws {
        #expect(try FoundationOracle.read(try XMLPlistWriter.write(Self.value)) == Self.value)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func weReadWhatFoundationWrites(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let (value, read) = try PlistReader.read(try FoundationOracle.write(Self.value, format))
        #expect(value == Self.value)
        #expect(read == (format == .xml ? .xml : .binary))
    }

    /// If there is only one key order, both write the same bytes.
    @Test(
        arguments: [
            "", "a & b < c > \" '", "é日本😀", true, false, 0, -1, 1234567, .integer(PlistInteger(UInt64.max)), 0.0, 1.0, 0.5, -2.25,
            1e20, 1e17, 1e16,
            0.0001220703125, .real(.infinity), .real(-.infinity), .real(.nan), .date(0), .date(-63_114_076_800),
            .date(252_423_993_599), .data([]),
            .data([UInt8](0..<255)), [], [:], ["a": []], [[[["a": [["b": [.data([UInt8](0..<100))]]]]]]],
            [[[[[[[[[[.data([UInt8](0..<100))]]]]]]]]]],
        ] as [PlistValue])
    func writesTheBytesThatFoundationWrites(_ value: PlistValue) throws {
        let ours = String(decoding: try XMLPlistWriter.write(value), as: UTF8.self)
        let theirs = String(decoding: try FoundationOracle.write(value, .xml), as: UTF8.self)
        #expect(ours == theirs)
    }

    @Test(arguments: Array(1...20) + [UInt64.random(in: .min ... .max)])
    func agreesOnGeneratedDates(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let dates = (0..<200).map { _ in
            PlistValue.date(Double(Int.random(in: -63_113_904_000...252_423_993_599, using: &generator)))
        }
        let theirs = try FoundationOracle.write(.array(dates), .xml)
        #expect(try read(theirs) == .array(dates), "seed \(seed)")
        #expect(try XMLPlistWriter.write(.array(dates)) == theirs, "seed \(seed)")
    }
}
