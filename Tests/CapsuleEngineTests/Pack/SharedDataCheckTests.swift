import CapsuleArchive
import TestSupport
import Testing

@testable import CapsuleEngine

@Suite struct SharedDataCheckTests {
    /// Members of the same length, one after another. Each occurs twice.
    private static func members(_ count: Int, of length: UInt32) -> [MemberReference] {
        let all = (0..<count).map {
            MemberReference(offset: UInt64($0) * UInt64(length), stored: length, raw: length)
        }
        return all.reversed() + all
    }

    private static let counts = [(0, 1), (3, 1), (15, 1), (16, 2), (64, 5), (4_000, 64), (runsLongTests ? 100_000 : 15_000, 64)]

    @Test(arguments: counts)
    func soManyAppendsReadAllOnce(count: Int, appends: Int) {
        let members = Self.members(count, of: 256 << 10)
        var read: [MemberReference] = []
        for version in 7..<UInt32(7 + appends) { read += SharedDataCheck.sample(of: members, for: version) }
        #expect(read.count == count)
        #expect(Set(read) == Set(members))
    }

    @Test func anAppendToAGigabyteReadsSixteenMegabytes() {
        let sample = SharedDataCheck.sample(of: Self.members(4_096, of: 256 << 10), for: 3)
        #expect(sample.reduce(0) { $0 + Int($1.stored) } == 16 << 20)
    }
}
