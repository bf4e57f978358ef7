import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore

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
