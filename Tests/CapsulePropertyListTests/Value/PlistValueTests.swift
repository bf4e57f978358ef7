import CapsulePropertyList
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
