import CapsulePropertyList
import Testing

@testable import CapsuleCore

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
