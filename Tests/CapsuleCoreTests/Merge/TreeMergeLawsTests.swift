import CapsuleCore
import TestSupport
import Testing

@Suite struct TreeMergeLawsTests {
    private static let rounds = runsLongTests ? 5_000 : 400

    /// Sets of three trees, in which the first is the origin of the two others.
    private static func triples(_ seed: UInt64) throws -> [MergedModels] {
        var random = SeededGenerator(seed: seed)
        return try (0..<rounds).map { _ in
            let base = try random.tree(depth: 2)
            return MergedModels(base: base, ours: try random.changed(base), theirs: try random.changed(base))
        }
    }

    /// Returns the reason why a tree is not valid.
    private static func problem(of tree: TreeModel) -> String? {
        for path in tree.nodes.keys {
            guard let parent = path.parent, !parent.isRoot else { continue }
            if tree.nodes[parent]?.kind != .directory { return "\(path) is in no directory" }
        }
        return nil
    }

    @Test(arguments: SeededGenerator.seeds) func oneSideAlone(seed: UInt64) throws {
        for models in try Self.triples(seed) {
            let (base, changed) = (models.base, models.ours)
            for triple in [
                MergedModels(base: base, ours: changed, theirs: base), MergedModels(base: base, ours: base, theirs: changed),
                MergedModels(base: base, ours: changed, theirs: changed),
            ] {
                let outcome = triple.merge()
                #expect(outcome.conflicts.isEmpty)
                #expect(outcome.problems.isEmpty)
                #expect(outcome.tree == changed)
            }
        }
    }

    @Test(arguments: SeededGenerator.seeds) func swappedSides(seed: UInt64) throws {
        for models in try Self.triples(seed) {
            for (resolution, other) in [
                (Resolution.ours, Resolution.theirs), (.theirs, .ours), (.base, .base), (.absent, .absent),
            ] {
                let (outcome, swapped) = (models.merge(all: resolution), models.swapped.merge(all: other))
                // A file of the base may be in a directory that neither side has. Either side as a whole can always be taken.
                #expect(outcome.problems.isEmpty || resolution == .base, "\(resolution): \(outcome.problems)")
                #expect(outcome.problems.map(\.message) == swapped.problems.map(\.message))
                // An invalid decision keeps ours.
                #expect(outcome.unfit == swapped.unfit)
                if outcome.unfit.isEmpty, outcome.problems.isEmpty { #expect(outcome.tree == swapped.tree) }
                #expect(outcome.conflicts.map(\.line) == swapped.conflicts.map(\.line))
                #expect(outcome.conflicts.map(\.ours) == swapped.conflicts.map(\.theirs))
            }
        }
    }

    @Test(arguments: SeededGenerator.seeds) func treesComeOfIt(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var count = 0
        for models in try Self.triples(seed) {
            let open = models.merge()
            count += open.conflicts.count
            var resolutions: [String: Resolution] = [:]
            for conflict in open.conflicts where !random.isLucky(oneIn: 4) {
                resolutions[conflict.id] = random.pick([.base, .ours, .theirs, .absent])
            }
            let sides = [open, models.merge(all: .ours), models.merge(all: .theirs)]
            for outcome in sides { #expect(outcome.problems.isEmpty) }
            for outcome in sides + [models.merge(all: .base), models.merge(all: .absent), models.merge(resolutions)] {
                // The conflicts are the same for all decisions.
                #expect(outcome.conflicts.map(\.line) == open.conflicts.map(\.line))
                if outcome.problems.isEmpty { #expect(Self.problem(of: outcome.tree) == nil) }
                for (path, node) in outcome.tree.nodes where node.kind == .file {
                    // Every content comes from one of the trees, or was merged.
                    let known = [models.base, models.ours, models.theirs].contains { model in
                        model.nodes.values.contains { $0.kind == .file && $0.bytes == node.bytes }
                    }
                    #expect(known || node.bytes.first == UInt8(ascii: "T"), "\(path)")
                }
            }
            #expect(open.tree == models.merge(all: .ours).tree)
        }
        #expect(count > 0)
    }

    /// Without conflicts and renames, every place is as the table says.
    @Test(arguments: SeededGenerator.seeds) func noSilentWinner(seed: UInt64) throws {
        var plain = 0
        for models in try Self.triples(seed) {
            let outcome = models.merge()
            let moved = [models.ours, models.theirs].contains { side in
                TreeDiff(models.base.side, side.side).items.contains { item in
                    if case .renamed = item.kind { true } else { false }
                }
            }
            guard outcome.conflicts.isEmpty, !moved else { continue }
            plain += 1
            let paths = Set(models.base.nodes.keys).union(models.ours.nodes.keys).union(models.theirs.nodes.keys)
            for path in paths {
                let (base, ours, theirs) = (models.base.nodes[path], models.ours.nodes[path], models.theirs.nodes[path])
                let result = outcome.tree.nodes[path]
                // Entries in a directory may need it, and the parts of an entry merge separately.
                if [base, ours, theirs].contains(where: { $0?.kind == .directory }) { continue }
                if ours == theirs || theirs == base {
                    #expect(result == ours, "\(path)")
                } else if ours == base {
                    #expect(result == theirs, "\(path)")
                } else {
                    #expect(ours != nil && theirs != nil, "\(path)")
                    // Each part is taken from one side if the other is as in the base, or both sides are the same.
                    #expect(Self.isTaken(base, ours, theirs, result) { "\($0.kind) \($0.bytes) \($0.target)" }, "\(path)")
                    #expect(Self.isTaken(base, ours, theirs, result) { "\($0.mode)" }, "\(path)")
                }
            }
        }
        #expect(plain > 0)
    }

    private static func isTaken(
        _ base: TreeModel.Node?, _ ours: TreeModel.Node?, _ theirs: TreeModel.Node?, _ result: TreeModel.Node?,
        _ part: (TreeModel.Node) -> String
    ) -> Bool {
        let (base, ours, theirs, result) = (base.map(part), ours.map(part), theirs.map(part), result.map(part))
        return result == (ours == theirs || theirs == base ? ours : theirs) && (ours == theirs || [ours, theirs].contains(base))
    }
}
