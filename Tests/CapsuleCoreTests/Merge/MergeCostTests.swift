import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge
@testable import CapsuleRules

/// Merges that must end soon.
@Suite struct PlistMergeCostTests {
    private static func dictionaries(_ leaf: PlistValue, _ depth: Int = 12) -> PlistValue {
        (0..<depth).reduce(leaf) { inner, _ in ["a": inner, "b": inner] }
    }

    @Test(arguments: ["L", "UIAppFonts", "CFBundleURLTypes"] as [PlistString])
    func conflictsAreLimited(key: PlistString) throws {
        func shared(_ leaf: PlistValue) -> PlistValue { [key: Self.dictionaries(leaf)] }
        let (base, ours, theirs) = (shared(["v": 1]), shared(["v": 2]), shared(["v": 3]))
        var decisions = MergeDecisions()
        var merge = PlistMerge()
        merge.mostConflicts = 2_000
        let error = #expect(throws: OverlayError.self) {
            try merge.merge(base: base, ours: ours, theirs: theirs, &decisions)
        }
        #expect(error?.code == .limit)
        #expect(error?.message == "there are more than 2000 conflicts")
        #expect(decisions.conflicts.isEmpty)
        // The next merge starts from zero.
        #expect(try merge.merge(base: ["a": 1, "b": 1], ours: ["a": 2, "b": 1], theirs: ["a": 1], &decisions) == ["a": 2])
    }

    /// The size of the reported values is limited for all property lists of a merge together.
    @Test func valuesInConflictAreBoundedForAllLists() throws {
        func list(_ byte: UInt8) -> PlistValue { ["L": .data([UInt8](repeating: byte, count: 10 << 20))] }
        var decisions = MergeDecisions()
        var merge = PlistMerge()
        for _ in 0..<2 { _ = try merge.merge(base: list(1), ours: list(2), theirs: list(3), &decisions) }
        let error = #expect(throws: OverlayError.self) {
            try merge.merge(base: list(1), ours: list(2), theirs: list(3), &decisions)
        }
        #expect(error?.code == .limit)
        #expect(error?.message == "the conflicting values take more than 64 MiB")
        #expect(decisions.conflicts.count == 2)
        // There is still enough space for a small one.
        #expect(try merge.merge(base: ["a": 1], ours: ["a": 2], theirs: ["a": 3], &decisions) == ["a": 2])
    }

    /// The same object under two keys. A rule for one of them says how its arrays pair.
    @Test func sharedObjectsMergeByTheirPlace() throws {
        let rule = ArrayIdentities.Rule(try PointerPattern("/b/v"), .set)
        let (base, ours, theirs): (PlistValue, PlistValue, PlistValue) = (["v": [1]], ["v": [1, 2]], ["v": [1, 3]])
        let run = try MergeRun(
            ["a": base, "b": base], ["a": ours, "b": ours], ["a": theirs, "b": theirs], identities: ArrayIdentities([rule]))
        #expect(run.value == ["a": ["v": [1, 2]], "b": ["v": [1, 2, 3]]])
        #expect(run.lines == ["sequence /a/v 1+0: [] | [2] | [3] (edits overlap)"])
    }

    @Test func eachPlaceOfASharedObjectHasItsConflict() throws {
        func twice(_ leaf: PlistValue) -> PlistValue { Self.dictionaries(leaf, 2) }
        let run = try MergeRun(twice(1), twice(2), twice(3))
        #expect(run.conflicts.map(\.pointer?.description) == ["/a/a", "/a/b", "/b/a", "/b/b"])
        #expect(
            try MergeRun(twice(1), twice(2), twice(3), resolutions: ["2": .theirs]).value == [
                "a": ["a": 2, "b": 3], "b": ["a": 2, "b": 2],
            ])
    }

    /// Elements that differ only deep inside have one order, whichever side added them.
    @Test func elementsHaveAnOrder() throws {
        let key = "UIAppFonts" as PlistString
        let fonts = { (elements: [PlistValue]) in PlistValue.dictionary(PlistDictionary([(key, .array(elements))])) }
        let (one, two) = (Self.dictionaries("a"), Self.dictionaries("b"))
        let merged = fonts([1, one, two])
        #expect(try MergeRun(fonts([1]), fonts([1, one]), fonts([1, two])).value == merged)
        #expect(try MergeRun(fonts([1]), fonts([1, two]), fonts([1, one])).value == merged)
    }

    /// Containers are not used as names.
    @Test func namesThatAreContainers() throws {
        func array(_ range: Range<Int>) -> PlistValue {
            let elements = range.map { number -> PlistValue in
                ["Name": (0..<12).reduce(.integer(PlistInteger(number))) { inner, _ in .array([inner]) }]
            }
            return ["TestConfigurations": .array(elements)]
        }
        let run = try MergeRun(array(0..<500), array(0..<600), array(0..<400))
        #expect(run.conflicts.map(\.kind) == [.sequence])
        #expect(run.notes.map(\.message).contains { $0.hasPrefix("the array is merged as a sequence") })
    }

    @Test(arguments: ["UIAppFonts", "TestConfigurations", "List"] as [PlistString])
    func longArraysMerge(key: PlistString) throws {
        func array(_ range: Range<Int>) -> PlistValue {
            let elements = range.map { number in
                key == "TestConfigurations"
                    ? ["Name": .string(PlistString("\(number)"))] : PlistValue.integer(PlistInteger(number))
            }
            return .dictionary(PlistDictionary([(key, .array(elements))]))
        }
        let run = try MergeRun(array(1_000..<20_000), array(0..<20_000), array(1_000..<21_000))
        #expect(run.value == array(0..<21_000))
        #expect(run.conflicts.isEmpty)
    }
}

/// Many conflicts of renames. Planning would take too long if it compared each with all others.
@Suite("cost of merged trees")
struct TreeMergeCostTests {
    private static let count = runsLongTests ? 15_000 : 4_000

    private static func side(_ name: (Int) -> String) throws -> TreeSide {
        var model = TreeModel()
        for number in 0..<count {
            let path = try RelativePath(validating: Array(name(number).utf8))
            model.nodes[path] = .file(Array("content \(number)".utf8))
        }
        return model.side
    }

    private static func merge(
        _ base: TreeSide, _ ours: TreeSide, _ theirs: TreeSide
    ) -> (conflicts: [Conflict], outcome: TreeMerge.Outcome) {
        var decisions = MergeDecisions(preferences: [MergePreference(.theirs, text: "theirs")])
        let merge = TreeMerge(base: base, ours: ours, theirs: theirs) { _, _ in false }
        let outcome = merge.run(&decisions) { (_: TreeMerge.Request, _: inout MergeDecisions) -> TreeMerge.ContentMergeResult in
            .unfit("")
        }
        return (decisions.conflicts, outcome)
    }

    /// Everything below is gone, and each directory above must be checked for remaining entries.
    @Test func deepTreesThatOneSideDeletes() throws {
        var model = TreeModel()
        let count = runsLongTests ? 5_000 : 1_000
        let deep = Array(repeating: "d", count: 400).joined(separator: "/")
        for number in 0..<count {
            model.nodes[try RelativePath(validating: Array("\(deep)/\(number)".utf8))] = .file([1])
        }
        for depth in 1...400 { model.nodes[try RelativePath(validating: Array(deep.utf8.prefix(2 * depth - 1)))] = .directory() }
        var changed = model
        let last = try RelativePath(validating: Array("\(deep)/7".utf8))
        changed.nodes[last] = .file([2])
        let gone = Self.merge(model.side, model.side, TreeModel().side)
        #expect(gone.conflicts.isEmpty)
        #expect(gone.outcome.edits.count == count + 400)
        let kept = Self.merge(model.side, changed.side, TreeModel().side)
        #expect(kept.conflicts.map(\.kind) == [.modifyDelete])
        #expect(kept.outcome.edits.count == count + 400)
    }

    @Test func bothRenameAllDifferently() throws {
        let merged = try Self.merge(Self.side { "b\($0)" }, Self.side { "o\($0)" }, Self.side { "t\($0)" })
        #expect(merged.conflicts.count == Self.count)
        #expect(merged.conflicts.allSatisfy { $0.kind == .renameRename })
        #expect(merged.outcome.edits.count == 2 * Self.count)
        #expect(merged.outcome.problems.isEmpty)
    }

    /// Each file takes the place of the other side's next file, so all of them are one conflict.
    @Test func eachWantsThePlaceOfTheNext() throws {
        let merged = try Self.merge(Self.side { "b\(100_000 + $0)" }, Self.side { "n\($0)" }, Self.side { "n\($0 + 1)" })
        #expect(merged.conflicts.map(\.kind) == [.renameRename])
        #expect(merged.outcome.edits.count == Self.count + 1)
        #expect(merged.outcome.problems.isEmpty)
    }
}
