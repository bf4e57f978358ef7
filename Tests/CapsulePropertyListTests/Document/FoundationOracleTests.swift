import CapsulePropertyList
import Foundation
import TestSupport
import Testing

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
