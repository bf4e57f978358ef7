import CapsulePropertyList
import Testing

@testable import CapsuleCore

/// What is wrong with a document is said with its place, and what may have been meant.
@Suite struct MatchErrorTests {
    @Test(
        arguments: [
            ("[]", "", "a match is a dictionary, and this is an array", nil),
            ("{}", "", "the match names nothing", "'Path' with '**' is everything"),
            (#"{"Pth":"a"}"#, "/Pth", "unknown key \"Pth\"", "did you mean 'Path'?"),
            (#"{"Path":1}"#, "/Path", "Path: is an integer, and a text is wanted", nil),
            (#"{"Path":"["}"#, "/Path", "Path: '[' is not closed", "'*', '?', '[' and '\\' stand for themselves behind a '\\'"),
            (#"{"Pointer":"a~"}"#, "/Pointer", nil, "'~' itself is '~0'"),
            (#"{"Table":""}"#, "/Table", "Table: is empty", "'*' is any"),
            (#"{"Row":{}}"#, "/Row", "Row: names no column", nil),
            (#"{"Row":{"a":{"Iz":"date"}}}"#, "/Row/a/Iz", "unknown key \"Iz\"", "did you mean 'Is'?"),
            (#"{"Kind":"aded"}"#, "/Kind", "\"aded\" is no kind", "did you mean 'added'?"),
            (#"{"Kind":["row","x"]}"#, "/Kind/1", "\"x\" is no kind", nil),
            (#"{"Kind":[1]}"#, "/Kind/0", "element 0 of Kind is no text", nil),
            (#"{"Kind":[]}"#, "/Kind", "Kind: is empty", "leave it out for any kind"),
            (#"{"Kind":1}"#, "/Kind", "Kind: is no text and no array of texts", nil),
            (#"{"To":1,"Value":1}"#, "/Value", "'Value' is short for 'To', and both are there", nil),
            (#"{"Value":{}}"#, "/Value", "the form is empty", nil),
            (#"{"From":{"Is":"uid"}}"#, "/From/Is", "Is: \"uid\" is no form", "did you mean 'uuid'?"),
            (#"{"From":{"Is":1}}"#, "/From/Is", "Is: is an integer, and a text is wanted", nil),
            (#"{"From":{"Like":"a\\"}}"#, "/From/Like", "Like: the pattern ends in '\\'", nil),
            (#"{"From":{"Min":"1"}}"#, "/From/Min", "Min: is a string, and a number or a date is wanted", nil),
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
            ("[]", "", "the document is an array, and a dictionary is wanted"),
            ("{}", "", "\"CapsuleRules\" is missing"),
            (#"{"CapsuleRules":2}"#, "/CapsuleRules", "CapsuleRules is 2, and 1 is the version known here"),
            (#"{"CapsuleRules":1}"#, "", "\"Rules\" is missing"),
            (#"{"CapsuleRules":1,"Rule":[]}"#, "/Rule", "unknown key \"Rule\""),
            (#"{"CapsuleRules":1,"Rules":{}}"#, "/Rules", "Rules: is a dictionary, and an array is wanted"),
            (#"{"CapsuleRules":1,"Rules":[1]}"#, "/Rules/0", "element 0 of Rules is no dictionary"),
            (#"{"CapsuleRules":1,"Rules":[{"Path":"a"}]}"#, "/Rules/0", "\"Class\" is missing"),
            (#"{"CapsuleRules":1,"Rules":[{"Path":"a","Class":"a b"}]}"#, "/Rules/0/Class", "\"a b\" is no name of a class"),
            (#"{"CapsuleRules":1,"Rules":[{"Class":"a"}]}"#, "/Rules/0", "the match names nothing"),
            (#"{"CapsuleRules":1,"Rules":[{"Class":"a","Path":"x","Count":1}]}"#, "/Rules/0/Count", "unknown key \"Count\""),
            (#"{"CapsuleRules":1,"Rules":[{"Class":"a","Path":"x","Note":1}]}"#, "/Rules/0/Note", nil),
            (#"{"CapsuleRules":1,"Rules":[],"Classes":{"a":1}}"#, "/Classes/a", "\"a\" of Classes is no text"),
            (#"{"CapsuleRules":1,"Rules":[],"Classes":{"":"x"}}"#, "/Classes/", "\"\" is no name of a class"),
        ] as [(String, String, String?)])
    func ofRules(document: String, place: String, message: String?) throws {
        let error = try #require(throws: OverlayError.self) { try NoiseRules(try json(document)) }
        #expect(error.source == (try PlistPointer(place)))
        #expect(message == nil || error.message == message)
    }

    @Test(arguments: [
        ("1", "", "the document is an integer, and a dictionary is wanted"),
        (#"{"CapsuleExpectation":"1"}"#, "/CapsuleExpectation", "CapsuleExpectation is \"1\", and 1 is the version known here"),
        (#"{"CapsuleExpectation":1,"Mustnt":[]}"#, "/Mustnt", "unknown key \"Mustnt\""),
        (#"{"CapsuleExpectation":1,"Must":1}"#, "/Must", "Must: is an integer, and an array is wanted"),
        (#"{"CapsuleExpectation":1,"May":[[]]}"#, "/May/0", "element 0 of May is no dictionary"),
        (#"{"CapsuleExpectation":1,"Must":[{"Path":"a","Class":"b"}]}"#, "/Must/0/Class", "unknown key \"Class\""),
        (#"{"CapsuleExpectation":1,"Must":[{"Path":"a","Count":-1}]}"#, "/Must/0/Count", "Count: is less than 0"),
        (#"{"CapsuleExpectation":1,"Must":[{"Path":"a","Count":1.0}]}"#, "/Must/0/Count", "Count: is a real"),
        (#"{"CapsuleExpectation":1,"Must":[{"Path":"a","Count":{}}]}"#, "/Must/0/Count", "Count: has neither 'Min' nor 'Max'"),
        (
            #"{"CapsuleExpectation":1,"Must":[{"Path":"a","Count":{"Min":2,"Max":1}}]}"#, "/Must/0/Count",
            "Count: 'Min' is more than 'Max'"
        ),
        (
            #"{"CapsuleExpectation":1,"Must":[{"Path":"a","Count":{"Min":"a"}}]}"#, "/Must/0/Count/Min",
            "Min: is no number from 0 on"
        ),
        (#"{"CapsuleExpectation":1,"Must":[{"Path":"a","Count":{"Mn":1}}]}"#, "/Must/0/Count/Mn", "unknown key \"Mn\""),
        (#"{"CapsuleExpectation":1,"Other":"pass"}"#, "/Other", "Other: \"pass\" is unknown"),
        (#"{"CapsuleExpectation":1,"Noise":true}"#, "/Noise", "Noise: is a boolean, and a text is wanted"),
    ])
    func ofExpectations(document: String, place: String, message: String) throws {
        let error = try #require(throws: OverlayError.self) { try Expectation(try json(document)) }
        #expect(error.source == (try PlistPointer(place)))
        #expect(error.message == message)
    }
}
