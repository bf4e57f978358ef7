import CapsuleCore
import CapsuleHashing

/// How a file's two contents are made of each other, where that carries much less than the contents themselves; found by one
/// comparison.
struct RecipePair: Sendable {
    /// A recipe, and the stretches that it needs, which are those of the content that it makes.
    struct Side: Sendable {
        let recipe: ContentRecipe
        let stretches: [Range<UInt64>]
    }

    /// How the new content is made of the old one; nil where it is better carried whole.
    let new: Side?
    /// How the old content is made of the new one; nil where it is better carried whole, or was not asked for.
    let old: Side?

    /// No shorter content is compared: it is soon carried.
    static let shortestCompared: UInt64 = 64 << 10
    /// A content so many times as long as the other has little from it.
    private static let largestRatio: UInt64 = 16
    /// From this length on several threads compare one file.
    private static let shortestShared: UInt64 = 16 << 20

    /// Compares two files.
    ///
    /// - Parameters:
    ///   - needsOld: whether the way back is wanted.
    ///   - jobs: how many threads may read and compare.
    /// - Returns: nil where both are better carried whole.
    /// - Throws: ``CapsuleError`` also for contents that are not those of the entries any more.
    init?(_ old: SideEntry, _ new: SideEntry, at path: RelativePath, needsOld: Bool, jobs: Int) throws(CapsuleError) {
        let (oldSize, newSize) = (old.entry.size, new.entry.size)
        guard max(oldSize, newSize) >= Self.shortestCompared, min(oldSize, newSize) > 0,
            oldSize / Self.largestRatio <= newSize, newSize / Self.largestRatio <= oldSize
        else { return nil }
        let contents = (old: try old.open(), new: try new.open())
        let pieces: [ContentDelta.Piece]
        let digest: ContentDigest
        let aligned = try AlignedDelta(
            from: contents.old, length: oldSize, to: contents.new, length: newSize,
            jobs: newSize >= Self.shortestShared ? jobs : 1)
        if let aligned {
            (pieces, digest) = (aligned.pieces, aligned.digest)
        } else {
            let delta = try ContentDelta(from: contents.old, length: oldSize, to: contents.new, length: newSize)
            (pieces, digest) = (delta.pieces, delta.digest)
        }
        guard digest == new.entry.digest else { throw OverlayCapsuleWriter.changed(path) }
        let copies = RecipeCopies(pieces)
        self.new = try Self.side(
            copies.forward(newSize), newSize, new.entry.digest, of: contents.new, from: contents.old, oldSize,
            // The comparison digested what it compared.
            isChecked: aligned != nil, path)
        self.old =
            needsOld
            ? try Self.side(
                copies.backward(oldSize), oldSize, old.entry.digest, of: contents.old, from: contents.new, newSize,
                isChecked: false, path) : nil
        if self.new == nil, self.old == nil { return nil }
    }

    /// - Parameters:
    ///   - content: what the recipe makes.
    ///   - other: what it is made from.
    private static func side(
        _ pieces: [RecipeCopies.Piece], _ size: UInt64, _ digest: ContentDigest, of content: any OpenContent,
        from other: any OpenContent, _ otherSize: UInt64, isChecked: Bool, _ path: RelativePath
    ) throws(CapsuleError) -> Side? {
        let stretches = pieces.filter { $0.copied == nil }.map(\.range)
        let carried = stretches.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
        // It has to save a quarter at least: a recipe ties the content to the other one.
        guard carried <= size - size / 4 else { return nil }
        let needed = RecipeContent(stretches: stretches, of: content)
        let recipe = ContentRecipe(
            pieces: pieces.map { piece in
                let length = piece.range.upperBound - piece.range.lowerBound
                return piece.copied.map { .copied(offset: $0, length: length) } ?? .carried(length: length)
            }, carried: try Self.digest(of: needed, carried))
        if !isChecked {
            let made = try RecipeContent(
                recipe, size: size, of: other, otherSize: otherSize, carried: carried > 0 ? needed : nil)
            guard try Self.digest(of: made, size) == digest else { throw OverlayCapsuleWriter.changed(path) }
        }
        return Side(recipe: recipe, stretches: stretches)
    }

    private static func digest(of content: any OpenContent, _ length: UInt64) throws(CapsuleError) -> ContentDigest {
        try ContentWindow(content, length: length, capacity: 1 << 18).digest()
    }
}
