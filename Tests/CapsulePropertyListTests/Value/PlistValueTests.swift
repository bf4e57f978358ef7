import CapsulePropertyList
import TestSupport
import Testing

@Suite struct PlistValueTests {
    /// Values that are all different.
    static let distinct: [PlistValue] = [
        .integer(1), .real(1), .boolean(true), .date(1), .uid(1), .string("1"), .data([1]), .array([1]), .dictionary(["1": 1]),
        .integer(0), .real(0), .real(-0.0), .boolean(false), .date(0), .date(-0.0), .uid(0), .string(""), .data([]), .array([]),
        .dictionary([:]), .real(.nan), .real(Double(bitPattern: 0x7FF8_0000_0000_0001)), .integer(PlistInteger(UInt64.max)),
        .integer(-1), .string("\u{E9}"), .string("e\u{301}"), .array([.real(1)]), .array([1, 1]), .dictionary(["1": .real(1)]),
        .dictionary(["2": 1]), .dictionary(["1": 1, "2": 1]),
    ]

    @Test(arguments: Self.distinct.indices)
    func isEqualToItselfOnly(_ index: Int) {
        for (other, value) in Self.distinct.enumerated() {
            #expect((value == Self.distinct[index]) == (other == index), "\(other) and \(index)")
        }
        #expect(Set(Self.distinct).count == Self.distinct.count)
        #expect(Set(Self.distinct).contains(Self.distinct[index]))
    }

    @Test func hasALiteralForMostTypes() {
        let value: PlistValue = ["a": 1, "b": 1.0, "c": true, "d": ["e"]]
        #expect(value.dictionary?["a"]?.integer == 1)
        #expect(value.dictionary?["b"]?.real == 1)
        #expect(value.dictionary?["c"]?.boolean == true)
        #expect(value.dictionary?["d"]?.array?.first?.string == "e")
    }

    @Test(
        arguments: [
            (.string("a"), "string"), (1, "integer"), (1.5, "real"), (true, "boolean"), (.date(0), "date"), (.data([]), "data"),
            (.uid(1), "uid"), ([], "array"), ([:], "dictionary"),
        ] as [(PlistValue, String)])
    func namesItsTypeAndConvertsNothing(_ value: PlistValue, _ name: String) {
        #expect(value.typeName == name)
        #expect((value.string != nil) == (name == "string"))
        #expect((value.integer != nil) == (name == "integer"))
        #expect((value.real != nil) == (name == "real"))
        #expect((value.boolean != nil) == (name == "boolean"))
        #expect((value.date != nil) == (name == "date"))
        #expect((value.data != nil) == (name == "data"))
        #expect((value.uid != nil) == (name == "uid"))
        #expect((value.array != nil) == (name == "array"))
        #expect((value.dictionary != nil) == (name == "dictionary"))
        #expect(value.isContainer == ["array", "dictionary"].contains(name))
    }

    @Test func describesItselfOnOneLine() {
        let value: PlistValue = [
            "a": [1, 1.0, true, "x", .date(0.5), .data([1, 2]), .uid(3), [], [:]], "b": .integer(PlistInteger(UInt64.max)),
        ]
        let text =
            #"{"a": [1, 1.0, true, "x", 2001-01-01T00:00:00.5Z, data of 2 bytes, AQI=, uid 3, [], {}], "b": 18446744073709551615}"#
        #expect(value.description == text)
        #expect(value.dictionary?.description == text)
        #expect(PlistValue.array((0..<100).map { .integer(PlistInteger($0)) }).description.hasSuffix("48, …]"))
    }

    @Test func comparesAndHashesDeepValues() {
        let left = nestedArrays(512)
        let right = nestedArrays(512)
        #expect(left == right)
        #expect(left != nestedArrays(511))
        #expect(left.hashValue == right.hashValue)
    }

    @Test func hashesLongContentsByItsEnds() {
        let long = [UInt8](repeating: 7, count: 5000)
        #expect(PlistValue.data(long).hashValue == PlistValue.data(long).hashValue)
        #expect(PlistValue.data(long) != .data(long.dropLast() + [8]))
        #expect(Set([PlistValue.data(long), .data(long.dropLast() + [8])]).count == 2)
        let list = (0..<100).map { PlistValue.integer(PlistInteger($0)) }
        #expect(PlistValue.array(list) == .array(list))
        #expect(Set([PlistValue.array(list), .array(list.reversed())]).count == 2)
    }

    /// Comparing two large values that share nothing uses the classes of equal objects.
    @Test func comparesLargeValuesThatShareNothing() {
        func make(last: PlistValue) -> PlistValue {
            let text = PlistString(String(repeating: "t", count: 2000))
            let rows = (0..<6000).map { row in
                PlistValue.dictionary(["row": .array([.integer(PlistInteger(row % 7))]), "text": .string(text), "more": ["a": 1]])
            }
            return .array(rows + [last])
        }
        #expect(make(last: 1) == make(last: 1))
        #expect(make(last: 1) != make(last: 2))
        #expect(make(last: ["a": [1, 2]]) != make(last: ["a": [1, 3]]))
    }
}

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

@Suite struct PlistIntegerTests {
    @Test func coversBothRanges() {
        #expect(PlistInteger(UInt64.max).uint64 == .max)
        #expect(PlistInteger(UInt64.max).int64 == nil)
        #expect(PlistInteger(Int64.min).int64 == .min)
        #expect(PlistInteger(Int64.min).uint64 == nil)
        #expect(PlistInteger(Int64.max).uint64 == UInt64(Int64.max))
        #expect(PlistInteger(UInt64(5)) == PlistInteger(Int64(5)))
        #expect(PlistInteger(UInt64(5)).hashValue == PlistInteger(5).hashValue)
        #expect(PlistInteger(UInt64.max) != PlistInteger(Int64(-1)))
    }

    @Test func ordersByNumber() {
        let numbers = [
            PlistInteger(Int64.min), PlistInteger(-2), PlistInteger(-1), 0, 1, PlistInteger(Int64.max),
            PlistInteger(UInt64(1) << 63), PlistInteger(UInt64.max),
        ]
        for (left, right) in zip(numbers, numbers.dropFirst()) {
            #expect(left < right)
            #expect(!(right < left))
        }
        #expect(numbers.reversed().sorted() == numbers)
    }

    @Test(
        arguments: [
            (PlistInteger(Int64.min), "-9223372036854775808"), (PlistInteger(UInt64.max), "18446744073709551615"), (0, "0"),
            (-7, "-7"),
        ] as [(PlistInteger, String)])
    func describesItself(_ integer: PlistInteger, _ text: String) {
        #expect(integer.description == text)
    }
}

@Suite struct PlistStringTests {
    @Test func comparesExactCodeUnits() {
        let composed: PlistString = "\u{E9}"
        let decomposed: PlistString = "e\u{301}"
        #expect(composed.string == decomposed.string)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(composed == PlistString("\u{E9}"))
    }

    @Test(arguments: [
        ("", "a"), ("a", "b"), ("a", "aa"), ("abcdefgh", "abcdefghi"), ("abcdefghX", "abcdefghY"), ("e\u{301}", "\u{E9}"),
        ("z", "\u{E9}"), ("\u{FFFD}", "\u{1F600}"), ("a longer string than fits inline 1", "a longer string than fits inline 2"),
    ])
    func ordersByBytes(_ lesser: String, _ greater: String) {
        #expect(PlistString(lesser) < PlistString(greater))
        #expect(!(PlistString(greater) < PlistString(lesser)))
        #expect(PlistString(lesser) != PlistString(greater))
        #expect(!(PlistString(lesser) < PlistString(lesser)))
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0xC3], [0xFF],
        ] as [[UInt8]])
    func refusesInvalidUTF8(_ bytes: [UInt8]) {
        #expect(PlistString(validating: bytes) == nil)
        #expect(bytes.withUnsafeBytes { PlistString(validating: $0) } == nil)
    }

    @Test(arguments: ["", "a", "é", "日本", "😀", "fifteen bytes..", "sixteen bytes...", "\0"])
    func keepsItsBytes(_ text: String) {
        let string = PlistString(validating: Array(text.utf8))
        #expect(string == PlistString(text))
        #expect(string?.string == text)
        #expect(string?.description == text)
        #expect(string.map { Array($0.utf8) } == Array(text.utf8))
        #expect(string?.withUTF8 { Array($0) } == Array(text.utf8))
        #expect(string?.isEmpty == text.isEmpty)
        #expect(string?.hashValue == PlistString(text).hashValue)
    }
}
