import CapsuleCore

/// A content that is put together of stretches of others: by a recipe, or of what a recipe leaves out.
///
/// Whoever reads all of it compares the digest: nothing says that the others are what they were when the recipe was made.
final class RecipeContent: OpenContent {
    private struct Stretch {
        /// Where it ends in this content.
        let end: UInt64
        let source: any OpenContent
        let offset: UInt64
        let length: UInt64

        var start: UInt64 { end - length }
    }

    private let stretches: [Stretch]
    private let size: UInt64

    /// The content that a recipe makes.
    ///
    /// - Parameters:
    ///   - other: the other state's content, from which the recipe copies.
    ///   - otherSize: its length, beyond which nothing is copied.
    ///   - carried: all carried stretches, one behind the other; nil where there are none.
    /// - Throws: for a recipe that is not sound, or needs bytes that are not carried.
    convenience init(
        _ recipe: ContentRecipe, size: UInt64, of other: any OpenContent, otherSize: UInt64, carried: (any OpenContent)?
    ) throws(CapsuleError) {
        if let problem = recipe.problem(makingUp: size, of: otherSize) {
            throw CapsuleError("the overlay's recipe is not valid: \(problem)")
        }
        var parts: [(content: any OpenContent, range: Range<UInt64>)] = []
        parts.reserveCapacity(recipe.pieces.count)
        var used: UInt64 = 0
        for piece in recipe.pieces {
            switch piece {
            case .copied(let offset, let length):
                parts.append((other, offset..<offset + length))
            case .carried(let length):
                guard let carried else { throw CapsuleError("the overlay does not contain what its recipe needs") }
                parts.append((carried, used..<used + length))
                used += length
            }
        }
        self.init(parts)
    }

    /// Stretches of a content, one behind the other.
    convenience init(stretches ranges: [Range<UInt64>], of content: any OpenContent) {
        self.init(ranges.map { (content, $0) })
    }

    /// Stretches of several contents, one behind the other.
    init(_ parts: [(content: any OpenContent, range: Range<UInt64>)]) {
        var end: UInt64 = 0
        stretches = parts.map { content, range in
            end += range.upperBound - range.lowerBound
            return Stretch(
                end: end, source: content, offset: range.lowerBound, length: range.upperBound - range.lowerBound)
        }
        size = end
    }

    func status() -> ContentStatus { ContentStatus(size: size, mode: FileMode(0o600), modified: .epoch, live: nil) }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        var done = 0
        var number = firstStretch(endingAfter: offset)
        while done < buffer.count, number < stretches.count {
            let stretch = stretches[number]
            let inner = offset + UInt64(done) - stretch.start
            let count = Int(min(UInt64(buffer.count - done), stretch.length - inner))
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count])
            let found = try stretch.source.read(at: stretch.offset + inner, into: room)
            done += found
            // What one of the others has no more is missing: the digest tells.
            if found < count { break }
            number += 1
        }
        return done
    }

    /// A hole goes on through any number of stretches.
    func nextData(from offset: UInt64) -> UInt64 {
        for stretch in stretches[firstStretch(endingAfter: offset)...] {
            let from = stretch.offset + (max(offset, stretch.start) - stretch.start)
            let data = max(from, stretch.source.nextData(from: from))
            if data < stretch.offset + stretch.length { return stretch.start + (data - stretch.offset) }
        }
        return max(offset, size)
    }

    private func firstStretch(endingAfter offset: UInt64) -> Int {
        var low = 0
        var high = stretches.count
        while low < high {
            let middle = (low + high) / 2
            if stretches[middle].end <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
