import CapsulePropertyList
import TestSupport
import Testing

/// Tests `--lossy`: the nearest value, and a note for each change.
@Suite struct PlistConversionTests {
    /// A value, an encoding, and the converted value; nil if nothing is left.
    @Test(
        arguments: [
            (.null, .xml, nil), (.null, .binary, nil), (.null, .openStep, nil), (.date(1.75), .xml, .date(1)),
            (.date(-0.25), .xml, .date(-1)), (.date(-0.0), .xml, .date(0)), (.date(.nan), .xml, "nan"),
            (.date(1e12), .xml, "1000000000000.0"),
            ("a\u{1}\u{FFFE}b", .xml, "a\u{FFFD}\u{FFFD}b"), (.real(.signalingNaN), .xml, .real(.nan)),
            (["CF$UID": 3], .xml, .uid(3)),
            (.data([0, 1]), .json, "AAE="), (.date(0.5), .json, "2001-01-01T00:00:00.5Z"), (.uid(7), .json, 7),
            (.real(.infinity), .json, "+infinity"), (.real(.nan), .json, "nan"), (-5, .openStep, "-5"), (1.5, .openStep, "1.5"),
            (true, .openStep, "YES"), (false, .openStep, "NO"), (.date(0), .openStep, "2001-01-01T00:00:00Z"),
            (.uid(9), .openStep, "9"),
        ] as [(PlistValue, PlistFormat, PlistValue?)])
    func isTheNearestValue(_ value: PlistValue, _ format: PlistFormat, _ expected: PlistValue?) throws {
        let conversion = try PlistConversion(of: ["a/b": ["x", value, "y"], "c": "d"], to: format)
        #expect(conversion.value == ["a/b": .array(["x"] + (expected.map { [$0] } ?? []) + ["y"]), "c": "d"])
        #expect(conversion.notes.map { $0.code } == [.notRepresentable])
        #expect(conversion.notes.map { $0.pointer } == ["/a~1b/1"])
        let alone = Result { () throws(PlistError) in try PlistConversion(of: value, to: format).value }
        #expect((try? alone.get()) == expected)
    }

    @Test func whatCanBeHeldIsLeftAlone() throws {
        let value: PlistValue = ["a": [1, 1.5, true, .null, "x\u{1}"]]
        let conversion = try PlistConversion(of: value, to: .json)
        #expect(conversion.value == value)
        #expect(conversion.notes.isEmpty)
        let typed: PlistValue = [.date(.nan), .data([1]), .uid(1)]
        #expect(try PlistConversion(of: typed, to: .json, json: .typed).notes.isEmpty)
        #expect(try PlistConversion(of: typed, to: .binary).notes.isEmpty)
    }

    @Test func nullLeavesNoKey() throws {
        #expect(try PlistConversion(of: ["a": .null, "b": ["c": .null]], to: .xml).value == ["b": [:]])
    }

    @Test func keysMayBecomeEqual() throws {
        let conversion = try PlistConversion(of: ["a\u{1}": 1, "a\u{2}": 2, "b": 3], to: .xml)
        #expect(conversion.value == ["a\u{FFFD}": 2, "b": 3])
        #expect(conversion.notes.map { $0.pointer } == ["/a\u{1}", "/a\u{2}", ""])
    }

    @Test func notesAreBounded() throws {
        let many = PlistValue.array(Array(repeating: true, count: 200))
        let notes = try PlistConversion(of: many, to: .openStep).notes
        #expect(notes.count == 65)
        #expect(notes.last?.message == "more values change; they are not listed")
        #expect(notes.last?.pointer == nil)
    }

    @Test func depthIsBounded() {
        let error = failure { () throws(PlistError) in try PlistConversion(of: nestedArrays(513), to: .openStep) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.pointer == String(repeating: "/0", count: 512))
    }

    /// After the conversion, every encoding's writer accepts the value, and it reads back the same.
    @Test(arguments: SeededGenerator.seeds)
    func whatIsConvertedCanBeWritten(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let value = PlistValue.array([random.freeValue(depth: 4)])
            let xml = try PlistConversion(of: value, to: .xml)
            #expect(try PlistReader.read(try XMLPlistWriter.write(xml.value)).value == xml.value, "seed \(seed)")
            let json = try PlistConversion(of: value, to: .json)
            #expect(try PlistReader.read(try JSONPlistWriter.write(json.value)).value == json.value, "seed \(seed)")
            let openStep = try PlistConversion(of: value, to: .openStep)
            #expect(try PlistReader.read(try OpenStepPlistWriter.write(openStep.value)).value == openStep.value, "seed \(seed)")
            #expect(json.notes.isEmpty == (json.value == value))
        }
    }
}
