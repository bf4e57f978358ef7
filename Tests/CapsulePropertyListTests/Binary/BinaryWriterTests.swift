import CapsulePropertyList
import Testing

@Suite struct BinaryWriterTests {
    /// A value and its only object.
    @Test(
        arguments: [
            (false, [0x08]), (true, [0x09]), (0, [0x10, 0]), (255, [0x10, 0xFF]), (256, [0x11, 1, 0]),
            (65535, [0x11, 0xFF, 0xFF]),
            (65536, [0x12, 0, 1, 0, 0]), (4_294_967_295, [0x12, 0xFF, 0xFF, 0xFF, 0xFF]),
            (4_294_967_296, [0x13, 0, 0, 0, 1, 0, 0, 0, 0]), (-1, [0x13] + [UInt8](repeating: 0xFF, count: 8)),
            (.integer(PlistInteger(Int64.min)), [0x13, 0x80, 0, 0, 0, 0, 0, 0, 0]),
            (.integer(PlistInteger(Int64.max)), [0x13, 0x7F] + [UInt8](repeating: 0xFF, count: 7)),
            (.integer(PlistInteger(UInt64(1) << 63)), [0x14] + [UInt8](repeating: 0, count: 8) + [0x80, 0, 0, 0, 0, 0, 0, 0]),
            (
                .integer(PlistInteger(UInt64.max)),
                [0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 8)
            ),
            (1.0, [0x23, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0]), (.real(-0.0), [0x23, 0x80, 0, 0, 0, 0, 0, 0, 0]),
            (.real(Double(bitPattern: 0xFFF4_0000_0000_0001)), [0x23, 0xFF, 0xF4, 0, 0, 0, 0, 0, 1]),
            (.date(0.5), [0x33, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0]), (.date(-0.0), [0x33, 0x80, 0, 0, 0, 0, 0, 0, 0]),
            (.date(.infinity), [0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0]), (.data([]), [0x40]), (.data([1, 2]), [0x42, 1, 2]),
            (.data([UInt8](0..<14)), [0x4E] + [UInt8](0..<14)), (.data([UInt8](0..<15)), [0x4F, 0x10, 15] + [UInt8](0..<15)),
            (.data([UInt8](repeating: 7, count: 255)), [0x4F, 0x10, 255] + [UInt8](repeating: 7, count: 255)),
            (.data([UInt8](repeating: 7, count: 256)), [0x4F, 0x11, 1, 0] + [UInt8](repeating: 7, count: 256)), ("", [0x50]),
            ("a\0\u{7F}", [0x53, 0x61, 0, 0x7F]), ("fourteen chars", [0x5E] + Array("fourteen chars".utf8)),
            ("fifteen letters", [0x5F, 0x10, 15] + Array("fifteen letters".utf8)), ("é", [0x61, 0, 0xE9]),
            ("e\u{301}", [0x62, 0, 0x65, 3, 1]), ("\u{80}\u{7FF}\u{800}\u{FFFF}", [0x64, 0, 0x80, 7, 0xFF, 8, 0, 0xFF, 0xFF]),
            ("\u{10000}\u{10FFFF}", [0x64, 0xD8, 0, 0xDC, 0, 0xDB, 0xFF, 0xDF, 0xFF]),
            ("é23456789012345", [0x6F, 0x10, 15, 0, 0xE9] + Array("23456789012345".utf8).flatMap { [0, $0] }),
            (.uid(0), [0x80, 0]), (.uid(255), [0x80, 255]), (.uid(256), [0x81, 1, 0]), (.uid(65536), [0x83, 0, 1, 0, 0]),
            (.uid(1 << 32), [0x87, 0, 0, 0, 1, 0, 0, 0, 0]), (.uid(.max), [0x87] + [UInt8](repeating: 0xFF, count: 8)),
            ([], [0xA0]), ([:], [0xD0]),
        ] as [(PlistValue, [UInt8])])
    func spellsEachValueOneWay(_ value: PlistValue, _ object: [UInt8]) throws {
        let written = try BinaryPlistWriter.write(value)
        #expect(written == BinaryFixture.bytes([object]) { $0.offsetBytes = object.count + 8 < 256 ? 1 : 2 })
        #expect(try read(written) == value)
    }

    /// A container is followed by its keys, then by each value with its content.
    @Test func writesObjectsInTheOrderOfCoreFoundation() throws {
        let value: PlistValue = ["b": ["x": [1, 2]], "a": [3, "b"], "c": "x"]
        let expected = BinaryFixture.bytes([
            [0xD3, 1, 2, 3, 4, 9, 5], BinaryFixture.string("b"), BinaryFixture.string("a"), BinaryFixture.string("c"),
            [0xD1, 5, 6], BinaryFixture.string("x"), [0xA2, 7, 8], [0x10, 1], [0x10, 2], [0xA2, 10, 1], [0x10, 3],
        ])
        #expect(try BinaryPlistWriter.write(value) == expected)
    }

    @Test func sharesWhatIsEqual() throws {
        let value: PlistValue = [
            [1, "a", true], [1.0, "a", true], [1, "a", true], [:], [:], ["a": [1, "a", true]], [], .data([]), "",
        ]
        let written = try BinaryPlistWriter.write(value)
        let expected = BinaryFixture.bytes([
            [0xA9, 1, 5, 1, 7, 7, 8, 9, 10, 11], [0xA3, 2, 3, 4], [0x10, 1], BinaryFixture.string("a"), [0x09], [0xA3, 6, 3, 4],
            [0x23, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0], [0xD0], [0xD1, 3, 1], [0xA0], [0x40], [0x50],
        ])
        #expect(written == expected)
        #expect(try read(written) == value)
    }

    /// Dictionaries that differ in key order are two objects. Otherwise one would lose its order.
    @Test func keepsEachOrderOfKeys() throws {
        let value: PlistValue = [["a": 1, "b": 2], ["b": 2, "a": 1]]
        let back = try read(try BinaryPlistWriter.write(value)).array ?? []
        #expect(back.map { $0.dictionary?.keys.map { $0.string } } == [["a", "b"], ["b", "a"]])
        let sorted = try BinaryPlistWriter.write(value, sortsKeys: true)
        #expect(try read(sorted) == value)
        #expect(
            sorted
                == BinaryFixture.bytes([[0xA2, 1, 1], [0xD2, 2, 3, 4, 5], [0x51, 0x61], [0x51, 0x62], [0x10, 1], [0x10, 2]]))
    }

    /// A comparison of digests must not report equal values as different.
    @Test func sortedBytesAreThoseOfTheValue() throws {
        let keys: [PlistString] = ["", "Z", "a", "a\0", "aa", "\u{E9}", "e\u{301}", "\u{FFFF}", "\u{10000}", "日本"]
        func value(_ keys: some Sequence<PlistString>) -> PlistValue {
            let inner = PlistValue.dictionary(PlistDictionary(keys.map { ($0, [.string($0)]) }))
            return .dictionary(PlistDictionary(keys.map { ($0, [inner]) }))
        }
        let bytes = try BinaryPlistWriter.write(value(keys), sortsKeys: true)
        #expect(try BinaryPlistWriter.write(value(keys.reversed()), sortsKeys: true) == bytes)
        #expect(
            try BinaryPlistWriter.write(try read(try XMLPlistWriter.write(["k": "v"])), sortsKeys: true)
                == BinaryPlistWriter.write(["k": "v"]))
        let order = try read(bytes).dictionary?.keys.map { Array($0.utf8) } ?? []
        #expect(order == order.sorted { $0.lexicographicallyPrecedes($1) })
        #expect(order.count == keys.count)
    }

    /// As CoreFoundation requires, the number of objects itself must fit into a reference.
    @Test(arguments: [(254, 1), (255, 2), (256, 2), (65534, 2), (65535, 4), (65536, 4)])
    func referencesWidenWithTheNumberOfObjects(_ others: Int, _ width: Int) throws {
        let value = PlistValue.array((0..<others).map { .integer(PlistInteger($0)) })
        let written = try BinaryPlistWriter.write(value)
        #expect(written[written.count - 25] == UInt8(width))
        #expect(try read(written) == value)
        #expect(try FoundationOracle.read(written) == value)
    }

    /// The offset of the offset table must fit, not only that of the last object.
    @Test(arguments: [(244, 1), (245, 2), (65523, 2), (65524, 4)])
    func offsetsWidenWithTheObjects(_ size: Int, _ width: Int) throws {
        // The header has 8 bytes, the marker and count 3 or 4, followed by the data.
        let value = PlistValue.data([UInt8](repeating: 1, count: size))
        let written = try BinaryPlistWriter.write(value)
        #expect(written[written.count - 26] == UInt8(width))
        #expect(try read(written) == value)
        #expect(try FoundationOracle.read(written) == value)
    }

    @Test func nullHasNoObject() {
        let error = binaryWritingError(["a/b": [true, .null]])
        #expect(error?.code == .notRepresentable)
        #expect(error?.pointer == "/a~1b/1")
        #expect(error?.message == "a binary property list has no null")
        #expect(binaryWritingError(.null)?.pointer?.isEmpty == true)
    }

    @Test(arguments: [1, 2, 300, 512])
    func nestingUpToTheDepthIsWritten(_ depth: Int) throws {
        #expect(try read(try BinaryPlistWriter.write(nestedArrays(depth))) == nestedArrays(depth))
    }

    @Test func deeperNestingIsAnError() {
        let error = binaryWritingError(nestedArrays(513))
        #expect(error?.code == .limitExceeded)
        #expect(error?.message == "containers nest deeper than 512 levels")
        #expect(error?.pointer == String(repeating: "/0", count: 512))
    }

    /// A shared object that was written where it fits must not be accepted where it is too deep.
    @Test func aSharedObjectCountsAtItsDeepestPlace() throws {
        let shared: PlistValue = [[true]]
        let value: PlistValue = [shared, [shared]]
        #expect(binaryWritingError(value, limits: PlistLimits(depth: 4)) == nil)
        let error = binaryWritingError(value, limits: PlistLimits(depth: 3))
        #expect(error?.code == .limitExceeded)
        #expect(error?.pointer == "/1/0")
    }

    @Test func outputBytes() throws {
        let value: PlistValue = ["a": [1, 2, 3], "b": .string(PlistString(String(repeating: "b", count: 300)))]
        let size = try BinaryPlistWriter.write(value).count
        #expect(binaryWritingError(value, limits: PlistLimits(outputBytes: size)) == nil)
        for limit in [size - 1, 200, 3, 0] {
            let error = binaryWritingError(value, limits: PlistLimits(outputBytes: limit))
            #expect(error?.code == .limitExceeded)
            #expect(error?.message == "the binary property list would be larger than \(limit) bytes")
        }
    }

    @Test func equalContainersAreOneObject() throws {
        let document = BinaryFixture.bytes((1...16).map { [0xA2, $0, $0] } + [[0x10, 0x2A]])
        let value = try read(document)
        for sortsKeys in [false, true] { #expect(try BinaryPlistWriter.write(value, sortsKeys: sortsKeys) == document) }
        // Equal values are shared in the output even if they share nothing in memory.
        #expect(try BinaryPlistWriter.write([value, try read(document)]).count < document.count + 10)
    }

    /// A dictionary that thousands of others refer to is sorted and followed once.
    @Test(.timeLimit(.minutes(1)))
    func largeSharedObjectsAreLookedAtOnce() throws {
        let text = PlistValue.string(PlistString(String(repeating: "long ", count: 100_000)))
        let data = PlistValue.data([UInt8](repeating: 1, count: 500_000))
        let entries = (0..<2000).map { (PlistString("key \(2000 - $0)"), PlistValue.integer(PlistInteger($0 % 300))) }
        let shared = [text, data, .dictionary(PlistDictionary(entries))]
        let written = try BinaryPlistWriter.write(.array((0..<30_000).map { shared[$0 % 3] }), sortsKeys: true)
        #expect(written.count < 1_200_000)
        let back = try read(written, limits: PlistLimits(expandedValues: .max)).array ?? []
        #expect(back.count == 30_000)
        #expect(Array(back.suffix(3)) == shared)
    }
}
