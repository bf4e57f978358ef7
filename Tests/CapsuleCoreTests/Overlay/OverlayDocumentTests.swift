import CapsulePropertyList
import Testing

@testable import CapsuleCore
@testable import CapsuleOverlay
@testable import CapsuleRules

@Suite struct OverlayDocumentTests {
    private static func read(_ text: String) throws -> Overlay { try Overlay(reading: Array(text.utf8)) }

    private static func apply(_ text: String, to base: PlistValue, _ values: [String: String] = [:]) throws -> OverlayResult {
        try read(text).applied(to: base, in: OverlayContext(values: values))
    }

    @Test func removeMergeAndOperationsRunInThisOrder() throws {
        let result = try Self.apply(
            #"{"CapsuleOverlay":1,"Operations":[{"op":"test","path":"/a","value":2},{"op":"add","path":"/b","value":3}],"Merge":{"a":2},"Remove":["/a","/gone"]}"#,
            to: ["a": ["x": 1], "c": 1])
        #expect(result.value == ["a": 2, "b": 3, "c": 1])
    }

    @Test func unionAndSubtractMakeWhatIsMissing() throws {
        let text =
            #"{"CapsuleOverlay":1,"Operations":[{"op":"union","path":"/x/y","value":[1,2,1]},{"op":"subtract","path":"/x/z","value":[1]},{"op":"subtract","path":"/m","value":["a"]},{"op":"merge","path":"/n/o","value":{"p":1}}]}"#
        let result = try Self.apply(text, to: ["m": ["a", "b", "a"]]).value
        #expect(result == ["m": ["b"], "x": ["y": [1, 2]], "n": ["o": ["p": 1]]])
        #expect(try Self.apply(text, to: result).value == result)
    }

    @Test(
        arguments: [
            (["CONFIGURATION": "Debug"], true), (["CONFIGURATION": "Test"], true), (["CONFIGURATION": "Release"], false),
            ([:], false),
        ] as [([String: String], Bool)])
    func conditionsDecide(values: [String: String], isApplied: Bool) throws {
        let result = try Self.apply(
            #"{"CapsuleOverlay":1,"When":{"CONFIGURATION":["Debug","Test"]},"Merge":{"a":1}}"#, to: [:], values)
        #expect(result.value == (isApplied ? ["a": 1] : [:]))
        #expect(result.skipped.isEmpty == isApplied)
        #expect(result.isUntouched != isApplied)
        if values["CONFIGURATION"] == "Release" { #expect(result.skipped == ["CONFIGURATION is Release"]) }
    }

    @Test(arguments: [("YES", true), ("1", true), ("anything", true), ("", false), ("NO", false), ("0", false), ("false", false)])
    func truthIsXcodes(value: String, isTrue: Bool) {
        #expect(Condition("A", .isTrue).holds(in: ["A": value]) == isTrue)
        #expect(Condition("A", .isFalse).holds(in: ["A": value]) != isTrue)
        #expect(!Condition("A", .isTrue).holds(in: [:]))
        #expect(Condition("A", .isFalse).holds(in: [:]))
        #expect(Condition("A", .isAny([""])).holds(in: [:]))
    }

    @Test(
        arguments: [
            (#"{"CapsuleOverlay":2}"#, "CapsuleOverlay is 2", "/CapsuleOverlay", nil),
            (
                #"{"CapsuleOverlay":1,"Xyz":0}"#, "unknown key \"Xyz\"", "/Xyz",
                "use CapsuleOverlay, Name, Note, When, Arrays, Targets, Files, Path, Root, Create, Remove, Merge, Operations or Encode"
            ),
            (#"{"CapsuleOverlay":1,"Opertions":[]}"#, "unknown key \"Opertions\"", "/Opertions", "did you mean 'Operations'?"),
            (
                #"{"CapsuleOverlay":1,"Targets":[],"Merge":{}}"#, "unknown key \"Merge\"", "/Merge",
                "move 'Merge' into one of the Targets"
            ),
            (
                #"{"CapsuleOverlay":1,"Operations":[{"op":"ad","path":"/a"}]}"#, "op: \"ad\" is not an operation",
                "/Operations/0/op",
                "did you mean 'add'?"
            ),
            (
                #"{"CapsuleOverlay":1,"Operations":[{"op":"add","path":"a.0"}]}"#, "\"a.0\" is not a pointer",
                "/Operations/0/path", "start the pointer with '/': '/a/0'"
            ),
            (
                #"{"CapsuleOverlay":1,"When":{"A ":true}}"#, "\"A \" is not a name", "/When/A ",
                "write 'NAME=VALUE' without spaces around '='"
            ),
            (#"{"CapsuleOverlay":1,"Operations":[{"op":"add","path":"/a"}]}"#, "\"value\" is missing", "/Operations/0", nil),
            (#"{"CapsuleOverlay":1,"Remove":"/a"}"#, "Remove: must be an array, not a string", "/Remove", nil),
            (#"{"CapsuleOverlay":1,"Merge":[1]}"#, "Merge: must be a dictionary, not an array", "/Merge", nil),
            (#"{"CapsuleOverlay":1,"Arrays":{"A":"sets"}}"#, "\"sets\" is not an array identity", "/Arrays/A", nil),
            (#"{"CapsuleOverlay":1,"When":{"A":1}}"#, "\"A\" of When is not a condition", "/When/A", nil),
            (
                #"{"CapsuleOverlay":1,"Encode":"json"}"#, "Encode: \"json\" is not an encoding", "/Encode",
                "write 'xml' or 'binary'"
            ),
            (#"{"CapsuleOverlay":1,"Targets":[{"Root":"App"}]}"#, "Root: \"App\" is not a root", "/Targets/0/Root", nil),
        ] as [(String, String, String, String?)])
    func whatADocumentMayNotSay(text: String, message: String, place: String, hint: String?) {
        let error = #expect(throws: OverlayError.self) { try Self.read(text) }
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
        #expect(error?.source?.description == place)
        if let hint { #expect(error?.hint == hint) }
    }

    @Test func targetsWithPathsNeedToBePicked() throws {
        let overlay = try Self.read(
            #"{"CapsuleOverlay":1,"Targets":[{"Path":"a.plist","Merge":{"a":1}},{"Path":"b.plist","Merge":{"b":1}}]}"#)
        #expect(throws: OverlayError.self) { try overlay.applied(to: [:]) }
        #expect(try overlay.applied(to: [:], in: OverlayContext(targetPath: "b.plist")).value == ["b": 1])
        let error = #expect(throws: OverlayError.self) { try overlay.applied(to: [:], in: OverlayContext(targetPath: "c")) }
        #expect(error?.hint == "the overlay has a.plist, b.plist")
    }

    @Test func aMissingPropertyListIsMadeOnlyIfAsked() throws {
        let made = try Self.read(#"{"CapsuleOverlay":1,"Create":"binary","Merge":{"a":1}}"#).applied(to: nil)
        #expect(made.value == ["a": 1])
        #expect(made.encoding == .binary)
        #expect(throws: OverlayError.self) { try Self.read(#"{"CapsuleOverlay":1,"Merge":{"a":1}}"#).applied(to: nil) }
    }

    @Test func documentsComeBack() throws {
        let text =
            #"{"CapsuleOverlay":1,"Name":"n","Note":"o","When":{"A":true,"B":["x","y"]},"Arrays":{"/a/*":"keyed(k?), nocase"},"Targets":[{"Path":"p","Root":"AppGroup:g","When":{"C":false},"Create":"xml","Remove":["/a"],"Merge":{"m":1},"Operations":[{"op":"move","path":"/b","from":"/a","when":{"D":"d"}},{"op":"remove","path":"/c"}],"Encode":"binary"},{"Merge":{}}]}"#
        let overlay = try Self.read(text)
        #expect(try overlay.document == json(text))
        #expect(try Overlay(overlay.document, format: .xml) == overlay)
    }

    @Test func inverseTakesBack() throws {
        let overlay = try Self.read(
            #"{"CapsuleOverlay":1,"Operations":[{"op":"test","path":"/a","value":1},{"op":"replace","path":"/a","value":2},{"op":"add","path":"/b","value":3},{"op":"test","path":"/c/0","value":"x"},{"op":"remove","path":"/c/0"},{"op":"move","from":"/c/0","path":"/c/1"},{"op":"add","path":"/c/1","value":"n"}]}"#
        )
        let base: PlistValue = ["a": 1, "c": ["x", "y", "z"]]
        let after = try overlay.applied(to: base).value
        #expect(after == ["a": 2, "b": 3, "c": ["z", "n", "y"]])
        #expect(try overlay.inverted().applied(to: after).value == base)
        #expect(try overlay.inverted().inverted().applied(to: base).value == after)
    }

    @Test(arguments: [
        #"{"CapsuleOverlay":1,"Merge":{"a":1}}"#, #"{"CapsuleOverlay":1,"Remove":["/a"]}"#,
        #"{"CapsuleOverlay":1,"Operations":[{"op":"replace","path":"/a","value":2}]}"#,
        #"{"CapsuleOverlay":1,"Operations":[{"op":"remove","path":"/a"}]}"#,
        #"{"CapsuleOverlay":1,"Operations":[{"op":"add","path":"/a/-","value":2}]}"#,
        #"{"CapsuleOverlay":1,"Operations":[{"op":"insert","path":"/a/-","value":2}]}"#,
        #"{"CapsuleOverlay":1,"Operations":[{"op":"union","path":"/a","value":[2]}]}"#, #"{"a":1}"#,
        #"{"CapsuleOverlay":1,"Operations":[{"op":"test","path":"/a/0","value":1},{"op":"add","path":"/a/0","value":2}]}"#,
        #"{"CapsuleOverlay":1,"Operations":[{"op":"move","from":"/a/0","path":"/a/-"}]}"#,
        #"{"CapsuleOverlay":1,"Operations":[{"op":"move","from":"/a/[=x]","path":"/b"}]}"#,
        #"{"CapsuleOverlay":1,"Operations":[{"op":"move","from":"/a/0/k","path":"/a/0"}]}"#,
    ])
    func whatLeavesNoTraceHasNoInverse(text: String) {
        let error = #expect(throws: OverlayError.self) { try Self.read(text).inverted() }
        #expect(error?.code == .unsupported)
        #expect(error?.hint != nil)
    }

    /// In OpenStep, strings represent all values: a merged string takes the type of the base's value.
    @Test func documentsInOpenStep() throws {
        let overlay = try Overlay(reading: Array("{ CapsuleOverlay = 1; Merge = { a = YES; b = 2; c = x; }; }".utf8))
        #expect(try overlay.applied(to: ["a": false, "b": 1]).value == ["a": true, "b": 2, "c": "x"])
        #expect(throws: OverlayError.self) { try overlay.restated() }
    }

    /// Each copy nests the whole value in itself once more.
    @Test func copiesIntoThemselvesEnd() throws {
        let operation = PlistOperation(.copy(from: .root), at: PlistPointer(steps: ["a"]))
        let overlay = Overlay(targets: [Overlay.Target(operations: Array(repeating: operation, count: 2_000))])
        let error = try #require(throws: OverlayError.self) { try overlay.applied(to: [:]) }
        #expect(error.code == .limit)
    }

    /// Each copy doubles the array. All copies of an overlay together may add 2^20 values.
    @Test func copiesOfCopiesEnd() throws {
        let operation = PlistOperation(.copy(from: PlistPointer(steps: ["a"])), at: PlistPointer(steps: ["a", "-"]))
        func applied(_ copies: Int) throws -> PlistValue {
            let overlay = Overlay(targets: (0..<copies).map { _ in Overlay.Target(operations: [operation]) })
            return try overlay.applied(to: ["a": [1]]).value
        }
        #expect(try applied(15).dictionary?["a"]?.array?.count == 16)
        let error = try #require(throws: OverlayError.self) { try applied(40) }
        #expect(error.code == .limit)
        #expect(error.message == "the copies have too many values")
        #expect(error.target?.description == "/a/-")
    }

    @Test func composedOverlaysDoOneAfterTheOther() throws {
        let first = try Overlay(["a": 1, "b": ["c": 1]], format: .xml)
        let second = try Self.read(#"{"CapsuleOverlay":1,"When":{"X":true},"Operations":[{"op":"remove","path":"/a"}]}"#)
        let both = try first.composed(with: second)
        let on = OverlayContext(values: ["X": "1"])
        #expect(try both.applied(to: ["z": 1], in: on).value == ["z": 1, "b": ["c": 1]])
        #expect(try both.applied(to: ["z": 1]).value == ["z": 1, "a": 1, "b": ["c": 1]])
        #expect(try Overlay(both.document, format: .xml).applied(to: ["z": 1], in: on).value == ["z": 1, "b": ["c": 1]])
    }

    @Test func insertReplacesNothing() throws {
        func applied(_ path: String, _ value: String, to base: String) throws -> PlistValue {
            try Self.read(#"{"CapsuleOverlay":1,"Operations":[{"op":"insert","path":"\#(path)","value":\#(value)}]}"#)
                .applied(to: json(base)).value
        }
        #expect(try applied("/k", "1", to: "{}") == ["k": 1])
        #expect(try applied("/k", "1", to: #"{"k":1}"#) == ["k": 1])
        #expect(try applied("/a/0", "1", to: #"{"a":[1]}"#) == ["a": [1, 1]])
        #expect(try applied("/a/-", "1", to: #"{"a":[2]}"#) == ["a": [2, 1]])
        #expect(try applied("/a/[=2]", "1", to: #"{"a":[0,2]}"#) == ["a": [0, 1, 2]])
        for (path, value) in [("/k", "1.0"), ("/k", "[1]"), ("", "1")] {
            let error = try #require(throws: OverlayError.self) { try applied(path, value, to: #"{"k":1}"#) }
            #expect(error.code == .failedTest && error.hint != nil)
        }
        #expect(throws: OverlayError.self) { try applied("/a/2", "1", to: #"{"a":[0]}"#) }
        #expect(throws: OverlayError.self) { try applied("/a/k", "1", to: "{}") }
        for path in ["/a/0", "/a/-", "/a/[=1]", "/0"] {
            let error = try #require(throws: OverlayError.self) { try applied(path, "1", to: #"{"a":{"k":1}}"#) }
            #expect(error.code == .failedTest && error.hint != nil)
        }
    }

    /// A keyed array has an element if it has its key, a set if it has an equal element. Identities are those of the place.
    @Test func insertAddsNoOtherOfTheSame() throws {
        func applied(_ path: String, _ value: String, to base: String, _ arrays: String = "{}") throws -> PlistValue {
            try Self.read(
                #"{"CapsuleOverlay":1,"Arrays":\#(arrays),"Operations":[{"op":"insert","path":"\#(path)","value":\#(value)}]}"#
            ).applied(to: json(base)).value
        }
        #expect(try applied("/UIAppFonts/0", #""a""#, to: #"{"UIAppFonts":["b","a"]}"#) == ["UIAppFonts": ["b", "a"]])
        #expect(try applied("/UIAppFonts/-", "1", to: #"{"UIAppFonts":["1"]}"#) == ["UIAppFonts": ["1", 1]])
        #expect(try applied("/a/9", #"{"i":1}"#, to: #"{"a":[{"i":1}]}"#, #"{"a":"keyed(i)"}"#) == ["a": [["i": 1]]])
        #expect(try applied("/a/0", #"{"n":1}"#, to: #"{"a":[{"n":1}]}"#, #"{"a":"keyed(i)"}"#) == ["a": [["n": 1], ["n": 1]]])
        #expect(
            try applied("/a/[n=1]/b/0", "1", to: #"{"a":[{"n":1,"b":[1]}]}"#, #"{"/a/0/b":"set"}"#) == [
                "a": [["n": 1, "b": [1]]]
            ])
        for (new, rule) in [(#"{"i":"x","v":2}"#, "keyed(i)"), (#"{"i":"X","v":1}"#, "keyed(i), nocase")] {
            let error = try #require(throws: OverlayError.self) {
                try applied("/a/1", new, to: #"{"a":[{"i":"x","v":1}]}"#, #"{"a":"\#(rule)"}"#)
            }
            #expect(error.code == .failedTest && error.hint != nil)
        }
        // Elements that were added between two inserts count.
        let overlay = try Self.read(
            #"{"CapsuleOverlay":1,"Arrays":{"a":"set"},"Operations":[{"op":"insert","path":"/a/0","value":1},{"op":"insert","path":"/a/0","value":1},{"op":"replace","path":"/a/0","value":2},{"op":"insert","path":"/a/0","value":2},{"op":"insert","path":"/a/0","value":1}]}"#
        )
        #expect(try overlay.applied(to: ["a": []]).value == ["a": [1, 2]])
    }

    /// If one of two overlays inserts into an array, a rule of the other for this array would affect that insertion.
    @Test func composingKeepsWhatInsertDoes() throws {
        let insert = #""Operations":[{"op":"insert","path":"/a/0","value":1}]"#
        let one = try Self.read(#"{"CapsuleOverlay":1,"Arrays":{"a":"set"},\#(insert)}"#)
        let other = try Self.read(#"{"CapsuleOverlay":1,\#(insert)}"#)
        let elsewhere = try Self.read(#"{"CapsuleOverlay":1,"Arrays":{"b":"set"},\#(insert)}"#)
        #expect(throws: OverlayError.self) { try one.composed(with: other) }
        #expect(throws: OverlayError.self) { try other.composed(with: one) }
        #expect(try other.composed(with: elsewhere).applied(to: ["a": []]).value == ["a": [1, 1]])
        #expect(try one.composed(with: one).applied(to: ["a": []]).value == ["a": [1]])
    }
}
