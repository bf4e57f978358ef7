import CapsulePropertyList
import Foundation
import TestSupport
import Testing

@Suite struct BinaryReaderTests {
    @Test(
        arguments: [
            ([0x08], false), ([0x09], true), ([0x10, 0xFF], 255), ([0x11, 0xFF, 0xFE], 65534),
            ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], 4_294_967_295),
            ([0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE], -2),
            ([0x13, 0x80, 0, 0, 0, 0, 0, 0, 0], .integer(PlistInteger(Int64.min))),
            ([0x14, 0, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8), .integer(PlistInteger(UInt64.max))),
            ([0x14] + [UInt8](repeating: 0xFF, count: 15) + [0xFB], -5), ([0x22, 0x3F, 0x80, 0, 0], 1.0),
            ([0x22, 0x80, 0, 0, 0], .real(-0.0)),
            ([0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], 1.5), ([0x23, 0x80, 0, 0, 0, 0, 0, 0, 0], .real(-0.0)),
            ([0x23, 0x7F, 0xF8, 0, 0, 0, 0, 0, 1], .real(Double(bitPattern: 0x7FF8_0000_0000_0001))),
            ([0x33, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0], .date(0.5)),
            ([0x40], .data([])), ([0x42, 1, 2], .data([1, 2])), ([0x4F, 0x10, 0x0F] + [UInt8](0..<15), .data([UInt8](0..<15))),
            ([0x4F, 0x13, 0, 0, 0, 0, 0, 0, 0, 1, 9], .data([9])), ([0x50], ""), ([0x52, 0x61, 0x00], "a\0"),
            ([0x5F, 0x10, 0x01, 0x61], "a"),
            ([0x60], ""), ([0x61, 0x00, 0xE9], "é"), ([0x62, 0xD8, 0x3D, 0xDE, 0x00], "😀"),
            ([0x62, 0x00, 0x65, 0x03, 0x01], "e\u{301}"),
            ([0x61, 0xFF, 0xFE], "\u{FFFE}"), ([0x80, 7], .uid(7)), ([0x81, 1, 0], .uid(256)),
            ([0x87] + [UInt8](repeating: 0xFF, count: 8), .uid(.max)),
            ([0x8F] + [UInt8](repeating: 0, count: 15) + [3], .uid(3)), ([0xA0], []), ([0xD0], [:]),
        ] as [([UInt8], PlistValue)])
    func readsScalars(_ object: [UInt8], _ value: PlistValue) throws {
        let (read, format) = try PlistReader.read(BinaryFixture.bytes([object]))
        #expect(read == value)
        #expect(format == .binary)
    }

    @Test(arguments: 1...8, 1...8)
    func readsOffsetsAndReferencesOfAnyWidth(_ offsetBytes: Int, _ referenceBytes: Int) throws {
        func reference(_ object: UInt64) -> [UInt8] { BinaryFixture.bigEndian(object, referenceBytes) }
        let bytes = BinaryFixture.bytes([
            BinaryFixture.string("b"), [0xA2] + reference(3) + reference(0),
            [0xD2] + reference(0) + reference(4) + reference(1) + reference(3),
            [0x09], BinaryFixture.string(""),
        ]) {
            $0.offsetBytes = offsetBytes
            $0.referenceBytes = referenceBytes
            $0.root = 2
        }
        let value = try read(bytes)
        #expect(value == ["b": [true, "b"], "": true])
        #expect(value.dictionary?.keys.map { $0.string } == ["b", ""])
    }

    @Test func keepsNormalisationFormsAndTheEmptyKey() throws {
        let bytes = BinaryFixture.bytes([
            [0xD3, 1, 2, 3, 4, 5, 6], [0x61, 0x00, 0xE9], [0x62, 0x00, 0x65, 0x03, 0x01], [0x50], [0x09], [0x10, 1],
            [0x22, 0x3F, 0x80, 0, 0],
        ])
        #expect(try read(bytes) == ["\u{E9}": true, "e\u{301}": 1, "": 1.0])
    }

    @Test func aSharedDictionaryIsSharedByValue() throws {
        let bytes = BinaryFixture.bytes([[0xA3, 1, 1, 1], [0xD1, 2, 3], BinaryFixture.string("k"), [0x10, 1]])
        var elements = try read(bytes).array ?? []
        var changed = elements[1].dictionary ?? [:]
        changed["k"] = 2
        elements[1] = .dictionary(changed)
        #expect(elements == [["k": 1], ["k": 2], ["k": 1]])
    }

    @Test func unreferencedObjectsDoNotMatter() throws {
        #expect(try read(BinaryFixture.bytes([[0x09], [0x00], [0xF0], [0xA1, 9]])) == true)
    }
}

/// Edits of binary property lists, which are written anew unless the value is the same.
@Suite struct BinaryEditTests {
    /// An edit that changes nothing must write nothing, however unusual the document is.
    @Test func anEqualValueChangesNothing() throws {
        let documents = [
            BinaryFixture.bytes([[0xA2, 1, 1], [0xA2, 2, 2], [0x10, 0x2A]]) { $0.offsetBytes = 2 },
            BinaryFixture.bytes([
                [0x10, 9], [0xD2, 2, 3, 4, 5], [0x61, 0, 0x61], BinaryFixture.string("b"), [0x11, 0, 1], [0xA0], [0xF0],
            ]) {
                $0.root = 1
                $0.offsetBytes = 7
            },
        ]
        for document in documents {
            #expect(try PlistDocument.read(document).bytes(holding: try read(document)) == document)
        }
        #expect(try PlistDocument.read(documents[1]).bytes(holding: ["b": [], "a": 1]) == documents[1])
    }

    /// The last of two equal keys counts.
    @Test func aKeyThatComesTwice() throws {
        let (a, b) = (BinaryFixture.string("a"), BinaryFixture.string("b"))
        let bytes = BinaryFixture.bytes([[0xD3, 1, 2, 1, 3, 4, 4], a, b, [0x08], [0x09]])
        let document = try PlistDocument.read(bytes, isLenient: true)
        #expect(try document.bytes(holding: ["a": true, "b": true]) == bytes)
        #expect(try read(try document.bytes(holding: ["a": true, "c": true])) == ["a": true, "c": true])
    }

    @Test(arguments: Array(1...20) + SeededGenerator.seeds)
    func whateverChangesReadsBack(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var document = try PlistDocument.read(try BinaryPlistWriter.write(generator.anyValue(depth: 4)), accepting: [.binary])
        for step in 0..<12 {
            let changed = generator.changed(document.value)
            let new = try document.bytes(holding: changed)
            if document.value == changed { #expect(new == document.bytes, "seed \(seed), step \(step)") }
            document = try .read(new, accepting: [.binary])
            #expect(document.value == changed, "seed \(seed), step \(step)")
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func foundationReadsWhatIsEdited(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let (old, value) = (generator.plainValue(depth: 4), generator.plainValue(depth: 4))
            let document = try FoundationOracle.write(["old": old, "both": [old, value]], .binary)
            let new = try PlistDocument.read(document).bytes(holding: ["new": value, "both": [value, old]])
            #expect(try FoundationOracle.read(new) == ["new": value, "both": [value, old]], "seed \(seed)")
        }
    }

    /// The readable content of a damaged document can be written and changed.
    @Test(arguments: DamageTests.documents.filter { $0.starts(with: "bplist".utf8) }.indices, [0x01, 0x80] as [UInt8])
    func damagedDocumentsAreEdited(_ index: Int, _ pattern: UInt8) throws {
        let whole = DamageTests.documents.filter { $0.starts(with: "bplist".utf8) }[index]
        for place in sample(of: whole.indices, oneIn: 2, from: Int(pattern)) {
            var document = whole
            document[place] ^= pattern
            guard let old = try? PlistDocument.read(document, isLenient: true) else { continue }
            let value = old.value
            let changed: PlistValue = [value, ["new": value]]
            #expect(try read(try BinaryPlistWriter.write(value)) == value)
            #expect(try old.bytes(holding: value) == document)
            #expect(try read(try old.bytes(holding: changed)) == changed)
        }
    }
}

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
