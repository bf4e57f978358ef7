import Testing

@testable import CapsuleArchive

@Suite struct SparseMapTests {
    private static let block = 65_536

    private static func map(_ parts: [(Int, UInt8)]) -> SparseMap {
        raw(parts.flatMap { [UInt8](repeating: $0.1, count: $0.0) }) { SparseMap(of: $0) }
    }

    @Test(
        arguments: [
            ([], [], []), ([(65_535, 0)], [], [0..<65_535]), ([(65_536, 0)], [0..<65_536], []),
            ([(65_537, 0)], [0..<65_536], [65_536..<65_537]),
            ([(131_072, 0)], [0..<131_072], []), ([(1, 1), (200_000, 0)], [65_536..<196_608], [0..<65_536, 196_608..<200_001]),
            ([(65_536, 0), (1, 1)], [0..<65_536], [65_536..<65_537]),
            ([(65_536, 1), (65_536, 0), (65_536, 1)], [65_536..<131_072], [0..<65_536, 131_072..<196_608]),
            ([(32_768, 1), (65_536, 0), (32_768, 1)], [], [0..<131_072]),
        ] as [([(Int, UInt8)], [Range<UInt64>], [Range<UInt64>])])
    func holesAreWholeAlignedBlocks(parts: [(Int, UInt8)], holes: [Range<UInt64>], data: [Range<UInt64>]) {
        let map = Self.map(parts)
        #expect(map.holes == holes)
        #expect(map.data == data)
        #expect(map.storedLength == data.reduce(0) { $0 + UInt64($1.count) })
        #expect(map.size == UInt64(parts.reduce(0) { $0 + $1.0 }))
    }

    @Test func zerosAreZerosAtAnyLengthAndPlace() {
        for length in 0..<40 {
            let zeros = [UInt8](repeating: 0, count: length)
            #expect(raw(zeros) { SparseMap.isZeros($0) })
            for place in 0..<length {
                var bytes = zeros
                bytes[place] = 1
                #expect(!raw(bytes) { SparseMap.isZeros($0) }, "byte \(place) of \(length)")
            }
        }
    }

    @Test func holesThatTouchBecomeOne() {
        var map = SparseMap(size: 400_000)
        map.addHole(0..<65_536)
        map.addHole(65_536..<131_072)
        map.addHole(131_072..<131_072)
        map.addHole(196_608..<262_144)
        #expect(map.holes == [0..<131_072, 196_608..<262_144])
    }
}
