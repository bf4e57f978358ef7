import CapsulePropertyList
import TestSupport
import Testing

@Suite struct PlistDictionaryTests {
    @Test func keepsTheOrderOfKeys() {
        var dictionary: PlistDictionary = ["b": 1, "a": 2, "": 3]
        #expect(dictionary.keys.map { $0.string } == ["b", "a", ""])
        dictionary["b"] = 4
        dictionary["c"] = 5
        #expect(dictionary.keys.map { $0.string } == ["b", "a", "", "c"])
        dictionary["b"] = nil
        dictionary["b"] = 6
        #expect(dictionary.map { $0.key.string } == ["a", "", "c", "b"])
        #expect(dictionary[""] == 3)
        #expect(dictionary["x"] == nil)
        dictionary["x"] = nil
        #expect(dictionary.count == 4)
        #expect(dictionary[3].value == 6)
    }

    @Test func keepsNormalisationFormsApart() {
        let dictionary: PlistDictionary = ["\u{E9}": 1, "e\u{301}": 2]
        #expect(dictionary.count == 2)
        #expect(dictionary["\u{E9}"] == 1)
        #expect(dictionary["e\u{301}"] == 2)
    }

    @Test func aRepeatedKeyKeepsItsPlaceAndTheLastValue() {
        let dictionary: PlistDictionary = ["a": 1, "b": 2, "a": 3]
        #expect(dictionary.map { $0.key.string } == ["a", "b"])
        #expect(dictionary["a"] == 3)
    }

    @Test func isEqualInAnyOrder() {
        let left: PlistDictionary = ["a": 1, "b": [1, 2], "c": ["d": 1.5]]
        let right: PlistDictionary = ["c": ["d": 1.5], "b": [1, 2], "a": 1]
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(left != ["a": 1, "b": [2, 1], "c": ["d": 1.5]])
        #expect(left != ["a": 1, "b": [1, 2], "x": ["d": 1.5]])
    }

    @Test func changesAValueInPlace() {
        var dictionary: PlistDictionary = ["a": ["b": 1]]
        var inner = dictionary["a"]?.dictionary
        inner?["c"] = 2
        dictionary["a"] = inner.map { .dictionary($0) }
        #expect(dictionary == ["a": ["b": 1, "c": 2]])
        func change(_ value: inout PlistValue?) { value = nil }
        change(&dictionary["a"])
        #expect(dictionary.isEmpty)
    }

    /// Compares with a simple list of pairs, at sizes below and above the change from linear search to hashing.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, UInt64.random(in: .min ... .max)])
    func agreesWithAListOfPairs(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var dictionary = PlistDictionary()
        var model: [(key: PlistString, value: PlistValue)] = []
        let keys = (0..<Int.random(in: 4...120, using: &generator)).map { PlistString("key \($0)") }
        for step in 0..<2000 {
            let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
            let known = model.firstIndex { $0.key == key }
            #expect(dictionary[key] == known.map { model[$0].value }, "seed \(seed), step \(step)")
            if UInt8.random(in: 0..<5, using: &generator) < 2 {
                dictionary[key] = nil
                if let known { model.remove(at: known) }
            } else {
                let value = PlistValue.integer(PlistInteger(step))
                dictionary[key] = value
                if let known { model[known].value = value } else { model.append((key, value)) }
            }
        }
        #expect(dictionary.map { $0.key } == model.map { $0.key }, "seed \(seed)")
        #expect(dictionary.map { $0.value } == model.map { $0.value }, "seed \(seed)")
    }

    @Test func findsEveryKeyOfALargeDictionary() {
        let dictionary = PlistDictionary((0..<20_000).map { (PlistString("key \($0)"), .integer(PlistInteger($0))) })
        #expect(dictionary.count == 20_000)
        #expect((0..<20_000).allSatisfy { dictionary[PlistString("key \($0)")]?.integer == PlistInteger($0) })
        #expect(dictionary["key 20000"] == nil)
    }
}
