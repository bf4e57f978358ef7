import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleOverlay
import TestSupport
import Testing

@testable import CapsuleEngine

@Suite struct RecipeTests {
    private static func content(_ bytes: [UInt8]) -> InMemoryContent {
        InMemoryContent(bytes, as: TreeEntry(path: .root, kind: .file, mode: FileMode(0o600), modified: .epoch))
    }

    private static func side(_ bytes: [UInt8]) -> SideEntry {
        let entry = TreeEntry(
            path: .root, kind: .file, mode: FileMode(0o600), modified: .epoch, size: UInt64(bytes.count),
            digest: SHA256Hasher.digest(of: bytes))
        return SideEntry(entry: entry) { InMemoryContent(bytes, as: entry) }
    }

    /// Returns the content that a recipe makes, read in pieces of any length.
    private static func made(
        _ side: RecipePair.Side, _ content: [UInt8], of other: [UInt8], _ random: inout SeededGenerator
    ) throws -> [UInt8] {
        let carried = side.stretches.flatMap { content[Int($0.lowerBound)..<Int($0.upperBound)] }
        #expect(side.recipe.carriedSize == UInt64(carried.count))
        #expect(side.recipe.carried == SHA256Hasher.digest(of: carried))
        let recipe = try RecipeContent(
            side.recipe, size: UInt64(content.count), of: Self.content(other), otherSize: UInt64(other.count),
            carried: carried.isEmpty ? nil : Self.content(carried))
        var bytes: [UInt8] = []
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 200_000, alignment: 1)
        defer { room.deallocate() }
        while true {
            let part = UnsafeMutableRawBufferPointer(rebasing: room[..<random.number(1...200_000)])
            let count = try recipe.read(at: UInt64(bytes.count), into: part)
            bytes += part[..<count]
            if count < part.count { return bytes }
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func contentsAreMadeOfEachOther(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let old = random.bytes(random.number(70_000...900_000))
        var new = old
        for _ in 0..<random.number(1...5) {
            let place = random.number(0...new.count)
            let length = random.number(0...min(new.count - place, random.pick([1, 40, 5_000, 60_000])))
            switch random.number(0...3) {
            case 0: new.replaceSubrange(place..<place + length, with: random.bytes(length))
            case 1: new.insert(contentsOf: random.bytes(length), at: place)
            case 2: new.removeSubrange(place..<place + length)
            default:
                // A range that occurs twice.
                let from = random.number(0...max(0, new.count - 100_000))
                new.insert(contentsOf: Array(new[from..<min(new.count, from + 100_000)]), at: place)
            }
        }
        guard let pair = try RecipePair(Self.side(old), Self.side(new), at: .root, needsOld: true) else {
            #expect(old.count < 400_000 || new.count < 400_000 || new == old, "nothing was found, seed \(seed)")
            return
        }
        if let side = pair.new { #expect(try Self.made(side, new, of: old, &random) == new, "seed \(seed)") }
        if let side = pair.old { #expect(try Self.made(side, old, of: new, &random) == old, "seed \(seed)") }
    }

    @Test func whatSavesLittleIsCarriedWhole() throws {
        var random = SeededGenerator(seed: 1)
        let start = random.bytes(100_000)
        let (old, new) = (start + random.bytes(400_000), start + random.bytes(400_000))
        #expect(try RecipePair(Self.side(old), Self.side(new), at: .root, needsOld: true) == nil)
        #expect(try RecipePair(Self.side([1]), Self.side(old), at: .root, needsOld: true) == nil)
        #expect(try RecipePair(Self.side([1, 2]), Self.side([1]), at: .root, needsOld: true) == nil)
        // A recipe may be worthwhile in one direction only.
        let pair = try #require(try RecipePair(Self.side(old), Self.side(start), at: .root, needsOld: true))
        #expect(pair.new?.recipe.carriedSize == 0 && pair.old == nil)
    }

    @Test func aContentThatIsAnotherIsRefused() throws {
        var random = SeededGenerator(seed: 2)
        let bytes = random.bytes(100_000)
        var changed = bytes
        changed[50_000] ^= 1
        for isNew in [false, true] {
            var side = Self.side(changed)
            side.entry.digest = SHA256Hasher.digest(of: [])
            let sides = isNew ? (Self.side(bytes), side) : (side, Self.side(bytes))
            let error = UseCases.failure { try RecipePair(sides.0, sides.1, at: .root, needsOld: true) }
            #expect(error?.message == "has changed since it was compared")
        }
    }

    @Test func aRecipeOfManyPiecesIsMadeCoarser() {
        let count = [CopiedRange].mostPieces
        let copies = (0..<count).map { number in
            CopiedRange(
                start: UInt64(number) * 20_000, source: UInt64(number) * 20_000, length: number % 4 == 0 ? 16_000 : 5_000)
        }
        let size = UInt64(count) * 20_000
        for copies in [copies, copies.turned] {
            let pieces = copies.coarse(upTo: size).pieces(upTo: size)
            #expect(pieces.count <= count && pieces.count > count / 4)
            #expect(pieces.reduce(0) { $0 + $1.length } == size)
            #expect(
                !zip(pieces, pieces.dropFirst()).contains {
                    if case (.carried, .carried) = ($0, $1) { true } else { false }
                })
        }
    }

    /// Zeros with data in two ranges: 100 to 200, and 700 to 710.
    private final class Sparse: OpenContent {
        func status() -> ContentStatus { ContentStatus(size: 1_000, mode: FileMode(0o600), modified: .epoch, live: nil) }
        func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
        func nextData(from offset: UInt64) -> UInt64 {
            switch offset {
            case ..<100: 100
            case ..<200: offset
            case ..<700: 700
            case ..<710: offset
            default: .max
            }
        }
    }

    /// Holes in the content that a recipe copies are holes in its result.
    @Test(arguments: [
        (UInt64(0), UInt64(100)), (150, 150), (199, 199), (200, 250), (249, 250), (250, 250), (259, 259), (260, 310), (309, 310),
        (319, 319), (320, 615), (614, 615), (624, 624), (625, 900), (899, 900), (900, 900), (5_000, 5_000),
    ])
    func holesStayHoles(offset: UInt64, data: UInt64) throws {
        let recipe = ContentRecipe(
            pieces: [
                .copied(offset: 0, length: 250), .carried(length: 10), .copied(offset: 650, length: 80),
                .copied(offset: 275, length: 275),
                .copied(offset: 700, length: 10), .copied(offset: 725, length: 275),
            ], carried: .zero)
        let content = try RecipeContent(
            recipe, size: 900, of: Sparse(), otherSize: 1_000, carried: Self.content([UInt8](repeating: 1, count: 10)))
        #expect(content.nextData(from: offset) == data)
    }

    @Test(arguments: [
        ([ContentRecipe.Piece.carried(length: 3)], UInt64(4), "the pieces are shorter than the content"),
        ([.carried(length: 5)], 4, "the pieces are longer than the content"),
        ([.carried(length: .max), .carried(length: 5)], 4, "the pieces are longer than the content"),
        (
            [.copied(offset: 8, length: 3), .carried(length: 1)], 4,
            "a piece extends past the end of the content it is copied from"
        ),
        ([.copied(offset: .max, length: 4)], 4, "a piece extends past the end of the content it is copied from"),
        ([.carried(length: 4), .carried(length: 0)], 4, "a piece is empty"),
    ])
    func recipesThatAreNotSoundAreRefused(pieces: [ContentRecipe.Piece], size: UInt64, message: String) {
        let recipe = ContentRecipe(pieces: pieces, carried: .zero)
        #expect(recipe.problem(makingUp: size, of: 10) == message)
        let error = UseCases.failure {
            try RecipeContent(recipe, size: size, of: Self.content([]), otherSize: 10, carried: Self.content([]))
        }
        #expect(error?.message.hasSuffix(message) == true)
    }
}
