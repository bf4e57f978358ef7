import CapsuleCore
import Testing

@testable import CapsuleArchive

/// Contents that are written to the private file are read back, with their holes.
@Suite struct ForeignContentTests {
    /// Pseudorandom numbers, which are the same on every run with the same seed.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    @Test(arguments: 1...4)
    func randomPieces(_ seed: UInt64) throws {
        var generator = Generator(state: seed)
        var writer = try ForeignContentWriter()
        var files: [[UInt8]] = []
        for _ in 0..<4 {
            writer.beginFile()
            var file: [UInt8] = []
            while file.count < 200_000, Int.random(in: 0..<9, using: &generator) > 0 {
                file += [UInt8](repeating: 0, count: Int.random(in: 0..<100_000, using: &generator))
                let isZeros = Bool.random(using: &generator)
                let count = Int.random(in: 1..<80_000, using: &generator)
                let piece = (0..<count).map { isZeros || $0 % 3 == 0 ? 0 : UInt8(truncatingIfNeeded: $0 ^ file.count) }
                try piece.withRawBytes { bytes throws(CapsuleError) in try writer.append(bytes, at: UInt64(file.count)) }
                file += piece
            }
            files.append(file)
        }
        #expect(writer.files == files.count)
        let content = try writer.finish()
        for (number, file) in files.enumerated() {
            for _ in 0..<8 where !file.isEmpty {
                let start = Int.random(in: 0..<file.count, using: &generator)
                let count = Int.random(in: 0...file.count - start, using: &generator)
                let buffer = ByteBuffer(capacity: count)
                try buffer.append(capacity: count) { room in
                    try content.read(number, at: UInt64(start), into: room)
                    return count
                }
                #expect(
                    buffer.bytes.elementsEqual(file[start..<start + count]), "seed \(seed), file \(number), \(start), \(count)")
                let data = content.nextData(of: number, from: UInt64(start)).map(Int.init) ?? file.count
                #expect(file[start..<data].allSatisfy { $0 == 0 })
            }
        }
    }
}
