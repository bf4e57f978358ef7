import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge

/// The laws of merges, for generated property lists.
@Suite struct PlistMergeLawsTests {
    private static func triples(_ seed: UInt64, _ count: Int) -> [(base: PlistValue, ours: PlistValue, theirs: PlistValue)] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { number in
            if number.isMultiple(of: 3) { return (arrays(&random), arrays(&random), arrays(&random)) }
            let base = random.propertyList()
            let ours = random.changed(base, random.number(0...4))
            return (base, ours, random.changed(random.isLucky(oneIn: 5) ? ours : base, random.number(0...4)))
        }
    }

    /// A keyed array and a set, with few names in any order.
    private static func arrays(_ random: inout SeededGenerator) -> PlistValue {
        let names = ["a", "b", "c", "d", "e"] as [PlistString]
        func some(_ random: inout SeededGenerator) -> [PlistString] {
            let some = names.filter { _ in !random.isLucky(oneIn: 3) }
            return random.isLucky(oneIn: 2) ? some : some.shuffled(using: &random)
        }
        let keyed = some(&random).map { name in
            PlistValue.dictionary(["Name": .string(name), "v": .integer(PlistInteger(random.number(0...1)))])
        }
        let set = some(&random).flatMap { name in
            Array(repeating: PlistValue.string(name), count: random.isLucky(oneIn: 6) ? 2 : 1)
        }
        return ["TestConfigurations": .array(keyed), "UIAppFonts": .array(set)]
    }

    /// All scalars in a value, and the keys.
    private static func atoms(of value: PlistValue) -> Set<PlistValue> {
        switch value {
        case .dictionary(let entries):
            entries.reduce(into: Set(entries.keys.map { .string($0) })) { $0.formUnion(atoms(of: $1.value)) }
        case .array(let elements): elements.reduce(into: []) { $0.formUnion(atoms(of: $1)) }
        default: [value]
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func aSideThatChangedNothingGivesWay(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for triple in Self.triples(seed, 300) {
            let same = random.shuffledKeys(triple.base)
            for (ours, theirs) in [(triple.ours, same), (same, triple.ours), (triple.ours, random.shuffledKeys(triple.ours))] {
                let run = try MergeRun(triple.base, ours, theirs)
                #expect(run.value == triple.ours, "seed \(seed)")
                #expect(run.conflicts.isEmpty && run.notes.isEmpty)
            }
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func swappingTheSidesSwapsThemInTheConflicts(seed: UInt64) throws {
        var (clean, kinds): (Int, Set<Conflict.Kind>) = (0, [])
        for triple in Self.triples(seed, 600) {
            let run = try MergeRun(triple.base, triple.ours, triple.theirs)
            let swapped = try MergeRun(triple.base, triple.theirs, triple.ours)
            #expect(swapped.conflicts == run.conflicts.map(\.swapped), "seed \(seed)")
            #expect(swapped.notes == run.notes)
            if run.conflicts.isEmpty {
                clean += 1
                #expect(swapped.value == run.value, "seed \(seed)")
            }
            kinds.formUnion(run.conflicts.map(\.kind))
            let theirs = try MergeRun(triple.base, triple.theirs, triple.ours, resolutions: run.all(.theirs))
            #expect(theirs.value == run.value, "seed \(seed): \(run.lines) of \(triple)")
            let base = try MergeRun(triple.base, triple.ours, triple.theirs, resolutions: run.all(.base))
            #expect(try MergeRun(triple.base, triple.theirs, triple.ours, resolutions: run.all(.base)).value == base.value)
        }
        #expect(clean > 80)
        #expect(kinds == [.value, .sequence, .order])
    }

    @Test(arguments: SeededGenerator.seeds)
    func nothingComesFromNowhere(seed: UInt64) throws {
        for triple in Self.triples(seed, 1_000) {
            let run = try MergeRun(triple.base, triple.ours, triple.theirs)
            let known = Self.atoms(of: triple.base).union(Self.atoms(of: triple.ours)).union(Self.atoms(of: triple.theirs))
            #expect(Self.atoms(of: run.value).isSubset(of: known), "seed \(seed)")
        }
    }

    /// Decisions on some conflicts change neither the other conflicts nor their numbers.
    @Test(arguments: SeededGenerator.seeds)
    func decisionsChangeNoConflict(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 1)
        for triple in Self.triples(seed, rounds(700)) {
            let open = try MergeRun(triple.base, triple.ours, triple.theirs)
            for resolution in [.ours, .theirs, .base] as [Resolution] {
                let some = open.all(resolution).filter { _ in random.isLucky(oneIn: 2) }
                let run = try MergeRun(triple.base, triple.ours, triple.theirs, resolutions: some)
                #expect(run.lines == open.lines, "seed \(seed)")
                #expect(run.openCount == open.conflicts.count - some.count)
                let all = try MergeRun(triple.base, triple.ours, triple.theirs, resolutions: open.all(resolution))
                #expect(all.openCount == 0)
                // Merging a decided result again changes nothing.
                let again = try MergeRun(all.value, all.value, all.value)
                #expect(again.value == all.value && again.conflicts.isEmpty)
                if resolution == .ours { #expect(all.value == open.value) }
            }
        }
    }

    /// The rules for a dictionary alone, in their simplest form.
    @Test(arguments: SeededGenerator.seeds)
    func dictionariesMergeKeyByKey(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let keys = ["a", "b", "c"] as [PlistString]
        for _ in 0..<rounds(1_000) {
            var sides: [PlistDictionary] = []
            for _ in 0..<3 {
                var entries = PlistDictionary()
                for key in keys where random.isLucky(oneIn: 2) { entries[key] = .integer(PlistInteger(random.number(0...2))) }
                sides.append(entries)
            }
            let run = try MergeRun(.dictionary(sides[0]), .dictionary(sides[1]), .dictionary(sides[2]))
            var disputed: Set<String> = []
            for key in keys {
                let (base, ours, theirs) = (sides[0][key], sides[1][key], sides[2][key])
                if base != ours, base != theirs, ours != theirs { disputed.insert("/\(key)") }
                #expect(run.value.dictionary?[key] == (base == ours ? theirs : ours))
            }
            #expect(Set(run.conflicts.compactMap(\.pointer?.description)) == disputed)
            #expect(run.conflicts.count == disputed.count)
        }
    }
}

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
