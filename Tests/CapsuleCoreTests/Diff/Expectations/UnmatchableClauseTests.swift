import CapsulePropertyList
import Testing

@testable import CapsuleCore

@Suite struct UnmatchableClauseTests {
    private static func match(_ text: String) throws -> ChangeMatch { try ChangeMatch(try json(text)) }

    private static let tables = [
        NamedTable(names: ["ZNOTE", "Note"], rowEntities: ["Note", "Draft"], columns: ["Z_PK", "Z_ENT", "ZTITLE", "title"]),
        NamedTable(names: ["plain"], rowEntities: [], columns: ["name", "rowid"]),
        NamedTable(names: ["search"], rowEntities: [], columns: []),
    ]

    @Test(arguments: [
        (#"{"Table":"Note"}"#, nil, nil), (#"{"Table":"ZNO*"}"#, nil, nil), (#"{"Table":"Draft","Column":"title"}"#, nil, nil),
        (#"{"Table":"search"}"#, nil, nil), (#"{"Column":"name"}"#, nil, nil), (#"{"Row":{"rowid":1}}"#, nil, nil),
        (#"{"Table":"note"}"#, "table", "note"), (#"{"Table":"Notee","Column":"name"}"#, "table", "Notee"),
        (#"{"Table":"plain","Column":"title"}"#, "column", "title"), (#"{"Column":"t*l"}"#, "column", "t*l"),
        (#"{"Table":"Draft","Row":{"name":"x"}}"#, "column", "name"), (#"{"Row":{"gone":{"Is":"absent"}}}"#, nil, nil),
    ])
    func tablesAndColumns(match: String, subject: String?, name: String?) throws {
        let missing = try Self.match(match).missing(from: Self.tables)
        #expect(missing?.subject.rawValue == subject && missing?.name == name)
    }

    @Test(arguments: [
        ("Documents/a.txt", true, []), ("Documents/*.txt", true, []), ("**/B.sqlite", true, []),
        ("Documnets/**", false, ["Documents/**"]),
        ("documents/a.txt", false, ["Documents/a.txt"]), ("Documents/b.txt", false, ["Documents/a.txt"]),
        ("**/B.sqlit", false, ["**/B.sqlite"]), ("Library/Aplication Support/*", false, ["Library/Application Support/*"]),
        ("*/nothing-like-this", false, []), ("Library/[A-Z]*/C.sqlite", false, ["Library/[A-Z]*/B.sqlite"]),
    ])
    func paths(pattern: String, isThere: Bool, suggestions: [String]) throws {
        let known = KnownPaths(
            try [
                "Documents", "Documents/a.txt", "Library", "Library/Application Support", "Library/Application Support/B.sqlite",
            ]
            .map(relativePath))
        let match = try Self.match("{\"Path\":\"\(pattern)\"}")
        #expect(known.matched(by: [match, try Self.match(#"{"Kind":"added"}"#)]) == [isThere, true])
        if !isThere { #expect(known.suggestions(for: try #require(match.pathPattern)).words == suggestions) }
    }

    /// A missing clause is a finding, and gets the reason; others are told apart.
    @Test func aMissingMustHasTheReason() throws {
        let expectation = try Expectation(
            try json(
                #"{"CapsuleExpectation":1,"Must":[{"Path":"a","Table":"Notee"},{"Path":"b","Count":0}],"MustNot":[{"Path":"c"}]}"#
            ))
        var diff = comparison()
        let result = expectation.evaluate(diff)
        let rules = result.unmatched
        #expect(rules.map(\.name) == ["Must 1", "Must 2", "MustNot 1"])
        diff.unmatchable = [
            UnmatchableClause(rule: rules[0], subject: .table, name: "Notee", suggestions: ["Note"]),
            UnmatchableClause(rule: rules[1], subject: .path, name: "b", suggestions: []),
            UnmatchableClause(rule: rules[2], subject: .path, name: "c", suggestions: []),
        ]
        #expect(result.unnoticed(diff.unmatchable).map(\.rule.name) == ["Must 2", "MustNot 1"])
        let found = result.report(on: diff)
        #expect(found.map(\.kind) == [.missing])
        #expect(found[0].lines(limit: 3) == ["no table 'Notee' in a on either side"])
        #expect(diff.unmatchable[0].hint == "did you mean 'Note'?" && diff.unmatchable[1].hint == nil)
    }
}
