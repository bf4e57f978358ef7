import CapsulePropertyList
import Testing

@testable import CapsuleCore
@testable import CapsuleRules

@Suite struct ExpectationTests {
    private static let preferences = "Library/Preferences/com.x.plist"

    private static func findings(_ expectation: String, _ diff: ContainerDiff) throws -> [String] {
        let result = try Expectation(try json("{\"CapsuleExpectation\":1,\(expectation)}")).evaluate(diff)
        #expect(result.holds == result.findings.isEmpty)
        return result.findings.map { result.description(of: $0, in: diff) }
    }

    private static func run(_ more: ChangeDetail...) throws -> ContainerDiff {
        comparison(
            try entry(.modified, preferences, [try value("/onboarding/done", false, true), try value("/launches", 7, 8)] + more))
    }

    private static let grammar = """
        "Must":[{"Path":"Library/Preferences/com.x.plist","Pointer":"/onboarding/done","From":false,"To":true}],
        "May":[{"Path":"Library/Preferences/com.x.plist","Pointer":"/launches","To":{"Min":1,"Max":9}}],
        "MustNot":[{"Path":"Documents/**","Kind":"deleted","Note":"a run never deletes gifs"}]
        """

    @Test func theGrammarsExample() throws {
        #expect(try Self.findings(Self.grammar, try Self.run()) == [])
        #expect(
            try Self.findings(Self.grammar, try Self.run(try value("/new", .added("x")))) == [
                #"not allowed: Library/Preferences/com.x.plist /new: added "x""#
            ])
        #expect(
            try Self.findings(Self.grammar, comparison()) == [
                "missing: Library/Preferences/com.x.plist /onboarding/done: false → true"
            ])
        var diff = try Self.run()
        diff.entries.append(try entry(.deleted, "Documents/a.gif"))
        #expect(
            try Self.findings(Self.grammar, diff) == ["forbidden: Documents/** (deleted) (a run never deletes gifs)"])
    }

    @Test func whatIsFoundIsReferredTo() throws {
        var diff = try Self.run(limitDetail, try value("/new", .added("x")))
        diff.entries.append(try entry(.deleted, "Documents/a.gif"))
        let result = try Expectation(try json("{\"CapsuleExpectation\":1,\(Self.grammar)}")).evaluate(diff)
        #expect(result.findings == [.forbidden(0), .unallowed(ChangeReference(entry: 0, detail: 3)), .cutShort])
        #expect(result.must.map(\.lines) == [[ChangeReference(entry: 0, detail: 0)]])
        #expect(result.may.map(\.count) == [1])
        #expect(result.mustNot.map(\.lines) == [[ChangeReference(entry: 1)]])
    }

    @Test(arguments: [
        (#""Must":[{"Path":"**","Kind":"value","Count":2}]"#, []),
        (#""Must":[{"Path":"**","Kind":"value","Count":1}]"#, ["2 changes instead of 1: ** (value)"]),
        (#""Must":[{"Path":"**","Kind":"value","Count":{"Min":3}}]"#, ["2 changes instead of 3 or more: ** (value)"]),
        (#""May":[{"Path":"**","Kind":"value","Count":{"Max":1}}]"#, ["2 changes instead of 0 to 1: ** (value)"]),
        (#""May":[{"Path":"**"}]"#, []),
        (#""Must":[{"Path":"**","Kind":"modified","Count":2}]"#, []),
        (#""Must":[{"Path":"**"}],"MustNot":[{"Pointer":"/launches"}]"#, ["forbidden: /launches"]),
        // A clause that is not broken allows nothing.
        (
            #""Must":[{"Pointer":"/onboarding/*"}],"MustNot":[{"Pointer":"/launches","Count":2}]"#,
            ["not allowed: Library/Preferences/com.x.plist /launches: 7 → 8"]
        ),
        (#""Other":"allow""#, []), (#""Other":"allow","MustNot":[{"Pointer":"/none"}]"#, []),
        (#""Other":"allow","Must":[{"Pointer":"/none"}]"#, ["missing: /none"]),
        (
            #""May":[{"Path":"**","To":true}]"#,
            ["not allowed: Library/Preferences/com.x.plist /launches: 7 → 8"]
        ),
    ])
    func clauses(expectation: String, findings: [String]) throws {
        #expect(try Self.findings(expectation, try Self.run()) == findings)
    }

    @Test(arguments: [
        (EntryChange.Kind.added, #""May":[{"Path":"a","Kind":"added"}]"#, []),
        (.added, #""May":[{"Path":"a","Kind":"deleted"}]"#, ["not allowed: a (added)"]),
        (.modified, #""May":[{"Path":"a"}]"#, []), (.modified, #""May":[{"Path":"b"}]"#, ["not allowed: a (modified)"]),
        (.type, #""Must":[{"Path":"a","Kind":"type","Count":1}]"#, []),
    ])
    func entriesWithoutDetails(kind: EntryChange.Kind, expectation: String, findings: [String]) throws {
        #expect(try Self.findings(expectation, comparison(try entry(kind, "a"))) == findings)
    }

    @Test func renamedEntriesNeedAllowingThemselves() throws {
        let mode = ChangeDetail(.metadata(MetadataChange(.mode, old: .value("0644"), new: .value("0600"))))
        let diff = comparison(try entry(.renamed(from: try relativePath("a")), "b", mode))
        #expect(try Self.findings(#""May":[{"Path":"a"}]"#, diff) == [])
        #expect(try Self.findings(#""May":[{"Path":"b","Kind":"renamed"}]"#, diff) == [#"not allowed: b mode: "0644" → "0600""#])
        #expect(try Self.findings(#""May":[{"Path":"b","Kind":"metadata"}]"#, diff) == ["not allowed: a → b (renamed)"])
        // Its line counts once, and not again for the changes inside.
        #expect(try Self.findings(#""Must":[{"Path":"b","Count":1}]"#, diff) == [])
    }

    @Test func everyChangedColumnNeedsAllowing() throws {
        var noisy = column("Z_OPT", 1, 2)
        noisy.noise = .coreData
        let diff = comparison(
            try entry(.modified, "x.sqlite", row(.modified, column("ZTITLE", "a", "b"), noisy, column("ZBODY", "c", "d"))))
        #expect(
            try Self.findings(#""May":[{"Table":"ZNOTE","Column":"ZTITLE"}]"#, diff) == [
                #"not allowed: x.sqlite ZNOTE Z_PK=12 ZBODY: "c" → "d""#
            ])
        #expect(try Self.findings(#""May":[{"Table":"ZNOTE","Column":"ZTITLE"},{"Column":"ZBODY"}]"#, diff) == [])
        #expect(try Self.findings(#""May":[{"Table":"ZNOTE"}],"MustNot":[{"Column":"ZBODY"}]"#, diff) == ["forbidden: ZBODY"])
        #expect(try Self.findings(#""Must":[{"Table":"ZNOTE","Count":1}]"#, diff) == [])
        #expect(
            try Self.findings(#""May":[{"Column":"ZTITLE"},{"Column":"ZBODY"}],"Noise":"check""#, diff) == [
                "not allowed: x.sqlite ZNOTE Z_PK=12 Z_OPT: 1 → 2"
            ])
    }

    @Test func aColumnIsAllowedIfAllPlacesInItAre() throws {
        var blob = column("ZBLOB", .data([1]), .data([2]))
        blob.nested = try ["/a", "/b"].map { PlistChange(.modified(old: 1, new: 2), at: try PlistPointer($0)) }
        let diff = comparison(try entry(.modified, "x.sqlite", row(.modified, blob)))
        let broken = ["not allowed: x.sqlite ZNOTE Z_PK=12 ZBLOB: data of 1 byte, AQ== → data of 1 byte, Ag=="]
        #expect(try Self.findings(#""May":[{"Pointer":"/a"}]"#, diff) == broken)
        #expect(try Self.findings(#""May":[{"Pointer":"/b"}]"#, diff) == broken)
        #expect(try Self.findings(#""May":[{"Pointer":"/a"},{"Pointer":"/b"}]"#, diff) == [])
    }

    @Test func noiseIsNotAskedButMayBeNamed() throws {
        var diff = comparison(try entry(.added, "Library/Caches/x"), try entry(.modified, "Library/Caches/y", textDetail))
        NoiseRules().classify(&diff)
        #expect(try Self.findings(#""Must":[]"#, diff) == [])
        #expect(try Self.findings(#""Must":[{"Path":"Library/Caches/x","Kind":"added"}]"#, diff) == [])
        #expect(try Self.findings(#""MustNot":[{"Path":"Library/Caches/y"}]"#, diff) == ["forbidden: Library/Caches/y"])
        #expect(try Self.findings(#""May":[{"Path":"Library/Caches/x","Count":0}]"#, diff) == [])
        #expect(
            try Self.findings(#""Noise":"check""#, diff) == [
                "not allowed: Library/Caches/x (added)", "not allowed: Library/Caches/y (text)",
            ])
        #expect(try Self.findings(#""Noise":"check","May":[{"Path":"Library/Caches/**"}]"#, diff) == [])
    }

    @Test func whatWasCutShortMeetsNothing() throws {
        let diff = comparison(try entry(.modified, "a", textDetail, limitDetail), isComplete: false)
        #expect(
            try Self.findings(#""May":[{"Path":"a"}]"#, diff) == [
                "the comparison is incomplete: a: the limit of rows was reached"
            ])
        #expect(try Self.findings(#""Other":"allow""#, diff).count == 1)
        #expect(try Expectation(try json(#"{"CapsuleExpectation":1,"Other":"allow"}"#)).evaluate(diff).isIncomplete)
    }

    /// A document with very many places uses a lookup instead of a search, with the same result.
    @Test func manyClausesOfOneFile() throws {
        let numbers = 0..<300
        let diff = comparison(try entry(.modified, "a.plist", try numbers.map { try value("/k\($0)", 1, 2) }))
        let clauses = numbers.map { #"{"Path":"a.plist","Pointer":"/k\#($0)","To":2}"# }
        #expect(try Self.findings("\"Must\":[\(clauses.joined(separator: ","))]", diff) == [])
        #expect(
            try Self.findings("\"Must\":[\(clauses.dropLast().joined(separator: ","))]", diff) == [
                "not allowed: a.plist /k299: 1 → 2"
            ])
        #expect(
            try Self.findings(#""Must":[{"Pointer":"/k*","Count":300},"# + clauses.joined(separator: ",") + "]", diff) == [])
    }

    @Test(arguments: [#""Row":{"Z_PK":@}"#, #""Row":{"title":"t@"},"Table":"Note""#, #""Row":{"ZTITLE":{"Equals":"t@"}}"#])
    func manyClausesOfOneTable(clause: String) throws {
        let numbers = 0..<60
        let rows = numbers.map { number in
            row(
                .modified, key: .integer(PlistInteger(number)),
                column("ZTITLE", "old", .string(PlistString("t\(number)")), attribute: "title"),
                column("ZCOUNT", 1, 2))
        }
        let diff = comparison(try entry(.modified, "m.sqlite", Array(rows)))
        let clauses = numbers.map { "{\"Path\":\"m.sqlite\",\"Count\":1,\(clause.replacing("@", with: String($0)))}" }
        #expect(try Self.findings("\"Must\":[\(clauses.joined(separator: ","))]", diff) == [])
        let findings = try Self.findings("\"Must\":[\(clauses.dropFirst().joined(separator: ","))]", diff)
        #expect(
            findings == [
                #"not allowed: m.sqlite ZNOTE Z_PK=0 ZTITLE: "old" → "t0""#, "not allowed: m.sqlite ZNOTE Z_PK=0 ZCOUNT: 1 → 2",
            ])
    }
}
