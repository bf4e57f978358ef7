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
        if !isThere { #expect(known.suggestions(for: try #require(match.path)).words == suggestions) }
    }

    private static func comparison(of paths: [String], tables: [NamedTable] = []) throws -> ContainerDiff {
        var diff = CapsuleCoreTests.comparison()
        diff.paths = try paths.map(relativePath)
        guard !tables.isEmpty else { return diff }
        var entry = EntryChange(.modified, at: try relativePath(paths[0]), details: [])
        entry.tables = tables
        diff.entries = [entry]
        return diff
    }

    private static func unmatchable(_ clauses: String, in diff: ContainerDiff) throws -> [UnmatchableClause] {
        try Expectation(try json("{\"CapsuleExpectation\":1,\"Other\":\"allow\",\"MustNot\":[\(clauses)]}")).evaluate(diff)
            .unmatchable
    }

    /// A database that doesn't differ may have a table, unless the clause names the one that does. A similar name is a mistake.
    @Test(arguments: [
        (#"{"Path":"B.sqlite","Table":"zzz"}"#, "no table 'zzz' in B.sqlite on either side"),
        (#"{"Path":"B.sqlite","Table":"plain"}"#, nil), (#"{"Table":"zzz"}"#, nil),
        (#"{"Table":"plan"}"#, "no table 'plan' on either side"), (#"{"Path":"*.sqlite","Table":"zzz"}"#, nil),
        (#"{"Path":"C.sqlite","Table":"zzz"}"#, nil), (#"{"Table":"zzz","Kind":"schema"}"#, nil),
    ])
    func tablesOfWhatDiffers(clause: String, text: String?) throws {
        let diff = try Self.comparison(of: ["B.sqlite", "C.sqlite"], tables: Self.tables)
        #expect(try Self.unmatchable(clause, in: diff).map(\.text) == [text].compactMap(\.self))
    }

    /// A path that a run may add need not exist. The directories around it should.
    @Test(arguments: [("Docs/new", "added", true), ("Dosc/new", "added", false), ("Docs/new", "modified", false)])
    func newPaths(path: String, kind: String, isQuiet: Bool) throws {
        let found = try Self.unmatchable(
            "{\"Path\":\"\(path)\",\"Kind\":\"\(kind)\"}", in: Self.comparison(of: ["Docs", "Docs/a"]))
        #expect(found.isEmpty == isQuiet)
    }

    /// A path in a directory that was not listed may exist.
    @Test func unknownPaths() throws {
        #expect(try Self.unmatchable(#"{"Path":"z"}"#, in: CapsuleCoreTests.comparison()).isEmpty)
        #expect(try Self.unmatchable(#"{"Path":"z"}"#, in: Self.comparison(of: [])).map(\.name) == ["z"])
    }

    @Test func pathsBeginInsideAppData() throws {
        let paths = ["Documents", "Documents/a.txt"]
        let match = try Self.match(#"{"Path":"AppData/Documents/*"}"#)
        let known = KnownPaths(try paths.map(relativePath))
        #expect(known.suggestions(for: try #require(match.path)).words == ["Documents/*"])
        let nested = KnownPaths(try (paths + ["AppData", "AppData/Documenst"]).map(relativePath))
        #expect(nested.suggestions(for: try #require(match.path)).words == ["AppData/Documenst/*"])
        func hint(_ name: String, _ paths: [String]) throws -> String? {
            try Self.unmatchable("{\"Path\":\"\(name)\"}", in: Self.comparison(of: paths)).first?.hint
        }
        #expect(try hint("AppData/b", ["a"]) == "paths begin inside AppData: write 'b'")
        #expect(try hint("AppData/bb", ["AppData", "AppData/bbb"]) == "did you mean 'AppData/bbb'?")
    }

    /// An unmet Must clause is a finding, and the reason is added to it. Other clauses are reported separately.
    @Test func aMissingMustHasTheReason() throws {
        let expectation = try Expectation(
            try json(#"{"CapsuleExpectation":1,"Must":[{"Path":"a"},{"Path":"b","Count":0}],"MustNot":[{"Path":"c"}]}"#))
        let diff = try Self.comparison(of: [])
        let result = expectation.evaluate(diff)
        #expect(result.unmatchable.map(\.rule.name) == ["Must 1", "Must 2", "MustNot 1"])
        #expect(result.warnings.map(\.rule.name) == ["Must 2", "MustNot 1"])
        let found = result.report(on: diff)
        #expect(found.map(\.kind) == [.missing])
        #expect(found[0].lines(limit: 3) == ["no path matches 'a' on either side"])
    }

    /// A generated expectation may have very many clauses. Their reasons are not searched for one by one, which would take minutes.
    @Test(.timeLimit(.minutes(1))) func manyClauses() throws {
        let clauses = (0..<30_000).map { "{\"Path\":\"x\($0)\"}" }.joined(separator: ",")
        let expectation = try Expectation(try json("{\"CapsuleExpectation\":1,\"Must\":[\(clauses)]}"))
        let diff = try Self.comparison(of: [])
        let result = expectation.evaluate(diff)
        let found = result.report(on: diff)
        #expect(found.count == 30_000 && found.last?.reason == "no path matches 'x29999' on either side")
        #expect(result.report(on: diff, limit: 10) == Array(found.prefix(10)))
    }
}
