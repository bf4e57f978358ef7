import CapsulePropertyList
import Testing

@Suite struct BinaryReaderErrorTests {
    @Test(
        arguments: [
            ([0x00], .unsupported), ([0x01], .damaged), ([0x0F], .damaged), ([0x15] + [UInt8](repeating: 0, count: 32), .damaged),
            ([0x20, 0], .damaged),
            ([0x21, 0, 0], .damaged), ([0x24] + [UInt8](repeating: 0, count: 16), .damaged), ([0x32, 0, 0, 0, 0], .damaged),
            ([0x30], .damaged), ([0x70], .damaged),
            ([0x90], .damaged), ([0xB0], .unsupported), ([0xC0], .unsupported), ([0xE0], .damaged), ([0xF0], .damaged),
            ([0x10], .damaged),
            ([0x13, 0], .damaged), ([0x23, 0], .damaged), ([0x42, 1], .damaged), ([0x52, 0x61], .damaged), ([0x61, 0], .damaged),
            ([0xA1], .damaged),
            ([0xD1, 0], .damaged), ([0x4F], .damaged), ([0x4F, 0x10], .damaged), ([0x4F, 0x20, 1, 1], .damaged),
            ([0x4F, 0x14] + [UInt8](repeating: 0, count: 17), .damaged),
            ([0x4F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .damaged),
            ([0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .damaged),
            ([0x6F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .damaged),
            ([0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .damaged),
            ([0xAF, 0x12, 0x7F, 0xFF, 0xFF, 0xFF], .damaged), ([0x52, 0x61, 0xE9], .encoding), ([0x52, 0xC3, 0xA9], .encoding),
            ([0x61, 0xD8, 0x00], .encoding),
            ([0x61, 0xDC, 0x00], .encoding), ([0x62, 0xD8, 0x00, 0x00, 0x61], .encoding),
            ([0x14, 0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8), .outOfRange),
            ([0x14] + [UInt8](repeating: 0xFF, count: 8) + [0x7F] + [UInt8](repeating: 0, count: 7), .outOfRange),
            ([0x88, 1] + [UInt8](repeating: 0, count: 8), .outOfRange), ([0x80], .damaged), ([0x8F, 0], .damaged),
        ] as [([UInt8], PlistError.Code)])
    func refusesBadObjects(_ object: [UInt8], _ code: PlistError.Code) {
        // Once as the root, once inside two containers.
        let alone = readingError(BinaryFixture.bytes([object]))
        #expect(alone?.code == code, "\(alone?.description ?? "no error")")
        #expect(alone?.pointer?.isEmpty == true)
        guard case .binary(let offset, object: 0)? = alone?.location else {
            Issue.record("\(alone?.description ?? "no error")")
            return
        }
        #expect((8...13).contains(offset))
        let inside = readingError(
            BinaryFixture.bytes([[0xA2, 1, 2], [0x09], [0xD1, 3, 4], BinaryFixture.string("k/"), object]))
        #expect(inside?.code == code, "\(inside?.description ?? "no error")")
        #expect(inside?.pointer == "/1/k~1")
    }

    @Test func anUnpairedSurrogateIsPlaced() {
        let error = readingError(BinaryFixture.bytes([[0xA1, 1], [0x63, 0x00, 0x61, 0xD8, 0x00, 0x00, 0x62]]))
        #expect(error?.location == .binary(offset: 13, object: 1))
        #expect(error?.message == "an unpaired surrogate in a string")
        #expect(error?.description == "byte 13, object 1: an unpaired surrogate in a string (at /0)")
    }

    /// A change to an otherwise valid document.
    struct Damage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let code: PlistError.Code
        let change: @Sendable (inout BinaryFixture) -> Void

        init(_ name: String, _ code: PlistError.Code = .damaged, _ change: @escaping @Sendable (inout BinaryFixture) -> Void) {
            testDescription = name
            self.code = code
            self.change = change
        }
    }

    @Test(arguments: [
        Damage("version", .unsupported) { $0.header = Array("bplist15".utf8) },
        Damage("version cut", .unsupported) { $0.header = Array("bplist".utf8) },
        Damage("offset bytes 0") { $0.offsetBytes = 0 }, Damage("offset bytes 9") { $0.offsetBytes = 9 },
        Damage("reference bytes 0") { $0.referenceBytes = 0 }, Damage("reference bytes 9") { $0.referenceBytes = 9 },
        Damage("no objects") { $0.falseObjectCount = 0 }, Damage("one object too many") { $0.falseObjectCount = 4 },
        Damage("2^63 objects") { $0.falseObjectCount = 1 << 63 }, Damage("2^64 - 1 objects") { $0.falseObjectCount = .max },
        Damage("2^62 objects") { $0.falseObjectCount = 1 << 62 }, Damage("root past the objects") { $0.falseRoot = 3 },
        Damage("root huge") { $0.falseRoot = .max }, Damage("table in the header") { $0.falseTable = 8 },
        Damage("table past the trailer") { $0.falseTable = 1000 }, Damage("table huge") { $0.falseTable = .max },
        Damage("table too near the end") { $0.falseTable = 17 }, Damage("offset in the header") { $0.falseOffsets = [0: 7] },
        Damage("offset 0") { $0.falseOffsets = [1: 0] }, Damage("offset at the table") { $0.falseOffsets = [1: 13] },
        Damage("offset past the end") { $0.falseOffsets = [2: 255] },
        Damage("8-byte offset past Int") {
            $0.offsetBytes = 8
            $0.falseOffsets = [2: -1 & Int.max]
        },
        Damage("reference past the objects") { $0.objects[0] = [0xA2, 1, 3] },
        Damage("fewer objects than references") { $0.falseObjectCount = 2 },
    ])
    func refusesBadStructure(_ damage: Damage) throws {
        let objects: [[UInt8]] = [[0xA2, 1, 2], [0x09], [0x08]]
        #expect(try read(BinaryFixture.bytes(objects)) == [true, false])
        let error = readingError(BinaryFixture.bytes(objects, damage.change))
        #expect(error?.code == damage.code, "\(error?.description ?? "no error")")
        #expect(error?.location != nil)
    }

    @Test(
        arguments: [
            [[0xA1, 0]], [[0xA1, 1], [0xA1, 0]], [[0xD1, 1, 0], [0x51, 0x61]],
            [[0xA1, 1], [0xD1, 2, 3], [0x51, 0x61], [0xA2, 2, 1]],
        ] as [[[UInt8]]])
    func aCycleIsAnError(_ objects: [[UInt8]]) {
        let error = readingError(BinaryFixture.bytes(objects))
        #expect(error?.code == .cycle)
        #expect(error?.pointer?.isEmpty == false)
    }

    @Test(arguments: [[0x09], [0x10, 1], [0xA0], [0xD0], [0x41, 0x61], [0x80, 1]] as [[UInt8]])
    func aKeyMustBeAString(_ key: [UInt8]) {
        let error = readingError(BinaryFixture.bytes([[0xD1, 1, 2], key, [0x09]]))
        #expect(error?.code == .unsupported)
        #expect(error?.message == "a key that is not a string")
        #expect(error?.location == .binary(offset: 11, object: 1))
    }

    @Test(arguments: [0, 20])
    func aDuplicateKeyNamesBothPlaces(_ others: Int) {
        // Keys: "a", the others, and "a" again, once as another object and once as the same one.
        let keys = [1] + (0..<others).map { UInt8($0 + 4) }
        for last in [UInt8(1), 2] {
            let count = UInt8(keys.count + 1)
            let values = [UInt8](repeating: 3, count: Int(count))
            let dictionary = [0xDF, 0x10, count] + keys + [last] + values
            let objects = [dictionary, BinaryFixture.string("a"), BinaryFixture.string("a"), [0x09]]
            let error = readingError(BinaryFixture.bytes(objects + (0..<others).map { BinaryFixture.string("k\($0)") }))
            #expect(error?.code == .duplicateKey)
            #expect(error?.location == .binary(offset: 11 + others + 1, object: Int(last)))
            #expect(error?.related == .binary(offset: 11, object: 1))
            #expect(error?.pointer == "/a")
        }
    }

    @Test func aLenientReadingKeepsTheLastValueAndWarns() throws {
        let bytes = BinaryFixture.bytes([[0xA1, 1], [0xD3, 2, 3, 2, 4, 5, 5], [0x51, 0x61], [0x51, 0x62], [0x08], [0x09]])
        let (value, format, warnings) = try PlistReader.readLeniently(bytes)
        #expect(format == .binary)
        #expect(value == [["a": true, "b": true]])
        #expect(warnings.map { $0.pointer } == ["/0/a"])
        #expect(warnings.map { $0.code } == [.duplicateKey])
    }

    /// Similar dictionaries refer to the same keys, which are not unique in the first dictionary.
    @Test func everyDictionaryOfOneKindIsLookedAt() throws {
        let dictionary: [UInt8] = [0xD3, 4, 5, 4, 6, 7, 7]
        let scalars: [[UInt8]] = [[0x51, 0x61], [0x51, 0x62], [0x08], [0x09]]
        let bytes = BinaryFixture.bytes([[0xA3, 1, 2, 3], dictionary, dictionary, dictionary] + scalars)
        let (value, _, warnings) = try PlistReader.readLeniently(bytes)
        #expect(value == .array(Array(repeating: ["a": true, "b": true], count: 3)))
        #expect(warnings.map { $0.pointer } == ["/0/a", "/1/a", "/2/a"])
        #expect(readingError(bytes)?.pointer == "/0/a")
    }

    /// Thousands of offsets to the same bytes could turn a few bytes into any number of strings.
    @Test func overlappingObjectsAreBounded() {
        let count = 2000
        let text = [0x5F, 0x11] + BinaryFixture.bigEndian(4000, 2) + [UInt8](repeating: 0x61, count: 4000)
        let references = (1...count).flatMap { BinaryFixture.bigEndian(UInt64($0), 2) }
        let root = [0xAF, 0x11] + BinaryFixture.bigEndian(UInt64(count), 2) + references
        let bytes = BinaryFixture.bytes([root, text] + [[UInt8]](repeating: [], count: count - 1)) {
            $0.offsetBytes = 2
            $0.referenceBytes = 2
            for object in 1...count { $0.falseOffsets[object] = 8 + root.count }
        }
        let error = readingError(bytes)
        #expect(error?.code == .damaged)
        #expect(error?.message == "overlapping objects")
    }
}
