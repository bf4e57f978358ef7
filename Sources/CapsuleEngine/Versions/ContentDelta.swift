import CapsuleCore
import CapsuleHashing

/// What of a file's new content its old content has already.
struct ContentDelta: Sendable, Equatable {
    /// A stretch of the new content.
    enum Piece: Sendable, Equatable {
        /// Bytes of the old content.
        case old(Range<UInt64>)
        /// Bytes of the new content that the old one does not have.
        case new(Range<UInt64>)
    }

    /// The new content's SHA-256.
    let digest: ContentDigest
    /// In the order of the new content; they cover it; neighbours that go on in the same content are one piece.
    let pieces: [Piece]

    /// Reads both contents, in windows; a database by its pages, all else cut by content.
    ///
    /// A content that is shorter than it is said to be is read as if zeros followed: whether it changed meanwhile is the
    /// caller's to see.
    init(
        from old: any OpenContent, length oldLength: UInt64, to new: any OpenContent, length: UInt64
    ) throws(CapsuleError) {
        try self.init(from: old, length: oldLength, to: new, length: length, tuning: .standard)
    }

    /// - Parameter tuning: lengths that tests make short.
    init(
        from old: any OpenContent, length oldLength: UInt64, to new: any OpenContent, length: UInt64, tuning: DeltaTuning
    ) throws(CapsuleError) {
        let comparison = ContentComparison(
            old: ContentWindow(old, length: oldLength, capacity: tuning.windowLength),
            new: ContentWindow(new, length: length, capacity: tuning.windowLength), tuning: tuning)
        digest = try comparison.new.digest()
        let matches = try comparison.matches()
        pieces = Self.pieces(matches, length: length, shortest: tuning.shortestMatch)
    }

    /// Puts what no match covers between the matches; those too short to be worth an extent go with it.
    static func pieces(_ matches: [ContentMatch], length: UInt64, shortest: UInt64) -> [Piece] {
        var pieces: [Piece] = []
        var at: UInt64 = 0
        for match in ContentMatch.joined(matches) where match.length >= shortest {
            if match.start > at { pieces.append(.new(at..<match.start)) }
            pieces.append(.old(match.old..<match.oldEnd))
            at = match.end
        }
        if at < length { pieces.append(.new(at..<length)) }
        return pieces
    }
}
