import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore

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
