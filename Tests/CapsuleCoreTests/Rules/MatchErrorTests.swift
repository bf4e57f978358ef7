import CapsulePropertyList
import Testing

@testable import CapsuleCore

/// An error in a document is reported with its place, and with a suggestion.
@Suite struct MatchErrorTests {
    @Test(
        arguments: [
            ("[]", "", "a match must be a dictionary, not an array", nil),
            ("{}", "", "the match is empty", "set 'Path' to '**' to match everything"),
            (#"{"Pth":"a"}"#, "/Pth", "unknown key \"Pth\"", "did you mean 'Path'?"),
            (#"{"Path":1}"#, "/Path", "Path: must be a string, not an integer", nil),
            (
                #"{"Path":"["}"#, "/Path", "Path: '[' is not closed",
                "write '\\' before '*', '?', '[' or '\\' to match that character"
            ),
            (#"{"Pointer":"a~"}"#, "/Pointer", nil, "write '~0' for '~' and '~1' for '/'"),
            (#"{"Table":""}"#, "/Table", "Table: is empty", "'*' matches any"),
            (#"{"Row":{}}"#, "/Row", "Row: names no column", nil),
            (#"{"Row":{"a":{"Iz":"date"}}}"#, "/Row/a/Iz", "unknown key \"Iz\"", "did you mean 'Is'?"),
            (#"{"Kind":"aded"}"#, "/Kind", "\"aded\" is not a kind", "did you mean 'added'?"),
            (#"{"Kind":["row","x"]}"#, "/Kind/1", "\"x\" is not a kind", nil),
            (#"{"Kind":[1]}"#, "/Kind/0", "element 0 of Kind must be a string", nil),
            (#"{"Kind":[]}"#, "/Kind", "Kind: is empty", "omit it to match any kind"),
            (#"{"Kind":1}"#, "/Kind", "Kind: must be a string or an array of strings", nil),
            (#"{"To":1,"Value":1}"#, "/Value", "'Value' is short for 'To': use only one of them", nil),
            (#"{"Value":{}}"#, "/Value", "the form is empty", nil),
            (#"{"From":{"Is":"uid"}}"#, "/From/Is", "Is: \"uid\" is not a form", "did you mean 'uuid'?"),
            (#"{"From":{"Is":1}}"#, "/From/Is", "Is: must be a string, not an integer", nil),
            (#"{"From":{"Like":"a\\"}}"#, "/From/Like", "Like: the pattern ends in '\\'", nil),
            (#"{"From":{"Min":"1"}}"#, "/From/Min", "Min: must be a number or a date, not a string", nil),
        ] as [(String, String, String?, String?)])
    func ofAMatch(match: String, place: String, message: String?, hint: String?) throws {
        let error = try #require(throws: OverlayError.self) { try ChangeMatch(try json(match)) }
        #expect(error.source == (try PlistPointer(place)))
        #expect(message == nil || error.message == message)
        #expect(hint == nil || error.hint == hint)
        #expect(!error.message.isEmpty)
    }

    @Test(
        arguments: [
            ("[]", "", "the document must be a dictionary, not an array"),
            ("{}", "", "\"CapsuleRules\" is missing"),
            (#"{"CapsuleRules":2}"#, "/CapsuleRules", "CapsuleRules is 2, but only version 1 is supported"),
            (#"{"CapsuleRules":1}"#, "", "\"Rules\" is missing"),
            (#"{"CapsuleRules":1,"Rule":[]}"#, "/Rule", "unknown key \"Rule\""),
            (#"{"CapsuleRules":1,"Rules":{}}"#, "/Rules", "Rules: must be an array, not a dictionary"),
            (#"{"CapsuleRules":1,"Rules":[1]}"#, "/Rules/0", "element 0 of Rules must be a dictionary"),
            (#"{"CapsuleRules":1,"Rules":[{"Path":"a"}]}"#, "/Rules/0", "\"Class\" is missing"),
            (#"{"CapsuleRules":1,"Rules":[{"Path":"a","Class":"a b"}]}"#, "/Rules/0/Class", "\"a b\" is not a valid class name"),
            (#"{"CapsuleRules":1,"Rules":[{"Class":"a"}]}"#, "/Rules/0", "the match is empty"),
            (#"{"CapsuleRules":1,"Rules":[{"Class":"a","Path":"x","Count":1}]}"#, "/Rules/0/Count", "unknown key \"Count\""),
            (#"{"CapsuleRules":1,"Rules":[{"Class":"a","Path":"x","Note":1}]}"#, "/Rules/0/Note", nil),
            (#"{"CapsuleRules":1,"Rules":[],"Classes":{"a":1}}"#, "/Classes/a", "\"a\" of Classes must be a string"),
            (#"{"CapsuleRules":1,"Rules":[],"Classes":{"":"x"}}"#, "/Classes/", "\"\" is not a valid class name"),
        ] as [(String, String, String?)])
    func ofRules(document: String, place: String, message: String?) throws {
        let error = try #require(throws: OverlayError.self) { try NoiseRules(try json(document)) }
        #expect(error.source == (try PlistPointer(place)))
        #expect(message == nil || error.message == message)
    }

    @Test(arguments: [
        ("1", "", "the document must be a dictionary, not an integer"),
        (#"{"CapsuleExpectation":"1"}"#, "/CapsuleExpectation", "CapsuleExpectation is \"1\", but only version 1 is supported"),
        (#"{"CapsuleExpectation":1,"Mustnt":[]}"#, "/Mustnt", "unknown key \"Mustnt\""),
        (#"{"CapsuleExpectation":1,"Must":1}"#, "/Must", "Must: must be an array, not an integer"),
        (#"{"CapsuleExpectation":1,"May":[[]]}"#, "/May/0", "element 0 of May must be a dictionary"),
        (#"{"CapsuleExpectation":1,"Must":[{"Path":"a","Class":"b"}]}"#, "/Must/0/Class", "unknown key \"Class\""),
        (#"{"CapsuleExpectation":1,"Must":[{"Path":"a","Count":-1}]}"#, "/Must/0/Count", "Count: must be 0 or more"),
        (
            #"{"CapsuleExpectation":1,"Must":[{"Path":"a","Count":1.0}]}"#, "/Must/0/Count",
            "Count: must be an integer or a dictionary, not a real"
        ),
        (#"{"CapsuleExpectation":1,"Must":[{"Path":"a","Count":{}}]}"#, "/Must/0/Count", "Count: must have 'Min' or 'Max'"),
        (
            #"{"CapsuleExpectation":1,"Must":[{"Path":"a","Count":{"Min":2,"Max":1}}]}"#, "/Must/0/Count",
            "Count: 'Min' is greater than 'Max'"
        ),
        (
            #"{"CapsuleExpectation":1,"Must":[{"Path":"a","Count":{"Min":"a"}}]}"#, "/Must/0/Count/Min",
            "Min: must be an integer, 0 or more"
        ),
        (#"{"CapsuleExpectation":1,"Must":[{"Path":"a","Count":{"Mn":1}}]}"#, "/Must/0/Count/Mn", "unknown key \"Mn\""),
        (#"{"CapsuleExpectation":1,"Other":"pass"}"#, "/Other", "Other: \"pass\" is unknown"),
        (#"{"CapsuleExpectation":1,"Noise":true}"#, "/Noise", "Noise: must be a string, not a boolean"),
    ])
    func ofExpectations(document: String, place: String, message: String) throws {
        let error = try #require(throws: OverlayError.self) { try Expectation(try json(document)) }
        #expect(error.source == (try PlistPointer(place)))
        #expect(error.message == message)
    }
}
