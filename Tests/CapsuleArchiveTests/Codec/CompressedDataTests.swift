import TestSupport
import Testing

@testable import CapsuleArchive

@Suite struct CompressedDataTests {
    /// "hello, hello, hello, hello\n" as Python's zlib writes it: wrapped by zlib, by gzip, and bare.
    static let samples: [[UInt8]] = [
        [0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xD7, 0x51, 0xC8, 0xC0, 0xA4, 0xB8, 0x00, 0x85, 0x55, 0x09, 0x3F],
        [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xD7, 0x51, 0xC8, 0xC0,
            0xA4, 0xB8, 0x00, 0x4B, 0x21, 0xA1, 0x29, 0x1B, 0x00, 0x00, 0x00,
        ],
        [0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xD7, 0x51, 0xC8, 0xC0, 0xA4, 0xB8, 0x00],
    ]
    private static let text = Array("hello, hello, hello, hello\n".utf8)

    @Test(arguments: samples)
    func readsWhatZlibWrote(_ data: [UInt8]) {
        #expect(CompressedData.inflate(data, limit: 27) == Self.text)
        #expect(CompressedData.inflate(data, limit: 26) == nil)
        #expect(CompressedData.inflate(data + [0], limit: 1_000) == nil)
        for length in data.indices { #expect(CompressedData.inflate(Array(data[..<length]), limit: 1_000) == nil) }
    }

    private func forEachStream(in data: [UInt8], limit: Int, _ take: ([UInt8]) -> Bool) -> Bool {
        data.withUnsafeBytes { CompressedData.forEachStream(in: $0, limit: limit, take) }
    }

    @Test func streamsAnywhereInData() throws {
        var found: [[UInt8]] = []
        let noise: [UInt8] = [0x78, 0x9C, 0xFF, 0x1F, 0x8B, 8, 0xFF]
        let data = noise + Self.samples[0] + noise + Self.samples[1] + Self.samples[1].dropLast() + noise
        let isWhole = forEachStream(in: data, limit: 1 << 16) {
            found.append($0)
            return true
        }
        #expect(isWhole)
        #expect(found == [Self.text, Self.text])
        #expect(!forEachStream(in: data, limit: 1 << 16) { _ in false })
        // A text with the two bytes of zlib's header, again and again, has no streams.
        #expect(
            forEachStream(in: Array(repeatElement(Array("x^2 ".utf8), count: 10_000).joined()), limit: 1 << 10) { _ in false })
        let long = try #require(CompressedData.deflate([UInt8](repeating: 0, count: 100_000), like: Self.samples[0]))
        #expect(forEachStream(in: long, limit: 100_000) { $0.count == 100_000 })
        #expect(!forEachStream(in: long, limit: 99_999) { _ in true })
    }

    @Test func bareStreams() {
        #expect(CompressedData.inflateBare(Self.samples[2], limit: 27) == Self.text)
        for data in [Self.samples[0], Self.samples[1], Array("Kplain text".utf8), Self.samples[2] + [0], []] {
            #expect(CompressedData.inflateBare(data, limit: 27) == nil)
        }
    }

    @Test(arguments: samples, [0, 1, 100, 100_000])
    func keepsTheWrapping(_ data: [UInt8], _ count: Int) throws {
        var generator = SeededGenerator(seed: 5)
        let bytes = generator.bytes(count / 2) + [UInt8](repeating: 7, count: count - count / 2)
        let written = try #require(CompressedData.deflate(bytes, like: data))
        #expect(written.first == data.first || data[0] == Self.samples[2][0])
        #expect(CompressedData.inflate(written, limit: count) == bytes)
    }

    @Test func whatIsNotCompressed() {
        for data in [[], [0x78], [0x78, 0x9C], Array("plain text".utf8), [UInt8](repeating: 0xFF, count: 100)] {
            #expect(CompressedData.inflate(data, limit: 1 << 20) == nil)
        }
    }

    /// Inflating stops at the limit, even if 128 KiB expand to 16 MiB.
    @Test func bombsAreBounded() throws {
        let bomb = try #require(CompressedData.deflate([UInt8](repeating: 0, count: 1 << 24), like: []))
        #expect(bomb.count < 1 << 17)
        #expect(CompressedData.inflate(bomb, limit: 1 << 20) == nil)
        #expect(CompressedData.inflate(bomb, limit: 1 << 24)?.count == 1 << 24)
    }
}

@Suite struct IncompressibleRunsTests {
    private static func parts(_ stream: [UInt8]) -> [IncompressibleRuns.Part] { raw(stream) { IncompressibleRuns.split($0) } }

    @Test(arguments: SeededGenerator.seeds)
    func partsCoverTheStreamInOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            var stream: [UInt8] = []
            for _ in 0..<random.number(0...6) {
                let length = random.number(1...40_000)
                stream += random.isLucky(oneIn: 2) ? random.bytes(length) : [UInt8](repeating: UInt8(ascii: "t"), count: length)
            }
            let parts = Self.parts(stream)
            #expect(parts.first?.range.lowerBound == 0 && parts.last?.range.upperBound == stream.count)
            for (left, right) in zip(parts, parts.dropFirst()) { #expect(left.range.upperBound == right.range.lowerBound) }
            for part in parts where part.isIncompressible { #expect(part.range.count >= IncompressibleRuns.shortestRun) }
        }
    }

    @Test func noiseIsStoredAndTextIsNot() {
        var random = SeededGenerator(seed: 4)
        let text = (0..<40_960).map { _ in random.pick(Array("capsule \n".utf8)) }
        #expect(Self.parts(random.bytes(65_536)) == [.init(range: 0..<65_536, isIncompressible: true)])
        #expect(Self.parts(text) == [.init(range: 0..<40_960, isIncompressible: false)])
        #expect(Self.parts([UInt8](repeating: 0, count: 65_536)) == [.init(range: 0..<65_536, isIncompressible: false)])
        let mixed = Self.parts(text + random.bytes(32_768) + text)
        #expect(mixed.map(\.isIncompressible) == [false, true, false])
        #expect(mixed[1].range == 40_960..<73_728)
    }

    @Test func aShortRunIsNotWorthIt() {
        var random = SeededGenerator(seed: 4)
        #expect(Self.parts(random.bytes(16_383)).map(\.isIncompressible) == [false])
        #expect(Self.parts([]) == [.init(range: 0..<0, isIncompressible: false)])
        let text = [UInt8](repeating: 0, count: 16_384)
        #expect(Self.parts(text + random.bytes(12_288) + text).map(\.isIncompressible) == [false])
    }
}
