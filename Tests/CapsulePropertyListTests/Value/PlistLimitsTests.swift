import CapsulePropertyList
import Testing

@Suite struct PlistLimitsTests {
    @Test func theStandardIsAsDocumented() {
        let standard = PlistLimits.standard
        #expect(standard.depth == 512)
        #expect(standard.documentBytes == 1 << 30)
        #expect(standard.binaryObjects == 1 << 25)
        #expect(standard.binaryKeyBytes == 1 << 30)
        #expect(standard.expandedValues == 1 << 20)
        #expect(standard.outputBytes == 1 << 30)
        #expect(standard.warnings == 64)
    }

    @Test func noDepthIsUnbounded() {
        var limits = PlistLimits(depth: .max)
        #expect(limits.depth == 512)
        limits.depth = 100_000
        #expect(limits.depth == 512)
        limits.depth = -1
        #expect(limits.depth == 0)
        #expect(readingError(xml("<array/>"), limits: limits)?.code == .limitExceeded)
    }

    @Test(arguments: [1, 2, 300, 512])
    func nestingUpToTheDepthIsRead(_ depth: Int) throws {
        let expected = nestedArrays(depth)
        #expect(try read(nestedXML(depth)) == expected)
        #expect(try read(BinaryFixture.nested(depth)) == expected)
        #expect(try read(try XMLPlistWriter.write(expected)) == expected)
    }

    @Test(arguments: [513, 5000])
    func deeperNestingIsAnError(_ depth: Int) {
        let errors = [
            readingError(nestedXML(depth)), readingError(BinaryFixture.nested(depth)),
            writingError(nestedArrays(min(depth, 600))),
        ]
        for error in errors {
            #expect(error?.code == .limitExceeded)
            #expect(error?.message == "containers nest deeper than 512 levels")
            #expect(error?.pointer == String(repeating: "/0", count: 512))
        }
    }

    @Test func dictionariesCountTowardsTheDepth() throws {
        let limits = PlistLimits(depth: 2)
        let allowed = "<dict><key>a</key><array><true/></array></dict>"
        #expect(try read(xml(allowed), limits: limits) == ["a": [true]])
        #expect(readingError(xml("<array>\(allowed)</array>"), limits: limits)?.pointer == "/0/a")
        #expect(writingError([["a": [true]]], limits: limits)?.code == .limitExceeded)
        for empty in [[], [:]] as [PlistValue] {
            #expect(writingError([[empty]], limits: limits)?.code == .limitExceeded)
            #expect(writingError([empty], limits: limits) == nil)
        }
        #expect(readingError(xml("<array><array><dict/></array></array>"), limits: limits)?.code == .limitExceeded)
    }

    /// A shared object that was decoded where it fits must not be accepted where it is too deep.
    @Test func aSharedObjectCountsAtItsDeepestPlace() throws {
        // 0 = [1, 2], 1 = [[]] shared, 2 = [1]
        let bytes = BinaryFixture.bytes([[0xA2, 1, 2], [0xA1, 3], [0xA1, 1], [0xA0]])
        #expect(try read(bytes, limits: PlistLimits(depth: 4)) == [[[]], [[[]]]])
        let error = readingError(bytes, limits: PlistLimits(depth: 3))
        #expect(error?.code == .limitExceeded)
        #expect(error?.pointer == "/1/0")
    }

    @Test func documentBytes() throws {
        for document in [xml("<true/>"), BinaryFixture.bytes([[0x09]])] {
            #expect(try read(document, limits: PlistLimits(documentBytes: document.count)) == true)
            #expect(readingError(document, limits: PlistLimits(documentBytes: document.count - 1))?.code == .limitExceeded)
        }
    }

    @Test func binaryObjects() throws {
        let bytes = BinaryFixture.bytes([[0x09], [0x08]])
        #expect(try read(bytes, limits: PlistLimits(binaryObjects: 2)) == true)
        #expect(readingError(bytes, limits: PlistLimits(binaryObjects: 1))?.code == .limitExceeded)
    }

    @Test func binaryKeyBytes() throws {
        // Two dictionaries that share a key of three bytes.
        let bytes = BinaryFixture.bytes([[0xA2, 1, 2], [0xD1, 3, 4], [0xD1, 3, 4], BinaryFixture.string("abc"), [0x09]])
        #expect(try read(bytes, limits: PlistLimits(binaryKeyBytes: 6)) == [["abc": true], ["abc": true]])
        let error = readingError(bytes, limits: PlistLimits(binaryKeyBytes: 5))
        #expect(error?.code == .limitExceeded)
    }

    @Test func outputBytes() throws {
        let value: PlistValue = ["a": [1, 2, 3]]
        let size = try XMLPlistWriter.write(value).count
        #expect(writingError(value, limits: PlistLimits(outputBytes: size)) == nil)
        let error = writingError(value, limits: PlistLimits(outputBytes: size - 1))
        #expect(error?.code == .limitExceeded)
        #expect(error?.message == "the XML would be larger than \(size - 1) bytes")
    }

    @Test func sharedObjectsExpandToALimit() throws {
        let error = readingError(BinaryFixture.bomb)
        #expect(error?.code == .limitExceeded)
        #expect(error?.message == "shared objects expand to 2097150 values")
        #expect(error?.pointer == String(repeating: "/0", count: 21))
        #expect(error?.hint?.hasPrefix("Apple's frameworks write no such property list") == true)
        // 20 arrays that each hold the next one twice, in 62 bytes: 2^21 - 2 values.
        let twenty = BinaryFixture.bytes((1...20).map { [0xA2, $0, $0] } + [[0x10, 0x2A]])
        #expect(readingError(twenty, limits: PlistLimits(expandedValues: 2_097_150 - 62)) == nil)
        #expect(readingError(twenty, limits: PlistLimits(expandedValues: 2_097_150 - 63))?.code == .limitExceeded)
        #expect(readingError(twenty, limits: PlistLimits(expandedValues: .max)) == nil)
    }

    /// Long strings, data and keys count for each KiB, so that reading them all takes no longer than other values.
    @Test(arguments: [0x40, 0x50] as [UInt8])
    func longScalarsExpandToALimit(marker: UInt8) throws {
        let length = 100 << 10
        let scalar = [marker | 0xF, 0x12] + BinaryFixture.bigEndian(UInt64(length), 4) + [UInt8](repeating: 0x61, count: length)
        let array = BinaryFixture.bytes([[0xAF, 0x10, 200] + [UInt8](repeating: 1, count: 200), scalar]) { $0.offsetBytes = 4 }
        let limits = { PlistLimits(expandedValues: 200 * 101 - (3 + 200 + 6 + length) + $0) }
        #expect(readingError(array, limits: limits(0)) == nil)
        #expect(readingError(array, limits: limits(-1))?.code == .limitExceeded)
    }

    /// Whatever the writer writes can be read, with equal containers as one object or not.
    @Test func whatIsWrittenCanBeRead() throws {
        let element: PlistValue = ["a": [1, 2, 3, 4], "b": ["c": 1.5], "d": "text"]
        let limits = PlistLimits(expandedValues: 100)
        for count in [5, 20, 2_000] {
            let value = PlistValue.array([PlistValue](repeating: element, count: count))
            let written = try BinaryPlistWriter.write(value, limits: limits)
            #expect(try read(written, limits: limits) == value)
            let isShared = try written == BinaryPlistWriter.write(value)
            #expect(isShared == (count == 5))
        }
        // Heavy values that come before many bytes, and long strings and data that occur many times.
        let row = PlistValue.array([1, 2, 3, 4, 5, 6, 7, 8])
        let text = PlistValue.string(PlistString(String(repeating: "t", count: 10 << 10)))
        let data = PlistValue.data([UInt8](repeating: 1, count: 10 << 10))
        for value in [
            .array([.array([PlistValue](repeating: row, count: 20)), .data([UInt8](repeating: 0, count: 1000))]),
            .array([PlistValue](repeating: text, count: 300)), .array([PlistValue](repeating: data, count: 300)),
        ] as [PlistValue] {
            #expect(try read(try BinaryPlistWriter.write(value, limits: limits), limits: limits) == value)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func tooMuchIsNotWrittenOut() {
        let large = largeValue(2 << 30)
        #expect(writingError(large, limits: PlistLimits(outputBytes: 1 << 16))?.code == .limitExceeded)
        #expect(writingError(["a": large])?.code == .limitExceeded)
    }

    @Test func warnings() throws {
        let body = String(repeating: "<key>a</key><true/>", count: 20)
        let warnings = try PlistReader.readLeniently(xml("<dict>\(body)</dict>"), limits: PlistLimits(warnings: 3)).warnings
        #expect(warnings.count == 4)
        #expect(warnings.last?.message == "more duplicate keys follow")
        #expect(try PlistReader.readLeniently(xml("<dict>\(body)</dict>")).warnings.count == 19)
    }
}
