import CapsulePropertyList
import Testing

@testable import CapsuleCore
@testable import CapsuleRules

@Suite struct ExpectationFindingTests {
    private static func report(_ expectation: String, _ diff: ContainerDiff) throws -> [ExpectationFinding] {
        try Expectation(try json("{\"CapsuleExpectation\":1,\(expectation)}")).evaluate(diff).report(on: diff)
    }

    private static func finding(_ expectation: String, _ entries: EntryChange...) throws -> ExpectationFinding {
        let diff = ContainerDiff(old: .init(source: [1]), new: .init(source: [2]), entries: entries)
        let found = try report("\"Other\":\"allow\",\(expectation)", diff)
        #expect(found.count == 1)
        return try #require(found.first)
    }

    @Test func aForbiddenRowHasItsPlace() throws {
        let found = try Self.finding(
            #""MustNot":[{"Path":"a"},{"Table":"Note","Kind":"deleted","Note":"never"}]"#,
            try entry(.modified, "m.sqlite", row(.deleted, column("ZTITLE", "fox", nil))))
        #expect(found.kind == .forbidden && found.expected == 0...0 && found.count == 1 && found.reason == nil)
        #expect(found.rule?.name == "MustNot 2" && found.rule?.pointer == "/MustNot/1" && found.rule?.clause.note == "never")
        let place = try #require(found.place)
        #expect(place.path.description == "m.sqlite" && place.table == "ZNOTE" && place.entity == "Note")
        #expect(place.row == [.init("Z_PK", .value(12))] && place.column == nil && place.pointer == nil)
        #expect(found.shown?.summary.operation == "deleted" && found.shown?.summary.kind == "row")
        #expect(found.headline == "forbidden: Note (deleted) (never)")
        #expect(found.lines(limit: 3) == ["m.sqlite ZNOTE Z_PK=12 (deleted)"])
        #expect(found.message == "forbidden: Note (deleted) (never): m.sqlite ZNOTE Z_PK=12 (deleted)")
    }

    @Test func valuesArePartsToo() throws {
        let found = try Self.finding(
            #""MustNot":[{"Pointer":"/a","To":2}]"#, try entry(.modified, "p.plist", try value("/a", 1, 2)))
        #expect(found.place?.pointer?.description == "/a")
        #expect(found.shown?.summary.old == .value(1) && found.shown?.summary.new == .value(2))
        let column = try Self.finding(
            #""MustNot":[{"Column":"title"}]"#,
            try entry(.modified, "m.sqlite", row(.modified, column("ZTITLE", "a", "b", attribute: "title"))))
        #expect(column.place?.column == "ZTITLE" && column.shown?.summary.new == .value("b"))
        let file = try Self.finding(#""MustNot":[{"Path":"x"}]"#, try entry(.deleted, "x"))
        #expect(file.shown?.summary.kind == "deleted" && file.message == "forbidden: x: x (deleted)")
    }

    /// A row without a key is identified by its values.
    @Test func aRowWithoutAKeyIsCalledByItsValues() throws {
        let columns = (1...5).map { column("c\($0)", .integer(PlistInteger($0)), nil) }
        let change = RowChange(.deleted, table: "t", key: [], columns: columns)
        let found = try Self.finding(
            #""MustNot":[{"Table":"t"}]"#, try entry(.modified, "x.db", ChangeDetail(.row(change))))
        #expect(found.lines(limit: 3) == ["x.db t c1=1, c2=2, c3=3 (deleted)"])
    }

    @Test(arguments: [
        // The same place with another value comes before all others.
        (#"{"Path":"p.*","Pointer":"/n","To":5}"#, "p.plist /n: 3 → 4 was seen"),
        (#"{"Path":"p.*","Pointer":"/n","Kind":"added"}"#, "p.plist /n: 3 → 4 was seen"),
        (#"{"Path":"p.plist","Pointer":"/m","To":5}"#, nil),
        (#"{"Table":"Note","Row":{"Z_PK":12},"Column":"title","To":"z"}"#, #"m.sqlite ZNOTE Z_PK=12 ZTITLE: "a" → "b" was seen"#),
        // Another row: one with exactly this change comes before one with another change.
        (#"{"Table":"Note","Row":{"Z_PK":99},"Column":"title","To":"d"}"#, #"m.sqlite ZNOTE Z_PK=13 ZTITLE: "c" → "d" was seen"#),
        (#"{"Table":"Note","Row":{"Z_PK":99},"Column":"title","To":"z"}"#, #"m.sqlite ZNOTE Z_PK=12 ZTITLE: "a" → "b" was seen"#),
        (#"{"Table":"Note","Row":{"title":"fox"},"Kind":"added"}"#, "m.sqlite ZNOTE Z_PK=14 (added) was seen"),
        (#"{"Table":"Other","Kind":"added"}"#, nil),
        // A change inside a file that was deleted as a whole.
        (#"{"Path":"gone.plist","Pointer":"/a","To":1}"#, "gone.plist (deleted) was seen"),
        (#"{"Path":"**","Kind":"renamed"}"#, nil),
        (#"{"Path":"other","Kind":"added"}"#, nil),
        // A clause with a count.
        (#"{"Path":"p.*","Pointer":"/n","To":5,"Count":1}"#, "p.plist /n: 3 → 4 was seen"),
    ])
    func theNearestChangeIsTold(clause: String, nearest: String?) throws {
        let found = try Self.finding(
            "\"Must\":[\(clause)]", try entry(.deleted, "gone.plist"),
            try entry(
                .modified, "m.sqlite", row(.modified, key: 12, column("ZTITLE", "a", "b", attribute: "title")),
                row(.modified, key: 13, column("ZTITLE", "c", "d", attribute: "title")),
                row(.added, key: 14, column("ZTITLE", nil, "cat", attribute: "title"))),
            try entry(.modified, "p.plist", try value("/n", 3, 4), try value("/o", 5, 5)))
        #expect(found.kind == .missing && found.changes.isEmpty)
        #expect(found.lines(limit: 3) == (nearest.map { [$0] } ?? []))
        #expect(found.place == found.nearest?.summary.place)
    }

    /// One wrong value is one finding, whether something else allows it or not.
    @Test(arguments: [
        (#"{"Path":"p.plist","Pointer":"/n","To":5}"#, "p.plist /n: expected … → 5, found 3 → 4"),
        (#"{"Path":"p.plist","Pointer":"/n","From":2,"To":4,"Note":"two"}"#, "p.plist /n: expected 2 → 4, found 3 → 4 (two)"),
        (#"{"Path":"p.plist","Pointer":"/n","Kind":"added","To":4}"#, "p.plist /n: expected 4 (added), found 3 → 4 (modified)"),
        (#"{"Path":"p.plist","Pointer":"/n","To":5,"Count":1}"#, "p.plist /n: expected … → 5, found 3 → 4"),
        (#"{"Path":"gone","Kind":"added"}"#, "gone: expected (added), found (deleted)"),
    ])
    func aWrongValueIsOneFinding(clause: String, message: String) throws {
        let entries = [
            try entry(.deleted, "gone"), try entry(.modified, "p.plist", try value("/n", 3, 4)),
        ]
        let place = clause.contains("gone") ? #"{"Path":"p.plist"}"# : #"{"Path":"gone"}"#
        for may in ["[\(place)]", #"[{"Path":"**"}]"#] {
            let found = try Self.finding("\"Must\":[\(clause)],\"May\":\(may)", entries[0], entries[1])
            #expect(found.kind == .mismatch && found.message == message)
            #expect(found.place?.path == found.changes.first?.summary.place.path && found.nearest == nil)
        }
    }

    /// A change that is noise is nearest only if there is no other.
    @Test func noiseIsFurtherAway() throws {
        var first = row(.modified, key: 1, column("ZTITLE", "a", "b"))
        first.noise = .coreData
        let found = try Self.finding(
            #""Must":[{"Table":"Note","Column":"ZTITLE","To":"z"}]"#,
            try entry(.modified, "m.sqlite", first, row(.modified, key: 2, column("ZTITLE", "c", "d"))))
        #expect(found.nearest?.summary.text == #"m.sqlite ZNOTE Z_PK=2 ZTITLE: "c" → "d""#)
    }

    @Test func manyChangesAreCounted() throws {
        let found = try Self.finding(
            #""May":[{"Path":"f*","Count":{"Min":2,"Max":3}}]"#, try entry(.added, "f1"), try entry(.added, "f2"),
            try entry(.added, "f3"), try entry(.added, "f4"))
        #expect(found.kind == .miscounted && found.expected == 2...3 && found.count == 4 && found.changes.count == 4)
        #expect(found.lines(limit: 2) == ["f1 (added)", "f2 (added)", "and 2 more"])
        #expect(found.message == "4 changes instead of 2 to 3: f*: f1 (added), and 3 more")
        let few = try Self.finding(#""MustNot":[{"Path":"f*","Count":{"Min":1,"Max":2}}]"#, try entry(.added, "f1"))
        #expect(few.expected == 0...0)
        let none = try Self.finding(#""MustNot":[{"Path":"f*","Count":{"Max":2}}]"#, try entry(.added, "f1"))
        #expect(none.expected == 3...UInt64.max)
    }

    @Test func whatCannotBeJudgedSaysWhere() throws {
        let fallback = ChangeDetail(.fallback(HandlerFallback(side: .b, from: "plist", to: "bytes", reason: "is damaged")))
        let found = try Self.finding(
            #""MustNot":[{"Pointer":"/a"}]"#, try entry(.modified, "p.plist", fallback, bytesDetail))
        #expect(found.kind == .undecided && found.place?.path.description == "p.plist")
        #expect(found.reason == "not compared as plist: is damaged")
        #expect(found.headline == "can't be judged: /a: not compared as plist: is damaged")
        #expect(found.lines(limit: 3) == ["p.plist (modified)"])
        let hidden = RowChange.Column("ZPIN", old: .hidden("keychain"), new: .hidden("keychain"))
        let secret = try Self.finding(
            #""MustNot":[{"Column":"ZPIN","To":"1234"}]"#, try entry(.modified, "m.sqlite", row(.modified, hidden)))
        #expect(secret.place?.column == "ZPIN" && secret.shown?.summary.new == .hidden("keychain"))
        #expect(secret.lines(limit: 3).isEmpty && secret.message.contains("hidden (keychain)"))
    }

    @Test func changesThatNothingAllowsAndGaps() throws {
        let diff = comparison(try entry(.modified, "a", try value("/x", .added("y")), limitDetail), isComplete: false)
        let found = try Self.report(#""May":[]"#, diff)
        #expect(found.map(\.kind) == [.unallowed, .cutShort])
        #expect(found[0].rule == nil && found[0].place?.pointer?.description == "/x" && found[0].expected == 0...0)
        #expect(found[0].lines(limit: 3) == [] && found[0].message == #"not allowed: a /x: added "y""#)
        #expect(found[1].place == nil && found[1].reason == "a: the limit of rows was reached" && found[1].count == nil)
    }

    /// For a change that the comparison doesn't keep, short values are kept, and the beginnings of long ones.
    @Test func unkeptChangesHaveShortValues() throws {
        let expectation = try Expectation(try json(#"{"CapsuleExpectation":1,"Other":"allow","MustNot":[{"Path":"p"}]}"#))
        let long = String(repeating: "x", count: 10_000)
        let cases: [(PlistValue, DisplayValue?)] = [
            (2, .value(2)), (.string(PlistString(long)), .textHead(PlistString(String(long.prefix(64))), count: 10_000)),
            (.data([UInt8](repeating: 7, count: 300)), .dataHead([UInt8](repeating: 7, count: 64), count: 300)),
            (["k": 1], nil),
        ]
        for (new, kept) in cases {
            let change = try entry(.modified, "p")
            let judge = ChangeJudge(Judging(expectation: expectation)).entry(change)
            judge.add(try value("/a", .added(new)).content, isKept: false)
            let diff = comparison(judge.finished(change))
            let found = try #require(expectation.evaluate(diff).report(on: diff).first)
            #expect(found.place?.pointer?.description == "/a")
            #expect(found.shown?.summary.new == kept)
        }
    }
}
