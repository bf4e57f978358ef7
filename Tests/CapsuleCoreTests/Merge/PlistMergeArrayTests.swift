import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge

@Suite struct PlistMergeArrayTests {
    private static func named(_ names: [PlistString], _ values: [PlistString: PlistValue] = [:]) -> PlistValue {
        let elements = names.map { name in
            PlistValue.dictionary(
                PlistDictionary([("Name", .string(name)), ("v", values[name] ?? 0)] as [(PlistString, PlistValue)]))
        }
        return ["TestConfigurations": .array(elements)]
    }

    private static func modes(_ names: [PlistString]) -> PlistValue {
        ["UIBackgroundModes": .array(names.map { .string($0) })]
    }

    private static func list(_ elements: [PlistValue]) -> PlistValue { ["List": .array(elements)] }

    private static func scenes(_ first: PlistString, _ second: PlistString) -> PlistValue {
        [
            "UIApplicationSceneManifest": [
                "UISceneConfigurations": [
                    "UIWindowSceneSessionRoleApplication": [
                        ["UISceneConfigurationName": "Default", "UISceneDelegateClassName": .string(first)],
                        ["UISceneConfigurationName": "Other", "UISceneDelegateClassName": .string(second)],
                    ]
                ]
            ]
        ]
    }

    private static let scene = "/UIApplicationSceneManifest/UISceneConfigurations/UIWindowSceneSessionRoleApplication"

    private static let keyed: [MergeCase] = [
        MergeCase("two scene configurations", scenes("A", "B"), scenes("A1", "B"), scenes("A", "B1"), scenes("A1", "B1")),
        MergeCase(
            "one scene configuration", scenes("A", "B"), scenes("A1", "B"), scenes("A2", "B"), scenes("A1", "B"),
            ["value \(scene)/[UISceneConfigurationName=Default]/UISceneDelegateClassName: \"A\" | \"A1\" | \"A2\" (both changed)"]
        ),
        MergeCase(
            "changed and moved", named(["a", "b", "c"]), named(["a", "b", "c"], ["a": 1]), named(["c", "a", "b"]),
            named(["c", "a", "b"], ["a": 1])),
        MergeCase(
            "moved alike", named(["a", "b"]), named(["b", "a"], ["a": 1]), named(["b", "a"], ["b": 1]),
            named(["b", "a"], ["a": 1, "b": 1])),
        MergeCase(
            "moved differently", named(["a", "b", "c"]), named(["b", "a", "c"]), named(["a", "c", "b"]), named(["b", "a", "c"]),
            [
                "order /TestConfigurations: [\"a\", \"b\", \"c\"] | [\"b\", \"a\", \"c\"] | [\"a\", \"c\", \"b\"] (both reordered the elements differently)"
            ]),
        MergeCase("both delete one", named(["a", "b", "c"]), named(["a"]), named(["a", "c"]), named(["a"])),
        MergeCase("each deletes one", named(["a", "b", "c"]), named(["b", "c"]), named(["a", "b"]), named(["b"])),
        MergeCase(
            "deleted and changed", named(["a", "b"]), named(["a"]), named(["a", "b"], ["b": 1]), named(["a"]),
            [
                "value /TestConfigurations/[Name=b]: {\"Name\": \"b\", \"v\": 0} | – | {\"Name\": \"b\", \"v\": 1} (ours deleted it)"
            ]),
        MergeCase(
            "deleted and changed, kept", named(["a", "b"]), named(["b", "a"], ["b": 1]), named(["a"]),
            named(["b", "a"], ["b": 1]),
            [
                "value /TestConfigurations/[Name=b]: {\"Name\": \"b\", \"v\": 0} | {\"Name\": \"b\", \"v\": 1} | – (theirs deleted it)"
            ]),
        MergeCase(
            "added behind different ones", named(["a", "b"]), named(["a", "x", "b"]), named(["a", "b", "y"]),
            named(["a", "x", "b", "y"])),
        MergeCase(
            "added in one place", named(["a"]), named(["a", "y", "c"]), named(["a", "x", "z"]), named(["a", "x", "y", "c", "z"])),
        MergeCase("added in front", named(["a"]), named(["y", "a"]), named(["x", "a"]), named(["x", "y", "a"])),
        MergeCase(
            "added behind a deleted one", named(["a", "b", "c"]), named(["a", "b", "x", "c"]), named(["a", "c"]),
            named(["a", "x", "c"])),
        MergeCase("added and moved", named(["a", "b"]), named(["a", "x", "b"]), named(["b", "a"]), named(["b", "a", "x"])),
        MergeCase("both add the same", named(["a"]), named(["x", "a"]), named(["a", "x"]), named(["x", "a"])),
        MergeCase(
            "both add one, differently", named(["a"]), named(["a", "x"], ["x": 1]), named(["x", "a"], ["x": 2]),
            named(["x", "a"], ["x": 1]),
            ["value /TestConfigurations/[Name=x]/v: – | 1 | 2 (both added)"]),
        MergeCase("both add the array", [:], named(["b", "a"]), named(["c"]), named(["b", "a", "c"])),
        MergeCase(
            "ignoring case", ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "AB", "v": 1, "w": 1]]],
            ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "ab", "v": 1, "w": 1]]],
            ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "AB", "v": 2, "w": 1]]],
            ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "ab", "v": 2, "w": 1]]]),
        MergeCase(
            "ignoring case, with a conflict", ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "AB", "v": 1]]],
            ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "ab", "v": 2]]],
            ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "AB", "v": 3]]],
            ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "ab", "v": 2]]],
            ["value /SKAdNetworkItems/0/v: 1 | 2 | 3 (both changed)"]),
        MergeCase(
            "optional, all with it", ["CFBundleURLTypes": [["CFBundleURLName": "a", "x": 1]]],
            ["CFBundleURLTypes": [["CFBundleURLName": "b"], ["CFBundleURLName": "a", "x": 1]]],
            ["CFBundleURLTypes": [["CFBundleURLName": "a", "x": 2]]],
            ["CFBundleURLTypes": [["CFBundleURLName": "b"], ["CFBundleURLName": "a", "x": 2]]]),
        MergeCase(
            "a set within", ["TestTargets": [["BlueprintName": "t", "UIAppFonts": ["a"]]]],
            ["TestTargets": [["BlueprintName": "t", "UIAppFonts": ["b", "a"]]]],
            ["TestTargets": [["BlueprintName": "t", "UIAppFonts": ["a", "c"]]]],
            ["TestTargets": [["BlueprintName": "t", "UIAppFonts": ["b", "a", "c"]]]]),
    ]

    private static let sets: [MergeCase] = [
        MergeCase("each adds", modes(["a"]), modes(["a", "y"]), modes(["a", "x"]), modes(["a", "x", "y"])),
        MergeCase("each removes", modes(["a", "b", "c"]), modes(["b", "c"]), modes(["a", "b"]), modes(["b"])),
        MergeCase("added and removed", modes(["a", "b"]), modes(["b"]), modes(["a", "b", "c"]), modes(["b", "c"])),
        MergeCase("no base", [:], modes(["b", "a"]), modes(["a", "c"]), modes(["b", "a", "c"])),
        MergeCase(
            "repeated", modes(["a"]), modes(["a", "a"]), modes(["a", "a", "a"]), modes(["a", "a"]),
            ["sequence /UIBackgroundModes 1+0: [] | [\"a\"] | [\"a\", \"a\"] (edits overlap)"]),
        MergeCase(
            "repeated less", modes(["a", "a", "a"]), modes(["a", "a"]), modes(["a"]), modes(["a", "a"]),
            ["sequence /UIBackgroundModes 1+2: [\"a\", \"a\"] | [\"a\"] | [] (edits overlap)"]),
        MergeCase(
            "repeated, no base", [:], modes(["a", "a"]), modes(["a"]), modes(["a", "a"]),
            ["value /UIBackgroundModes: – | [\"a\", \"a\"] | [\"a\"] (both added)"]),
        MergeCase(
            "repeated, each replaces one", modes(["a", "a", "a", "a", "a", "a"]), modes(["a", "x", "a", "a", "a", "a"]),
            modes(["a", "a", "a", "a", "y", "a"]), modes(["a", "x", "a", "a", "y", "a"])),
        MergeCase(
            "repeated, each replaces its own", ["CFBundleURLSchemes": ["a", "a", "b"]], ["CFBundleURLSchemes": ["x", "a", "b"]],
            ["CFBundleURLSchemes": ["a", "y", "b"]], ["CFBundleURLSchemes": ["x", "y", "b"]]),
        MergeCase("moved by one", modes(["a", "b"]), modes(["b", "a"]), modes(["a", "b", "c"]), modes(["b", "c", "a"])),
        MergeCase(
            "moved by both", modes(["a", "b", "c"]), modes(["c", "a", "b"]), modes(["b", "a", "c"]), modes(["c", "a", "b"]),
            [
                "order /UIBackgroundModes: [\"a\", \"b\", \"c\"] | [\"c\", \"a\", \"b\"] | [\"b\", \"a\", \"c\"] (both reordered the elements differently)"
            ]),
    ]

    private static let sequences: [MergeCase] = [
        MergeCase("far apart", list([1, 2, 3]), list([9, 2, 3]), list([1, 2, 8]), list([9, 2, 8])),
        MergeCase("one inserts, one removes", list([1, 2, 3, 4]), list([1, 0, 2, 3, 4]), list([1, 2, 3]), list([1, 0, 2, 3])),
        MergeCase("both the same", list([1, 2]), list([1, 5, 2]), list([1, 5, 2]), list([1, 5, 2])),
        MergeCase(
            "one element", list([1, 2, 3]), list([1, 5, 3]), list([1, 6, 3]), list([1, 5, 3]),
            ["value /List/1: 2 | 5 | 6 (both changed)"]),
        MergeCase(
            "neighbours", list([["k": 1], ["k": 2]]), list([["k": 5], ["k": 2]]), list([["k": 1], ["k": 6]]),
            list([["k": 5], ["k": 6]])),
        MergeCase(
            "in one element", list([["a": 1, "b": 1], 0]), list([["a": 2, "b": 1], 0]), list([["a": 1, "b": 2], 0]),
            list([["a": 2, "b": 2], 0])),
        MergeCase(
            "one key in one element", list([["a": 1], 0]), list([["a": 2], 0]), list([["a": 3], 0]), list([["a": 2], 0]),
            ["value /List/0/a: 1 | 2 | 3 (both changed)"]),
        MergeCase(
            "insertions in one gap", list(["A", "B"]), list(["A", "x", "B"]), list(["A", "y", "B"]), list(["A", "x", "B"]),
            ["sequence /List 1+0: [] | [\"x\"] | [\"y\"] (edits overlap)"]),
        MergeCase(
            "overlap", ["Steps": ["A", "B", "C"]], ["Steps": ["A", "C1", "D", "C"]], ["Steps": ["A", "E", "C"]],
            ["Steps": ["A", "C1", "D", "C"]], ["sequence /Steps 1+1: [\"B\"] | [\"C1\", \"D\"] | [\"E\"] (edits overlap)"]),
        MergeCase(
            "removed and changed", list([1, 2, 3]), list([1, 3]), list([1, 7, 3]), list([1, 3]),
            ["sequence /List 1+1: [2] | [] | [7] (edits overlap)"]),
        MergeCase("no base", [:], list([1]), list([2]), list([1]), ["value /List: – | [1] | [2] (both added)"]),
        // The range of theirs is as long as the base's, but has other elements. None may get an edit of a deleted element.
        MergeCase(
            "one deleted and one inserted, beside a change", list([["id": 1], ["id": 2, "done": false]]),
            list([["id": 1], ["id": 2, "done": true]]), list([["id": 2, "done": false], ["id": 3, "done": false]]),
            list([["id": 1], ["id": 2, "done": true]]),
            [
                "sequence /List 0+2: [{\"id\": 1}, {\"id\": 2, \"done\": false}] | [{\"id\": 1}, {\"id\": 2, \"done\": true}] | [{\"id\": 2, \"done\": false}, {\"id\": 3, \"done\": false}] (edits overlap)"
            ]),
        MergeCase(
            "both replaced neighbours", list([1, 2, 3]), list([4, 5, 3]), list([1, 6, 7]), list([4, 5, 7]),
            ["value /List/1: 2 | 5 | 6 (both changed)"]),
        MergeCase(
            "replace is a sequence", ["UISupportedInterfaceOrientations": ["a", "b", "c"]],
            ["UISupportedInterfaceOrientations": ["a", "b"]], ["UISupportedInterfaceOrientations": ["x", "b", "c"]],
            ["UISupportedInterfaceOrientations": ["x", "b"]]),
        MergeCase(
            "ordered is a sequence", ["Steps": [1, 2, 3]], ["Steps": [0, 1, 2, 3]], ["Steps": [1, 2, 4]], ["Steps": [0, 1, 2, 4]]),
    ]

    @Test(arguments: keyed) func keyedArraysMerge(_ example: MergeCase) throws { try PlistMergeTests.check(example) }
    @Test(arguments: sets) func setsMerge(_ example: MergeCase) throws { try PlistMergeTests.check(example) }
    @Test(arguments: sequences) func sequencesMerge(_ example: MergeCase) throws { try PlistMergeTests.check(example) }

    /// The ways in which elements fail to pair by their key.
    @Test(
        arguments: [
            (
                ["CFBundleURLTypes": [["s": 1], ["CFBundleURLName": "a", "s": 1], ["s": 3]]], "s", "/CFBundleURLTypes",
                "[CFBundleURLName=a]"
            ),
            (["TestTargets": [["BlueprintName": "x", "s": 1], ["BlueprintName": "x", "s": 1], 3]], "s", "/TestTargets", "1"),
        ] as [(PlistValue, PlistString, String, String)])
    func elementsThatDoNotPairAreASequence(base: PlistValue, key: PlistString, array: String, step: String) throws {
        let place = try PlistPointer("\(array)/1/\(key)")
        func with(_ value: PlistValue) throws -> PlistValue {
            var changed = base
            try changed.edit(.replace(value), at: place)
            return changed
        }
        let run = try MergeRun(base, try with(5), try with(6))
        #expect(run.lines == ["value \(array)/\(step)/s: 1 | 5 | 6 (both changed)"])
        #expect(run.notes.map(\.target?.description) == [array])
        #expect(run.notes.allSatisfy { $0.message.contains("merged as a sequence") })
        // An array that only one side changed needs no pairing.
        #expect(try MergeRun(base, base, try with(6)).notes.isEmpty)
    }

    @Test func setsWithEqualElementsAreSequences() throws {
        let (base, ours) = (Self.modes(["a", "a", "b"]), Self.modes(["a", "a", "b", "x"]))
        for (base, ours, theirs) in [
            (base, ours, Self.modes(["y", "a", "b"])), (Self.modes(["a"]), Self.modes(["a", "x", "x"]), Self.modes(["y", "a"])),
            (Self.modes(["a"]), Self.modes(["y", "a"]), Self.modes(["a", "x", "x"])),
        ] {
            let run = try MergeRun(base, ours, theirs)
            #expect(run.conflicts.isEmpty)
            #expect(run.notes.map(\.target?.description) == ["/UIBackgroundModes"])
            #expect(run.notes.allSatisfy { $0.message.contains("merged as a sequence") })
            // An array that only one side changed needs no pairing.
            #expect(try MergeRun(base, base, theirs).notes.isEmpty)
        }
    }

    @Test func anOrderIsTakenOrWritten() throws {
        let (base, ours, theirs) = (
            Self.named(["a", "b", "c"]), Self.named(["b", "a", "x", "c"]), Self.named(["a", "c", "b"])
        )
        func merged(_ resolution: Resolution) throws -> PlistValue {
            try MergeRun(base, ours, theirs, resolutions: ["1": resolution]).value
        }
        #expect(try merged(.base) == Self.named(["a", "x", "b", "c"]))
        #expect(try merged(.ours) == Self.named(["b", "a", "x", "c"]))
        #expect(try merged(.theirs) == Self.named(["a", "x", "c", "b"]))
        #expect(try merged(.value(["c", "b", "a"])) == Self.named(["c", "b", "a", "x"]))
        for wrong in [.absent, .value("c"), .value(["c", "b"]), .value(["c", "b", "b"]), .value(["c", "b", "x"])] as [Resolution]
        {
            let error = #expect(throws: OverlayError.self) { try merged(wrong) }
            #expect(error?.code == .invalid)
            #expect(error?.target?.description == "/TestConfigurations")
        }
    }

    @Test func elementsInConflictAreTakenOrWritten() throws {
        func merged(_ resolution: Resolution) throws -> PlistValue {
            try MergeRun(
                Self.list([1, 2, 3]), Self.list([1, 5, 6, 3]), Self.list([1, 7, 3]), resolutions: ["1": resolution]
            ).value
        }
        #expect(try merged(.base) == Self.list([1, 2, 3]))
        #expect(try merged(.ours) == Self.list([1, 5, 6, 3]))
        #expect(try merged(.theirs) == Self.list([1, 7, 3]))
        #expect(try merged(.absent) == Self.list([1, 3]))
        #expect(try merged(.value(["x", "y"])) == Self.list([1, "x", "y", 3]))
        let error = #expect(throws: OverlayError.self) { try merged(.value("x")) }
        #expect(error?.code == .invalid)
        #expect(error?.target?.description == "/List")
    }

    @Test func anElementInConflictIsTakenInItsPlace() throws {
        let (base, ours, theirs) = (
            Self.named(["a", "b", "c"]), Self.named(["a", "c"]), Self.named(["a", "n", "b", "c"], ["b": 1])
        )
        func merged(_ resolution: Resolution) throws -> PlistValue {
            try MergeRun(base, ours, theirs, resolutions: ["1": resolution]).value
        }
        #expect(try merged(.ours) == Self.named(["a", "n", "c"]))
        #expect(try merged(.absent) == Self.named(["a", "n", "c"]))
        #expect(try merged(.theirs) == Self.named(["a", "n", "b", "c"], ["b": 1]))
        #expect(try merged(.base) == Self.named(["a", "n", "b", "c"]))
        // An absent element of a sequence leaves no gap.
        #expect(
            try MergeRun(Self.list([1, 2]), Self.list([1, 3]), Self.list([1, 4]), resolutions: ["1": .absent]).value
                == Self.list([1]))
    }

    /// All sets of up to three elements, in all orders.
    @Test func setsHaveTheMembersThatTheSidesLeave() throws {
        var sets: [[PlistString]] = [[]]
        for _ in 0..<3 {
            sets += sets.flatMap { set in (["a", "b", "c"] as [PlistString]).filter { !set.contains($0) }.map { set + [$0] } }
            sets = Set(sets).sorted { $0.lexicographicallyPrecedes($1) }
        }
        #expect(sets.count == 16)
        for base in sets {
            for ours in sets {
                for theirs in sets {
                    let run = try MergeRun(Self.modes(base), Self.modes(ours), Self.modes(theirs))
                    let members = run.value.dictionary?["UIBackgroundModes"]?.array?.compactMap(\.string) ?? []
                    let expected = (["a", "b", "c"] as [PlistString]).filter { name in
                        let (own, other) = (ours.contains(name), theirs.contains(name))
                        return own == other ? own : !base.contains(name)
                    }
                    #expect(members.sorted() == expected, "\(base) \(ours) \(theirs)")
                    let common = base.filter { ours.contains($0) && theirs.contains($0) }
                    func order(_ names: [PlistString]) -> [PlistString] { names.filter { common.contains($0) } }
                    let areMoved = (order(ours) != common, order(theirs) != common)
                    let isConflict = areMoved.0 && areMoved.1 && order(ours) != order(theirs)
                    #expect(run.conflicts.map(\.kind) == (isConflict ? [.order] : []))
                    #expect(order(members) == (areMoved.0 ? order(ours) : order(theirs)))
                    let swapped = try MergeRun(
                        Self.modes(base), Self.modes(theirs), Self.modes(ours), resolutions: run.all(.theirs))
                    #expect(swapped.value == run.value)
                }
            }
        }
    }
}
