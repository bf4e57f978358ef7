import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore

/// The laws of overlays, for generated property lists and overlays.
@Suite struct OverlayLawsTests {
    private static func turning(_ old: PlistValue, _ new: PlistValue) throws -> Overlay {
        try Overlay(turning: old, into: new, identities: SeededGenerator.identities)
    }

    /// A partial property list: some keys of a value, partly changed, and some that it does not have.
    private static func truncated(_ value: PlistValue, _ random: inout SeededGenerator) -> PlistValue {
        switch value {
        case .dictionary(let entries):
            var result = PlistDictionary()
            for (key, value) in entries where random.isLucky(oneIn: 2) { result[key] = truncated(value, &random) }
            if random.isLucky(oneIn: 4), let more = random.propertyList(depth: 2).dictionary {
                for (key, value) in more where result[key] == nil && entries[key] == nil { result[key] = value }
            }
            return .dictionary(result)
        case .array(let elements):
            return .array(elements.filter { _ in random.isLucky(oneIn: 2) }.map { truncated($0, &random) })
        default:
            return random.isLucky(oneIn: 3) ? random.scalar() : value
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func mergingTwiceIsMergingOnce(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var merged = 0
        for _ in 0..<rounds(1_500) {
            let base = random.propertyList()
            let overlay = try Overlay(Self.truncated(base, &random), format: .xml)
            let context = OverlayContext(arrays: SeededGenerator.identities.rules)
            guard let once = try? overlay.applied(to: base, in: context).value else { continue }
            merged += 1
            let twice = try overlay.applied(to: once, in: context).value
            #expect(twice == once, "seed \(seed): \(overlay.targets) over \(base)")
        }
        #expect(merged > rounds(500))
    }

    /// A value does not differ from itself, and its overlay does nothing.
    @Test(arguments: SeededGenerator.seeds)
    func nothingDiffersFromItself(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let value = random.propertyList()
            let same = random.shuffledKeys(value)
            #expect(try PlistDiff(value, same, identities: SeededGenerator.identities).isEmpty)
            #expect(try Self.turning(value, same).targets.allSatisfy { $0.operations.isEmpty })
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func composingIsDoingOneAfterTheOther(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            let a = random.propertyList()
            let b = random.changed(a, random.number(0...4))
            let c = random.changed(b, random.number(0...4))
            let d = random.changed(c, random.number(0...4))
            let (ab, bc, cd) = (try Self.turning(a, b), try Self.turning(b, c), try Self.turning(c, d))
            let ac = try ab.composed(with: bc)
            #expect(try ac.applied(to: a).value == c, "seed \(seed)")
            #expect(try ac.inverted().applied(to: c).value == a, "seed \(seed)")
            #expect(try ac.composed(with: cd).applied(to: a).value == d, "seed \(seed)")
            #expect(try ab.composed(with: try bc.composed(with: cd)).applied(to: a).value == d, "seed \(seed)")
            #expect(try ab.composed(with: try ab.inverted()).applied(to: a).value == a, "seed \(seed)")
            // The same overlay as it is in a file.
            #expect(try Overlay(ac.document, format: .binary).applied(to: a).value == c, "seed \(seed)")
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func invertingTwiceIsTheOverlay(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var refused = 0
        for _ in 0..<400 {
            let a = random.propertyList()
            let b = random.changed(a, 5)
            let inverse = try Self.turning(a, b).inverted()
            do throws(OverlayError) {
                #expect(try inverse.inverted().applied(to: a).value == b, "seed \(seed)")
            } catch {
                // A key that looks like a place in an array: the inverse does not know what to insert it into.
                #expect(error.code == .unsupported, "seed \(seed)")
                refused += 1
            }
        }
        #expect(refused < 200)
    }
}
