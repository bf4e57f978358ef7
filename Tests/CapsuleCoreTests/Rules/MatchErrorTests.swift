import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleRules

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
        ("*.txt", false, ["**/*.txt"]), ("B.sqlite", false, ["**/B.sqlite"]), ("*.gif", false, []),
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

    /// Guards are looked up in the property lists that differ. One that doesn't may have the place, unless the clause names the one
    /// that does.
    @Test(arguments: [
        (
            #""Path":"a.plist","Pointer":"/onbording/done""#, "no value at '/onbording/done' in a.plist on either side",
            "/onboarding/done"
        ),
        (
            #""Path":"a.plist","Pointer":"/onboarding/don""#, "no value at '/onboarding/don' in a.plist on either side",
            "/onboarding/done"
        ),
        (#""Path":"*.plist","Pointer":"/list/0/nmae""#, "no value at '/list/0/nmae' in *.plist on either side", "/list/0/name"),
        (#""Path":"a.plist","Pointer":"/list/[name=y]""#, "no value at '/list/[name=y]' in a.plist on either side", nil),
        (#""Path":"a.plist","Pointer":"zzz""#, "no value at 'zzz' in a.plist on either side", nil),
        (#""Pointer":"/onbording""#, "no value at '/onbording' on either side", "/onboarding"),
        (#""Path":"a.plist","Pointer":"/onboarding/done""#, nil, nil), (#""Path":"a.plist","Pointer":"/old""#, nil, nil),
        (#""Path":"a.plist","Pointer":"done""#, nil, nil), (#""Path":"a.plist","Pointer":"/list/[name=x]/name""#, nil, nil),
        (#""Path":"a.plist","Pointer":"""#, nil, nil), (#""Path":"*.plist","Pointer":"/zzz""#, nil, nil),
        (#""Path":"a.plist","Pointer":"/data/<plist>/in""#, nil, nil), (#""Path":"b.plist","Pointer":"/zzz""#, nil, nil),
        (#""Path":"a.plist","Pointer":"/zzz","Kind":"added""#, nil, nil),
    ])
    func placesOfWhatDiffers(clause: String, text: String?, suggestion: String?) throws {
        var diff = try Self.comparison(of: ["a.plist", "b.plist"])
        var entry = EntryChange(.modified, at: try relativePath("a.plist"), details: [])
        let inner = try BinaryPlistWriter.write(["in": 1])
        entry.documents = [
            ["onboarding": ["done": false], "list": [["name": "x"]], "old": 1],
            ["onboarding": ["done": true], "list": [["name": "x"]], "data": .data(inner)],
        ]
        diff.entries = [entry]
        for clauses in [#""MustNot":[{\#(clause)}]"#, #""May":[{\#(clause),"Count":0}]"#] {
            let expectation = try Expectation(try json("{\"CapsuleExpectation\":1,\"Other\":\"allow\",\(clauses)}"))
            let found = expectation.evaluate(diff).unmatchable
            #expect(found.map(\.text) == [text].compactMap(\.self))
            #expect(found.flatMap(\.suggestions) == [suggestion].compactMap(\.self))
            #expect(found.allSatisfy { $0.hint != nil })
        }
        // Another clause may be about a place that comes and goes.
        let others = try Expectation(try json("{\"CapsuleExpectation\":1,\"Must\":[{\(clause)}],\"May\":[{\(clause)}]}"))
        #expect(others.evaluate(diff).unmatchable.isEmpty)
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
            (#"{"From":{"Is":"uuids"}}"#, "/From/Is", "Is: \"uuids\" is not a form", "did you mean 'uuid'?"),
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

@Suite struct PatternTests {
    @Test(arguments: [
        ("a", "a", true), ("a", "b", false), ("", "", true), ("*", "", true), ("*", "a/b", true), ("a*", "abc", true),
        ("*c", "abc", true), ("a*c", "ac", true), ("a*a", "a", false), ("*b*", "abc", true), ("a*b*c", "axbyc", true),
        ("a*b*c", "axyc", false), ("**", "x", true), ("[a*", "[a=1]", true), ("?", "x", false), ("*aab*", "aaaab", true),
        ("*é", "é", true), ("é", "e\u{301}", false),
    ])
    func names(pattern: String, name: String, isFit: Bool) {
        #expect(NamePattern(PlistString(pattern)).matches(name) == isFit)
    }

    @Test(arguments: SeededGenerator.seeds)
    func namesAgreeWithGlobs(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<3000 {
            let pattern = (0..<random.number(1...7)).map { _ in random.pick(Array("*ab".utf8)) }
            let text = (0..<random.number(0...8)).map { _ in random.pick(Array("ab".utf8)) }
            let name = NamePattern(PlistString(String(decoding: pattern, as: UTF8.self)))
            let isFit = name.matches(String(decoding: text, as: UTF8.self))
            #expect(isFit == (try Glob(pattern).matches(text)), "\(pattern) \(text)")
        }
    }

    @Test(arguments: [
        ("/a", "/a", true), ("/a", "/b/a", false), ("a", "/b/a", true), ("/a*", "/abc", true), ("/a*", "/a/b", false),
        ("/*/c", "/x/c", true), ("/**/c", "/c", true), ("/a/**", "/a/b/c", true), ("", "", true), ("", "/a", false),
        ("/[k=*]", "/[k=v]", true), ("/a~1*", "/a~1b", true), ("/**", "", true), ("/*", "", false),
        ("/a/**/z*", "/a/b/zed", true),
    ])
    func places(pattern: String, pointer: String, isFit: Bool) throws {
        #expect(try MatchPointerPattern(pattern).matches(try PlistPointer(pointer).steps) == isFit)
    }

    private static let uuid = "6B29FC40-CA47-1067-B31D-00DD010662DA"

    @Test(
        arguments: [
            ("a.plist", "a.plist", "a.plist"), (uuid, "????????-????-????-????-????????????", "*"),
            ("x-\(uuid).gif", "x-????????-????-????-????-????????????.gif", "x-*.gif"),
            ("log-1713300000.txt", "log-[0-9]*.txt", "log-*.txt"),
            ("2026-04-17.log", "[0-9]*-[0-9]*-[0-9]*.log", "*-*-*.log"), ("v2-123.txt", "v2-123.txt", "v2-123.txt"),
            ("1a2b3c4d", "????????", "*"), ("deadbeef", "deadbeef", "deadbeef"), ("face1234book", "face[0-9]*book", "face*book"),
            ("[a]*", "\\[a]\\*", "[a]\\*"), ("a\\b", nil, "a\\\\b"), ("a1b2c3", "a1b2c3", "a1b2c3"),
            ("\(uuid)-\(uuid)", nil, "*-*"),
            ("0123", "[0-9]*", "*"),
            ("é1a2b3c4d", "é1a2b3c4d", "é1a2b3c4d"),
        ] as [(String, String?, String)])
    func whatIsMadeUp(text: String, glob: String?, step: String) throws {
        let parts = GeneratedText(Array(text.utf8))
        #expect(glob == nil || String(decoding: parts.glob, as: UTF8.self) == glob)
        #expect(parts.step == step)
        #expect(try Glob(parts.glob).matches(Array(text.utf8)))
        #expect(NamePattern(PlistString(parts.step)).matches(text))
    }

    @Test func numbersStayWhereUUIDsAloneAreMeant() {
        let parts = GeneratedText(Array("1713300000-\(Self.uuid)".utf8), isUUIDOnly: true)
        #expect(String(decoding: parts.glob, as: UTF8.self) == "1713300000-????????-????-????-????-????????????")
    }

    /// The pattern that is made from a text matches the text, and a similar one.
    @Test(arguments: SeededGenerator.seeds)
    func everyTextFitsItsPattern(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let text = (0..<random.number(1...50)).map { _ in random.pick(Array("0123456789abcdef-*?[\\/é".utf8)) }
            let parts = GeneratedText(text)
            #expect(try Glob(parts.glob).matches(text), "\(text)")
        }
    }
}
