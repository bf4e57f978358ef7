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

    private static func pointers(_ clauses: String, in documents: String...) throws -> [UnmatchableClause] {
        let expectation = try Expectation(try json("{\"CapsuleExpectation\":1,\"Other\":\"allow\",\"MustNot\":[\(clauses)]}"))
        let documents = try documents.map { try json($0) }
        return expectation.unmatchable(in: comparison(), ofFileAt: try relativePath("p.plist"), holding: documents)
    }

    @Test(arguments: [
        ("/a", true, []), ("/a/b", true, []), ("/list/0", true, []), ("/list/[id=1]/name", true, []), ("b", true, []),
        ("/only", true, []), ("/*/b", true, []), ("**/name", true, []), ("", true, []), ("/x~1y", true, []),
        // Elements come and go, but their keys stay.
        ("/list/9/name", true, []), ("/list/[id=9]", true, []), ("/none/0/x", true, []), ("/none/*", true, []),
        ("/list/[id=1]/nmae", true, []), ("/list/*/nmae", true, []), ("/full/*/nmae", false, []),
        ("/aa", false, []), ("/a/c", false, []), ("/onyl", false, ["/only"]), ("/onyl/x", false, ["/only/x"]),
        ("onyl", false, ["only"]), ("/x~1z", false, ["/x~1y"]), ("/a/b/c", false, []), ("/list/name", true, []),
        ("**/gone", false, ["**/none"]), ("zz*", false, []),
    ])
    func places(pointer: String, isThere: Bool, suggestions: [String]) throws {
        let found = try Self.pointers(
            "{\"Pointer\":\"\(pointer)\"}",
            in: #"{"a":{"b":1},"list":[{"id":1,"name":"x"}],"full":[{"n":1}],"none":[],"x/y":0}"#,
            #"{"a":{},"list":[],"full":[{"n":2}],"none":[],"only":0}"#)
        #expect(found.isEmpty == isThere, "\(found)")
        if let clause = found.first { #expect(clause.suggestions == suggestions && clause.subject == .pointer) }
    }

    /// A key that a run may add need not exist. The dictionaries around it should.
    @Test(arguments: [
        ("/new", "added", true), ("/a/new", "added", true), ("/settigns/new", "added", false), ("/other/new", "added", true),
        ("/new", "modified", false),
    ])
    func newKeys(pointer: String, kind: String, isQuiet: Bool) throws {
        let found = try Self.pointers(
            "{\"Pointer\":\"\(pointer)\",\"Kind\":\"\(kind)\"}", in: #"{"a":{},"settings":{"x":1}}"#)
        #expect(found.isEmpty == isQuiet)
    }

    /// A place that costs too much to search for is assumed to exist.
    @Test func theSearchEnds() throws {
        let many = PlistDictionary((0..<300_000).map { (PlistString("k\($0)"), PlistValue.integer(1)) })
        let expectation = try Expectation(
            try json(#"{"CapsuleExpectation":1,"Other":"allow","MustNot":[{"Pointer":"gone"},{"Pointer":"/gone"}]}"#))
        func found(_ value: PlistValue) throws -> [String] {
            expectation.unmatchable(in: comparison(), ofFileAt: try relativePath("p.plist"), holding: [value]).map(\.rule.name)
        }
        #expect(try found(.dictionary(many)) == [])
        #expect(try found(["few": 1]) == ["MustNot 1", "MustNot 2"])
        let clauses = (0..<300).map { "{\"Pointer\":\"/k\($0)\"}" }.joined(separator: ",")
        #expect(try Self.pointers(clauses, in: "{}").count == 256)
    }

    /// After an update, the remaining clauses of Must have other numbers.
    @Test func renumbering() throws {
        func expectation(_ must: String) throws -> CapsuleCore.Expectation {
            try Expectation(try json("{\"CapsuleExpectation\":1,\"Must\":[\(must)],\"MustNot\":[{\"Path\":\"z\"}]}"))
        }
        let old = try expectation(#"{"Path":"a"},{"Path":"b","Count":0}"#)
        let clauses = old.evaluate(comparison()).unmatched
            .map { UnmatchableClause(rule: $0, subject: .path, name: "", suggestions: []) }
        let new = try expectation(#"{"Path":"b","Count":0}"#)
        #expect(new.renumbered(clauses).map(\.rule.name) == ["Must 1", "MustNot 1"])
    }

    @Test func pathsBeginInsideAppData() throws {
        let paths = ["Documents", "Documents/a.txt"]
        let match = try Self.match(#"{"Path":"AppData/Documents/*"}"#)
        let known = KnownPaths(try paths.map(relativePath))
        #expect(known.suggestions(for: try #require(match.pathPattern)).words == ["Documents/*"])
        let nested = KnownPaths(try (paths + ["AppData", "AppData/Documenst"]).map(relativePath))
        #expect(nested.suggestions(for: try #require(match.pathPattern)).words == ["AppData/Documenst/*"])
        func hint(_ name: String, _ suggestions: [String]) throws -> String? {
            let expectation = try Expectation(try json("{\"CapsuleExpectation\":1,\"Must\":[{\"Path\":\"\(name)\"}]}"))
            let rule = try #require(expectation.evaluate(comparison()).unmatched.first)
            return UnmatchableClause(rule: rule, subject: .path, name: name, suggestions: suggestions).hint
        }
        #expect(try hint("AppData/a", ["a"]) == "paths begin inside AppData: write 'a'")
        #expect(try hint("AppData/b", ["AppData/a"]) == "did you mean 'AppData/a'?")
    }

    /// An unmet Must clause is a finding, and the reason is added to it. Other clauses are reported separately.
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

    /// A generated expectation may have very many clauses. Their reasons are not searched for one by one, which would take minutes.
    @Test(.timeLimit(.minutes(1))) func manyClauses() throws {
        let clauses = (0..<30_000).map { "{\"Path\":\"x\($0)\"}" }.joined(separator: ",")
        let expectation = try Expectation(try json("{\"CapsuleExpectation\":1,\"Must\":[\(clauses)]}"))
        var diff = comparison()
        let result = expectation.evaluate(diff)
        diff.unmatchable = UnmatchableClause.find(among: result.unmatched, in: KnownPaths([]), isWhole: true) { _ in
            []
        } places: { _ in
        }
        diff.unmatchable = expectation.renumbered(diff.unmatchable)
        let found = result.report(on: diff)
        #expect(found.count == 30_000 && found.last?.reason == "no path matches 'x29999' on either side")
        #expect(result.report(on: diff, limit: 10) == Array(found.prefix(10)))
    }
}
