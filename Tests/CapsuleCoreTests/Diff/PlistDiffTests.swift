import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge

@Suite struct PlistDiffTests {
    static func line(_ change: PlistChange) -> String {
        let place = change.pointer.isRoot ? "(root)" : change.pointer.description
        switch change.kind {
        case .added(let new): return "+ \(place) \(new)"
        case .deleted(let old): return "- \(place) \(old)"
        case .modified(let old, let new): return "~ \(place) \(old) → \(new)\(change.isChangeOfType ? " type" : "")"
        case .order(let old, let new): return "o \(place) \(PlistValue.array(old)) → \(PlistValue.array(new))"
        case .encoding(let old, let new): return "e \(place) \(old.rawValue) → \(new.rawValue)"
        }
    }

    private static let scenes = "/UIApplicationSceneManifest/UISceneConfigurations/UIWindowSceneSessionRoleApplication"

    private static func scene(_ name: String, _ delegate: String) -> PlistValue {
        ["UISceneConfigurationName": .string(PlistString(name)), "UISceneDelegateClassName": .string(PlistString(delegate))]
    }

    private static func manifest(_ scenes: [PlistValue]) -> PlistValue {
        ["UIApplicationSceneManifest": ["UISceneConfigurations": ["UIWindowSceneSessionRoleApplication": .array(scenes)]]]
    }

    private static let values: [ComparisonCase] = [
        ComparisonCase("scalars", ["a": 1, "b": 2, "c": 3], ["c": 4, "a": 1, "d": 5], ["- /b 2", "~ /c 3 → 4", "+ /d 5"]),
        ComparisonCase("types", ["a": 1], ["a": 1.0], ["~ /a 1 → 1.0 type"]),
        ComparisonCase("booleans", ["a": 1], ["a": true], ["~ /a 1 → true type"]),
        ComparisonCase("zeroes", ["a": 0.0], ["a": -0.0], ["~ /a 0.0 → -0.0"]),
        ComparisonCase("spellings", ["é": 1], ["e\u{301}": 1], ["- /é 1", "+ /e\u{301} 1"]),
        ComparisonCase("root", "a", ["a"], ["~ (root) \"a\" → [\"a\"] type"]),
        ComparisonCase("containers", ["a": [:]], ["a": []], ["~ /a {} → [] type"]),
        ComparisonCase("escapes", ["a/b": ["~": 1]], ["a/b": ["~": 2]], ["~ /a~1b/~0 1 → 2"]),
        ComparisonCase("null", ["a": .null], ["a": ""], ["~ /a null → \"\" type"]),
        ComparisonCase("key order", ["a": 1, "b": 2], ["b": 2, "a": 1], []),
    ]

    private static let arrays: [ComparisonCase] = [
        ComparisonCase(
            "the scene's delegate", manifest([scene("Default Configuration", "$(PRODUCT_MODULE_NAME).SceneDelegate")]),
            manifest([scene("Default Configuration", "TestingSceneDelegate")]),
            [
                "~ \(scenes)/[UISceneConfigurationName=Default Configuration]/UISceneDelegateClassName "
                    + "\"$(PRODUCT_MODULE_NAME).SceneDelegate\" → \"TestingSceneDelegate\""
            ]),
        ComparisonCase(
            "keyed: order, one more, one less", manifest([scene("A", "1"), scene("B", "2"), scene("C", "3")]),
            manifest([scene("C", "3"), scene("D", "4"), scene("A", "9")]),
            [
                "~ \(scenes)/[UISceneConfigurationName=A]/UISceneDelegateClassName \"1\" → \"9\"",
                "- \(scenes)/[UISceneConfigurationName=B] \(scene("B", "2"))",
                "+ \(scenes)/[UISceneConfigurationName=D] \(scene("D", "4"))",
                "o \(scenes) [\"A\", \"C\"] → [\"C\", \"A\"]",
            ]),
        ComparisonCase(
            "keyed: a key that comes twice", ["TestConfigurations": [["Name": "x", "a": 1], ["Name": "x", "a": 2]]],
            ["TestConfigurations": [["Name": "x", "a": 2], ["Name": "x", "a": 3]]],
            ["- /TestConfigurations/0 {\"Name\": \"x\", \"a\": 1}", "+ /TestConfigurations/1 {\"Name\": \"x\", \"a\": 3}"]),
        ComparisonCase(
            "keyed: one of several with one key",
            ["TestConfigurations": [["Name": "x"], ["Name": "x"], ["Name": "x"], ["Name": "x"]]],
            ["TestConfigurations": [["Name": "x"], ["Name": "x", "a": 5], ["Name": "x"], ["Name": "x"]]],
            ["+ /TestConfigurations/1/a 5"]),
        ComparisonCase(
            "keyed: one of several without the key", ["CFBundleURLTypes": [0, 0, 0, 0, 0, 0]],
            ["CFBundleURLTypes": [0, 1, 0, 0, 0, 0]], ["~ /CFBundleURLTypes/1 0 → 1"]),
        ComparisonCase(
            "keyed: without the key", ["CFBundleURLTypes": [["CFBundleURLSchemes": ["a"]]]],
            ["CFBundleURLTypes": [["CFBundleURLSchemes": ["b"]]]],
            ["- /CFBundleURLTypes/0/CFBundleURLSchemes/[=a] \"a\"", "+ /CFBundleURLTypes/0/CFBundleURLSchemes/[=b] \"b\""]),
        ComparisonCase(
            "keyed: Package.resolved",
            ["pins": [["identity": "a", "state": 1]], "object": ["pins": [["package": "A", "state": 1]]]],
            [
                "pins": [["identity": "b"], ["identity": "a", "state": 2]],
                "object": ["pins": [["package": "A"], ["package": "B"]]],
            ],
            [
                "~ /pins/[identity=a]/state 1 → 2", "+ /pins/[identity=b] {\"identity\": \"b\"}",
                "- /object/pins/[package=A]/state 1", "+ /object/pins/[package=B] {\"package\": \"B\"}",
            ]),
        ComparisonCase(
            "keyed: an empty key", ["TestTargets": [["BlueprintName": ""]]], ["TestTargets": [["BlueprintName": "", "a": 1]]],
            ["+ /TestTargets/[BlueprintName=]/a 1"]),
        ComparisonCase(
            "keyed: numbers and booleans", ["TestTargets": [["BlueprintName": 7, "a": 1], ["BlueprintName": true, "a": 1]]],
            ["TestTargets": [["BlueprintName": 7, "a": 2], ["BlueprintName": true, "a": 2]]],
            ["~ /TestTargets/[BlueprintName=7]/a 1 → 2", "~ /TestTargets/[BlueprintName=true]/a 1 → 2"]),
        ComparisonCase(
            "keyed: one text, two types", ["TestTargets": [["BlueprintName": 7, "a": 1], ["BlueprintName": "7", "a": 1]]],
            ["TestTargets": [["BlueprintName": 7, "a": 2], ["BlueprintName": "7", "a": 2]]],
            ["~ /TestTargets/0/a 1 → 2", "~ /TestTargets/1/a 1 → 2"]),
        ComparisonCase(
            "keyed: the key's type", ["TestTargets": [["BlueprintName": 7]]], ["TestTargets": [["BlueprintName": "7"]]],
            ["- /TestTargets/0 {\"BlueprintName\": 7}", "+ /TestTargets/0 {\"BlueprintName\": \"7\"}"]),
        ComparisonCase(
            "keyed: what no selector matches", ["TestTargets": [["BlueprintName": .date(0), "a": 1]]],
            ["TestTargets": [["BlueprintName": .date(0), "a": 2]]], ["~ /TestTargets/0/a 1 → 2"]),
        ComparisonCase(
            "keyed: what is no dictionary", ["TestTargets": ["a", ["BlueprintName": "b"]]],
            ["TestTargets": [["BlueprintName": "b"], "c"]],
            ["~ /TestTargets/0 \"a\" → \"c\"", "o /TestTargets [\"a\", \"b\"] → [\"b\", \"c\"]"]),
        ComparisonCase(
            "keyed, nocase", ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "AB.skadnetwork", "a": 1]]],
            ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "ab.skadnetwork", "a": 2]]],
            [
                "~ /SKAdNetworkItems/0/SKAdNetworkIdentifier \"AB.skadnetwork\" → \"ab.skadnetwork\"",
                "~ /SKAdNetworkItems/0/a 1 → 2",
            ]),
        ComparisonCase(
            "set", ["UIBackgroundModes": ["a", "b", "c"]], ["UIBackgroundModes": ["c", "d", "a"]],
            [
                "- /UIBackgroundModes/[=b] \"b\"", "+ /UIBackgroundModes/[=d] \"d\"",
                "o /UIBackgroundModes [\"a\", \"c\"] → [\"c\", \"a\"]",
            ]),
        ComparisonCase(
            "set: another place is no change of order", ["UIAppFonts": ["a", "b"]], ["UIAppFonts": ["c", "a", "b"]],
            ["+ /UIAppFonts/[=c] \"c\""]),
        ComparisonCase("set: twice", ["UIAppFonts": ["a", "a"]], ["UIAppFonts": ["a"]], ["- /UIAppFonts/1 \"a\""]),
        ComparisonCase(
            "set: one text, two types", ["UIAppFonts": ["1"]], ["UIAppFonts": [1]],
            ["- /UIAppFonts/0 \"1\"", "+ /UIAppFonts/0 1"]),
        ComparisonCase(
            "set: dictionaries", ["UIAppFonts": [["a": 1]]], ["UIAppFonts": [["a": 2]]],
            ["- /UIAppFonts/0 {\"a\": 1}", "+ /UIAppFonts/0 {\"a\": 2}"]),
        ComparisonCase("set: slashes", ["UIAppFonts": []], ["UIAppFonts": ["a/b=c]"]], ["+ /UIAppFonts/[=a~1b=c]] \"a/b=c]\""]),
        ComparisonCase(
            "ordered", ["Steps": ["a", "b", "c"]], ["Steps": ["b", "c"]],
            ["~ /Steps/0 \"a\" → \"b\"", "~ /Steps/1 \"b\" → \"c\"", "- /Steps/2 \"c\""]),
        ComparisonCase("ordered: longer", ["Steps": ["a"]], ["Steps": ["a", "b"]], ["+ /Steps/1 \"b\""]),
        ComparisonCase("unknown: from the front", ["L": ["a", "b", "c"]], ["L": ["b", "c"]], ["- /L/0 \"a\""]),
        ComparisonCase("unknown: in the middle", ["L": ["a", "c"]], ["L": ["a", "b", "c"]], ["+ /L/1 \"b\""]),
        ComparisonCase("unknown: one for another", ["L": ["a", "b", "c"]], ["L": ["a", "x", "c"]], ["~ /L/1 \"b\" → \"x\""]),
        ComparisonCase(
            "unknown: within", ["L": [["a": 1], ["b": 1]]], ["L": [["a": 0], ["b": 2]]], ["~ /L/0/a 1 → 0", "~ /L/1/b 1 → 2"]),
        ComparisonCase(
            "replace", ["UISupportedInterfaceOrientations": ["P", "L"]], ["UISupportedInterfaceOrientations": ["L", "R"]],
            ["- /UISupportedInterfaceOrientations/0 \"P\"", "+ /UISupportedInterfaceOrientations/1 \"R\""]),
        ComparisonCase(
            "unknown: by a known key further in", ["L": [["UIAppFonts": ["a", "b"]]]], ["L": [["UIAppFonts": ["b", "a"]]]],
            ["o /L/0/UIAppFonts [\"a\", \"b\"] → [\"b\", \"a\"]"]),
    ]

    @Test(arguments: values + arrays)
    func tells(_ example: ComparisonCase) throws {
        let diff = try PlistDiff(example.old, example.new, identities: SeededGenerator.identities)
        #expect(diff.changes.map(Self.line) == example.lines)
        #expect(diff.bounds.isEmpty)
    }

    @Test func rulesThatDisagree() throws {
        let rules = [
            ArrayIdentities.Rule(try PointerPattern("A/*"), .set), ArrayIdentities.Rule(try PointerPattern("*/B"), .ordered),
        ]
        let error = try #require(throws: OverlayError.self) {
            try PlistDiff(["A": ["B": [1]]], ["A": ["B": [2]]], identities: ArrayIdentities(rules))
        }
        #expect(error.code == .ambiguous)
    }

    // MARK: Properties

    /// A diff misses no difference, and the old values that it reports exist.
    @Test(arguments: SeededGenerator.seeds)
    func tellsAll(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let old = random.propertyList()
            let new = random.changed(old, random.number(0...4))
            let diff = try PlistDiff(old, new, identities: SeededGenerator.identities)
            let isSaid = "\(old) \(new)"
            #expect(diff.isEmpty == (old == new), "\(isSaid)")
            #expect(try PlistDiff(old, new, identities: SeededGenerator.identities) == diff, "\(isSaid)")
            #expect(try PlistDiff(random.shuffledKeys(old), old, identities: SeededGenerator.identities).isEmpty, "\(isSaid)")
            for change in diff.changes {
                switch change.kind {
                case .deleted(let value), .modified(let value, _):
                    #expect(try old.value(at: change.pointer) == value, "\(isSaid)")
                case .order: #expect(try old.value(at: change.pointer).array != nil, "\(isSaid)")
                case .added: #expect(try old.value(at: #require(change.pointer.parent)).isContainer, "\(isSaid)")
                case .encoding: Issue.record("an encoding among values")
                }
            }
        }
    }

    // MARK: Bounds

    @Test func changesAreLimited() throws {
        func dictionaries(_ leaf: PlistValue) -> PlistValue { (0..<12).reduce(leaf) { inner, _ in ["a": inner, "b": inner] } }
        let diff = try PlistDiff(dictionaries("a"), dictionaries("b"), limit: 1_000)
        #expect(diff.changes.count == 1_000)
        #expect(diff.bounds == [.changes])
    }

    @Test func longArrays() throws {
        let elements = (0..<100_000).map { number -> PlistValue in ["v": ["id": .integer(PlistInteger(number))]] }
        var changed = elements
        changed.remove(at: 500)
        changed[70_000] = "x"
        changed.insert("y", at: 90_000)
        let took = try ContinuousClock().measure {
            let list = try PlistDiff(["L": .array(elements)], ["L": .array(changed)])
            #expect(list.changes.map(\.name) == ["deleted", "modified", "added"])
            #expect(list.changes.map(\.pointer.description) == ["/L/500", "/L/70001", "/L/90000"])
            let set = try PlistDiff(["UIAppFonts": .array(elements)], ["UIAppFonts": .array(changed)])
            #expect(set.changes.count == 4 && set.bounds.isEmpty)
            let reversed = try PlistDiff(["UIAppFonts": .array(elements)], ["UIAppFonts": .array(elements.reversed())])
            #expect(reversed.changes.map(\.name) == ["order"])
            let named = (0..<100_000).map { number -> PlistValue in ["Name": .integer(PlistInteger(number))] }
            let keyed = try PlistDiff(["TestConfigurations": .array(named)], ["TestConfigurations": .array(named.reversed())])
            #expect(keyed.changes.map(\.name) == ["order"])
        }
        #expect(took < .seconds(60))
    }

    /// A pointer has fewer steps than documents in data can be deep.
    @Test func deepValues() throws {
        func deep(_ leaf: PlistValue) -> PlistValue { (0..<500).reduce(leaf) { inner, _ in ["a": inner] } }
        func documents(_ leaf: PlistValue) throws -> PlistValue {
            try (0..<2).reduce(deep(leaf)) { inner, _ in deep(.data(try PlistWriter.write(inner, as: .binary))) }
        }
        let diff = try PlistDiff(documents("a"), documents("b"))
        #expect(diff.changes.count == 1 && diff.bounds == [.depth])
        #expect(diff.changes.first?.pointer.steps.count == PlistPointer.maximumSteps)
    }

    @Test func elementsThatDifferInTheMiddle() throws {
        let elements = {
            (0..<300).map { number in PlistValue.array((0..<99).map { $0 == 50 ? .integer(PlistInteger(number)) : 0 }) }
        }
        let diff = try PlistDiff(["UIAppFonts": .array(elements())], ["UIAppFonts": .array(elements().reversed())])
        #expect(diff.changes.map(\.name) == ["order"] && diff.bounds.isEmpty)
    }
}

/// Property lists as lines with pointers.
@Suite struct PointerLinesTests {
    private static func lines(_ value: PlistValue, as format: PlistFormat = .binary, limit: Int = 1 << 20) throws -> [String] {
        let document = try PlistDocument.read(try PlistWriter.write(value, as: format))
        let text = try PointerLines.text(of: document, limit: limit) { "digest of \($0.count)" }
        #expect(text.last == 0x0A)
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    static let cases: [(value: PlistValue, lines: [String])] = [
        (["b": 1, "a": "x", "B": true], [#"/B: true"#, #"/a: "x""#, "/b: 1"]),
        ([:], ["(root): {}"]), ([], ["(root): []"]), (["a": [], "b": [:]], ["/a: []", "/b: {}"]),
        (["a": ["x", ["b": 1.0]]], [#"/a/0: "x""#, "/a/1/b: 1.0"]),
        // Two elements with the same identity are named by their indices.
        (["UIAppFonts": ["a", "b"]], [#"/UIAppFonts/[=a]: "a""#, #"/UIAppFonts/[=b]: "b""#]),
        (["UIAppFonts": ["a", "a"]], [#"/UIAppFonts/0: "a""#, #"/UIAppFonts/1: "a""#]),
        (["": 1], ["/: 1"]), (["a/b": 1, "~": 2], ["/a~1b: 1", "/~0: 2"]),
        (["a\nb": 1], [#""/a\nb": 1"#]), (["\u{202E}": "\u{202E}"], [#""/\u{202E}": "\u{202E}""#]),
        (["d": .data([1, 2, 3])], ["/d: data of 3 bytes, AQID"]),
        (
            ["d": .data([UInt8](repeating: 0, count: 97))],
            ["/d: data of 97 bytes, AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA…, sha256 digest of 97"]
        ),
    ]

    @Test(arguments: cases.indices) func eachValueHasALine(index: Int) throws {
        let sample = Self.cases[index]
        #expect(try Self.lines(sample.value) == ["(encoding): binary"] + sample.lines)
    }

    @Test func documentsInDataAreTold() throws {
        let inner: PlistValue = ["count": 3]
        let data = PlistValue.data(try PlistWriter.write(inner, as: .xml))
        #expect(try Self.lines(["state": data])[1...] == ["/state/<plist>/count: 3"])
        // The depth is limited.
        var nested: PlistValue = inner
        for _ in 0..<9 { nested = ["n": .data(try PlistWriter.write(nested, as: .binary))] }
        let lines = try Self.lines(nested)
        #expect(lines.count == 2)
        #expect(lines[1].hasPrefix("/n/<plist>/n/<plist>/n/<plist>/n/<plist>/n: data of "))
    }

    @Test func keyedArchivesAreToldAsTheirObjects() throws {
        let archive: PlistValue = [
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(1)],
            "$objects": [
                "$null", ["$class": .uid(2), "name": .uid(3)], ["$classname": "Person", "$classes": ["Person"]], "Ann",
            ],
        ]
        let lines = try Self.lines(archive)
        #expect(lines.contains(#"/<archive>/root/name: "Ann""#))
        let inData = try Self.lines(["a": .data(try PlistWriter.write(archive, as: .binary))])
        #expect(inData.contains(#"/a/<archive>/root/name: "Ann""#))
    }

    @Test func theTextIsLimited() throws {
        let value = PlistValue.array(Array(repeating: "a", count: 20_000))
        let document = try PlistDocument.read(try PlistWriter.write(value, as: .binary))
        let error = #expect(throws: OverlayError.self) { try PointerLines.text(of: document, limit: 1 << 16) { _ in "" } }
        #expect(error?.code == .limit)
    }
}
