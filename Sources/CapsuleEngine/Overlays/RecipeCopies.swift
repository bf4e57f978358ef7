/// What two contents have in common, as recipes see it: in the order of either of them.
struct RecipeCopies {
    /// A stretch of a content, and where the other one has it.
    struct Piece: Hashable, Sendable {
        let range: Range<UInt64>
        /// Where it begins in the other content; nil for what is carried.
        let copied: UInt64?
    }

    /// A stretch that both have.
    private struct Copy {
        var old: UInt64
        var new: UInt64
        var length: UInt64
    }

    private let copies: [Copy]

    /// A recipe of more pieces would be longer in the document than what it saves.
    static let mostPieces = 16_384
    /// A shorter stretch is not worth a piece.
    private static let shortest: UInt64 = 4 << 10

    /// - Parameter pieces: of the new content, in its order.
    init(_ pieces: [ContentDelta.Piece]) {
        var copies: [Copy] = []
        var at: UInt64 = 0
        for piece in pieces {
            switch piece {
            case .old(let range):
                let length = range.upperBound - range.lowerBound
                copies.append(Copy(old: range.lowerBound, new: at, length: length))
                at += length
            case .new(let range):
                at += range.upperBound - range.lowerBound
            }
        }
        self.copies = copies
    }

    /// The pieces of the new content, so many bytes long.
    func forward(_ size: UInt64) -> [Piece] {
        Self.pieces(copies.map { ($0.new, $0.old, $0.length) }, size)
    }

    /// The pieces of the old content, so many bytes long. What the new one has several times is copied from one place.
    func backward(_ size: UInt64) -> [Piece] {
        var stretches: [(UInt64, UInt64, UInt64)] = []
        var end: UInt64 = 0
        for copy in copies.sorted(by: { $0.old != $1.old ? $0.old < $1.old : $0.length > $1.length }) {
            let passed = copy.old < end ? end - copy.old : 0
            guard passed < copy.length else { continue }
            stretches.append((copy.old + passed, copy.new + passed, copy.length - passed))
            end = copy.old + copy.length
        }
        return Self.pieces(stretches, size)
    }

    /// Fills the gaps between stretches; where they are too many, the shorter ones are carried.
    private static func pieces(_ stretches: [(start: UInt64, other: UInt64, length: UInt64)], _ size: UInt64) -> [Piece] {
        var shortest = shortest
        while true {
            var pieces: [Piece] = []
            var at: UInt64 = 0
            for stretch in stretches where stretch.length >= shortest {
                if stretch.start > at { pieces.append(Piece(range: at..<stretch.start, copied: nil)) }
                at = stretch.start + stretch.length
                pieces.append(Piece(range: stretch.start..<at, copied: stretch.other))
            }
            if at < size { pieces.append(Piece(range: at..<size, copied: nil)) }
            if pieces.count <= mostPieces { return pieces }
            shortest *= 2
        }
    }
}
