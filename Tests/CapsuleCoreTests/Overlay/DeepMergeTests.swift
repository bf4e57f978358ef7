import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleOverlay

@Suite struct DeepMergeTests {
    static func merge(
        _ overlay: PlistValue, over base: PlistValue, arrays: [(String, String)] = [], values: [String: String]? = nil
    ) throws -> (value: PlistValue, notes: [OverlayNote]) {
        let rules = try arrays.map { ArrayIdentities.Rule(try PointerPattern($0.0), try ArrayIdentity($0.1)) }
        let result = try Overlay(overlay, format: .xml).applied(
            to: base, in: OverlayContext(values: values ?? [:], arrays: rules, expands: values != nil))
        return (result.value, result.notes)
    }

    static func failure(_ overlay: PlistValue, over base: PlistValue, arrays: [(String, String)] = []) -> OverlayError? {
        do {
            _ = try merge(overlay, over: base, arrays: arrays)
            return nil
        } catch {
            return error as? OverlayError
        }
    }

    private static func scene(_ configurations: PlistValue) -> PlistValue {
        [
            "UIApplicationSceneManifest": ["UISceneConfigurations": ["UIWindowSceneSessionRoleApplication": configurations]],
            "Other": 1,
        ]
    }

    /// The case that must work unchanged (docs/overlay.md, section 2).
    @Test func theTruncatedSceneDelegateChangesOneString() throws {
        let base = Self.scene([
            [
                "UISceneConfigurationName": "Default Configuration",
                "UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).SceneDelegate", "UISceneStoryboardFile": "Main",
            ]
        ])
        let overlay: PlistValue = [
            "UIApplicationSceneManifest": [
                "UISceneConfigurations": [
                    "UIWindowSceneSessionRoleApplication": [["UISceneDelegateClassName": "TestingSceneDelegate"]]
                ]
            ]
        ]
        let result = try Self.merge(overlay, over: base)
        #expect(
            result.value
                == Self.scene([
                    [
                        "UISceneConfigurationName": "Default Configuration", "UISceneDelegateClassName": "TestingSceneDelegate",
                        "UISceneStoryboardFile": "Main",
                    ]
                ]))
        #expect(result.notes == [])
        #expect(try Self.merge(overlay, over: result.value).value == result.value)
        // A SwiftUI app has no configurations to pair with.
        for empty in [Self.scene([]), ["UIApplicationSceneManifest": [:] as PlistValue]] as [PlistValue] {
            let error = Self.failure(overlay, over: empty)
            #expect(error?.code == .unpaired)
            #expect(error?.hint == "write UISceneConfigurationName to add an element")
            #expect(
                error?.target?.description
                    == "/UIApplicationSceneManifest/UISceneConfigurations/UIWindowSceneSessionRoleApplication")
        }
    }

    @Test func scalarsTakeEachOthersPlaceAndTypesAreReported() throws {
        let result = try Self.merge(["a": 2, "b": "x", "c": true], over: ["a": 1, "b": 1, "d": 4])
        #expect(result.value == ["a": 2, "b": "x", "c": true, "d": 4])
        #expect(result.notes.map(\.message) == ["an integer becomes a string"])
        #expect(result.notes.first?.target?.description == "/b")
    }

    @Test(
        arguments: [
            (["a": ["b": 1]], ["a": 1], "the overlay has a dictionary, but the base has an integer"),
            (["a": [1]], ["a": ["b": 1]], "the overlay has an array, but the base has a dictionary"),
            (["a": 1], ["a": [1]], "the overlay has an integer, but the base has an array"),
        ] as [(PlistValue, PlistValue, String)])
    func containersClash(overlay: PlistValue, base: PlistValue, message: String) {
        let error = Self.failure(overlay, over: base)
        #expect(error?.code == .clash)
        #expect(error?.message == message)
        #expect(error?.target?.description == "/a")
    }

    @Test func setsAreUnitedInTheBasesOrder() throws {
        let result = try Self.merge(["UIBackgroundModes": ["c", "a", "c"]], over: ["UIBackgroundModes": ["b", "a"]])
        #expect(result.value == ["UIBackgroundModes": ["b", "a", "c"]])
        #expect(result.notes == [])
    }

    @Test func arraysOfUnknownIdentityAreReplacedWithANote() throws {
        let result = try Self.merge(["x": [1]], over: ["x": [2, 3]])
        #expect(result.value == ["x": [1]])
        #expect(result.notes.count == 1)
        #expect(try Self.merge(["x": [1]], over: ["x": [1]]).notes == [])
        #expect(try Self.merge(["x": [1]], over: [:]).notes == [])
        // A rule says that the array is replaced, so there is no note.
        let known = try Self.merge(
            ["UISupportedInterfaceOrientations~ipad": [1]], over: ["UISupportedInterfaceOrientations~ipad": [2]])
        #expect(known.value == ["UISupportedInterfaceOrientations~ipad": [1]])
        #expect(known.notes == [])
    }

    @Test func orderedArraysMergeByIndex() throws {
        let result = try Self.merge(
            ["x": [["a": 2], "new", 3]], over: ["x": [["a": 1, "b": 1], "old"]], arrays: [("x", "ordered")])
        #expect(result.value == ["x": [["a": 2, "b": 1], "new", 3]])
    }

    @Test func elementsPairByKey() throws {
        let base: PlistValue = ["x": [["k": "a", "v": 1], ["k": "b", "v": 2], ["v": 3]]]
        let rules = [("x", "keyed(k)")]
        #expect(
            try Self.merge(["x": [["k": "b", "w": 9], ["k": "c"]]], over: base, arrays: rules).value
                == ["x": [["k": "a", "v": 1], ["k": "b", "v": 2, "w": 9], ["v": 3], ["k": "c"]]])
        #expect(Self.failure(["x": [["w": 1]]], over: base, arrays: rules)?.code == .unpaired)
        let twice = Self.failure(["x": [["k": "a"], ["k": "a"]]], over: base, arrays: rules)
        #expect(twice?.code == .ambiguous)
        #expect(twice?.message.contains("elements 0 and 1 of the overlay") == true)
        let both = Self.failure(["x": [["k": "a"]]], over: ["x": [["k": "a"], 1, ["k": "a"]]], arrays: rules)
        #expect(both?.message.contains("elements 0 and 2 of the base") == true)
        // A duplicate key in the base does not matter if the overlay does not name it.
        #expect(Self.failure(["x": [["k": "b"]]], over: ["x": [["k": "a"], ["k": "a"]]], arrays: rules) == nil)
    }

    @Test func caseIsIgnoredAndTheBasesSpellingStays() throws {
        let base: PlistValue = ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "ABC.skadnetwork"]]]
        let overlay: PlistValue = [
            "SKAdNetworkItems": [
                ["SKAdNetworkIdentifier": "abc.SKAdNetwork", "x": 1], ["SKAdNetworkIdentifier": "def.skadnetwork"],
            ]
        ]
        let result = try Self.merge(overlay, over: base).value
        #expect(
            result == [
                "SKAdNetworkItems": [
                    ["SKAdNetworkIdentifier": "ABC.skadnetwork", "x": 1], ["SKAdNetworkIdentifier": "def.skadnetwork"],
                ]
            ])
        #expect(try Self.merge(overlay, over: result).value == result)
    }

    @Test func elementsThatMayDoWithoutAKeyAreAppendedOnce() throws {
        let base: PlistValue = ["CFBundleURLTypes": [["CFBundleURLSchemes": ["a"]]]]
        let overlay: PlistValue = ["CFBundleURLTypes": [["CFBundleURLSchemes": ["b"]]]]
        let result = try Self.merge(overlay, over: base).value
        #expect(result == ["CFBundleURLTypes": [["CFBundleURLSchemes": ["a"]], ["CFBundleURLSchemes": ["b"]]]])
        #expect(try Self.merge(overlay, over: result).value == result)
    }

    @Test func anOpenStepOverlayTakesTheBasesTypes() throws {
        let overlay = try Overlay(["i": "7", "b": "YES", "s": "8", "n": "x"], format: .openStep)
        #expect(
            try overlay.applied(to: ["i": 1, "b": false, "s": "t"]).value == ["i": 7, "b": true, "s": "8", "n": "x"])
        #expect(throws: OverlayError.self) { try overlay.applied(to: ["i": 1, "b": 1.5]) }
    }
}

/// Deep merges that must end soon, and elements that are equal only after they are expanded.
@Suite struct DeepMergeCostTests {
    private static func dictionaries(_ leaf: PlistValue) -> PlistValue {
        (0..<12).reduce(leaf) { inner, _ in ["a": inner, "b": inner] }
    }

    /// The same object under several keys. A rule for one of them says how its arrays pair.
    @Test func sharedObjectsMergeByTheirPlace() throws {
        let twice: PlistValue = ["x", "x"]
        let shared: PlistValue = ["v": twice]
        let result = try DeepMergeTests.merge(["a": shared, "b": shared], over: [:], arrays: [("/b/v", "set")]).value
        #expect(result == ["a": ["v": ["x", "x"]], "b": ["v": ["x"]]])
        // An empty array in the base is not a missing one: the array of the overlay replaces it.
        let noted = try DeepMergeTests.merge(["a": shared, "b": shared, "c": shared], over: ["b": ["v": []], "c": ["v": []]])
        #expect(noted.notes.map(\.target?.description) == ["/b/v", "/c/v"])
    }

    @Test func eachPlaceIsNotedUpToALimit() throws {
        let few = try DeepMergeTests.merge(["a": Self.dictionaries("x")], over: ["a": Self.dictionaries(1)])
        #expect(few.value == ["a": Self.dictionaries("x")])
        #expect(few.notes.count == DeepMerge.noteLimit + 1)
        #expect(Set(few.notes.map(\.target)).count == few.notes.count)
    }

    @Test(arguments: ["CFBundleURLTypes", "UIAppFonts"] as [PlistString])
    func elementsWithoutAKeyTakeNoQuadraticTime(key: PlistString) throws {
        let elements = (0..<20_000).map { number in
            ["CFBundleURLSchemes": [.string(PlistString("s\(number)"))]] as PlistValue
        }
        let overlay = PlistValue.dictionary(PlistDictionary([(key, .array(elements + elements))]))
        let half = PlistValue.dictionary(PlistDictionary([(key, .array(Array(elements.prefix(10_000))))]))
        let took = try ContinuousClock().measure {
            let result = try DeepMergeTests.merge(overlay, over: half).value
            #expect(result.dictionary?[key]?.array?.count == 20_000)
            #expect(try DeepMergeTests.merge(overlay, over: result).value == result)
        }
        #expect(took < .seconds(60))
    }

    @Test func aKeyThatComesTwiceOnceExpandedIsAmbiguous() throws {
        let overlay: PlistValue = ["TestConfigurations": [["Name": "$(N)", "a": 1], ["Name": "x", "b": 1]]]
        for base in [[], [["Name": "x"]], [["Name": "y"]]] as [PlistValue] {
            let error = #expect(throws: OverlayError.self) {
                try DeepMergeTests.merge(overlay, over: ["TestConfigurations": base], values: ["N": "x"])
            }
            #expect(error?.code == .ambiguous)
            #expect(error?.message == "elements 0 and 1 of the overlay's array both have \"Name\" = \"x\"")
            #expect(error?.target?.description == "/TestConfigurations")
        }
        // An element that pairs as it is spelled needs no value.
        let spelled: PlistValue = ["TestConfigurations": [["Name": "$(N)"], ["Name": "x"]]]
        for values in [["N": "x"], [:]] {
            #expect(
                try DeepMergeTests.merge(overlay, over: spelled, values: values).value
                    == ["TestConfigurations": [["Name": "$(N)", "a": 1], ["Name": "x", "b": 1]]])
        }
    }

    @Test func aKeyThatExpandsToNothingIsNone() throws {
        let overlay: PlistValue = ["CFBundleURLTypes": [["CFBundleURLName": "$(N)"]]]
        let once = try DeepMergeTests.merge(overlay, over: [:], values: ["N": ""]).value
        #expect(once == ["CFBundleURLTypes": [["CFBundleURLName": ""]]])
        #expect(try DeepMergeTests.merge(overlay, over: once, values: ["N": ""]).value == once)
        let error = #expect(throws: OverlayError.self) {
            try DeepMergeTests.merge(["TestConfigurations": [["Name": "$(N)"]]], over: [:], values: ["N": ""])
        }
        #expect(error?.code == .unpaired)
    }
}
