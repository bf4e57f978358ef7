import CapsuleArchive
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

/// A stretch of the new content that the old one has too.
struct ContentMatch: Sendable, Equatable {
    /// Where it begins in the new content.
    var start: UInt64
    /// Where it begins in the old content.
    var old: UInt64
    var length: UInt64

    var end: UInt64 { start + length }
    var oldEnd: UInt64 { old + length }

    /// Matches in the order of the new content, those that go on in both contents as one.
    static func joined(_ matches: [ContentMatch]) -> [ContentMatch] {
        var joined: [ContentMatch] = []
        for match in matches { joined.appendJoining(match) }
        return joined
    }
}

extension [ContentMatch] {
    /// Appends a match; if it goes on where the last one ends, the last one grows.
    mutating func appendJoining(_ match: ContentMatch) {
        if let last, last.end == match.start, last.oldEnd == match.old {
            self[count - 1].length += match.length
        } else {
            append(match)
        }
    }
}

/// The lengths that a delta works with.
struct DeltaTuning: Sendable {
    /// How much of each content is in memory at once.
    var windowLength = 2 << 20
    var chunkSizes = Chunker.Sizes.standard
    /// A shorter stretch of old content is not worth an extent. Also what is compared at once where contents run in parallel.
    var shortestMatch: UInt64 = 4 << 10

    static let standard = DeltaTuning()
}

/// How far two runs of bytes agree, eight bytes at a time.
enum EqualBytes {
    /// How many bytes are equal from the beginning on.
    static func prefix(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int {
        let count = min(lhs.count, rhs.count)
        guard let left = lhs.baseAddress, let right = rhs.baseAddress else { return 0 }
        var at = 0
        while at + 32 <= count {
            let first = (word(left, at) ^ word(right, at)) | (word(left, at + 8) ^ word(right, at + 8))
            let second = (word(left, at + 16) ^ word(right, at + 16)) | (word(left, at + 24) ^ word(right, at + 24))
            if (first | second) != 0 { break }
            at += 32
        }
        while at + 8 <= count {
            let difference = word(left, at) ^ word(right, at)
            if difference != 0 { return at + difference.trailingZeroBitCount / 8 }
            at += 8
        }
        while at < count, lhs[at] == rhs[at] { at += 1 }
        return at
    }

    /// How many bytes are equal from the end on.
    static func suffix(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int {
        let count = min(lhs.count, rhs.count)
        guard let left = lhs.baseAddress, let right = rhs.baseAddress else { return 0 }
        var done = 0
        while done + 8 <= count {
            let difference = word(left, lhs.count - done - 8) ^ word(right, rhs.count - done - 8)
            if difference != 0 { return done + difference.leadingZeroBitCount / 8 }
            done += 8
        }
        while done < count, lhs[lhs.count - done - 1] == rhs[rhs.count - done - 1] { done += 1 }
        return done
    }

    /// Little-endian, so that the lowest bits are the first byte's.
    @inline(__always)
    private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
