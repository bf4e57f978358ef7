package import CapsuleCore

/// The assembly of a content from the other state's bytes and from ranges of the bytes that overlays carry. It is the result of one
/// recipe applied after another.
package struct ComposedContent: Hashable, Sendable {
    package enum Part: Hashable, Sendable {
        /// Bytes of the record's other state, starting at an offset.
        case copied(offset: UInt64, length: UInt64)
        /// Bytes, starting at an offset, of what an overlay carries with this digest and this size.
        case carried(digest: ContentDigest, size: UInt64, offset: UInt64, length: UInt64)

        /// The length in bytes; more than 0.
        package var length: UInt64 {
            switch self {
            case .copied(_, let length), .carried(_, _, _, let length): length
            }
        }
    }

    /// The maximum number of segments. Two recipes with a few thousand pieces each can need as many as the product of their
    /// numbers.
    static let maximumSegments = 4_000_000

    /// The segments in the order of the content. No segment directly continues the one before it.
    package private(set) var segments: [Part] = []

    init(_ content: FileState.Content) {
        guard let recipe = content.recipe, let size = recipe.carriedSize else {
            append(.carried(digest: content.digest, size: content.size, offset: 0, length: content.size))
            return
        }
        var used: UInt64 = 0
        for piece in recipe.pieces {
            switch piece {
            case .copied(let offset, let length): append(.copied(offset: offset, length: length))
            case .carried(let length):
                append(.carried(digest: recipe.carried, size: size, offset: used, length: length))
                used += length
            }
        }
    }

    private init() {}

    /// The carried ranges in order, with adjacent ones joined.
    package var carried: [Part] {
        var all = ComposedContent()
        for case .carried(let digest, let size, let offset, let length) in segments {
            all.append(.carried(digest: digest, size: size, offset: offset, length: length))
        }
        return all.segments
    }

    /// The assembly as the pieces of a recipe, whose carried bytes are those of ``carried``.
    package var pieces: [ContentRecipe.Piece] {
        var pieces: [ContentRecipe.Piece] = []
        for segment in segments {
            switch segment {
            case .copied(let offset, let length): pieces.append(.copied(offset: offset, length: length))
            case .carried(_, _, _, let length):
                if case .carried(let before)? = pieces.last {
                    pieces[pieces.count - 1] = .carried(length: before + length)
                } else {
                    pieces.append(.carried(length: length))
                }
            }
        }
        return pieces
    }

    package var isWhole: Bool {
        segments.allSatisfy { segment in
            if case .carried = segment { true } else { false }
        }
    }

    /// Returns the same content, with each copied range taken from the segments of another content, which it copies from.
    func replacingCopied(by source: ComposedContent) throws(OverlayError) -> ComposedContent {
        var ends: [UInt64] = []
        var end: UInt64 = 0
        for segment in source.segments {
            end += segment.length
            ends.append(end)
        }
        var result = ComposedContent()
        for segment in segments {
            guard case .copied(var offset, var length) = segment else {
                result.append(segment)
                continue
            }
            var place = Self.firstPlace(in: ends, after: offset)
            while length > 0, place < ends.count {
                let piece = source.segments[place]
                let skipped = offset - (ends[place] - piece.length)
                let taken = min(length, piece.length - skipped)
                result.append(piece.part(from: skipped, length: taken))
                (offset, length, place) = (offset + taken, length - taken, place + 1)
                guard result.segments.count <= Self.maximumSegments else {
                    throw OverlayError(
                        .limit, "the combined file would have more than \(Self.maximumSegments) pieces",
                        hint: "create the overlay again from the two containers")
                }
            }
        }
        return result
    }

    private static func firstPlace(in ends: [UInt64], after offset: UInt64) -> Int {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = low + (high - low) / 2
            if ends[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func append(_ segment: Part) {
        guard segment.length > 0 else { return }
        if let last = segments.last, let joined = last.joined(with: segment) {
            segments[segments.count - 1] = joined
        } else {
            segments.append(segment)
        }
    }
}

extension ComposedContent.Part {
    fileprivate func part(from skipped: UInt64, length: UInt64) -> ComposedContent.Part {
        switch self {
        case .copied(let offset, _): .copied(offset: offset + skipped, length: length)
        case .carried(let digest, let size, let offset, _):
            .carried(digest: digest, size: size, offset: offset + skipped, length: length)
        }
    }

    fileprivate func joined(with next: ComposedContent.Part) -> ComposedContent.Part? {
        switch (self, next) {
        case (.copied(let offset, let length), .copied(let nextOffset, let nextLength)) where offset + length == nextOffset:
            .copied(offset: offset, length: length + nextLength)
        case (
            .carried(let digest, let size, let offset, let length),
            .carried(let nextDigest, let nextSize, let nextOffset, let nextLength)
        ) where digest == nextDigest && size == nextSize && offset + length == nextOffset:
            .carried(digest: digest, size: size, offset: offset, length: length + nextLength)
        default: nil
        }
    }
}
