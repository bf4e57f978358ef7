import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge
@testable import CapsuleRules

@Suite struct PlistMergeTests {
    private static let archive: PlistValue = [
        "$archiver": "NSKeyedArchiver", "$objects": ["$null", "a"], "$top": ["root": .uid(1)], "$version": 100_000,
    ]

    private static func archive(_ objects: [PlistValue]) -> PlistValue {
        guard var entries = archive.dictionary else { return archive }
        entries["$objects"] = .array(objects)
        return .dictionary(entries)
    }

    private static let values: [MergeCase] = [
        MergeCase(
            "two keys", ["a": 1, "b": 1, "c": 1], ["a": 2, "b": 1, "c": 1], ["a": 1, "b": 2, "c": 1], ["a": 2, "b": 2, "c": 1]),
        MergeCase("deep in one dictionary", ["a": ["x": 1, "y": 1]], ["a": ["x": 2, "y": 1]], ["a": ["x": 1]], ["a": ["x": 2]]),
        MergeCase("both the same", ["a": 1], ["a": 2], ["a": 2], ["a": 2]),
        MergeCase("both delete", ["a": 1, "b": 1], ["b": 1], ["b": 2], ["b": 2]),
        MergeCase("one deletes, another key", ["a": 1, "b": 1], ["b": 1], ["a": 1], [:]),
        MergeCase("both add the same", [:], ["a": [1]], ["a": [1]], ["a": [1]]),
        MergeCase("each adds", [:], ["a": 1], ["b": 2], ["a": 1, "b": 2]),
        MergeCase("one key", ["a": 1], ["a": 2], ["a": 3], ["a": 2], ["value /a: 1 | 2 | 3 (both changed)"]),
        MergeCase(
            "types that differ alone", ["a": 1], ["a": 1.0], ["a": true], ["a": 1.0], ["value /a: 1 | 1.0 | true (both changed)"]),
        MergeCase(
            "ours deleted", ["a": 1, "b": 1], ["b": 1], ["a": 2, "b": 2], ["b": 2], ["value /a: 1 | – | 2 (ours deleted it)"]),
        MergeCase(
            "theirs deleted", ["a": ["x": 1]], ["a": ["x": 2]], [:], ["a": ["x": 2]],
            ["value /a: {\"x\": 1} | {\"x\": 2} | – (theirs deleted it)"]),
        MergeCase("both added", [:], ["a": 1], ["a": 2], ["a": 1], ["value /a: – | 1 | 2 (both added)"]),
        MergeCase(
            "both added dictionaries", [:], ["a": ["x": 1, "y": 1]], ["a": ["x": 2, "z": 3]], ["a": ["x": 1, "y": 1, "z": 3]],
            ["value /a/x: – | 1 | 2 (both added)"]),
        MergeCase(
            "both made a dictionary of a string", ["a": "s"], ["a": ["x": 1]], ["a": ["y": 2]], ["a": ["x": 1]],
            ["value /a: \"s\" | {\"x\": 1} | {\"y\": 2} (both changed)"]),
        MergeCase(
            "both made a dictionary of an array, one an empty one", ["a": [8]], ["a": ["c": 1]], ["a": [:]], ["a": ["c": 1]],
            ["value /a: [8] | {\"c\": 1} | {} (both changed)"]),
        MergeCase(
            "both made an array of a dictionary", ["UIAppFonts": ["x": 1]], ["UIAppFonts": ["a"]], ["UIAppFonts": ["b"]],
            ["UIAppFonts": ["a"]], ["value /UIAppFonts: {\"x\": 1} | [\"a\"] | [\"b\"] (both changed)"]),
        MergeCase("both made the same of it", ["a": "s"], ["a": ["x": 1]], ["a": ["x": 1]], ["a": ["x": 1]]),
        MergeCase(
            "both made a dictionary of null", ["a": .null], ["a": ["x": 1]], ["a": ["y": 2]], ["a": ["x": 1]],
            ["value /a: null | {\"x\": 1} | {\"y\": 2} (both changed)"]),
        MergeCase(
            "both made a dictionary of an element", ["a": [1, 2]], ["a": [["x": 1], 2]], ["a": [["y": 2], 2]],
            ["a": [["x": 1], 2]], ["value /a/0: 1 | {\"x\": 1} | {\"y\": 2} (both changed)"]),
        MergeCase(
            "both made dictionaries of what is another root", "s", ["a": 1], ["b": 2], ["a": 1],
            ["value (root): \"s\" | {\"a\": 1} | {\"b\": 2} (both changed)"]),
        MergeCase(
            "another type", ["a": ["x": 1]], ["a": ["x": 2]], ["a": "s"], ["a": ["x": 2]],
            ["value /a: {\"x\": 1} | {\"x\": 2} | \"s\" (both changed)"]),
        MergeCase(
            "empty and another type", ["a": 1], ["a": [:]], ["a": []], ["a": [:]], ["value /a: 1 | {} | [] (both changed)"]),
        MergeCase(
            "escapes", ["a/b": ["~": 1]], ["a/b": ["~": 2]], ["a/b": ["~": 3]], ["a/b": ["~": 2]],
            ["value /a~1b/~0: 1 | 2 | 3 (both changed)"]),
        MergeCase("root", "a", "b", "c", "b", ["value (root): \"a\" | \"b\" | \"c\" (both changed)"]),
        MergeCase(
            "no base", nil, ["a": 1, "c": 3], ["b": 2, "c": 4], ["a": 1, "b": 2, "c": 3], ["value /c: – | 3 | 4 (both added)"]),
        MergeCase("no base and nothing in common", nil, "a", ["b"], "a", ["value (root): – | \"a\" | [\"b\"] (both added)"]),
        MergeCase(
            "null is a value", ["a": .null], ["a": 1], ["b": 1], ["a": 1, "b": 1], ["value /a: null | 1 | – (theirs deleted it)"]),
        MergeCase(
            "data", ["a": .data([1])], ["a": .data([2])], ["a": .data([3])], ["a": .data([2])],
            ["value /a: data of 1 byte, AQ== | data of 1 byte, Ag== | data of 1 byte, Aw== (both changed)"]),
        MergeCase(
            "several, added ones by their bytes", ["z": 1, "a": 1], ["q": 1, "b": 1, "z": 2, "a": 2],
            ["b": 2, "q": 2, "a": 3, "z": 3],
            ["q": 1, "b": 1, "z": 2, "a": 2],
            [
                "value /z: 1 | 2 | 3 (both changed)", "value /a: 1 | 2 | 3 (both changed)", "value /b: – | 1 | 2 (both added)",
                "value /q: – | 1 | 2 (both added)",
            ]),
    ]

    @Test(arguments: values)
    func valuesMerge(_ example: MergeCase) throws {
        try Self.check(example)
    }

    /// Checks a case, and the same case with swapped sides.
    static func check(_ example: MergeCase) throws {
        let run = try MergeRun(example.base, example.ours, example.theirs)
        #expect(run.value == example.result)
        #expect(run.lines == example.conflicts)
        let swapped = try MergeRun(example.base, example.theirs, example.ours)
        #expect(swapped.conflicts == run.conflicts.map(\.swapped))
        let (ours, theirs) = (
            try MergeRun(example.base, example.ours, example.theirs, resolutions: run.all(.ours)),
            try MergeRun(example.base, example.theirs, example.ours, resolutions: run.all(.theirs))
        )
        #expect(ours.value == theirs.value)
        #expect(ours.value == run.value)
    }

    @Test func eachResolutionIsTaken() throws {
        func merged(_ resolution: Resolution?) throws -> MergeRun {
            try MergeRun(
                ["a": 1, "b": 0], ["a": 2, "b": 0], ["a": 3, "b": 1], resolutions: resolution.map { ["1": $0] } ?? [:])
        }
        #expect(try merged(nil).value == ["a": 2, "b": 1])
        #expect(try merged(nil).openCount == 1)
        for (resolution, value) in [
            (.base, ["a": 1, "b": 1]), (.ours, ["a": 2, "b": 1]), (.theirs, ["a": 3, "b": 1]), (.absent, ["b": 1]),
            (.value(["x"]), ["a": ["x"], "b": 1]),
        ] as [(Resolution, PlistValue)] {
            let run = try merged(resolution)
            #expect(run.value == value)
            #expect(run.openCount == 0)
            #expect(run.conflicts.map(\.resolution) == [resolution])
        }
    }

    @Test func aSideThatIsMissingCanBeTaken() throws {
        let (base, ours, theirs): (PlistValue, PlistValue, PlistValue) = (["a": 1], [:], ["a": 2])
        #expect(try MergeRun(base, ours, theirs, resolutions: ["1": .ours]).value == [:])
        #expect(try MergeRun(base, ours, theirs, resolutions: ["1": .theirs]).value == ["a": 2])
        #expect(try MergeRun(base, ours, theirs, resolutions: ["1": .base]).value == ["a": 1])
        #expect(try MergeRun([:], ["a": 1], ["a": 2], resolutions: ["1": .base]).value == [:])
    }

    @Test func theWholeCannotBeTakenAway() throws {
        for resolution in [Resolution.absent, .base] {
            var decisions = MergeDecisions(resolutions: ["1": resolution])
            var merge = PlistMerge()
            let error = #expect(throws: OverlayError.self) { try merge.merge(base: nil, ours: 1, theirs: 2, &decisions) }
            #expect(error?.code == .invalid)
            #expect(error?.target == .root)
            // A merge that fails settles nothing.
            #expect(decisions.conflicts.isEmpty)
        }
    }

    @Test func conflictsHaveThePathAndGoOnCounting() throws {
        let path = try RelativePath(validating: Array("Library/Preferences/com.x.plist".utf8))
        var decisions = MergeDecisions()
        var merge = PlistMerge(path: path)
        for _ in 0..<2 { _ = try merge.merge(base: ["a": 1], ours: ["a": 2], theirs: ["a": 3], &decisions) }
        #expect(decisions.conflicts.map(\.id) == ["1", "2"])
        #expect(decisions.conflicts.allSatisfy { $0.path == path })
    }

    /// Objects of an archive refer to each other by number. Merged by pointer, they would refer to the wrong ones.
    @Test func keyedArchivesMergeAsAWhole() throws {
        let (base, ours, theirs) = (
            Self.archive(["$null", "a"]), Self.archive(["$null", "a", "b"]), Self.archive(["$null", "c", "a"])
        )
        let run = try MergeRun(["x": base, "y": 1], ["x": ours, "y": 1], ["x": theirs, "y": 2])
        #expect(run.value == ["x": ours, "y": 2])
        #expect(run.conflicts.map(\.pointer?.description) == ["/x"])
        #expect(run.conflicts.map(\.reason) == ["both changed a keyed archive, which can't be merged in parts"])
        #expect(try MergeRun(base, base, theirs).conflicts.isEmpty)
    }

    @Test func keysHaveOursOrderAndThenTheirs() throws {
        let run = try MergeRun(
            ["a": 1, "b": 1, "c": 1], ["c": 2, "x": 1, "b": 1], ["b": 2, "y": 1, "a": 2, "c": 1], resolutions: ["1": .theirs])
        #expect(run.value.dictionary.map { Array($0.keys) } == ["c", "x", "b", "y", "a"])
    }

    @Test func aPreferenceDecides() throws {
        let match = try ChangeMatch(["Pointer": "/a"])
        let run = try MergeRun(
            ["a": 1, "b": 1], ["a": 2, "b": 2], ["a": 3, "b": 3],
            preferences: [MergePreference(.theirs, match: match, text: "theirs=a")])
        #expect(run.value == ["a": 3, "b": 2])
        #expect(run.conflicts.map(\.decidedBy) == ["theirs=a", nil])
        #expect(run.openCount == 1)
    }
}
