package import CapsuleCore

/// The assembly of a content from the other state's bytes and from ranges of the bytes that overlays carry. It is the result of one
/// recipe applied after another.
package struct ComposedContent: Hashable, Sendable {
    /// A run of bytes of one source.
    package struct Part: Hashable, Sendable {
        package enum Source: Hashable, Sendable {
            /// The record's other state.
            case other
            /// The content that an overlay carries with this digest and this size.
            case carried(ContentDigest, size: UInt64)
        }

        package let source: Source
        /// The bytes of the source; not empty.
        package let range: Range<UInt64>
    }

    /// The maximum number of segments. Two recipes with a few thousand pieces each can need as many as the product of their
    /// numbers.
    static let maximumSegments = 4_000_000

    /// The segments in the order of the content. No segment directly continues the one before it.
    package private(set) var segments: [Part] = []

    init(_ content: FileState.Content) {
        guard let recipe = content.recipe, let size = recipe.carriedSize else {
            append(Part(source: .carried(content.digest, size: content.size), range: 0..<content.size))
            return
        }
        var used: UInt64 = 0
        for piece in recipe.pieces {
            switch piece {
            case .copied(let offset, let length): append(Part(source: .other, range: offset..<offset + length))
            case .carried(let length):
                append(Part(source: .carried(recipe.carried, size: size), range: used..<used + length))
                used += length
            }
        }
    }

    private init() {}

    /// The carried ranges in order, with adjacent ones joined.
    package var carried: [Part] {
        var all = ComposedContent()
        for segment in segments where segment.source != .other { all.append(segment) }
        return all.segments
    }

    /// The assembly as the pieces of a recipe, whose carried bytes are those of ``carried``.
    package var pieces: [ContentRecipe.Piece] {
        var pieces: [ContentRecipe.Piece] = []
        for segment in segments {
            let length = segment.range.length
            if segment.source == .other {
                pieces.append(.copied(offset: segment.range.lowerBound, length: length))
            } else if case .carried(let before)? = pieces.last {
                pieces[pieces.count - 1] = .carried(length: before + length)
            } else {
                pieces.append(.carried(length: length))
            }
        }
        return pieces
    }

    package var isWhole: Bool {
        segments.allSatisfy { $0.source != .other }
    }

    /// Returns the same content, with each copied range taken from the segments of another content, which it copies from.
    func replacingCopied(by source: ComposedContent) throws(OverlayError) -> ComposedContent {
        var ends: [UInt64] = []
        var end: UInt64 = 0
        for segment in source.segments {
            end += segment.range.length
            ends.append(end)
        }
        var result = ComposedContent()
        for segment in segments {
            guard segment.source == .other else {
                result.append(segment)
                continue
            }
            var rest = segment.range
            var place = ends.indexOfFirst(notBefore: { $0 <= rest.lowerBound })
            while !rest.isEmpty, place < ends.count {
                let piece = source.segments[place]
                let start = piece.range.upperBound - (ends[place] - rest.lowerBound)
                let taken = min(rest.length, piece.range.upperBound - start)
                result.append(Part(source: piece.source, range: start..<start + taken))
                (rest, place) = (rest.lowerBound + taken..<rest.upperBound, place + 1)
                guard result.segments.count <= Self.maximumSegments else {
                    throw OverlayError(
                        .limit, "the combined file would have more than \(Self.maximumSegments) pieces",
                        hint: "create the overlay again from the two containers")
                }
            }
        }
        return result
    }

    private mutating func append(_ segment: Part) {
        if segment.range.isEmpty { return }
        if let last = segments.last, last.source == segment.source, last.range.upperBound == segment.range.lowerBound {
            segments[segments.count - 1] = Part(
                source: last.source, range: last.range.lowerBound..<segment.range.upperBound)
        } else {
            segments.append(segment)
        }
    }
}
