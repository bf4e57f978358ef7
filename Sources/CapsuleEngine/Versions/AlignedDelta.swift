import CapsuleArchive
import CapsuleCore
import CapsuleHashing

/// What of a new content an old one has, where it was changed in few places: found in one reading of each.
///
/// Both are compared from their beginnings to the first difference, and from there on at the same distance from their ends;
/// contents of one length from one end to the other. Several threads read and compare windows, which are digested in order. So
/// the digest is that of what was compared, also where somebody writes to the content meanwhile.
struct AlignedDelta: Sendable {
    /// The new content's SHA-256.
    let digest: ContentDigest
    /// In the order of the new content; they cover it.
    let pieces: [ContentDelta.Piece]
    /// What no match holds, or only one that is too short, with where it begins.
    let kept: [(start: UInt64, bytes: [UInt8])]

    /// - Returns: nil where more differs than is worth keeping in memory: a ``ContentDelta`` finds out what of it moved.
    init?(
        from old: any OpenContent, length oldLength: UInt64, to new: any OpenContent, length: UInt64, jobs: Int,
        tuning: DeltaTuning = .standard
    ) throws(CapsuleError) {
        let comparison = AlignedComparison(old, length: oldLength, new, length: length, tuning)
        guard try comparison.run(jobs: jobs) else { return nil }
        digest = comparison.digest
        pieces = ContentDelta.pieces(comparison.matches, length: length, shortest: tuning.shortestMatch)
        kept = comparison.kept
    }

    /// The SHA-256 of some stretches of the new content, one behind the other; nil where they are not all in the pieces that
    /// are new.
    func digest(of stretches: some Sequence<Range<UInt64>>) -> ContentDigest? {
        var hasher = SHA256Hasher()
        for stretch in stretches {
            var at = stretch.lowerBound
            for (start, bytes) in kept where start <= at && at < min(stretch.upperBound, start + UInt64(bytes.count)) {
                let end = min(stretch.upperBound, start + UInt64(bytes.count))
                bytes.withUnsafeBytes {
                    hasher.update(UnsafeRawBufferPointer(rebasing: $0[Int(at - start)..<Int(end - start)]))
                }
                at = end
            }
            if at < stretch.upperBound { return nil }
        }
        return hasher.finish()
    }
}
