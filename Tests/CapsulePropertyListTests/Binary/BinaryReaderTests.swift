import CapsulePropertyList
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
