import Testing

@testable import CapsuleCommands

@Suite struct JSONValueTests {
    private static func text(_ value: any JSONValue) -> String {
        var json: [UInt8] = []
        value.append(to: &json)
        return String(decoding: json, as: UTF8.self)
    }

    @Test func membersHaveTheirOrderAndNilHasNone() {
        let none: String? = nil
        var object: JSONObject = ["b": 1, "none": none, "a": [true, false], "o": ["x": "y"] as JSONObject]
        object.add([:])
        object.add(["k\"": JSONShare(0.25)])
        #expect(Self.text(object) == #"{"b":1,"a":[true,false],"o":{"x":"y"},"k\"":0.25}"#)
        #expect(String(decoding: JSONObject(header: "ls", [:]).line, as: UTF8.self) == "\(Self.header)\n")
    }

    private static let header = #"{"kind":"header","schema":"capsule.ls","version":1}"#

    @Test(
        arguments: [
            ("a\"\\\n\u{1}\u{7F}\u{E9}", #""a\"\\\u000a\u0001\u007f"# + "\u{E9}\""), (UInt64(1) << 53 - 1, "9007199254740991"),
            (UInt64(1) << 53, #"{"$int":"9007199254740992"}"#), ([] as [String], "[]"), ([[1, 2], [3]], "[[1,2],[3]]"),
            (JSONShare(0.99999), "0.9999"), (JSONShare(1), "1"), (JSONShare(0), "0"), (JSONData([0xFF]), #""/w==""#),
            (["n": JSONName([0x61])] as JSONObject, #"{"n":"a"}"#), (["n": JSONName([0xFF])] as JSONObject, #"{"n64":"/w=="}"#),
        ] as [(any JSONValue & Sendable, String)])
    func valuesAreWrittenAsTheyAreRead(value: any JSONValue & Sendable, text: String) {
        #expect(Self.text(value) == text)
    }
}
