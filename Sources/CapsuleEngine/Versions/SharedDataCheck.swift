import CapsuleArchive
import CapsuleCore

/// Reads back some of the data that a new version shares with the versions before it, so that one who appends every night hears
/// of damage before the container is gone.
///
/// Of the data members, in the order of the file, it reads those whose number leaves the same remainder as the version's number
/// when divided by K: so K appends in a row read all of them, and nothing has to be remembered in between. K is 1 for a few MiB,
/// and grows with them.
enum SharedDataCheck {
    /// How many appends it takes at most to read all members.
    static let longestStride = 64
    /// Up to this length all members are read each time, in bytes as they are stored; twice as many take two appends.
    private static let lengthAtOnce: UInt64 = 4 << 20

    /// The members that can't be read.
    ///
    /// - Parameters:
    ///   - members: those that a version relies on; some may come several times.
    ///   - version: the number of the version that is to rely on them.
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

    /// How many members a thread reads with one reader.
    private static let batch = 16

    static func sample(of members: some Sequence<MemberReference>, for version: UInt32) -> [MemberReference] {
        let all = Set(members).sorted { $0.offset < $1.offset }
        let length = all.reduce(UInt64(0)) { $0 + UInt64($1.stored) }
        let step = min(longestStride, Int(clamping: length / lengthAtOnce) + 1)
        return stride(from: Int(version) % step, to: all.count, by: step).map { all[$0] }
    }

    /// Those of some members that can't be read.
    static func damaged(
        of members: some Sequence<MemberReference>, in reader: MemberReader
    ) throws(CapsuleError) -> [MemberReference] {
        var damaged: [MemberReference] = []
        for member in members {
            try CapsuleError.checkInterruption()
            do throws(ArchiveError) {
                _ = try reader.bytes(of: member)
            } catch {
                guard error.code == .damaged else { throw CapsuleError(error) }
                damaged.append(member)
            }
        }
        return damaged
    }
}
