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
        let copies = RecipeCopies(delta.pieces)
        self.new = try Self.side(
            copies.forward(newSize), newSize, new.entry.digest, of: contents.new, from: contents.old, oldSize, path)
        self.old =
            needsOld
            ? try Self.side(
                copies.backward(oldSize), oldSize, old.entry.digest, of: contents.old, from: contents.new, newSize, path) : nil
        if self.new == nil, self.old == nil { return nil }
    }

    /// Returns the recipe for one content; nil if it saves too little.
    /// - Parameters:
    ///   - content: the content that the recipe makes.
    ///   - other: the content that the recipe copies from.
    private static func side(
        _ pieces: [RecipeCopies.Piece], _ size: UInt64, _ digest: ContentDigest, of content: any OpenContent,
        from other: any OpenContent, _ otherSize: UInt64, _ path: RelativePath
    ) throws(CapsuleError) -> Side? {
        let stretches = pieces.filter { $0.copied == nil }.map(\.range)
        let carried = stretches.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
        // A recipe must save at least a quarter, because it makes the content depend on the other one.
        guard carried <= size - size / 4 else { return nil }
        let needed = RecipeContent(stretches: stretches, of: content)
        let recipe = ContentRecipe(
            pieces: pieces.map { piece in
                let length = piece.range.upperBound - piece.range.lowerBound
                return piece.copied.map { .copied(offset: $0, length: length) } ?? .carried(length: length)
            }, carried: try Self.digest(of: needed, carried))
        let made = try RecipeContent(recipe, size: size, of: other, otherSize: otherSize, carried: carried > 0 ? needed : nil)
        guard try Self.digest(of: made, size) == digest else { throw OverlayCapsuleWriter.changed(path) }
        return Side(recipe: recipe, stretches: stretches)
    }

    private static func digest(of content: any OpenContent, _ length: UInt64) throws(CapsuleError) -> ContentDigest {
        try ContentWindow(content, length: length, capacity: 1 << 18).digest()
    }
}

/// The common ranges of two contents, as recipes in the order of either content.
struct RecipeCopies {
    /// A range of a content, and its place in the other content.
    struct Piece: Hashable, Sendable {
        let range: Range<UInt64>
        /// The start of the range in the other content; nil for a range that is carried.
        let copied: UInt64?
    }

    private struct Copy {
        var old: UInt64
        var new: UInt64
        var length: UInt64
    }

    private let copies: [Copy]

    /// The greatest number of pieces. A longer recipe would take more space in the document than it saves.
    static let mostPieces = 16_384
    /// The least length of a copied range in bytes. Shorter ones are not worth a piece.
    private static let shortest: UInt64 = 4 << 10

    /// - Parameter pieces: the pieces of the new content, in its order.
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

    /// Returns the pieces of the new content, whose size in bytes is `size`.
    func forward(_ size: UInt64) -> [Piece] {
        Self.pieces(copies.map { ($0.new, $0.old, $0.length) }, size)
    }

    /// Returns the pieces of the old content, whose size in bytes is `size`. A range that the new content has several times is
    /// copied from one place.
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

    /// Fills the gaps between copied ranges with carried ones. If there are too many pieces, the shorter ranges are carried too.
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

/// A content assembled from ranges of other contents: by a recipe, or from the ranges that a recipe carries. The reader must
/// compare the digest of the complete content, because the other contents may have changed since the recipe was made.
final class RecipeContent: OpenContent {
    private struct Part {
        let end: UInt64
        let source: any OpenContent
        let offset: UInt64
        let length: UInt64

        var start: UInt64 { end - length }
    }

    private let stretches: [Part]
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
        stretches = parts.map { content, range in
            end += range.upperBound - range.lowerBound
            return Part(end: end, source: content, offset: range.lowerBound, length: range.upperBound - range.lowerBound)
        }
        size = end
    }

    func status() -> ContentStatus { ContentStatus(size: size, mode: FileMode(0o600), modified: .epoch, live: nil) }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        var done = 0
        var number = firstPart(endingAfter: offset)
        while done < buffer.count, number < stretches.count {
            let stretch = stretches[number]
            let inner = offset + UInt64(done) - stretch.start
            let count = Int(min(UInt64(buffer.count - done), stretch.length - inner))
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count])
            let found = try stretch.source.read(at: stretch.offset + inner, into: room)
            done += found
            // If a source is too short, the rest is missing, and the digest will differ.
            if found < count { break }
            number += 1
        }
        return done
    }

    /// A hole may continue through any number of ranges.
    func nextData(from offset: UInt64) -> UInt64 {
        for stretch in stretches[firstPart(endingAfter: offset)...] {
            let from = stretch.offset + (max(offset, stretch.start) - stretch.start)
            let data = max(from, stretch.source.nextData(from: from))
            if data < stretch.offset + stretch.length { return stretch.start + (data - stretch.offset) }
        }
        return max(offset, size)
    }

    private func firstPart(endingAfter offset: UInt64) -> Int {
        var low = 0
        var high = stretches.count
        while low < high {
            let middle = (low + high) / 2
            if stretches[middle].end <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
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
