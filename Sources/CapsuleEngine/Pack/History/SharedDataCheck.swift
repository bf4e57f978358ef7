import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleSystem

/// Reads back some of the data that a new version shares with the versions before it. With an append every night, damage is
/// reported while the container still exists. The data members are numbered in the order of the file. The check reads those whose
/// number leaves the same remainder as the version's number when divided by K. K consecutive appends therefore read all of them,
/// and nothing has to be remembered in between. K is 1 for a few MiB, and grows with the length of the members.
enum SharedDataCheck {
    /// The greatest number of appends until all members are read.
    static let longestStride = 64
    /// The stored length of the members in bytes below which all of them are read each time. Each multiple of this length adds
    /// one append.
    private static let lengthAtOnce: UInt64 = 4 << 20

    /// Returns the members that can't be read, among those that are checked for this version.
    /// - Parameters:
    ///   - members: the members that a version uses. Some may occur several times.
    ///   - version: the number of the version that will use them.
    static func damaged(
        among members: some Sequence<MemberReference>, of capsule: CapsuleReader, for version: UInt32, jobs: Int
    ) throws(CapsuleError) -> Set<MemberReference> {
        let sampled = sample(of: members, for: version)
        let batches = (sampled.count + batch - 1) / batch
        let found = try ParallelMap.run(batches, threads: jobs, itemsPerThread: 1) {
            (number) throws(CapsuleError) -> [MemberReference] in
            let own = sampled[number * batch..<min(sampled.count, (number + 1) * batch)]
            return try damaged(of: own, in: MemberReader(file: capsule.file, codec: capsule.codec))
        }
        return Set(found.joined())
    }

    private static let batch = 16

    static func sample(of members: some Sequence<MemberReference>, for version: UInt32) -> [MemberReference] {
        let all = Set(members).sorted { $0.offset < $1.offset }
        let length = all.reduce(UInt64(0)) { $0 + UInt64($1.stored) }
        let step = min(longestStride, Int(clamping: length / lengthAtOnce) + 1)
        return stride(from: Int(version) % step, to: all.count, by: step).map { all[$0] }
    }

    static func damaged(
        of members: some Sequence<MemberReference>, in reader: MemberReader
    ) throws(CapsuleError) -> [MemberReference] {
        var damaged: [MemberReference] = []
        for member in members {
            try CapsuleError.checkInterruption()
            do throws(CapsuleError) {
                _ = try reader.bytes(of: member)
            } catch {
                guard error.code == .damaged else { throw error }
                damaged.append(member)
            }
        }
        return damaged
    }
}
