import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleOverlay

/// The laws of overlays, for generated trees and their records.
@Suite struct FileRecordLawsTests {
    private static let rounds = runsLongTests ? 5_000 : 400

    private static func check(_ seed: UInt64, _ body: (inout SeededGenerator) throws -> Void) rethrows {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<rounds { try body(&random) }
    }

    private static func pair(_ random: inout SeededGenerator) throws -> (TreeModel, TreeModel) {
        let old = try random.tree()
        // Sometimes the two trees are unrelated.
        return (old, random.isLucky(oneIn: 5) ? try random.tree() : try random.changed(old))
    }

    @Test(arguments: SeededGenerator.seeds)
    func applyingADifferenceGivesTheOther(seed: UInt64) throws {
        try Self.check(seed) { random in
            let (old, new) = try Self.pair(&random)
            let change = try RecordedChange(old, new, &random)
            #expect(try old.applying(change.records, contents: change.contents) == new, "seed \(seed)")
            #expect(try new.applying(change.records, contents: change.contents) == new, "applied twice, seed \(seed)")
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func invertingTakesBack(seed: UInt64) throws {
        try Self.check(seed) { random in
            let (old, new) = try Self.pair(&random)
            let change = try RecordedChange(old, new, &random)
            let inverse = try Overlay(targets: [], files: change.records).inverted()
            #expect(inverse.files == change.inverted.records)
            #expect(try new.applying(inverse.files, contents: change.contents) == old, "seed \(seed)")
            #expect(try inverse.inverted().files == change.records)
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func composingIsDoingOneAfterTheOther(seed: UInt64) throws {
        var assembled = 0
        try Self.check(seed) { random in
            let (first, second) = try Self.pair(&random)
            let third = random.isLucky(oneIn: 6) ? first : try random.changed(second)
            let one = try RecordedChange(first, second, &random)
            let other = try RecordedChange(second, third, &random)
            let both = try RecordedChange(one, other)
            #expect(try first.applying(both.records, contents: both.contents) == third, "seed \(seed)")
            #expect(try third.applying(both.inverted.records, contents: both.contents) == first, "back, seed \(seed)")
            let direct = try FileRecordSet(turning: first.side, into: third.side).records
            #expect(both.records.map(\.path) == direct.map(\.path), "seed \(seed)")
            for (joined, direct) in zip(both.records, direct) {
                #expect(joined.old.map { old in direct.old.map(old.isSame) == true } ?? (direct.old == nil))
                #expect(joined.new.map { new in direct.new.map(new.isSame) == true } ?? (direct.new == nil))
            }
            assembled += both.contents.count - Set(one.contents.keys).union(other.contents.keys).count
        }
        #expect(assembled > 0)
    }

    /// For three overlays it does not matter which two are composed first.
    @Test(arguments: SeededGenerator.seeds)
    func composingIsAssociative(seed: UInt64) throws {
        try Self.check(seed) { random in
            var trees = [try random.tree()]
            for _ in 0..<3 { trees.append(try random.changed(trees[trees.count - 1])) }
            let changes = try (0..<3).map { try RecordedChange(trees[$0], trees[$0 + 1], &random) }
            let left = try RecordedChange(RecordedChange(changes[0], changes[1]), changes[2])
            let right = try RecordedChange(changes[0], RecordedChange(changes[1], changes[2]))
            for composed in [left, right] {
                #expect(try trees[0].applying(composed.records, contents: composed.contents) == trees[3], "seed \(seed)")
                #expect(try trees[3].applying(composed.inverted.records, contents: composed.contents) == trees[0], "seed \(seed)")
            }
        }
    }

    /// Drift at the path of a record is refused. Elsewhere it does not matter.
    @Test(arguments: SeededGenerator.seeds)
    func driftIsRefusedWhereItMatters(seed: UInt64) throws {
        var refused = 0
        try Self.check(seed) { random in
            let (old, new) = try Self.pair(&random)
            let change = try RecordedChange(old, new, &random)
            var drifted = old
            guard let path = old.nodes.keys.sorted().randomElement(using: &random), old.nodes[path]?.kind == .file else { return }
            drifted.nodes[path] = .file(random.bytes(40))
            guard change.records.contains(where: { $0.path == path }) else {
                #expect(try drifted.applying(change.records, contents: change.contents).nodes[path] == drifted.nodes[path])
                return
            }
            refused += 1
            #expect(throws: TreeModel.Refusal.self) { try drifted.applying(change.records, contents: change.contents) }
        }
        #expect(refused > 0)
    }

    /// Guards stay when both overlays have them, and a change that is undone disappears.
    @Test func guardsStay() throws {
        let states = [[1], [7]].map { FileState(TreeModel.entry(.root, .file($0))) }
        let guards = try ["db-journal", "db-wal"].map { FileRecord(path: try relativePath($0), old: nil, new: nil) }
        let overlay = Overlay(
            targets: [], files: [FileRecord(path: try relativePath("db"), old: states[0], new: states[1])] + guards)
        #expect(try overlay.composed(with: try overlay.inverted()).files == guards)
    }
}
