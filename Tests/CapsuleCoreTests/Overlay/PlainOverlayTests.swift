import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleOverlay

@Suite struct PlainOverlayTests {
    struct Case: CustomTestStringConvertible {
        let name: String
        let old: PlistValue
        let new: PlistValue
        let overlay: PlistValue

        init(_ name: String, _ old: PlistValue, _ new: PlistValue, _ overlay: PlistValue) {
            (self.name, self.old, self.new, self.overlay) = (name, old, new, overlay)
        }

        var testDescription: String { name }
    }

    private static let possible: [Case] = [
        Case("nothing", ["a": [1]], ["a": [1]], [:]),
        Case("scalars", ["a": 1, "b": 2], ["a": 1, "b": "2", "c": ["d": 3]], ["b": "2", "c": ["d": 3]]),
        Case("deep", ["a": ["b": ["c": 1, "d": 2]]], ["a": ["b": ["c": 1, "d": 3]]], ["a": ["b": ["d": 3]]]),
        Case(
            "keyed", ["TestTargets": [["BlueprintName": "x", "a": 1], ["BlueprintName": "y", "a": 1]]],
            ["TestTargets": [["BlueprintName": "x", "a": 1], ["BlueprintName": "y", "a": 2], ["BlueprintName": "z"]]],
            ["TestTargets": [["BlueprintName": "y", "a": 2], ["BlueprintName": "z"]]]),
        Case(
            "keyed, the only one and without its key", ["TestTargets": [["a": 1, "b": 1]]], ["TestTargets": [["a": 2, "b": 1]]],
            ["TestTargets": [["a": 2]]]),
        Case(
            "keyed by choice, one more without", ["CFBundleURLTypes": [["a": 1]]], ["CFBundleURLTypes": [["a": 1], ["a": 2]]],
            ["CFBundleURLTypes": [["a": 2]]]),
        Case("set", ["UIAppFonts": ["a", "b"]], ["UIAppFonts": ["a", "b", "c"]], ["UIAppFonts": ["c"]]),
        Case(
            "ordered", ["Steps": ["a", ["x": 1], ["y": 1], "z"]], ["Steps": ["a", ["x": 1], ["y": 2], "z"]],
            ["Steps": ["a", [:], ["y": 2]]]),
        Case("ordered, longer", ["Steps": ["a", [1]]], ["Steps": ["a", [1], "b"]], ["Steps": ["a", [1], "b"]]),
        Case("unknown", ["L": ["a", "b"]], ["L": ["b"]], ["L": ["b"]]),
    ]

    private static let impossible: [(PlistValue, PlistValue, [String])] = [
        (["a": 1, "b": ["c": 1]], ["b": [:]], ["removed at /a", "removed at /b/c"]),
        (["a": 1], ["a": [1]], ["an integer becomes an array at /a"]),
        (["a": [:]], ["a": 1], ["a dictionary becomes an integer at /a"]),
        (["UIAppFonts": ["a", "b"]], ["UIAppFonts": ["b"]], ["removed at /UIAppFonts/[=a]"]),
        (["UIAppFonts": ["a", "b"]], ["UIAppFonts": ["b", "a"]], ["reordered at /UIAppFonts"]),
        (["UIAppFonts": ["a"]], ["UIAppFonts": ["b", "a"]], ["reordered at /UIAppFonts"]),
        (
            ["UIAppFonts": ["a"]], ["UIAppFonts": ["a", "b", "b"]],
            ["a deep merge would give a different value at /UIAppFonts/2"]
        ),
        (["Steps": ["a", "b"]], ["Steps": ["a"]], ["removed at /Steps/1"]),
        (
            ["TestTargets": [["BlueprintName": "x", "a": 1], ["BlueprintName": "x", "a": 2]]],
            ["TestTargets": [["BlueprintName": "x", "a": 1], ["BlueprintName": "x", "a": 3]]],
            ["several elements have its \"BlueprintName\" at /TestTargets/1"]
        ),
        (
            ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "A"]]], ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "a"]]],
            ["the spelling of \"SKAdNetworkIdentifier\" changes, but a merge keeps the base's at /SKAdNetworkItems/0"]
        ),
        (
            ["CFBundleURLTypes": [["a": 1]]], ["CFBundleURLTypes": [["a": 2]]],
            ["an element without \"CFBundleURLName\" changes at /CFBundleURLTypes/0"]
        ),
        (
            ["a": 1], ["a": 1, "CapsuleOverlay": 1],
            ["the key 'CapsuleOverlay' would turn it into a document at /CapsuleOverlay"]
        ),
        ([:], ["a": .null], ["property lists have no null at /a"]),
    ]

    @Test(arguments: possible)
    func isSmallest(_ example: Case) throws {
        let overlay = try Overlay(plainTurning: example.old, into: example.new, identities: SeededGenerator.identities)
        #expect(overlay.form == .plain)
        #expect(overlay.targets.compactMap(\.merge) == [example.overlay])
        var merge = DeepMerge(identities: SeededGenerator.identities)
        #expect(try merge.merge(example.overlay, into: example.old, at: []) == example.new)
    }

    @Test(arguments: impossible)
    func saysWhatOnlyOperationsCan(old: PlistValue, new: PlistValue, unmergeable: [String]) throws {
        let plain = try PlainOverlay(turning: old, into: new, identities: SeededGenerator.identities)
        #expect(plain.value == nil)
        #expect(plain.unmergeable.map { "\($0.message) at \($0.target?.description ?? "-")" } == unmergeable)
        let error = try #require(throws: OverlayError.self) {
            try Overlay(plainTurning: old, into: new, identities: SeededGenerator.identities)
        }
        #expect(error.code == .unsupported)
        #expect(unmergeable.prefix(3).allSatisfy { error.message.contains($0) })
    }

    /// A returned overlay merges to the wanted value. For a value that a merge produced, an overlay is always found.
    @Test(arguments: SeededGenerator.seeds)
    func merges(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let identities = SeededGenerator.identities
        var found = 0
        for _ in 0..<1_000 {
            let old = random.propertyList()
            let isMerged = random.isLucky(oneIn: 2)
            let part = isMerged ? random.propertyList() : random.changed(old, random.number(0...3))
            var merge = DeepMerge(identities: identities)
            guard let new = isMerged ? try? merge.merge(part, into: old, at: []) : part else { continue }
            let plain = try PlainOverlay(turning: old, into: new, identities: identities)
            #expect(try PlainOverlay(turning: old, into: new, identities: identities) == plain)
            if let value = plain.value {
                found += 1
                #expect(try merge.merge(value, into: old, at: []) == new, "\(old) → \(new): \(value)")
                #expect(plain.unmergeable.isEmpty)
            } else {
                #expect(!plain.unmergeable.isEmpty)
                #expect(!isMerged, "\(old) merged with \(part) is \(new): \(plain.unmergeable)")
            }
        }
        #expect(found > 300)
    }
}

/// A keyed archive is one value in an overlay, because its objects refer to each other by number.
@Suite struct ArchiveOverlayTests {
    /// A dictionary as NSKeyedArchiver writes it: equal numbers are one object.
    private static func archive(_ entries: [(PlistString, Int)]) -> PlistValue {
        var objects: [PlistValue] = ["$null", [:]]
        func reference(_ value: PlistValue) -> PlistValue {
            if let known = objects.firstIndex(of: value) { return .uid(UInt64(known)) }
            objects.append(value)
            return .uid(UInt64(objects.count - 1))
        }
        let keys = entries.map { reference(.string($0.0)) }
        let values = entries.map { reference(.integer(PlistInteger($0.1))) }
        let name = reference(["$classname": "NSDictionary", "$classes": ["NSDictionary", "NSObject"]])
        objects[1] = ["NS.keys": .array(keys), "NS.objects": .array(values), "$class": name]
        return [
            "$archiver": "NSKeyedArchiver", "$version": 100_000, "$objects": .array(objects), "$top": ["root": .uid(1)],
        ]
    }

    private static let old = archive([("b", 4), ("a", 1)])
    private static let new = archive([("b", 4), ("a", 1), ("h", 1)])
    private static let plain: PlistValue = ["k": 1]
    private static let drifted = archive([("b", 4), ("f", 3)])
    /// An archive at the root, in a dictionary, and as an element that is found by its key or its index.
    private static let places: [@Sendable (PlistValue) -> PlistValue] = [
        { $0 }, { ["a": $0] }, { ["L": [1, $0]] }, { ["TestTargets": [["BlueprintName": "x", "a": $0]]] },
    ]

    @Test func isReplacedWhole() throws {
        for place in Self.places {
            for (old, new) in [(Self.old, Self.new), (Self.old, Self.plain), (Self.plain, Self.new)] {
                let overlay = try Overlay(turning: place(old), into: place(new), identities: SeededGenerator.identities)
                #expect(overlay.targets.flatMap(\.operations).map(\.action) == [.test(old), .replace(new)])
                #expect(try overlay.applied(to: place(old)).value == place(new))
                #expect(try overlay.inverted().applied(to: place(new)).value == place(old))
                #expect(try Overlay(overlay.document, format: .binary).applied(to: place(old)).value == place(new))
                let error = try #require(throws: OverlayError.self) { try overlay.applied(to: place(Self.drifted)) }
                #expect(error.code == .failedTest)
            }
        }
    }

    @Test func onlyOperationsSayIt() throws {
        for place in Self.places.dropLast() {
            let plain = try PlainOverlay(turning: ["x": place(Self.old)], into: ["x": place(Self.new)])
            guard place(1).dictionary?["L"] == nil else {
                // An array of unknown identity is replaced.
                #expect(plain.value == ["x": place(Self.new)])
                continue
            }
            #expect(plain.value == nil)
            #expect(plain.unmergeable.map(\.message) == ["a keyed archive can only be replaced"])
        }
    }

    @Test func nothingMergesIntoIt() throws {
        func merged(_ overlay: PlistValue, _ base: PlistValue) throws(OverlayError) -> PlistValue {
            try Overlay(overlay, format: .xml).applied(to: base).value
        }
        for (overlay, base, message) in [
            (Self.new, Self.old, "the overlay has a keyed archive, but the base has a different one"),
            (["k": 1], Self.old, "the overlay has a dictionary, but the base has a keyed archive"),
            (Self.new, ["k": 1], "the overlay has a keyed archive, but the base has a dictionary"),
        ] as [(PlistValue, PlistValue, String)] {
            let error = try #require(throws: OverlayError.self) { try merged(["a": overlay], ["a": base]) }
            #expect(error.code == .clash)
            #expect(error.message == message + ": a keyed archive can only be replaced")
            #expect(error.target?.description == "/a")
        }
        // An archive that exists already, an empty overlay, and an archive where there was no value.
        #expect(try merged(["a": Self.old], ["a": Self.old]) == ["a": Self.old])
        #expect(try merged(["a": [:]], ["a": Self.old]) == ["a": Self.old])
        #expect(try merged(["a": Self.old], ["b": 1]) == ["a": Self.old, "b": 1])
        #expect(try merged(Self.old, [:]) == Self.old)
    }
}

/// Hints for a missing key: the keys that may have been meant.
@Suite struct NearKeyTests {
    private static let base: PlistValue = [
        "CFBundleIdentifier": "a", "CFBundleName": "b", "list": [["Name": 1]], "data": .data(Array(#"{"count":1}"#.utf8)),
    ]

    private static func hint(_ operation: String) throws -> String? {
        let overlay = try Overlay(reading: Array("[\(operation)]".utf8))
        return #expect(throws: OverlayError.self) { try overlay.applied(to: base) }?.hint
    }

    @Test(arguments: [
        (#"{"op":"replace","path":"/CFBundleIdentifer","value":"x"}"#, "did you mean 'CFBundleIdentifier'?"),
        (#"{"op":"remove","path":"/cfbundlename"}"#, "did you mean 'CFBundleName'?"),
        (#"{"op":"test","path":"/list/0/Nmae","value":1}"#, "did you mean 'Name'?"),
        (#"{"op":"copy","from":"/CFBundle","path":"/x"}"#, "did you mean 'CFBundleIdentifier' or 'CFBundleName'?"),
        (#"{"op":"move","from":"/data/<json>/cuont","path":"/x"}"#, "did you mean 'count'?"),
        (#"{"op":"add","path":"/lits/0","value":1}"#, "did you mean 'list'?"),
    ])
    func patchesSuggestKeys(operation: String, hint: String) throws {
        #expect(try Self.hint(operation) == hint)
    }

    @Test func whatIsNotNearIsNotSuggested() throws {
        #expect(try Self.hint(#"{"op":"remove","path":"/UILaunchStoryboardName"}"#) == nil)
    }

    /// The search for a hint is fast, regardless of the number and the length of the keys.
    @Test func largeDictionariesAreSearchedInBoundedTime() throws {
        var entries = PlistDictionary()
        let count = runsLongTests ? 50_000 : 15_000
        for number in 0..<count { entries[PlistString("key \(number) " + String(repeating: "x", count: 50))] = 1 }
        entries[PlistString(String(repeating: "k", count: 1 << 20))] = 1
        let value = PlistValue.dictionary(entries)
        let pointer = PlistPointer(steps: [PlistString("kez 12 " + String(repeating: "x", count: 50))])
        let error = try #require(throws: PlistError.self) { try value.value(at: pointer) }
        var hint: String?
        let time = ContinuousClock().measure { hint = error.suggestingKeys(of: value, nested: .standard).hint }
        #expect(hint?.hasPrefix("did you mean 'key ") == true)
        #expect(time < .seconds(60))
    }
}
