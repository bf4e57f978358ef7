/// How a file's bytes are put together of those of its other state and of those that the overlay carries.
public struct ContentRecipe: Hashable, Sendable {
    /// A stretch of the content.
    public enum Piece: Hashable, Sendable {
        /// Bytes of the other state, from an offset on.
        case copied(offset: UInt64, length: UInt64)
        /// The next bytes of what is carried.
        case carried(length: UInt64)

        /// In bytes; more than 0.
        public var length: UInt64 {
            switch self {
            case .copied(_, let length), .carried(let length): length
            }
        }
    }

    /// In the order of the content, which they make up.
    public var pieces: [Piece]
    /// SHA-256 of all carried stretches, one behind the other.
    public var carried: ContentDigest

    /// A recipe of these pieces.
    public init(pieces: [Piece], carried: ContentDigest) {
        self.pieces = pieces
        self.carried = carried
    }

    /// How many bytes are carried for it; nil where that is more than can be counted.
    public var carriedSize: UInt64? {
        var sum: UInt64 = 0
        for case .carried(let length) in pieces {
            let (next, overflows) = sum.addingReportingOverflow(length)
            if overflows { return nil }
            sum = next
        }
        return sum
    }
}
