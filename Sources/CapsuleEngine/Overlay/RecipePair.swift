import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleOverlay

/// The recipes that make a file's two contents from each other, if they carry much less than the contents. One comparison finds
/// both.
struct RecipePair: Sendable {
    /// A recipe, and the ranges that it needs. The ranges are in the content that the recipe makes.
    struct Side: Sendable {
        let recipe: ContentRecipe
        let stretches: [Range<UInt64>]
    }

    /// The recipe for the new content from the old one; nil if the content is better carried completely.
    let new: Side?
    /// The recipe for the old content from the new one; nil if the content is better carried completely, or if it was not wanted.
    let old: Side?

    /// The least size in bytes that one of the contents needs for a comparison. Shorter contents are carried quickly.
    static let shortestCompared: UInt64 = 64 << 10
    /// The greatest ratio of the two sizes for a comparison. A much longer content has little in common with the other.
    private static let largestRatio: UInt64 = 16

    /// - Returns: nil if both contents are better carried completely.
    /// - Throws: ``CapsuleError``, also if the contents no longer match their entries.
    init?(_ old: SideEntry, _ new: SideEntry, at path: RelativePath, needsOld: Bool) throws(CapsuleError) {
        let (oldSize, newSize) = (old.entry.size, new.entry.size)
        guard max(oldSize, newSize) >= Self.shortestCompared, min(oldSize, newSize) > 0,
            oldSize / Self.largestRatio <= newSize, newSize / Self.largestRatio <= oldSize
        else { return nil }
        let contents = (old: try old.open(), new: try new.open())
        let delta = try ContentDelta(from: contents.old, length: oldSize, to: contents.new, length: newSize)
        guard try Self.digest(of: contents.new, newSize) == new.entry.digest else { throw OverlayCapsuleWriter.changed(path) }
        self.new = try Self.side(
            delta.copies, newSize, new.entry.digest, of: contents.new, from: contents.old, oldSize, path)
        self.old =
            needsOld
            ? try Self.side(
                delta.copies.turned, oldSize, old.entry.digest, of: contents.old, from: contents.new, newSize, path) : nil
        if self.new == nil, self.old == nil { return nil }
    }

    /// Returns the recipe for one content; nil if it saves too little.
    /// - Parameters:
    ///   - content: the content that the recipe makes.
    ///   - other: the content that the recipe copies from.
    private static func side(
        _ copies: [CopiedRange], _ size: UInt64, _ digest: ContentDigest, of content: any OpenContent,
        from other: any OpenContent, _ otherSize: UInt64, _ path: RelativePath
    ) throws(CapsuleError) -> Side? {
        let copies = copies.coarse(upTo: size)
        let stretches = copies.gaps(upTo: size)
        let carried = stretches.reduce(0) { $0 + $1.length }
        // A recipe must save at least a quarter, because it makes the content depend on the other one.
        guard carried <= size - size / 4 else { return nil }
        let needed = RecipeContent(stretches: stretches, of: content)
        let recipe = ContentRecipe(pieces: copies.pieces(upTo: size), carried: try Self.digest(of: needed, carried))
        let made = try RecipeContent(recipe, size: size, of: other, otherSize: otherSize, carried: carried > 0 ? needed : nil)
        guard try Self.digest(of: made, size) == digest else { throw OverlayCapsuleWriter.changed(path) }
        return Side(recipe: recipe, stretches: stretches)
    }

    private static func digest(of content: any OpenContent, _ length: UInt64) throws(CapsuleError) -> ContentDigest {
        try ContentWindow(content, length: length, capacity: 1 << 18).digest()
    }
}

extension [CopiedRange] {
    /// The greatest number of pieces of a recipe. A longer recipe would take more space in the document than it saves.
    static let mostPieces = 16_384

    /// The ranges of the other content that this one has, in the order of the other one. A range that this one has several times
    /// is copied from one place.
    var turned: [CopiedRange] {
        var turned: [CopiedRange] = []
        var end: UInt64 = 0
        for copy in sorted(by: { $0.source != $1.source ? $0.source < $1.source : $0.length > $1.length }) {
            let passed = copy.source < end ? end - copy.source : 0
            guard passed < copy.length else { continue }
            turned.append(
                CopiedRange(start: copy.source + passed, source: copy.start + passed, length: copy.length - passed))
            end = copy.sourceEnd
        }
        return turned
    }

    /// Returns the ranges that a recipe for a content with this size copies. Short ones are not worth a piece. If there are too
    /// many pieces, longer ones are carried too.
    func coarse(upTo size: UInt64) -> [CopiedRange] {
        var shortest: UInt64 = 4 << 10
        while true {
            let kept = filter { $0.length >= shortest }
            if kept.count + kept.gaps(upTo: size).count <= Self.mostPieces { return kept }
            shortest *= 2
        }
    }

    /// Returns the pieces of the recipe for a content with this size that copies these ranges and carries the rest.
    func pieces(upTo size: UInt64) -> [ContentRecipe.Piece] {
        var pieces: [ContentRecipe.Piece] = []
        var at: UInt64 = 0
        for copy in self {
            if copy.start > at { pieces.append(.carried(length: copy.start - at)) }
            pieces.append(.copied(offset: copy.source, length: copy.length))
            at = copy.end
        }
        if at < size { pieces.append(.carried(length: size - at)) }
        return pieces
    }
}

/// A content assembled from ranges of other contents: by a recipe, or from the ranges that a recipe carries. The reader must
/// compare the digest of the complete content, because the other contents may have changed since the recipe was made.
final class RecipeContent: OpenContent {
    /// The parts, and the content that each is copied from.
    private let parts: [(content: any OpenContent, copy: CopiedRange)]
    private let size: UInt64

    /// - Parameters:
    ///   - other: the content of the other state, which the recipe copies from.
    ///   - otherSize: its size. Nothing may be copied from beyond it.
    ///   - carried: all carried ranges, concatenated; nil if there are none.
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

    convenience init(stretches ranges: [Range<UInt64>], of content: any OpenContent) {
        self.init(ranges.map { (content, $0) })
    }

    init(_ parts: [(content: any OpenContent, range: Range<UInt64>)]) {
        var end: UInt64 = 0
        self.parts = parts.map { content, range in
            defer { end += range.length }
            return (content, CopiedRange(start: end, source: range.lowerBound, length: range.length))
        }
        size = end
    }

    func status() -> ContentStatus { ContentStatus(size: size, mode: FileMode(0o600), modified: .epoch, live: nil) }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        var done = 0
        for (content, copy) in parts[firstPart(endingAfter: offset)...] {
            if done == buffer.count { break }
            let inner = offset + UInt64(done) - copy.start
            let count = Int(min(UInt64(buffer.count - done), copy.length - inner))
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count])
            let found = try content.read(at: copy.source + inner, into: room)
            done += found
            // If a source is too short, the rest is missing, and the digest will differ.
            if found < count { break }
        }
        return done
    }

    /// A hole may continue through any number of ranges.
    func nextData(from offset: UInt64) -> UInt64 {
        for (content, copy) in parts[firstPart(endingAfter: offset)...] {
            let from = copy.source + (max(offset, copy.start) - copy.start)
            let data = max(from, content.nextData(from: from))
            if data < copy.sourceEnd { return copy.start + (data - copy.source) }
        }
        return max(offset, size)
    }

    private func firstPart(endingAfter offset: UInt64) -> Int { parts.indexOfFirst(notBefore: { $0.copy.end <= offset }) }
}

extension FileState.Content {
    /// The content that an overlay must carry for this state: all of it, or what its recipe does not copy. It is nil if the size
    /// of the latter overflows.
    var blob: (digest: ContentDigest, size: UInt64)? {
        guard let recipe else { return (digest, size) }
        return recipe.carriedSize.map { (recipe.carried, $0) }
    }

    /// Returns true if an overlay carries ``blob``, or if ``blob`` is empty.
    func isCarried(in contents: (any OverlayPayload)?) -> Bool {
        guard let blob else { return false }
        return blob.size == 0 || contents?.has(blob.digest, size: blob.size) == true
    }

    /// Opens the content from its carried bytes and those that its recipe copies. The reader must compare its digest.
    /// - Parameter other: the file of the other state, which a recipe copies from.
    /// - Returns: nil if the content is not carried.
    func open(in contents: (any OverlayPayload)?, from other: SideEntry?) throws(CapsuleError) -> (any OpenContent)? {
        guard let recipe else { return try contents?.open(digest, size: size) }
        guard let other else { return nil }
        var carried: (any OpenContent)?
        if let blob, blob.size > 0 { carried = try contents?.open(blob.digest, size: blob.size) }
        return try RecipeContent(recipe, size: size, of: try other.open(), otherSize: other.entry.size, carried: carried)
    }
}
