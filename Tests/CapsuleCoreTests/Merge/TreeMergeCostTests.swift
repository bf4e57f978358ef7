import CapsuleCore
import TestSupport
import Testing

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
