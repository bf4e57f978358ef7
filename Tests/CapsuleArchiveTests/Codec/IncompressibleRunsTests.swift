import TestSupport
import Testing

@testable import CapsuleArchive

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
