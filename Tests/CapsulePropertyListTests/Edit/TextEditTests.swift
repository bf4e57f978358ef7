import CapsulePropertyList
import Testing

/// Cases that are specific to OpenStep: semicolons, optional commas, two kinds of comments, quotation marks, `.strings`.
@Suite struct OpenStepEditTests {
    @Test(arguments: [
        EditCase("a string without quotation marks", "{ a = b; }", ["a": "c"], "{ a = c; }"),
        EditCase("one that needs them now", "{ a = b; }", ["a": "c d"], "{ a = \"c d\"; }"),
        EditCase("one that has them", "{ a = \"b\"; }", ["a": "c"], "{ a = \"c\"; }"),
        EditCase("one in other ones", "{ a = 'b'; }", ["a": "it's"], "{ a = \"it's\"; }"),
        EditCase("data", "{ a = <00 01>; }", ["a": .data([2, 3, 4, 5, 6])], "{ a = <02030405 06>; }"),
        EditCase("a key alone", "{ a; b; }", ["a": "a", "b": "c"], "{ a; b = c; }"),
        EditCase("a key alone becomes a container", "{\n\ta;\n}", ["a": ["b"]], "{\n\ta = (\n\t\tb,\n\t);\n}"),
        EditCase("a comment behind a string", "(\"a\"/* c */, b)", ["x", "b"], "(\"x\"/* c */, b)"),
        EditCase("a comment behind data", "(<00>/* c */, b)", ["x", "b"], "(\"x\"/* c */, b)"),
        EditCase("the root", "(a)\n", ["a": "b"], "{\n\ta = b;\n}\n"),
        EditCase("the root becomes a string", "(a)\n", "b", "\"b\"\n"),
        EditCase("the root of a .strings file", "/* c */\na = b;\n", ["x"], "(\n\tx,\n)\n"),
    ])
    func scalars(_ editCase: EditCase) throws {
        try editCase.check(.openStep)
    }

    @Test(arguments: [
        EditCase(
            "a new key", "{\n    a = b;\n}\n", ["a": "b", "c": ["d": ["e"]]],
            "{\n    a = b;\n    c = {\n        d = (\n            e,\n        );\n    };\n}\n"),
        EditCase("a new key on one line", "{ a = b; }", ["a": "b", "c": ["d": ["e", "f"]]], "{ a = b; c = { d = (e, f); }; }"),
        EditCase("a new key without blanks", "{a=b;}", ["a": "b", "c": ["d": ["e", "f"]]], "{a=b;c={d=(e,f);};}"),
        EditCase(
            "behind a comment on the line", "{\n\ta = b; // c\n}\n", ["a": "b", "d": "e"], "{\n\ta = b; // c\n\td = e;\n}\n"),
        EditCase(
            "a comment before the equals sign is no model", "{\n\ta /* c */ = b;\n}\n", ["a": "b", "d": "e"],
            "{\n\ta /* c */ = b;\n\td = e;\n}\n"),
        EditCase("a key alone is no model", "{\n\ta;\n}\n", ["a": "a", "d": "e"], "{\n\ta;\n\td = e;\n}\n"),
        EditCase(
            "a removed key goes with comments on its lines",
            "{\n\t// 1\n\ta = b; // 2\n\t/* 3 */ c /* 4 */ = d; /* 5 */\n\te = f;\n}\n",
            ["e": "f"], "{\n\t// 1\n\te = f;\n}\n"),
        EditCase(
            "keys with quotation marks that they need", "{\n\t\"a b\" = c;\n}", ["a b": "c", "d": "e"],
            "{\n\t\"a b\" = c;\n\td = e;\n}"),
        EditCase(
            "keys and strings with some that they do not need", "{\n\t\"a\" = \"c\";\n}", ["a": "c", "d": "e"],
            "{\n\t\"a\" = \"c\";\n\t\"d\" = \"e\";\n}"),
        EditCase("{} opens", "{\n  a = {};\n}", ["a": ["b": "c"]], "{\n  a = {\n    b = c;\n  };\n}"),
        EditCase("() opens", "{\n  a = ();\n}", ["a": ["b", "c"]], "{\n  a = (\n    b,\n    c,\n  );\n}"),
        EditCase("() opens on one line", "{ a = (); }", ["a": ["b", "c"]], "{ a = (b, c); }"),
    ])
    func dictionaries(_ editCase: EditCase) throws {
        try editCase.check(.openStep)
    }

    @Test(arguments: [
        EditCase("no comma at the end", "(\n  a\n)", ["a", "b"], "(\n  a,\n  b\n)"),
        EditCase("a comma at the end", "(\n  a,\n)", ["a", "b"], "(\n  a,\n  b,\n)"),
        EditCase("the last goes, without a comma", "(\n  a,\n  b\n)", ["a"], "(\n  a\n)"),
        EditCase("the last goes, with a comma", "(\n  a,\n  b,\n)", ["a"], "(\n  a,\n)"),
        EditCase("all go", "(\n  a, // a\n  // c\n  b,\n)", [], "(\n  // c\n)"),
        EditCase("one line with a comma", "(a, b,)", ["a", "b", "c"], "(a, b, c,)"),
        EditCase(
            "comments around commas", "(a /* 1 */ , /* 2 */ b /* 3 */)", ["a", "b", "c"],
            "(a /* 1 */ , /* 2 */ b, c /* 3 */)"),
        EditCase("comments before a comma that goes", "(a /* 1 */ , b)", ["a"], "(a /* 1 */ )"),
        EditCase("a comment right behind the new last", "(a, \"b\"/* c */)", ["a"], "(a /* c */)"),
        EditCase("a comment right behind what is new", "(\"a\"/* c */)", ["a", "b"], "(\"a\", \"b\"/* c */)"),
        EditCase("a comment right behind what is plain", "(a,\"b c\"/* c */)", ["a", "b c", "d"], "(a,\"b c\",d /* c */)"),
        EditCase("a comment to the line's end", "(\n  a, // about a\n  b, c)", ["a", "c"], "(\n  a, // about a\n  c)"),
        EditCase("a comment to the line's end before the bracket", "(\n  a, // about a\n  b)", ["a"], "(\n  a // about a\n)"),
        EditCase(
            "a comment to the line's end before what was first on no line", "( b, // about b\n  a )", ["a", "b"],
            "(\n  a,\n  b // about b\n )"),
        EditCase(
            "elements move with their comments", "(\n  // 1\n  a, // 2\n  /* 3\n */\n  b, // 4\n)", ["b", "a"],
            "(\n  /* 3\n */\n  b, // 4\n  // 1\n  a, // 2\n)"),
    ])
    func arrays(_ editCase: EditCase) throws {
        try editCase.check(.openStep)
    }

    static let head = "/* Greetings */\n\n"

    @Test(arguments: [
        EditCase("a text", head + "\"a\" = \"b\";\n", ["a": "c"], head + "\"a\" = \"c\";\n"),
        EditCase("a new key", head + "\"a\" = \"b\";\n", ["a": "b", "c": "d"], head + "\"a\" = \"b\";\n\"c\" = \"d\";\n"),
        EditCase("a new key, without quotation marks around the others", "a = b;\n", ["a": "b", "c": "d"], "a = b;\nc = d;\n"),
        EditCase("no newline at the end", "\"a\"=\"b\";", ["a": "b", "c": ["d"]], "\"a\"=\"b\";\n\"c\"=(\n\td,\n);"),
        EditCase("a comment at the end", "\"a\" = \"b\"; // c", ["a": "b", "c": "d"], "\"a\" = \"b\"; // c\n\"c\" = \"d\";"),
        EditCase("the first goes", "\"a\" = \"b\";\n\"c\" = \"d\";\n", ["c": "d"], "\"c\" = \"d\";\n"),
        EditCase(
            "the first goes with the comment on its line", "/* 1 */ \"a\" = \"b\";\n\"c\" = \"d\";\n", ["c": "d"],
            "\"c\" = \"d\";\n"),
        EditCase(
            "the comment before the first stays", head + "\"a\" = \"b\";\n\"c\" = \"d\";\n", ["c": "d"], head + "\"c\" = \"d\";\n"
        ),
        EditCase("the last goes", "\"a\" = \"b\";\n\"c\" = \"d\";\n", ["a": "b"], "\"a\" = \"b\";\n"),
        EditCase("all go", "\"a\" = \"b\";\n\"c\" = \"d\";\n", [:], ""),
        EditCase("all go but the comment", head + "\"a\" = \"b\";\n", [:], head),
        EditCase("others come", "\"a\" = \"b\";\n", ["c": "d", "e": "f"], "\"c\" = \"d\";\n\"e\" = \"f\";\n"),
        EditCase("one line of two", "a = b; c = d;\n", ["a": "b", "c": "d", "e": "f"], "a = b; c = d; e = f;\n"),
        EditCase("the first into nothing", "", ["a": "b"], "\"a\" = \"b\";"),
        EditCase("the first behind a comment", "// c\n", ["a": "b"], "// c\n\"a\" = \"b\";\n"),
        EditCase(
            "the first behind a comment without a newline", "// c", ["a": "b", "c": "d"], "// c\n\"a\" = \"b\";\n\"c\" = \"d\";"),
        EditCase("a key alone", "\"a\";\n", ["a": "b"], "\"a\" = \"b\";\n"),
    ])
    func strings(_ editCase: EditCase) throws {
        try editCase.check(.openStep)
    }

    @Test(arguments: ["\u{2028}", "\u{2029}"])
    func aCommentMayEndWithUnicodesLineEnds(_ end: String) throws {
        let edited = try edit(Array("(a, // 1\(end)b, // 2\(end)c)".utf8), accepting: [.openStep], to: ["a", "c"])
        #expect(String(decoding: edited, as: UTF8.self) == "(a, // 1\(end) // 2\(end)c)")
    }

    @Test func theLastOfEqualKeysIsEdited() throws {
        let document = try PlistDocument.read(Array("{ a = 1; \"\\U0061\" = 2; b = 3; }".utf8))
        func text(_ value: PlistValue) throws -> String { String(decoding: try document.bytes(holding: value), as: UTF8.self) }
        #expect(try text(["a": "4", "b": "3"]) == "{ a = 1; \"\\U0061\" = 4; b = 3; }")
        #expect(try text(["b": "3"]) == "{ b = 3; }")
    }

    @Test func whatOpenStepCannotHoldIsNamed() throws {
        let error = try editingError(Array("{ a = (b); }".utf8), to: ["a": ["b", ["c": 1]]])
        #expect(error?.code == .notRepresentable)
        #expect(error?.pointer == "/a/1/c")
    }

    @Test(arguments: XMLEncodingTests.Encoding.allCases, [true, false])
    func encodingsAndLineEndsStay(_ encoding: XMLEncodingTests.Encoding, mark: Bool) throws {
        let before = encoding.bytes("{\r\n\t\"é\" = \"😀\";\r\n}\r\n", mark: mark)
        let after = encoding.bytes("{\r\n\t\"é\" = \"日本\";\r\n\tb = (\r\n\t\t\"c\\nd\",\r\n\t);\r\n}\r\n", mark: mark)
        #expect(try edit(before, to: ["é": "日本", "b": ["c\nd"]]) == after)
    }
}

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
