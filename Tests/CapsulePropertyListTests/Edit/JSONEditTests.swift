import CapsulePropertyList
import Testing

/// Cases that are specific to JSON: commas, colons, and layouts on one line. The rest is as in XML.
@Suite struct JSONEditTests {
    @Test(arguments: [
        EditCase("a scalar", "{\"a\": 1, \"b\": \"\\u0041\"}", ["a": 2, "b": "A"], "{\"a\": 2, \"b\": \"\\u0041\"}"),
        EditCase("null", "[null, 1]", [1, .null], "[1, null]"),
        EditCase("the root", "1\n", ["a": 1], "{\n  \"a\": 1\n}\n"),
        EditCase("the root on one line", "1", ["a": [1, 2]], "{\"a\": [1, 2]}"),
        EditCase(
            "a scalar becomes a container", "{\n    \"a\": 1\n}", ["a": ["b": [true]]],
            "{\n    \"a\": {\n        \"b\": [\n            true\n        ]\n    }\n}"),
        EditCase("a scalar on one line becomes a container", "[1, 2]", [1, ["a": .null]], "[1, {\"a\": null}]"),
        EditCase("a container becomes a scalar", "{\n  \"a\": {\n  }\n}", ["a": "x"], "{\n  \"a\": \"x\"\n}"),
        EditCase("an integer becomes a real", "[1]", [1.0], "[1.0]"),
    ])
    func scalars(_ editCase: EditCase) throws {
        try editCase.check(.json)
    }

    @Test(arguments: [
        EditCase(
            "a new key gets the comma that was missing", "{\n  \"a\": 1\n}\n", ["a": 1, "b": 2], "{\n  \"a\": 1,\n  \"b\": 2\n}\n"
        ),
        EditCase("the last key goes with the comma before it", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", ["a": 1], "{\n  \"a\": 1\n}\n"),
        EditCase("the first key goes with its comma", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", ["b": 2], "{\n  \"b\": 2\n}\n"),
        EditCase("all keys go", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", [:], "{\n}\n"),
        EditCase(
            "what goes and what comes", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", ["c": 1, "d": []], "{\n  \"c\": 1,\n  \"d\": []\n}\n"),
        EditCase("commas in front", "[ 1\n, 2\n, 3\n]", [1, 2], "[ 1\n, 2\n]"),
        EditCase("space before the comma", "[ 1 , 2 ]", [1, 2, 3], "[ 1 , 2, 3 ]"),
        EditCase(
            "one line", "{\"a\": 1}", ["a": 1, "b": ["c": 2, "d": [1, 2]]], "{\"a\": 1, \"b\": {\"c\": 2, \"d\": [1, 2]}}"),
        EditCase(
            "one line without blanks", "{\"a\":1}", ["a": 1, "b": ["c": 2, "d": [1, 2]]], "{\"a\":1,\"b\":{\"c\":2,\"d\":[1,2]}}"),
        EditCase("an array without blanks", "[1,2]", [1, 2, 3, []], "[1,2,3,[]]"),
        EditCase(
            "Apple's colons", "{\n  \"a\" : 1\n}", ["a": 1, "b": ["c": 2]], "{\n  \"a\" : 1,\n  \"b\" : {\n    \"c\" : 2\n  }\n}"),
        EditCase(
            "an array on one line in lines", "{\n  \"a\": [1, 2],\n  \"b\": 1\n}", ["a": [2, 3], "b": 1, "c": [1]],
            "{\n  \"a\": [2, 3],\n  \"b\": 1,\n  \"c\": [\n    1\n  ]\n}"),
        EditCase(
            "an object next to one on one line", "[\n  {\"a\": 1}\n]", [["a": 1], ["b": 2]], "[\n  {\"a\": 1},\n  {\"b\": 2}\n]"),
        EditCase("{} opens", "{\n\t\"a\": {}\n}", ["a": ["b": 1]], "{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}"),
        EditCase("{} alone opens", "{}\n", ["b": 1], "{\n  \"b\": 1\n}\n"),
        EditCase("{ } opens on one line", "{ }", ["b": 1, "c": 2], "{\"b\": 1, \"c\": 2 }"),
        EditCase("the first becomes the last", "[\n  1,\n  2\n]", [2, 1], "[\n  2,\n  1\n]"),
        EditCase("the first becomes the last on one line", "[1, 2, 3]", [2, 3, 1], "[2, 3, 1]"),
        EditCase("the last becomes the first on one line", "[1, 2, 3]", [3, 1, 2], "[3, 1, 2]"),
        EditCase("several lines of several", "[\n  1, 2,\n  3, 4\n]", [1, 2, 4], "[\n  1, 2,\n  4\n]"),
        EditCase("a line is begun by the second", "[\n  1, 2,\n  3, 4\n]", [2, 3, 4, 5], "[\n  2,\n  3, 4, 5\n]"),
        EditCase("keys are escaped", "{\"\\u0041\": 1}", ["A": 1, "\"\n": 2], "{\"\\u0041\": 1, \"\\\"\\n\": 2}"),
    ])
    func containers(_ editCase: EditCase) throws {
        try editCase.check(.json)
    }

    @Test func theLastOfEqualKeysIsEdited() throws {
        let document = try PlistDocument.read(Array("{\"a\": 1, \"\\u0061\": 2, \"b\": 3}".utf8), isLenient: true)
        func text(_ value: PlistValue) throws -> String { String(decoding: try document.bytes(holding: value), as: UTF8.self) }
        #expect(try text(["a": 4, "b": 3]) == "{\"a\": 1, \"\\u0061\": 4, \"b\": 3}")
        #expect(try text(["b": 3]) == "{\"b\": 3}")
    }

    @Test func whatJSONCannotHoldIsNamed() throws {
        let error = try editingError(Array("{\"a\": [1]}".utf8), to: ["a": [1, ["b": .data([])]]])
        #expect(error?.code == .notRepresentable)
        #expect(error?.pointer == "/a/1/b")
    }

    @Test(arguments: XMLEncodingTests.Encoding.allCases, [true, false])
    func encodingsAndLineEndsStay(_ encoding: XMLEncodingTests.Encoding, mark: Bool) throws {
        let before = encoding.bytes("{\r\n  \"é\": \"😀\"\r\n}\r\n", mark: mark)
        let after = encoding.bytes("{\r\n  \"é\": \"日本\",\r\n  \"b\": [\r\n    \"c\\nd\"\r\n  ]\r\n}\r\n", mark: mark)
        #expect(try edit(before, to: ["é": "日本", "b": ["c\nd"]]) == after)
    }

    @Test(.timeLimit(.minutes(1)))
    func tooMuchIsNotWrittenOut() throws {
        let large = largeValue(1 << 20)
        for before in ["{}", "[[]]", "1", "(a)", "{ a = b; }", "a = b;"] {
            let error = try editingError(Array(before.utf8), to: ["a": large], limits: PlistLimits(outputBytes: 1 << 16))
            #expect(error?.code == .limitExceeded || error?.code == .notRepresentable)
        }
    }
}
